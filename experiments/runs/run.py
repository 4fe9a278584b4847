"""Runs of policies on a problem: many at a time, kept as they end, resumed where they stopped."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from bandits import checkpoints as checkpoints_of
from bandits.plain import is_plain
from bandits.steps import checked_horizon
from experiments.cluster import Cluster, Workers, checked_workers
from experiments.limits import MOST_CHECKPOINTS, MOST_RUNS, checked_count
from experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from experiments.runs.cells import Cell, PlayedCell, play_cells
from experiments.runs.in_play import InPlay
from experiments.runs.problem import Problem
from experiments.runs.records import open_run_set, versions
from experiments.specs import parse_policy, policies_of
from rankduel.base.compiling import compile_side_by_side
from rankduel.base.errors import PolicyNotice
from rankduel.base.settings import Configured
from rankduel.base.streams import checked_seed
from rankduel.base.threads import n_workers


def run(
    problem: Problem | Preferences | np.ndarray | str,
    policies: Configured | str | Iterable[Configured | str],
    horizon: float,
    runs: int = 1,
    *,
    seed: int = 0,
    checkpoints: int = 1000,
    jobs: Workers = 1,
    folder: str | Path | None = None,
    repair: bool = False,
    command: str = "",
    done: Callable[[int], None] = lambda n: None,
    watch: Callable[[InPlay], None] = lambda in_play: None,
) -> pd.DataFrame:
    """One row per policy, run and checkpoint.

    problem      live or proxy; a matrix, its name or its file is a proxy
    checkpoints  how many evenly spaced ones; there are twenty more per factor of ten
    folder       keep a record of every run there, and do not repeat those that are there already
    repair       play a run again whose record is damaged or of another study, instead of refusing it
    jobs         threads or processes here, or a cluster
    done         hears of every run that ended
    watch        is given, before the first run, what tells how far the runs in play are

    A run depends on its problem, policy, number and the seed alone, not on what else is run or by how many.
    """
    problem = _problem(problem)
    horizon, runs, seed, checkpoints = checked_numbers(horizon, runs, seed, checkpoints, jobs)
    chosen = {str(policy): policy for policy in policies_of(policies)}
    for policy in chosen.values():
        problem.check(policy)
    steps = checkpoints_of(horizon, checkpoints)
    cells = [Cell(policy, number) for policy in chosen for number in range(runs)]
    kept = None
    if folder is not None:
        settings = {**problem.settings, "horizon": horizon, "seed": seed, "checkpoints": checkpoints}
        settings |= {"command": command, "versions": versions()}
        kept = open_run_set(Path(folder), settings, problem.preferences, repair=repair)
    in_play = InPlay(horizon)
    watch(in_play)
    return play_cells(
        cells,
        lambda missing: _play_all(problem, chosen, missing, steps, seed, jobs, in_play),
        kept,
        repair=repair,
        on_found=done,
        on_played=done,
    )


class Numbers(NamedTuple):
    """How long and how often to play."""

    horizon: int
    runs: int
    seed: int
    checkpoints: int


def checked_numbers(horizon: float, runs: int, seed: int, checkpoints: int, jobs: Workers) -> Numbers:
    """Return these numbers as whole ones; raise an error for the first that is out of range."""
    checked_workers(jobs)
    return Numbers(
        checked_horizon(horizon),
        checked_count("runs", runs, MOST_RUNS),
        checked_seed(seed),
        checked_count("checkpoints", checkpoints, MOST_CHECKPOINTS),
    )


def _problem(problem: Any) -> Problem:
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, (str, Path)):
        problem = read_preferences(problem)
    return Problem(problem if isinstance(problem, Preferences) else preferences_of(problem))


def _play_all(
    problem: Problem,
    policies: dict[str, Configured],
    cells: list[Cell],
    steps: np.ndarray,
    seed: int,
    jobs: Workers,
    in_play: InPlay,
) -> Iterator[PlayedCell]:
    """Yield every cell as it ends."""
    if isinstance(jobs, Cluster):
        # Workers are given policies as text, and send back tables: they need no folder in common with this
        # process.
        in_play.cluster = jobs
        shared = _Played(replace(problem), steps, seed)  # without what it has computed here
        yield from jobs.unordered_map(_play_on_worker, shared, cells, lambda cell: cell.policy)
        return
    compiled = {name: policy for name, policy in policies.items() if not is_plain(policy.thing)}
    if len(problem.preferences) > 1:  # before the threads and the clock start
        calls = [problem.first_step(policy) for policy in compiled.values()]
        compile_side_by_side(calls, n_workers(jobs))
        for call in calls:
            with suppress(Exception):  # the runs raise it again, and say at which step
                call.function(*call.arguments)
    yield from Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered")(
        delayed(_play_in_view)(in_play, problem, compiled[cell.policy], cell, steps, seed)
        for cell in cells
        if cell.policy in compiled
    )
    # Plain Python holds the interpreter's lock, so threads would wait for each other.
    plain = [cell for cell in cells if cell.policy not in compiled]
    for name in {cell.policy for cell in plain}:
        problem.first_step(policies[name])  # gives notice that it is not compiled
    if jobs == 1 or len(plain) <= 1:  # an empty pool of processes takes as long to start
        for cell in plain:
            yield _play_in_view(in_play, problem, policies[cell.policy], cell, steps, seed)
        return
    yield from Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(_play_one)(problem, cell.policy, cell, steps, seed) for cell in plain
    )


def _play_in_view(
    in_play: InPlay, problem: Problem, policy: Configured, cell: Cell, steps: np.ndarray, seed: int
) -> PlayedCell:
    with in_play.playing() as progress:
        return _play_one(problem, policy, cell, steps, seed, progress)


def _play_one(
    problem: Problem,
    policy: Configured | str,
    cell: Cell,
    steps: np.ndarray,
    seed: int,
    progress: np.recarray | None = None,
) -> PlayedCell:
    configured = parse_policy(policy, trust=True) if isinstance(policy, str) else policy
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolicyNotice)  # given already
        table = problem.play(configured, steps, seed, cell.run, progress)
    return PlayedCell(cell, table, time.perf_counter() - started)


class _Played(NamedTuple):
    """What all runs on a cluster have in common."""

    problem: Problem
    steps: np.ndarray
    seed: int


def _play_on_worker(played: _Played, cell: Cell) -> PlayedCell:
    return _play_one(played.problem, cell.policy, cell, played.steps, played.seed)
