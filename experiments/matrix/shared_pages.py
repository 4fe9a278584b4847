"""Preferences of all pairs of rankers from multileaved pages, each of which compares every pair.

A page gives each pair a degree of preference S, which is positive if the first ranker is preferred. Degrees
are summed over impressions; a page with S = 0 counts as a tie. The order of a pair is the sign of its mean
degree, as in the multileaving papers. On the scale of probabilities

    p = (1 + mean S / unit) / 2,    wins, losses = sums of positive, negative S / unit,    ties = the rest.

The unit is 1 if S is a sign or an expected sign. For other methods (optimized, pairwise, credit=expected) S
is not bounded, and the unit is the mean of |S| over the pages with S != 0 for the pair, so that a page counts
in proportion to |S|. For signs both definitions agree: p is the share of wins plus half the share of ties.

Impressions are divided into blocks. Every block has its own random stream, named by seed, method, run and
first impression. Blocks are added in order, so threads and interruptions change no byte, and a shorter run is
the beginning of a longer one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from rankduel.bandits import checkpoints
from rankduel.base.compiling import entry
from rankduel.base.errors import UsageError
from rankduel.base.settings import Configured
from rankduel.base.streams import checked_seed, stream
from rankduel.base.threads import ordered_map
from rankduel.experiments.arena import Arena, check_has_pairs
from rankduel.experiments.arena_reference import ArenaReference, arena_of, transfers_of
from rankduel.experiments.cluster import Cluster, Workers, checked_workers
from rankduel.experiments.limits import checked_count
from rankduel.experiments.matrix.checkpoint import Checkpoint
from rankduel.experiments.matrix.preferences import Preferences, checked, write_preferences
from rankduel.interleave import for_another_thread as own_world
from rankduel.interleave.duel import outcome_by
from rankduel.interleave.multileave import MULTILEAVERS, for_another_thread, make_shared_world, multileave_by

# Columns of the sums of a pair: pages with S > 0, with S < 0, sums of S and of -S over these, sum of S^2.
WINS, LOSSES, POSITIVE, NEGATIVE, SQUARES = range(5)
COLUMNS = 5
MOST = 10**12  # impressions
METHOD = "multileaved"
_BLOCK = 1000  # impressions
_ROUNDING = 1e-9  # relative rounding error of a sum of degrees


class PageComparison(NamedTuple):
    """A method of comparing rankers on pages: multileaving, or interleaving of random pairs."""

    name: str
    # (first impression, number of impressions, users) -> (pairs, COLUMNS), in the order of np.triu_indices.
    # It is thread-safe.
    sums: Callable[[int, int, np.random.Generator], np.ndarray]


def multileaved(arena: Arena, method: Configured, seed: int = 0) -> PageComparison:
    """Return the comparison of all rankers of `arena` on every page.

    `seed` is the seed of ties between documents that are broken once per run.
    """
    check_has_pairs(arena)
    shared = make_shared_world(
        arena.rankings, arena.labels, arena.model, method, arena.length, arena.ties, arena.queries, seed
    )
    kernel = _multileaved_sums(multileave_by(method.name))
    rankers = np.arange(arena.rankings.n_rankers)

    def sums(start: int, pages: int, users: np.random.Generator) -> np.ndarray:
        own = for_another_thread(shared)
        own.world.rules[0].next_query = start % arena.rankings.n_queries
        return kernel(own, rankers, pages, users)

    return PageComparison(str(method), sums)


def random_pairs(arena: Arena, seed: int = 0) -> PageComparison:
    """Return the comparison of two random rankers per page, by the interleaving method of `arena`."""
    check_has_pairs(arena)
    world, method = arena.world(seed), arena.interleaving
    kernel = _dueled_sums(outcome_by(method.name))

    def sums(start: int, pages: int, users: np.random.Generator) -> np.ndarray:
        own = own_world(world)
        own.rules[0].next_query = start % arena.rankings.n_queries
        return kernel(own, arena.rankings.n_rankers, pages, users)

    return PageComparison(f"random pairs, {method}", sums)


@functools.cache
def _multileaved_sums(impression: Callable[..., Any]) -> Callable[..., Any]:
    @entry
    def multileaved_sums(shared, rankers, pages, users):
        n = len(rankers)
        sums = np.zeros((n * (n - 1) // 2, COLUMNS))
        found = np.empty((n, n))
        for _ in range(pages):
            n_clicks, _ndcg = impression(shared, rankers, n, found, users)
            if n_clicks > 0:  # without clicks all pairs tie
                row = 0
                for x in range(n):
                    for y in range(x + 1, n):
                        _add(sums, row, found[x, y])
                        row += 1
        return sums

    return multileaved_sums


@functools.cache
def _dueled_sums(outcome: Callable[..., Any]) -> Callable[..., Any]:
    @entry
    def dueled_sums(world, n, pages, users):
        sums = np.zeros((n * (n - 1) // 2, COLUMNS))
        for _ in range(pages):
            first = int(users.random() * n)
            second = int(users.random() * (n - 1))
            second += second >= first
            sign = np.sign(outcome(world, first, second, users))
            x = min(first, second)
            y = max(first, second)
            _add(sums, x * n - x * (x + 1) // 2 + y - x - 1, sign if first < second else -sign)
        return sums

    return dueled_sums


@entry
def _add(sums, row, degree):
    if degree > 0.0:
        sums[row, WINS] += 1.0
        sums[row, POSITIVE] += degree
    elif degree < 0.0:
        sums[row, LOSSES] += 1.0
        sums[row, NEGATIVE] -= degree
    sums[row, SQUARES] += degree * degree


class Block(NamedTuple):
    """A range of impressions."""

    start: int  # number of impressions before the block
    pages: int

    @property
    def end(self) -> int:
        return self.start + self.pages


def checked_impressions(impressions: float) -> int:
    """Return `impressions` as an int; raise UsageError unless it is a whole number from 1 to MOST."""
    return checked_count("impressions", impressions, MOST)


def evaluation_steps(impressions: int) -> np.ndarray:
    """Return the numbers of impressions at which to evaluate: twenty per factor of ten, and the last."""
    return checkpoints(impressions, linear=1)


def blocks(impressions: int) -> Iterator[Block]:
    """Yield the blocks of `impressions`; every evaluation of `evaluation_steps` is at the end of a block."""
    for begin, end in pairwise([0, *evaluation_steps(impressions).tolist()]):
        for start in range(begin, end, _BLOCK):
            yield Block(start, min(_BLOCK, end - start))


def play_impressions(comparison: PageComparison, block: Block, seed: int, run: int = 0) -> np.ndarray:
    """Return the sums of one block, (pairs, COLUMNS)."""
    users = stream(seed, "multileave", comparison.name, run, block.start)
    return comparison.sums(block.start, block.pages, users)


def infer_matrix(
    arena: Arena,
    method: Configured,
    impressions: float = 1e5,
    *,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: Workers = -1,
    checkpoint: Checkpoint | None = None,
    done: Callable[[int], object] = lambda pages: None,
) -> Preferences:
    """Estimate the preferences of all pairs from multileaved pages.

    The interval of each pair has confidence 1 - `alpha` after `impressions` pages, by the normal
    approximation, as in rankduel.experiments.matrix.build. `done` is called with the number of new
    impressions.
    """
    impressions = checked_impressions(impressions)
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha}; expected a probability between 0 and 1")
    seed = checked_seed(seed)
    workers = checked_workers(jobs)
    comparison = multileaved(arena, method, seed)
    settings = {
        key: value for key, value in arena.settings.items() if key not in ("interleave", "tied_duels")
    }
    settings |= {"multileave": str(method), "impressions": impressions, "alpha": alpha}
    settings |= {"seed": seed, "version": version("rankduel")}
    sums = _all_sums(arena, comparison, impressions, seed, workers, checkpoint, settings, done)
    return checked(
        arena.rankings.names, _pairs(method, sums, impressions, alpha), settings, "multileaved matrix"
    )


def _all_sums(
    arena: Arena,
    comparison: PageComparison,
    impressions: int,
    seed: int,
    workers: Workers,
    checkpoint: Checkpoint | None,
    settings: dict[str, Any],
    done: Callable[[int], object],
) -> np.ndarray:
    """Return the sums of all blocks; with a `checkpoint`, resume from it."""
    n_pairs = arena.rankings.n_rankers * (arena.rankings.n_rankers - 1) // 2
    saved = {"sums": np.zeros((n_pairs, COLUMNS)), "pages": np.array(0)}
    if checkpoint is not None:
        saved = checkpoint.load([settings, arena.rankings.names], saved)
    begun = int(saved["pages"])
    done(begun)
    todo = (block for block in blocks(impressions) if block.start >= begun)
    for block, more in _sums_by_block(arena, comparison, seed, todo, workers):
        saved["sums"] += more
        saved["pages"] += block.pages
        done(block.pages)
        if checkpoint is not None and checkpoint.is_due():
            checkpoint.save(saved)
    return saved["sums"]


@dataclass(frozen=True, eq=False)
class _Inferred:
    """Values that all blocks of a matrix share on a cluster."""

    arena: Arena | ArenaReference
    method: str
    seed: int

    @cached_property
    def comparison(self) -> PageComparison:
        """The comparison on a worker, which keeps it for as long as it has these values."""
        return multileaved(arena_of(self.arena), MULTILEAVERS.parsed(self.method), self.seed)


def _sums_by_block(
    arena: Arena, comparison: PageComparison, seed: int, todo: Iterator[Block], workers: Workers
) -> Iterator[tuple[Block, np.ndarray]]:
    """Yield every block with its sums, in order, computed by threads or by a cluster."""
    if isinstance(workers, Cluster):
        transfers = transfers_of(arena, lambda sent: _Inferred(sent, comparison.name, seed))
        return workers.ordered_map(_sums_on_worker, transfers, todo)
    return ordered_map(lambda block: (block, play_impressions(comparison, block, seed)), todo, workers)


def _sums_on_worker(inferred: _Inferred, block: Block) -> tuple[Block, np.ndarray]:
    return block, play_impressions(inferred.comparison, block, inferred.seed)


def write_inferred(arena: Arena, method: Configured, output: str | Path, **how: Any) -> Preferences:
    """Infer a matrix and write it to `output`; after an interruption, resume and write the same bytes.

    `how` are the keyword arguments of `infer_matrix`.
    """
    checkpoint = Checkpoint(output)
    preferences = infer_matrix(arena, method, checkpoint=checkpoint, **how)
    write_preferences(preferences, output)
    checkpoint.remove()
    return preferences


def _pairs(method: Configured, sums: np.ndarray, n: int, alpha: float) -> pd.DataFrame:
    """Return the table of pairs from the sums of `n` impressions."""
    unit = _unit(method, sums)
    wins, losses = sums[:, POSITIVE] / unit, sums[:, NEGATIVE] / unit
    mean = (wins - losses) / n
    p = (1.0 + mean) / 2.0
    # Squared deviations of (1 + S / unit) / 2. One pseudo-value with a squared deviation of 1/4 keeps every
    # interval from being empty.
    spread = np.maximum(sums[:, SQUARES] / unit**2 - n * mean**2, 0.0) / 4.0
    half_width = scipy.stats.norm.ppf(1 - alpha / 2) * np.sqrt((0.25 + spread) / n / n)
    firsts, seconds = np.triu_indices(_n_rankers(len(sums)), 1)
    table = {"first": firsts, "second": seconds, "wins": wins, "ties": n - wins - losses, "losses": losses}
    table |= {"n": n, "p": p, "lo": np.maximum(p - half_width, 0.0), "hi": np.minimum(p + half_width, 1.0)}
    return pd.DataFrame(table).assign(method=METHOD)


def _n_rankers(n_pairs: int) -> int:
    return int(round((1 + np.sqrt(1 + 8 * n_pairs)) / 2))


def _unit(method: Configured, sums: np.ndarray) -> np.ndarray:
    """Return the unit of the degrees of each pair; see the module."""
    ones = np.ones(len(sums))
    if method.name not in ("optimized", "pairwise") and method.get("credit") != "expected":
        return ones
    n_nonzero = sums[:, WINS] + sums[:, LOSSES]
    return np.divide(sums[:, POSITIVE] + sums[:, NEGATIVE], n_nonzero, where=n_nonzero > 0, out=ones)


def order_of(sums: np.ndarray) -> np.ndarray:
    """Return (pairs,) signs: 1 if the first ranker is preferred, -1 if the second is, 0 for a tie."""
    lead, size = sums[:, POSITIVE] - sums[:, NEGATIVE], sums[:, POSITIVE] + sums[:, NEGATIVE]
    return np.where(np.abs(lead) > _ROUNDING * size, np.sign(lead), 0.0)
