"""Preferences from pages that all rankers share: impression by impression, every pair at once.

A page gives each pair a degree of preference S, positive where the first is preferred to the second.
Degrees are summed over impressions, and a page without a verdict counts as a tie. The order of a pair is the
sign of its mean degree, as the multileaving papers have it. On the scale of probabilities

    p = (1 + mean S / unit) / 2,    wins, losses = sums of positive, negative S / unit,    ties = the rest.

The unit is 1 where S is a sign or an expected sign. Elsewhere (optimized, pairwise, credit=expected) S has no
bound, and the unit is its mean size over the pages that had a verdict on the pair: a page's vote counts as
much as it is larger than the usual one. For signs both mean the same: the share of wins plus half the ties.

Impressions go in blocks, each with a random stream of its own, named by seed, method, run and first
impression. Blocks are added up in order, so threads and interruptions change no byte, and a shorter run is
the beginning of a longer one.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from bandits import checkpoints
from experiments.arena import Arena
from experiments.cluster import Cluster, Workers, checked_workers
from experiments.matrix.checkpoint import Checkpoint
from experiments.matrix.preferences import Preferences, checked, write_preferences
from interleave import for_another_thread as own_world
from interleave.duel import outcome_by
from interleave.multileave import MULTILEAVERS, for_another_thread, make_shared_world, multileave_by
from rankduel.base.compiling import entry
from rankduel.base.errors import UsageError
from rankduel.base.settings import Configured
from rankduel.base.streams import checked_seed, stream
from rankduel.base.threads import ordered_map

# Of the sums for each pair: pages that prefer either side, and by how much in all.
WINS, LOSSES, FOR, AGAINST, SQUARES = range(5)
COLUMNS = 5
MOST = 10**12  # impressions
METHOD = "multileaved"
_BLOCK = 1000  # impressions
_ROUNDING = 1e-9  # of a sum of degrees


class Contest(NamedTuple):
    """Where rankers meet."""

    name: str
    # first impression, how many, users -> (pairs, COLUMNS), as np.triu_indices has the pairs. Threads may
    # share it.
    sums: Callable[[int, int, np.random.Generator], np.ndarray]


def multileaved(arena: Arena, way: Configured, seed: int = 0) -> Contest:
    """All rankers of the arena on every page; `seed` is for ties that are broken once."""
    _check_pairs(arena)
    shared = make_shared_world(
        arena.rankings, arena.labels, arena.model, way, arena.length, arena.ties, arena.queries, seed
    )
    kernel = _multileaved_sums(multileave_by(way.name))
    rankers = np.arange(arena.rankings.n_rankers)

    def sums(start: int, pages: int, users: np.random.Generator) -> np.ndarray:
        own = for_another_thread(shared)
        own.world.rules[0].next_query = start % arena.rankings.n_queries
        return kernel(own, rankers, pages, users)

    return Contest(str(way), sums)


def random_pairs(arena: Arena, seed: int = 0) -> Contest:
    """Two random rankers on every page, by the arena's interleaving method."""
    _check_pairs(arena)
    world, way = arena.world(seed), arena.interleaving
    kernel = _dueled_sums(outcome_by(way.name))

    def sums(start: int, pages: int, users: np.random.Generator) -> np.ndarray:
        own = own_world(world)
        own.rules[0].next_query = start % arena.rankings.n_queries
        return kernel(own, arena.rankings.n_rankers, pages, users)

    return Contest(f"random pairs, {way}", sums)


def _check_pairs(arena: Arena) -> None:
    if arena.rankings.n_rankers < 2:
        raise UsageError(f"only the ranker '{arena.rankings.names[0]}' was chosen; a pair needs two")


