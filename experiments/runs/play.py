"""Play runs of policies on a problem, in parallel, and record each as it ends, so that a run set resumes."""

from __future__ import annotations

import hashlib
import platform
import threading
import time
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from rankduel.bandits import checkpoints as checkpoints_of
from rankduel.bandits.loop import Progress
from rankduel.bandits.plain import is_plain
from rankduel.bandits.steps import checked_horizon
from rankduel.base.compiling import compile_side_by_side, record
from rankduel.base.errors import PolicyNotice, UsageError
from rankduel.base.settings import Configured
from rankduel.base.streams import checked_seed
from rankduel.base.threads import n_workers
from rankduel.base.watch import SILENT, Watch
from rankduel.experiments.arena import Arena
from rankduel.experiments.arena_reference import ArenaReference, arena_of, transfers_of
from rankduel.experiments.cluster import Cluster, Compiling, Transfer, Workers, checked_workers
from rankduel.experiments.limits import MOST_CHECKPOINTS, MOST_RUNS, checked_count
from rankduel.experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from rankduel.experiments.runs.folder import open_run_set, versions
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.runs.recorder import Cell, PlayedCell, play_cells
from rankduel.experiments.specs import parse_policy, policies_of


def play_runs(
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
    watch: Watch = SILENT,
    only_last: bool = False,
    columns: Collection[str] | None = None,
) -> pd.DataFrame:
    """Play runs of policies on a problem, and return one row per policy, run and checkpoint.

    problem      Live or proxy problem. A matrix, its name or its file is a proxy problem.
    checkpoints  Number of evenly spaced checkpoints, besides twenty per factor of ten.
    jobs         Threads or processes on this machine, or a cluster.
    folder       Folder for a record of every run. Recorded runs are not repeated.
    repair       Play runs again whose record is damaged or belongs to another run set; otherwise an error.
    watch        Receives the runs in play before the first run, and the number of runs as they end.
    only_last    Return the rows of the last checkpoint only.
    columns      Columns to return besides policy, run, step and seconds; None for all.

    A run depends on its problem, policy, number and seed only, not on other runs or the number of workers.
    `rankduel.run` documents all parameters.
    """
    problem = _problem(problem)
    horizon, runs, seed, checkpoints = checked_numbers(horizon, runs, seed, checkpoints, jobs)
    chosen = {str(policy): policy for policy in policies_of(policies)}
    for policy in chosen.values():
        problem.check(policy)
    steps = checkpoints_of(horizon, checkpoints)
    cells = [Cell(policy, number) for policy in chosen for number in range(runs)]
    run_folder = None
    if folder is not None:
        settings = run_settings(problem, Numbers(horizon, runs, seed, checkpoints), watch)
        run_folder = open_run_set(Path(folder), settings, problem.preferences, repair=repair)
    in_play = InPlay(horizon)
    watch.playing(in_play)
    return play_cells(
        cells,
        lambda missing: _play_all(problem, chosen, missing, steps, seed, jobs, in_play),
        run_folder,
        repair=repair,
        on_found=watch.runs,
        on_played=watch.runs,
        kept=lambda table: _selected(table, only_last, columns),
    )


def _selected(table: pd.DataFrame, only_last: bool, columns: Collection[str] | None) -> pd.DataFrame:
    """Return the rows and columns of records that `play_runs` returns; see there."""
    rows = table[table["step"] == table["step"].iloc[-1]] if only_last else table
    if columns is None:
        return rows
    return rows[[name for name in rows if name in ("policy", "run", "step", "seconds", *columns)]]


class Numbers(NamedTuple):
    """Horizon, number of runs, seed and number of checkpoints."""

    horizon: int
    runs: int
    seed: int
    checkpoints: int


def checked_numbers(horizon: float, runs: int, seed: int, checkpoints: int, jobs: Workers) -> Numbers:
    """Return these numbers as ints; raise UsageError for the first that is out of range."""
    checked_workers(jobs)
    return Numbers(
        checked_horizon(horizon),
        checked_count("runs", runs, MOST_RUNS),
        checked_seed(seed),
        checked_count("checkpoints", checkpoints, MOST_CHECKPOINTS),
    )


