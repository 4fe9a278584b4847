"""Preference matrices from judged data: for every pair of rankers, how often one beats the other.

    exact          closed-form odds, if the method has them and no tie between documents affects them
    rao-blackwell  averages of exact odds given drawn ties or pages, with every query played equally often
    simulated      live duels on random queries, if requested or if the method has no odds

Work is divided into rounds (rankduel.experiments.matrix.rounds), and a round into blocks of queries with all
its pairs. Threads share the blocks, whose sums are added in order. Every block has its own random stream,
named by seed, round and first query, so the result depends neither on threads nor on interruptions. It
depends on the chosen rankers, since all pairs of a block share its stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankduel.base.errors import UsageError
from rankduel.base.streams import checked_seed, stream
from rankduel.base.threads import ordered_map
from rankduel.experiments.arena import Arena, check_has_pairs
from rankduel.experiments.arena_reference import SENT, rankings_on_worker, read_by_workers
from rankduel.experiments.cluster import Cluster, Transfer, Workers, checked_workers
from rankduel.experiments.limits import MOST_DUELS, checked_count
from rankduel.experiments.matrix.checkpoint import Checkpoint
from rankduel.experiments.matrix.kernels import KernelChoice, choose_kernel, has_odds
from rankduel.experiments.matrix.preferences import Preferences, checked, write_preferences
from rankduel.experiments.matrix.rounds import (
    Job,
    PairSums,
    Round,
    Target,
    add_by_query,
    add_round,
    centres,
    interval,
    next_round,
    start_sums,
    sum_of_values,
)
from rankduel.experiments.statistics import Sequence
from rankduel.interleave import for_another_thread, is_exact
from rankduel.interleave.exact.outcome_odds import LOSS, TIE, WIN
from rankduel.interleave.exact.team_draft import LONGEST
from rankduel.interleave.world import (
    World,
    asked_in_turn,
    select_queries,
    with_kernel_types,
    with_rankings,
    without_rankings,
)
from rankduel.letor_data.rankings import RankingsReference
from rankduel.letor_data.references import reference_of

USUAL_TIMES = 20  # default number of plays of each query
USUAL_MOST = 400_000  # default maximum of duels per pair with an adaptive target; the papers' number per pair
PRIORS = ("none", "lerot")


class BuildStatus(NamedTuple):
    """Progress of a build, reported after every block."""

    done: int  # pages or duels, all pairs together
    total: int  # of the whole job; with an adaptive target, up to the end of this round
    decided: int  # pairs whose interval excludes 1/2
    pairs: int
    workers: int = 0  # of a cluster


class RoundWork(NamedTuple):
    """Values that all blocks of a round share."""

    kernel: KernelChoice
    seed: int
    number: int  # of the round
    firsts: np.ndarray  # (pairs of the round,) int64
    seconds: np.ndarray
    centres: np.ndarray  # (pairs of the round,) expected values
    rankings: RankingsReference | None = None  # if blocks are sent without rankings


class Block(NamedTuple):
    """A block of queries for a worker of a cluster."""

    start: int  # its first query
    times: np.ndarray  # (queries,) int64, number of plays of each query
    world: World  # contains only these queries; without their rankings if RoundWork.rankings is given


class BlockSums(NamedTuple):
    """Sums over a block of queries."""

    start: int  # first query of the block
    sums: np.ndarray  # (pairs of the round, COLUMNS)
    by_query: np.ndarray  # (queries, pairs of the round)


def build_matrix(
    arena: Arena,
    *,
    duels: int | None = None,
    precision: float | None = None,
    decide: float | None = None,
    simulate: bool = False,
    alpha: float = 0.05,
    prior: str = "none",
    seed: int = 0,
    jobs: Workers = -1,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[BuildStatus], object] = lambda status: None,
) -> Preferences:
    """Estimate the preferences of all pairs of rankers of `arena`.

    A pair that is not exact is played until one of these conditions holds:

    duels      Pages or duels per pair, rounded up to whole passes; with `precision` or `decide`, the maximum.
    precision  The half-width of the pair's interval, of confidence 1 - `alpha`, is at most this value.
    decide     The interval excludes 1/2. All intervals cover at all times with probability 1 - `decide`.

    `prior` "lerot" adds one win to either side of every pair that is not exact, as Lerot does. With a
    `checkpoint`, the job resumes from it. `progress` is called with a BuildStatus after every block.
    `rankduel.build_matrix` documents all parameters.
    """
    target = _target(arena, duels, precision, decide)
    workers = checked_workers(jobs)
    seed = checked_seed(seed)
    _check("alpha", alpha, 0 < alpha < 1, "a probability between 0 and 1")
    _check("prior", prior, prior in PRIORS, f"one of: {', '.join(PRIORS)}")
    job = _job(arena, target, simulate, alpha, seed)
    settings = (
        dict(arena.settings) | target._asdict() | {"simulate": job.simulate, "alpha": alpha, "prior": prior}
    )
    settings |= {"seed": seed, "version": version("rankduel")}
    totals, sums, block = _start(job, checkpoint, [settings, arena.rankings.names])
    while (planned := next_round(job, totals)) is not None:
        played = _play_round(job, totals, planned, sums, block, workers, checkpoint, progress)
        add_round(job, totals, planned, played)
        sums, block = np.zeros_like(sums), 0
    return _preferences(job, arena, totals, settings)


def write_matrix(arena: Arena, output: str | Path, **how: Any) -> Preferences:
    """Build a matrix and write it to `output`; after an interruption, resume and write the same bytes.

    `how` are the keyword arguments of `build_matrix`.
    """
    checkpoint = Checkpoint(output)
    preferences = build_matrix(arena, checkpoint=checkpoint, **how)
    write_preferences(preferences, output)
    checkpoint.remove()
    return preferences


def _target(arena: Arena, duels: int | None, precision: float | None, decide: float | None) -> Target:
    duels = None if duels is None else checked_count("duels", duels, MOST_DUELS)
    _check("precision", precision, precision is None or 0 < precision < 0.5, "a half-width between 0 and 0.5")
    _check("decide", decide, decide is None or 0 < decide < 1, "a probability between 0 and 1")
    adapts = precision is not None or decide is not None
    usual = USUAL_MOST if adapts else USUAL_TIMES * arena.rankings.n_queries
    return Target(usual if duels is None else duels, precision, decide)


def _check(name: str, found: object, fine: bool, expected: str) -> None:
    if not fine:
        raise UsageError(f"{name} is {found}; expected {expected}")


def _job(arena: Arena, target: Target, simulate: bool, alpha: float, seed: int) -> Job:
    check_has_pairs(arena)
    world = arena.world(seed, blocks=_reads_blocks(arena, simulate))
    method, n_rankers = arena.interleaving, arena.rankings.n_rankers
    firsts, seconds = np.triu_indices(n_rankers, 1)
    simulate = simulate or not has_odds(world, method)
    if simulate:
        world = asked_in_turn(world)
        clean = np.zeros(n_rankers, bool)
    else:
        # Whether ties matter is decided per ranker, by a duel of the ranker with a copy of itself.
        alone = (world._replace(ties=world.ties[[ranker, ranker]]) for ranker in range(n_rankers))
        clean = np.array([is_exact(one, method, 0, 1) for one in alone])
    kernel = choose_kernel(world, method, simulate)
    if kernel.kind != "team_draft":  # it reads blocks only, so `order` and `ties` are not sent to workers
        world = world._replace(order=world.order[:, :0], ties=world.ties[:, :0])
    exact = clean[firsts] & clean[seconds]
    reference = reference_of(arena.rankings)
    if reference is not None:
        reference = reference._replace(ties=arena.ties, seed=seed)
    return Job(world, kernel, firsts, seconds, exact, simulate, target, alpha, seed, reference)


def _reads_blocks(arena: Arena, simulate: bool) -> bool:
    """Return whether the kernel reads `World.blocks`; exact team draft of complete lists does not."""
    drafts = arena.interleaving.name == "team_draft" and arena.length <= LONGEST
    return simulate or not drafts or arena.rankings.lengths is not None


def _start(job: Job, checkpoint: Checkpoint | None, about: Any) -> tuple[PairSums, np.ndarray, int]:
    """Return (sums of all rounds, sums of the unfinished round, next block), from `checkpoint` if it fits."""
    totals = start_sums(len(job.firsts), job.n_groups)
    if checkpoint is None:
        return totals, np.zeros_like(totals.sums), 0
    saved = checkpoint.load(about, _arrays(totals, np.zeros_like(totals.sums), 0))
    block = int(saved.pop("block"))
    sums = saved.pop("under_way")
    sequence = Sequence(*(saved.pop(f"sequence_{field}") for field in Sequence._fields))
    return PairSums(**saved, sequence=sequence), sums, block


def _arrays(totals: PairSums, sums: np.ndarray, block: int) -> dict[str, np.ndarray]:
    """Return the arrays of a checkpoint by name, as `_start` reads them."""
    arrays = totals._asdict()
    sequence = arrays.pop("sequence")._asdict()
    arrays |= {f"sequence_{field}": array for field, array in sequence.items()}
    return arrays | {"under_way": sums, "block": np.array(block)}


def _play_round(
    job: Job,
    totals: PairSums,
    planned: Round,
    begun: np.ndarray,
    block: int,
    workers: Workers,
    checkpoint: Checkpoint | None,
    progress: Callable[[BuildStatus], object],
) -> np.ndarray:
    """Play a round from block number `block` on, and return its sums, (pairs of the round, COLUMNS).

    `begun` holds the sums of the earlier blocks, for all pairs of the job.
    """
    report = _reporter(job, totals, planned, progress, workers)
    sums = begun[planned.rows]
    starts = range(0, job.n_queries, planned.block)
    for more in _block_sums(job, totals, planned, starts[block:], workers):
        sums += more.sums
        add_by_query(job, totals, planned, more.start, more.by_query)
        block += 1
        if checkpoint is not None and checkpoint.is_due():
            begun[planned.rows] = sums
            checkpoint.save(_arrays(totals, begun, block))
        report(block)
    return sums


def _block_sums(
    job: Job, totals: PairSums, planned: Round, starts: range, workers: Workers
) -> Iterator[BlockSums]:
    """Yield the sums of the blocks that begin with queries `starts`, in order, by threads or a cluster."""
    rows = planned.rows
    firsts, seconds = job.firsts[rows], job.seconds[rows]
    work = RoundWork(job.kernel, job.seed, planned.number, firsts, seconds, centres(totals, rows))
    blocks = ((start, planned.times[start : start + planned.block]) for start in starts)
    if isinstance(workers, Cluster):
        yield from workers.ordered_map(sums_on_worker, transfers_of_blocks(job, work), blocks)
        return
    yield from ordered_map(
        lambda block: _sums(work, for_another_thread(job.world), *block, block[0]), blocks, workers
    )


def transfers_of_blocks(job: Job, work: RoundWork) -> list[Transfer]:
    """Return the ways to send blocks (start, times): without rankings if possible, and with them."""

    def with_rankings_of(block: tuple[int, np.ndarray]) -> Block:
        start, times = block
        return Block(start, times, select_queries(job.world, start, start + len(times)))

    def without_rankings_of(block: tuple[int, np.ndarray]) -> Block:
        whole = with_rankings_of(block)
        return whole._replace(world=without_rankings(whole.world))

    by_value = Transfer(work, with_rankings_of, SENT)
    if job.rankings is None:
        return [by_value]
    referring = work._replace(rankings=job.rankings)
    return [Transfer(referring, without_rankings_of, read_by_workers(job.rankings)), by_value]


def sums_on_worker(work: RoundWork, block: Block) -> BlockSums:
    """Compute the sums of a block on a worker of a cluster."""
    if work.rankings is None:
        world = with_kernel_types(block.world)
    else:
        rankings = rankings_on_worker(work.rankings, block.start, block.start + len(block.times))
        world = with_rankings(block.world, rankings)
    return _sums(work, world, block.start, block.times, 0)


def _sums(work: RoundWork, world: World, start: int, times: np.ndarray, first: int) -> BlockSums:
    """Return the sums of a block; its first query has number `start` in the data and `first` in `world`."""
    users = stream(work.seed, "matrix", work.number, start)
    by_query = np.zeros((len(times), len(work.firsts)))
    sums = work.kernel.kernel()(world, first, times, work.firsts, work.seconds, work.centres, by_query, users)
    return BlockSums(start, sums, by_query)


def _reporter(
    job: Job,
    totals: PairSums,
    planned: Round,
    progress: Callable[[BuildStatus], object],
    workers: Workers,
) -> Callable[[int], object]:
    """Return a function that calls `progress`, given the number of finished blocks of the round."""
    before = int(totals.n.sum())
    pairs = len(job.firsts)
    exact = int(job.exact.sum())
    lo, hi = interval(job, totals)
    decided = int(((lo > 0.5) | (hi < 0.5)).sum())
    played = np.concatenate([[0], np.cumsum(planned.times)]) * len(planned.rows)
    whole = exact * job.n_queries + (pairs - exact) * job.max_duels
    total = before + int(played[-1]) if job.target.adapts else whole

    def report(block: int) -> None:
        done = before + int(played[min(block * planned.block, job.n_queries)])
        n_workers = workers.status().n_workers if isinstance(workers, Cluster) else 0
        progress(BuildStatus(done, total, decided, pairs, n_workers))

    return report


def _preferences(job: Job, arena: Arena, totals: PairSums, settings: dict[str, Any]) -> Preferences:
    lo, hi = interval(job, totals)
    n, sums = totals.n, totals.sums
    p = sum_of_values(sums) / n
    stretch = np.ones(len(n))  # factor of the distance from 1/2, applied to the values by query
    if arena.tied_duels == "drop":
        stretch /= _decided_share(sums)
        p, lo, hi = (_without_ties(values, sums) for values in (p, lo, hi))
    if settings["prior"] == "lerot":
        stretch *= np.where(job.exact, 1, n / (2 + n))
        p, lo, hi = (np.where(job.exact, values, (1 + n * values) / (2 + n)) for values in (p, lo, hi))
    drawn = "simulated" if job.simulate else "rao-blackwell"
    table = {"first": job.firsts, "second": job.seconds, "n": n, "p": p, "lo": lo, "hi": hi}
    table |= {"wins": sums[:, WIN], "ties": sums[:, TIE], "losses": sums[:, LOSS]}
    pairs = pd.DataFrame(table).assign(method=np.where(job.exact, "exact", drawn))
    by_query = (0.5 + totals.by_query * (stretch * job.n_groups / n)).T if job.n_groups else None
    return checked(arena.rankings.names, pairs, settings, "preference matrix", by_query)


def _without_ties(values: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return probabilities, or ends of intervals, given that the duel has a winner.

    Leaving out ties multiplies the distance from 1/2 by 1 / (share of duels with a winner). Ends of intervals
    are transformed as if that share were known exactly, which makes intervals of live duels slightly too
    wide.
    """
    return np.clip(0.5 + (values - 0.5) / _decided_share(sums), 0.0, 1.0)


def _decided_share(sums: np.ndarray) -> np.ndarray:
    """Return the share of duels with a winner for each pair; 1 if no duel of the pair has one."""
    won = sums[:, WIN] + sums[:, LOSS]
    return np.divide(won, won + sums[:, TIE], where=won > 0, out=np.ones_like(won))