@functools.cache
def _multileaved_sums(impression: Callable[..., Any]) -> Callable[..., Any]:
    @entry
    def multileaved_sums(shared, rankers, pages, users):
        n = len(rankers)
        sums = np.zeros((n * (n - 1) // 2, COLUMNS))
        found = np.empty((n, n))
        for _ in range(pages):
            n_clicks, _ndcg = impression(shared, rankers, n, found, users)
            if n_clicks > 0:  # else all are tied
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
            verdict = np.sign(outcome(world, first, second, users))
            x = min(first, second)
            y = max(first, second)
            _add(sums, x * n - x * (x + 1) // 2 + y - x - 1, verdict if first < second else -verdict)
        return sums

    return dueled_sums


@entry
def _add(sums, row, degree):
    if degree > 0.0:
        sums[row, WINS] += 1.0
        sums[row, FOR] += degree
    elif degree < 0.0:
        sums[row, LOSSES] += 1.0
        sums[row, AGAINST] -= degree
    sums[row, SQUARES] += degree * degree


class Block(NamedTuple):
    start: int  # impressions before it
    pages: int

    @property
    def end(self) -> int:
        return self.start + self.pages


def checked_impressions(impressions: float) -> int:
    """A number of impressions, perhaps written 1e5."""
    if not (1 <= impressions <= MOST and impressions == int(impressions)):
        raise UsageError(f"impressions is {impressions}; expected a whole number from 1 to {MOST:g}")
    return int(impressions)


def looks_at(impressions: int) -> np.ndarray:
    """After how many impressions to look: twenty times per factor of ten, and at the end."""
    return checkpoints(impressions, linear=1)


def blocks(impressions: int) -> Iterator[Block]:
    """A look is always at the end of a block."""
    for begin, end in pairwise([0, *looks_at(impressions).tolist()]):
        for start in range(begin, end, _BLOCK):
            yield Block(start, min(_BLOCK, end - start))


def play_impressions(contest: Contest, block: Block, seed: int, run: int = 0) -> np.ndarray:
    """The sums of one block."""
    users = stream(seed, "multileave", contest.name, run, block.start)
    return contest.sums(block.start, block.pages, users)


def infer_matrix(
    arena: Arena,
    way: Configured,
    impressions: float = 1e5,
    *,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: Workers = -1,
    checkpoint: Checkpoint | None = None,
    done: Callable[[int], object] = lambda pages: None,
) -> Preferences:
    """Preferences of all pairs by so many shared pages.

    Each pair's interval has confidence 1 - alpha after this number of impressions, by the normal law, like
    those of experiments.matrix.build. `done` hears how many impressions were added.
    """
    impressions = checked_impressions(impressions)
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha}; expected a probability between 0 and 1")
    seed = checked_seed(seed)
    workers = checked_workers(jobs)
    contest = multileaved(arena, way, seed)
    settings = {
        key: value for key, value in arena.settings.items() if key not in ("interleave", "tied_duels")
    }
    settings |= {"multileave": str(way), "impressions": impressions, "alpha": alpha}
    settings |= {"seed": seed, "version": version("rankduel")}
    sums = _all_sums(arena, contest, impressions, seed, workers, checkpoint, settings, done)
    return checked(
        arena.rankings.names, _pairs(way, sums, impressions, alpha), settings, "multileaved matrix"
    )


def _all_sums(
    arena: Arena,
    contest: Contest,
    impressions: int,
    seed: int,
    workers: Workers,
    checkpoint: Checkpoint | None,
    settings: dict[str, Any],
    done: Callable[[int], object],
) -> np.ndarray:
    """Of all blocks: from nothing, or from where the job was cut."""
    n_pairs = arena.rankings.n_rankers * (arena.rankings.n_rankers - 1) // 2
    saved = {"sums": np.zeros((n_pairs, COLUMNS)), "pages": np.array(0)}
    if checkpoint is not None:
        saved = checkpoint.load([settings, arena.rankings.names], saved)
    begun = int(saved["pages"])
    done(begun)
    todo = (block for block in blocks(impressions) if block.start >= begun)
    for block, more in _sums_by_block(arena, contest, seed, todo, workers):
        saved["sums"] += more
        saved["pages"] += block.pages
        done(block.pages)
        if checkpoint is not None and checkpoint.is_due():
            checkpoint.save(saved)
    return saved["sums"]


class _Inferred(NamedTuple):
    """What the blocks of a matrix on a cluster have in common."""

    arena: Arena
    way: str
    seed: int


_contests: weakref.WeakKeyDictionary[Arena, Contest] = weakref.WeakKeyDictionary()


def _sums_by_block(
    arena: Arena, contest: Contest, seed: int, todo: Iterator[Block], workers: Workers
) -> Iterator[tuple[Block, np.ndarray]]:
    """Yield every block with its sums, in order: by threads or by a cluster."""
    if isinstance(workers, Cluster):
        return workers.ordered_map(_sums_on_worker, _Inferred(arena, contest.name, seed), todo)
    return ordered_map(lambda block: (block, play_impressions(contest, block, seed)), todo, workers)


def _sums_on_worker(inferred: _Inferred, block: Block) -> tuple[Block, np.ndarray]:
    """Return the sums of a block; the contest is kept for as long as the worker has the arena."""
    if inferred.arena not in _contests:
        way = MULTILEAVERS.parsed(inferred.way)
        _contests[inferred.arena] = multileaved(inferred.arena, way, inferred.seed)
    return block, play_impressions(_contests[inferred.arena], block, inferred.seed)


def write_inferred(arena: Arena, way: Configured, output: str | Path, **how: Any) -> Preferences:
    """Infer a matrix and write it; called again after being killed, go on and write the same bytes."""
    checkpoint = Checkpoint(output)
    preferences = infer_matrix(arena, way, checkpoint=checkpoint, **how)
    write_preferences(preferences, output)
    checkpoint.remove()
    return preferences


def _pairs(way: Configured, sums: np.ndarray, n: int, alpha: float) -> pd.DataFrame:
    unit = _unit(way, sums)
    wins, losses = sums[:, FOR] / unit, sums[:, AGAINST] / unit
    mean = (wins - losses) / n
    p = (1.0 + mean) / 2.0
    # Of (1 + S / unit) / 2, as if one value more had been as far off as can be: no interval is empty by luck.
    spread = np.maximum(sums[:, SQUARES] / unit**2 - n * mean**2, 0.0) / 4.0
    reach = scipy.stats.norm.ppf(1 - alpha / 2) * np.sqrt((0.25 + spread) / n / n)
    firsts, seconds = np.triu_indices(_n_rankers(len(sums)), 1)
    table = {"first": firsts, "second": seconds, "wins": wins, "ties": n - wins - losses, "losses": losses}
    table |= {"n": n, "p": p, "lo": np.maximum(p - reach, 0.0), "hi": np.minimum(p + reach, 1.0)}
    return pd.DataFrame(table).assign(method=METHOD)


def _n_rankers(n_pairs: int) -> int:
    return int(round((1 + np.sqrt(1 + 8 * n_pairs)) / 2))


def _unit(way: Configured, sums: np.ndarray) -> np.ndarray:
    """What degrees are measured in."""
    ones = np.ones(len(sums))
    if way.name not in ("optimized", "pairwise") and way.get("credit") != "expected":
        return ones
    verdicts = sums[:, WINS] + sums[:, LOSSES]
    return np.divide(sums[:, FOR] + sums[:, AGAINST], verdicts, where=verdicts > 0, out=ones)


def order_of(sums: np.ndarray) -> np.ndarray:
    """(pairs,): 1 where the first is preferred so far, -1 where the second is, 0 where nobody leads."""
    lead, size = sums[:, FOR] - sums[:, AGAINST], sums[:, FOR] + sums[:, AGAINST]
    return np.where(np.abs(lead) > _ROUNDING * size, np.sign(lead), 0.0)