def run_settings(problem: Problem, numbers: Numbers, watch: Watch) -> dict[str, Any]:
    """Return the settings of a run set, as plain values."""
    about = {"horizon": numbers.horizon, "seed": numbers.seed, "checkpoints": numbers.checkpoints}
    return {**problem.settings, **about, "command": watch.command, "versions": versions()}


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
        in_play.cluster = jobs
        for policy in policies.values():
            if is_plain(policy.thing):
                problem.first_step(policy)  # warns that it is not compiled
        # Workers receive policies as text and return tables, so they need no folder for records.
        compiling = Compiling(lambda cell: cell.policy, _compile_on_worker)
        transfers = _transfers(problem, steps, seed, _file_digests(policies))
        yield from jobs.unordered_map(_play_on_worker, transfers, cells, compiling)
        return
    compiled = {name: policy for name, policy in policies.items() if not is_plain(policy.thing)}
    if len(problem.preferences) > 1:  # compile before the runs are timed
        calls = [problem.first_step(policy) for policy in compiled.values()]
        compile_side_by_side(calls, n_workers(jobs))
        for call in calls:
            with suppress(Exception):  # the runs raise it again, with the step
                call.function(*call.arguments)
    yield from Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered")(
        delayed(_play_with_progress)(in_play, problem, compiled[cell.policy], cell, steps, seed)
        for cell in cells
        if cell.policy in compiled
    )
    # Plain Python holds the interpreter's lock, so these policies need processes.
    plain = [cell for cell in cells if cell.policy not in compiled]
    for name in {cell.policy for cell in plain}:
        problem.first_step(policies[name])  # warns that the policy is not compiled
    if jobs == 1 or len(plain) <= 1:  # starting processes would take longer
        for cell in plain:
            yield _play_with_progress(in_play, problem, policies[cell.policy], cell, steps, seed)
        return
    yield from Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(_play_one)(problem, cell.policy, cell, steps, seed) for cell in plain
    )


def _play_with_progress(
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
        warnings.simplefilter("ignore", PolicyNotice)  # `_play_all` has issued it
        table = problem.play(configured, steps, seed, cell.run, progress)
    return PlayedCell(cell, table, time.perf_counter() - started)


@dataclass(frozen=True, eq=False)
class _Shared:
    """Values that all runs share on a cluster."""

    problem: Problem  # a copy without cached properties
    arena: ArenaReference | None  # if the problem is sent without its arena
    steps: np.ndarray
    seed: int
    file_digests: dict[str, str]  # of policies that are files

    @cached_property
    def whole(self) -> Problem:
        """The problem with its arena, which a worker keeps for as long as it has these values."""
        return self.problem if self.arena is None else replace(self.problem, arena=arena_of(self.arena))


def _transfers(
    problem: Problem, steps: np.ndarray, seed: int, file_digests: dict[str, str]
) -> list[Transfer]:
    """Return the ways to send a problem: a live one by reference if possible, and by value."""

    def shared(sent: Arena | ArenaReference | None) -> _Shared:
        if isinstance(sent, ArenaReference):
            return _Shared(replace(problem, arena=None), sent, steps, seed, file_digests)
        return _Shared(replace(problem), None, steps, seed, file_digests)

    return [Transfer(shared(None))] if problem.arena is None else transfers_of(problem.arena, shared)


_lock = threading.Lock()


def _problem_on_worker(shared: _Shared) -> Problem:
    """Return the problem with its arena; all threads of a worker use the same one."""
    with _lock:
        return shared.whole


def _file_digests(policies: Iterable[str]) -> dict[str, str]:
    """Return a digest of every policy that is a file, by the text of the policy."""
    files = {policy: Path(policy.partition("(")[0]) for policy in policies}
    return {
        policy: hashlib.sha256(path.read_bytes()).hexdigest()
        for policy, path in files.items()
        if path.suffix == ".py"
    }


def _compile_on_worker(shared: _Shared, cell: Cell) -> None:
    """Play one step of the policy, which compiles what its runs need."""
    configured = parse_policy(cell.policy, trust=True)
    problem = _problem_on_worker(shared)
    if len(problem.preferences) > 1 and not is_plain(configured.thing):
        with suppress(Exception):  # the runs raise the error again, with the step
            call = problem.first_step(configured)
            call.function(*call.arguments)


def _play_on_worker(shared: _Shared, cell: Cell) -> PlayedCell:
    """Play one run; raise an error if the file of its policy is not that of the command."""
    if _file_digests([cell.policy]).items() - shared.file_digests.items():
        raise UsageError(
            f"{cell.policy}: the file on the worker {platform.node()} differs from that of the command; copy "
            "it to the same path on all machines"
        )
    return _play_one(_problem_on_worker(shared), cell.policy, cell, shared.steps, shared.seed)


class InPlay:
    """Progress of the runs in play; runs in other processes, and of policies on sets, stay at step 0."""

    def __init__(self, horizon: int) -> None:
        self.horizon = horizon
        self.cluster: Cluster | None = None  # whose workers play the runs, if any
        self._running: dict[int, np.recarray] = {}  # by id(): every thread adds and removes its own record

    @contextmanager
    def playing(self) -> Iterator[np.recarray]:
        """Yield a record to which a run writes its step, and count the run until the block ends."""
        progress = record(Progress())
        self._running[id(progress)] = progress
        try:
            yield progress
        finally:
            del self._running[id(progress)]

    def n_steps(self) -> int:
        """Return the number of steps that the runs in play have done so far."""
        return sum(int(one.step[0]) for one in list(self._running.values()))
