"""Rounds of a preference matrix: which pairs and queries to play next, and the estimates so far.

A round plays every query a number of times, or, if duels are simulated, a number of random queries, for all
pairs that are not done. A round depends on the sums of earlier rounds only, so an interrupted job can resume
at any point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from rankduel.base.streams import stream
from rankduel.experiments.matrix.kernels import CENTRED, COLUMNS, WITHIN, KernelChoice, add_centred
from rankduel.experiments.statistics import Sequence, extend, predicted_mean, start_sequence
from rankduel.interleave.exact.outcome_odds import TIE, WIN
from rankduel.interleave.world import World
from rankduel.letor_data.rankings import RankingsReference

_BLOCK_WORK = 200_000  # pages or duels in a block of queries, about a second of work
_MIN_BLOCKS = 32  # per round, so that threads share the work
_MIN_VALUES = 200  # values in the first round; the variance of fewer is too uncertain to stop by
_MAX_PASSES = 16  # plays of each query in a round; more only if there are few queries
# Sums stored per query and pair, 8 MB in a file. With more queries, neighbouring queries share a group. Fewer
# groups than _MIN_GROUPS say too little about other queries to be resampled, and none are stored.
_MAX_STORED_SUMS = 2**21
_MIN_GROUPS = 20


class Target(NamedTuple):
    """Conditions under which a pair is done; the first that holds ends it."""

    duels: int  # the pair has this many pages or duels, rounded up to whole passes over the queries
    precision: float | None  # the half-width of its interval is at most this value
    decide: float | None  # its interval excludes 1/2; all intervals cover with probability 1 - decide

    @property
    def adapts(self) -> bool:
        """Whether a pair may be done before it has `duels` pages or duels."""
        return self.precision is not None or self.decide is not None


class Job(NamedTuple):
    """A matrix to be built, with the kernel and the settings of its estimates."""

    world: World
    kernel: KernelChoice
    firsts: np.ndarray  # (pairs,) int64
    seconds: np.ndarray
    exact: np.ndarray  # (pairs,) bool
    simulate: bool
    target: Target
    alpha: float  # one minus the confidence of each interval, if target.decide is None
    seed: int
    rankings: RankingsReference | None  # those of `world`, for workers of a cluster

    @property
    def n_queries(self) -> int:
        return len(self.world.offsets) - 1

    @property
    def max_duels(self) -> int:
        """Largest number of pages or duels of a pair that is not exact.

        Unless duels are simulated, at least two passes: the variance of a query's values needs two of them.
        """
        passes = max(2, -(-self.target.duels // self.n_queries))
        return self.target.duels if self.simulate else passes * self.n_queries

    @property
    def n_groups(self) -> int:
        """Number of groups of queries with stored sums: one per query, or fewer if memory requires it."""
        affordable = min(self.n_queries, _MAX_STORED_SUMS // len(self.firsts))
        if affordable < min(_MIN_GROUPS, self.n_queries):
            return 0
        size = -(-self.n_queries // affordable)  # every group has this many queries or one less
        return -(-self.n_queries // size)

    def group(self, queries: np.ndarray) -> np.ndarray:
        """Return the group of each query: a range of neighbouring queries, all of nearly equal size."""
        return queries * self.n_groups // self.n_queries


class PairSums(NamedTuple):
    """Sums over all rounds so far, for every pair."""

    rounds: np.ndarray  # (1,) int64, rounds played
    n: np.ndarray  # (pairs,) int64, pages or duels
    sums: np.ndarray  # (pairs, COLUMNS), see rankduel.experiments.matrix.kernels
    freedom: np.ndarray  # (pairs,) int64, degrees of freedom of the column WITHIN
    by_query: np.ndarray  # (groups of queries, pairs): sums of value - 1/2
    sequence: Sequence  # confidence sequences of the values; used if target.decide is given


class Round(NamedTuple):
    """A round to be played: its pairs and how often each query is played."""

    number: int
    rows: np.ndarray  # row numbers of its pairs
    times: np.ndarray  # (n_queries,) int64, how often each query is played
    block: int  # queries in a block


def start_sums(pairs: int, groups: int) -> PairSums:
    rounds, n, freedom = (np.zeros(size, np.int64) for size in (1, pairs, pairs))
    by_query = np.zeros((groups, pairs))
    return PairSums(rounds, n, np.zeros((pairs, COLUMNS)), freedom, by_query, start_sequence(pairs))


def add_by_query(job: Job, totals: PairSums, played: Round, start: int, values: np.ndarray) -> None:
    """Add `values`, (queries of the block, pairs of the round), to the sums by group of queries.

    `start` is the first query of the block.
    """
    if not job.n_groups:
        return
    queries = np.arange(start, start + len(values))
    add_centred(totals.by_query, job.group(queries), played.rows, values, played.times[queries])


def next_round(job: Job, totals: PairSums) -> Round | None:
    """Return the next round, or None if all pairs are done.

    The first round plays every query once for the exact pairs. Later rounds play the other pairs that are not
    done; with an adaptive target, a round after the first adds at most half as many values as there are.
    """
    number = int(totals.rounds[0])
    unplayed = np.flatnonzero(job.exact & (totals.n == 0))
    if len(unplayed):
        return _round(job, number, unplayed, np.ones(job.n_queries, np.int64))
    rows = np.flatnonzero(~job.exact & ~_is_done(job, totals))
    if not len(rows):
        return None
    done = int(totals.n[rows[0]])  # the same for all pairs that are not done
    if job.simulate:
        longest = max(_MAX_PASSES * job.n_queries, 2**16)
        more = _round_size(job, done, 1000, longest, job.max_duels)
        shares = np.full(job.n_queries, 1 / job.n_queries)
        times = stream(job.seed, "matrix queries", number).multinomial(more, shares)
        return _round(job, number, rows, times)
    first = 1 if job.target.decide is not None else max(2, _MIN_VALUES // job.n_queries)
    longest = max(_MAX_PASSES, 1024 // job.n_queries)
    more = _round_size(job, done // job.n_queries, first, longest, job.max_duels // job.n_queries)
    return _round(job, number, rows, np.full(job.n_queries, more))


def _round_size(job: Job, done: int, first: int, longest: int, most: int) -> int:
    """Return how many plays to add to the `done` ones; `first` is the smallest number of a round."""
    wanted = max(first, done // 2) if job.target.adapts else longest
    return min(wanted, longest, most - done)


def _round(job: Job, number: int, rows: np.ndarray, times: np.ndarray) -> Round:
    work_per_query = max(1, len(rows) * int(times.sum()) // job.n_queries)
    return Round(number, rows, times, queries_per_block(work_per_query, job.n_queries))


def queries_per_block(work_per_query: int, n_queries: int) -> int:
    """Return the number of queries in a block, given the number of pages or duels per query."""
    return max(1, min(_BLOCK_WORK // work_per_query, -(-n_queries // _MIN_BLOCKS)))


def _is_done(job: Job, totals: PairSums) -> np.ndarray:
    done = totals.n >= job.max_duels
    if job.target.adapts:
        lo, hi = interval(job, totals)
        if job.target.decide is not None:
            done |= (lo > 0.5) | (hi < 0.5)
        if job.target.precision is not None:
            done |= (hi - lo) / 2 <= job.target.precision
    return done


def centres(totals: PairSums, rows: np.ndarray) -> np.ndarray:
    """Return the predicted means of the pairs at `rows`, from which squared deviations are measured."""
    return predicted_mean(totals.n[rows], sum_of_values(totals.sums[rows]))


def sum_of_values(sums: np.ndarray) -> np.ndarray:
    """Return wins plus half the ties."""
    return sums[:, WIN] + sums[:, TIE] / 2


def add_round(job: Job, totals: PairSums, played: Round, sums: np.ndarray) -> None:
    """Add the sums of the round `played`, (pairs of the round, COLUMNS), to those of all rounds."""
    rows, more = played.rows, int(played.times.sum())
    freedom = more - job.n_queries
    if job.simulate:
        freedom = more - 1
        _fill_in_squares(sums, more, centres(totals, rows))
    if job.target.decide is not None and not job.exact[rows[0]]:
        alpha = job.target.decide / np.count_nonzero(~job.exact)
        extend(totals.sequence, more, sum_of_values(sums), sums[:, CENTRED], alpha, rows)
    totals.rounds[0] += 1
    totals.n[rows] += more
    totals.freedom[rows] += freedom
    totals.sums[rows] += sums


def _fill_in_squares(sums: np.ndarray, n: int, centres: np.ndarray) -> None:
    """Compute WITHIN and CENTRED from the counts of wins (value 1), ties (1/2) and losses (0)."""
    total, squares = sum_of_values(sums), sums[:, WIN] + sums[:, TIE] / 4
    sums[:, WITHIN] = squares - total**2 / n
    sums[:, CENTRED] = squares - 2 * centres * total + n * centres**2


def interval(job: Job, totals: PairSums) -> tuple[np.ndarray, np.ndarray]:
    """Return (lo, hi) of the mean value of each pair; 0 and 1 for a pair that was not played yet."""
    mean = sum_of_values(totals.sums) / np.maximum(totals.n, 1)
    if job.target.decide is not None:
        # A confidence sequence need not be centred on the mean; widen it to contain it.
        lo = np.minimum(totals.sequence.lo, mean)
        hi = np.maximum(totals.sequence.hi, mean)
    else:
        # One pseudo-value with the largest squared deviation, 1/4, keeps every interval from being empty.
        variance = (0.25 + totals.sums[:, WITHIN]) / (totals.freedom + 1.0)
        half_width = scipy.stats.norm.ppf(1 - job.alpha / 2) * np.sqrt(variance / np.maximum(totals.n, 1))
        lo = np.maximum(mean - half_width, 0.0)
        hi = np.minimum(mean + half_width, 1.0)
    played = totals.n > 0
    lo = np.where(played, lo, 0.0)
    hi = np.where(played, hi, 1.0)
    exact = played & job.exact
    return np.where(exact, mean, lo), np.where(exact, mean, hi)
