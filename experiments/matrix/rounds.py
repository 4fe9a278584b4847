"""The rounds in which a preference matrix is made: which pairs, which queries, and what is then known.

A round asks every query a number of times (or, simulating, so many random ones) for all pairs that are still
open. All that is here follows from what earlier rounds found, so a job may be cut anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from experiments.matrix.kernels import CENTRED, COLUMNS, WITHIN, KernelChoice
from experiments.statistics import Sequence, extend, guess, start_sequence
from interleave.exact.outcome_odds import TIE, WIN
from interleave.world import World
from rankduel.base.streams import stream

_BLOCK = 200_000  # pages or duels in a block of queries: about a second
_BLOCKS = 32  # at least, so that threads share the work
_FEW = 200  # values tell too little about their spread to stop by it
_LONGEST = 16  # times that a round asks each query; more only where queries are few
# Sums kept of queries and pairs, 8 MB in a file. Of more, neighbouring queries share a group; too few groups
# tell nothing about other queries, so that none are kept.
_MOST_KEPT = 2**21
_FEWEST_GROUPS = 20


class Target(NamedTuple):
    """When a pair is done."""

    duels: int  # at the latest after so many, rounded up to whole passes over the queries
    precision: float | None  # half of its interval is no longer than this
    decide: float | None  # its interval excludes 1/2, all intervals being right with probability 1 - decide

    @property
    def adapts(self) -> bool:
        return self.precision is not None or self.decide is not None


class Job(NamedTuple):
    """A matrix to be made."""

    world: World
    kernel: KernelChoice
    firsts: np.ndarray  # (pairs,) int64
    seconds: np.ndarray
    exact: np.ndarray  # (pairs,) bool
    simulate: bool
    target: Target
    alpha: float  # of an interval, where nothing is to be decided
    seed: int

    @property
    def n_queries(self) -> int:
        return len(self.world.offsets) - 1

    @property
    def most(self) -> int:
        """Pages or duels of a pair that is not exact; a page's spread shows from the second time on."""
        passes = max(2, -(-self.target.duels // self.n_queries))
        return self.target.duels if self.simulate else passes * self.n_queries

    @property
    def n_groups(self) -> int:
        """Groups of queries whose sums are kept: as many as there are queries, if these are not too many."""
        affordable = min(self.n_queries, _MOST_KEPT // len(self.firsts))
        if affordable < min(_FEWEST_GROUPS, self.n_queries):
            return 0
        size = -(-self.n_queries // affordable)  # all groups are of this size or one less
        return -(-self.n_queries // size)

    def group(self, query: int) -> int:
        """Return the group of a query; groups are neighbours, as equal in number as can be."""
        return query * self.n_groups // self.n_queries


class PairSums(NamedTuple):
    """What is known of every pair."""

    rounds: np.ndarray  # (1,) int64, rounds played
    n: np.ndarray  # (pairs,) int64, pages or duels
    sums: np.ndarray  # (pairs, COLUMNS), see matrix_kernels
    freedom: np.ndarray  # (pairs,) int64, degrees of freedom of the column WITHIN
    by_query: np.ndarray  # (groups of queries, pairs): sums of values, each less 1/2
    sequence: Sequence  # for deciding; of wins and half the ties


class Round(NamedTuple):
    number: int
    rows: np.ndarray  # pairs that take part
    times: np.ndarray  # (n_queries,) int64, how often each query is asked
    block: int  # queries in a block


def start_sums(pairs: int, groups: int) -> PairSums:
    rounds, n, freedom = (np.zeros(size, np.int64) for size in (1, pairs, pairs))
    by_query = np.zeros((groups, pairs))
    return PairSums(rounds, n, np.zeros((pairs, COLUMNS)), freedom, by_query, start_sequence(pairs))


def add_by_query(job: Job, standing: PairSums, played: Round, start: int, values: np.ndarray) -> None:
    """Add the sums of a block of queries and the pairs of a round to those of their groups."""
    if not job.n_groups:
        return
    for query, sums in enumerate(values, start):
        standing.by_query[job.group(query), played.rows] += sums - played.times[query] / 2


def next_round(job: Job, standing: PairSums) -> Round | None:
    """Exact pairs once through the queries; then the open ones, half as often as ever before at the most."""
    number = int(standing.rounds[0])
    fresh = np.flatnonzero(job.exact & (standing.n == 0))
    if len(fresh):
        return _round(job, number, fresh, np.ones(job.n_queries, np.int64))
    rows = np.flatnonzero(~job.exact & ~_is_done(job, standing))
    if not len(rows):
        return None
    done = int(standing.n[rows[0]])  # all that are open are equally far
    if job.simulate:
        longest = max(_LONGEST * job.n_queries, 2**16)
        more = _step(job, done, 1000, longest, job.most)
        shares = np.full(job.n_queries, 1 / job.n_queries)
        times = stream(job.seed, "matrix queries", number).multinomial(more, shares)
        return _round(job, number, rows, times)
    first = 1 if job.target.decide is not None else max(2, _FEW // job.n_queries)
    longest = max(_LONGEST, 1024 // job.n_queries)
    more = _step(job, done // job.n_queries, first, longest, job.most // job.n_queries)
    return _round(job, number, rows, np.full(job.n_queries, more))


def _step(job: Job, done: int, first: int, longest: int, most: int) -> int:
    wanted = max(first, done // 2) if job.target.adapts else longest
    return min(wanted, longest, most - done)


def _round(job: Job, number: int, rows: np.ndarray, times: np.ndarray) -> Round:
    work = max(1, len(rows) * int(times.sum()) // job.n_queries)  # of a query
    return Round(number, rows, times, max(1, min(_BLOCK // work, -(-job.n_queries // _BLOCKS))))


def _is_done(job: Job, standing: PairSums) -> np.ndarray:
    done = standing.n >= job.most
    if job.target.adapts:
        lo, hi = interval(job, standing)
        if job.target.decide is not None:
            done |= (lo > 0.5) | (hi < 0.5)
        if job.target.precision is not None:
            done |= (hi - lo) / 2 <= job.target.precision
    return done


def centres(standing: PairSums, rows: np.ndarray) -> np.ndarray:
    """What the next values of these pairs are expected to be."""
    return guess(standing.n[rows], value(standing.sums[rows]))


def value(sums: np.ndarray) -> np.ndarray:
    """Wins and half the ties."""
    return sums[:, WIN] + sums[:, TIE] / 2


def conclude(job: Job, standing: PairSums, played: Round, sums: np.ndarray) -> None:
    """Add a round's sums to what is known."""
    rows, more = played.rows, int(played.times.sum())
    freedom = more - job.n_queries
    if job.simulate:
        freedom = more - 1
        _spread_of_counts(sums, more, centres(standing, rows))
    if job.target.decide is not None and not job.exact[rows[0]]:
        alpha = job.target.decide / np.count_nonzero(~job.exact)
        extend(standing.sequence, more, value(sums), sums[:, CENTRED], alpha, rows)
    standing.rounds[0] += 1
    standing.n[rows] += more
    standing.freedom[rows] += freedom
    standing.sums[rows] += sums


def _spread_of_counts(sums: np.ndarray, n: int, centres: np.ndarray) -> None:
    """Fill in the columns that the numbers of wins (1), ties (1/2) and losses (0) tell."""
    total, squares = value(sums), sums[:, WIN] + sums[:, TIE] / 4
    sums[:, WITHIN] = squares - total**2 / n
    sums[:, CENTRED] = squares - 2 * centres * total + n * centres**2


def interval(job: Job, standing: PairSums) -> tuple[np.ndarray, np.ndarray]:
    """(lo, hi) of each pair's mean value; 0 and 1 where nothing is known yet."""
    mean = value(standing.sums) / np.maximum(standing.n, 1)
    if job.target.decide is not None:
        # By their stakes they have a middle of their own; they may be widened, but must hold the mean.
        lo = np.minimum(standing.sequence.lo, mean)
        hi = np.maximum(standing.sequence.hi, mean)
    else:
        # As if one value more had been as far off as can be: no interval is empty by luck.
        variance = (0.25 + standing.sums[:, WITHIN]) / (standing.freedom + 1.0)
        reach = scipy.stats.norm.ppf(1 - job.alpha / 2) * np.sqrt(variance / np.maximum(standing.n, 1))
        lo = np.maximum(mean - reach, 0.0)
        hi = np.minimum(mean + reach, 1.0)
    known = standing.n > 0
    lo = np.where(known, lo, 0.0)
    hi = np.where(known, hi, 1.0)
    exact = known & job.exact
    return np.where(exact, mean, lo), np.where(exact, mean, hi)
