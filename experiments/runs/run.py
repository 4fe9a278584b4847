"""Run policies live on an arena, or by proxy on a preference matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from rankduel.bandits.feedback import Feedback
from rankduel.base.errors import MatrixError, RecordsError
from rankduel.base.files import convert_write_errors
from rankduel.base.settings import Configured
from rankduel.base.watch import SILENT, Watch
from rankduel.experiments.arena import DUEL_SETTINGS, Arena
from rankduel.experiments.cluster import Workers, workers_of
from rankduel.experiments.matrix.build import build_matrix, write_matrix
from rankduel.experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from rankduel.experiments.runs.folder import ANOTHER_RUN_SET, INCIDENTAL, MATRIX
from rankduel.experiments.runs.play import checked_numbers, play_runs, run_settings
from rankduel.experiments.runs.problem import Problem, other_rankers
from rankduel.experiments.runs.run_set import RunSet
from rankduel.experiments.specs import policies_of


def run(
    problem: Arena | Preferences | np.ndarray | str | Path,
    policies: Configured | str | Iterable[Configured | str],
    horizon: float = 1e5,
    runs: int = 10,
    *,
    matrix: Preferences | str | Path | None = None,
    regret: str = "",
    feedback_every: int = 1,
    delay: int = 0,
    multileave: str = "sosm",
    measure: str = "page",
    seed: int = 0,
    checkpoints: int = 1000,
    jobs: int = -1,
    folder: str | Path | None = None,
    repair: bool = False,
    scheduler: str | None = None,
    watch: Watch = SILENT,
) -> RunSet:
    """Run policies on a problem, several times each.

    A run depends only on its problem, policy, number and seed: not on other runs or the number of threads.

    Parameters
    ----------
    problem : Arena, Preferences, array, str or Path
        With an arena, duels are live: pages, clicks and credit are simulated. With a preference matrix, its
        name or its file, the winners of duels are drawn from the matrix (proxy).
    policies : Configured, str, or iterable of them
        One policy or several, as values of `policy` or as text such as ``"dts(alpha=0.6)"``.
    horizon : float, default 1e5
        Number of duels per run.
    runs : int, default 10
        Number of runs per policy.
    matrix : Preferences, str or Path, optional
        Matrix from which the regret of live runs is computed. By default it is made from the arena.
    regret : str, default ""
        Notion of regret. By default "condorcet" if there is a Condorcet winner, and "copeland" otherwise.
    feedback_every : int, default 1
        Number of duels between updates of a policy.
    delay : int, default 0
        Number of duels after which a policy receives an outcome.
    multileave : str, default "sosm"
        Multileaving method of policies that compare sets, in live runs.
    measure : {"page", "none"}, default "page"
        With "page", live runs build whole pages and measure their NDCG and clicks; with "none", pages end
        where the user leaves, which is faster. Winners have the same distribution, with other random draws.
    seed : int, default 0
        Seed of all random numbers.
    checkpoints : int, default 1000
        Number of evenly spaced steps to record, in addition to twenty per factor of ten.
    jobs : int, default -1
        Number of parallel runs; -1 uses all cores.
    folder : str or Path, optional
        Folder of the run set. Every run is stored there within a second after it ends, and stored runs are
        not repeated.
    repair : bool, default False
        Whether to repeat runs whose records are damaged or of another run set, instead of raising an error.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    watch : Watch, optional
        Receives the progress.

    Returns
    -------
    RunSet
        The records: ``table`` has a row per policy, run and checkpoint, ``final()`` one per policy.

    Raises
    ------
    RankduelError
        If a policy is unknown, a value is out of range, or `folder` holds runs of another problem.

    Examples
    --------
    >>> played = rankduel.run("arxiv6", ["rucb", "rmed1"], horizon=2000, runs=3, seed=1)
    >>> played.final()["policy"].tolist()  # least regret first
    ['rmed1', 'rucb']
    >>> played.table.columns[:4].tolist()
    ['policy', 'run', 'step', 'regret']
    """
    where = None if folder is None else Path(folder)
    policies = policies_of(policies)  # wrong arguments raise errors before a matrix is made
    checked_numbers(horizon, runs, seed, checkpoints, jobs)
    arena = problem if isinstance(problem, Arena) else None
    with workers_of(jobs, scheduler) as workers:
        if isinstance(problem, Arena):
            preferences = preferences_for(problem, matrix, where, workers, watch, repair=repair)
        else:
            preferences = _preferences(problem)
        played = Problem(preferences, arena, regret, Feedback(feedback_every, delay), multileave, measure)
        return run_on(
            played,
            policies,
            horizon,
            runs,
            seed=seed,
            checkpoints=checkpoints,
            jobs=workers,
            folder=where,
            repair=repair,
            watch=watch,
            only_last=where is not None,  # other rows are read from the folder when they are needed
        )


def run_on(
    problem: Problem,
    policies: Sequence[Configured],
    horizon: float,
    runs: int,
    *,
    seed: int,
    checkpoints: int,
    jobs: Workers,
    folder: Path | None,
    repair: bool,
    watch: Watch,
    only_last: bool,
) -> RunSet:
    """Run policies on a problem whose preferences are known; `only_last` keeps the last rows in memory."""
    table = play_runs(
        problem,
        policies,
        horizon,
        runs,
        seed=seed,
        checkpoints=checkpoints,
        jobs=jobs,
        folder=folder,
        repair=repair,
        watch=watch,
        only_last=only_last,
    )
    settings = run_settings(problem, checked_numbers(horizon, runs, seed, checkpoints, jobs), watch)
    return RunSet(folder.name if folder else "", settings, problem.preferences, folder, table)


def _preferences(problem: Preferences | np.ndarray | str | Path) -> Preferences:
    if isinstance(problem, Preferences):
        return problem
    return read_preferences(problem) if isinstance(problem, (str, Path)) else preferences_of(problem)


def preferences_for(
    arena: Arena,
    matrix: Preferences | str | Path | None,
    folder: Path | None,
    jobs: Workers,
    watch: Watch = SILENT,
    *,
    repair: bool = False,
) -> Preferences:
    """Return the preferences `matrix`; if None, those stored in `folder`; otherwise build and store them.

    With `repair`, damaged preferences in `folder` are built again.

    Raises
    ------
    MatrixError
        If `matrix` has other rankers, or its settings are those of other duels.
    RecordsError
        If the preferences in `folder` are damaged or were made for other duels.
    """
    if matrix is not None:
        return _given(arena, matrix)
    if folder is None:
        return build_matrix(arena, jobs=jobs, progress=watch.matrix)
    path = folder / MATRIX
    if path.exists():
        try:
            found = read_preferences(path)
        except MatrixError as problem:
            if not repair:
                again = "the same command with --repair (in Python, repair=True) makes it again"
                raise RecordsError(f"{problem}; {again}") from None
        else:
            return _stored(arena, found, path)
    with convert_write_errors(folder, RecordsError):
        folder.mkdir(parents=True, exist_ok=True)
    return write_matrix(arena, path, jobs=jobs, progress=watch.matrix)


def _given(arena: Arena, matrix: Preferences | str | Path) -> Preferences:
    """Return the preferences `matrix`; raise MatrixError if their settings are those of other duels."""
    where = "the matrix" if isinstance(matrix, Preferences) else str(matrix)
    preferences = matrix if isinstance(matrix, Preferences) else read_preferences(matrix)
    if preferences.names != arena.rankings.names:
        raise MatrixError(
            f"{where}: {other_rankers(preferences, arena)}. Give the matrix of these rankers; without one, "
            "it is made from the data"
        )
    if preferences.settings.keys() & set(DUEL_SETTINGS):
        difference = _difference(arena, preferences, DUEL_SETTINGS)
        if difference:
            raise MatrixError(
                f"{where} was made for other duels: {difference}. Give the matrix of these duels; without "
                "one, it is made from the data"
            )
    return preferences


def _stored(arena: Arena, preferences: Preferences, where: Path) -> Preferences:
    """Return the preferences of a run set; raise RecordsError unless their settings are those of `arena`."""
    if preferences.names != arena.rankings.names:
        raise RecordsError(f"{where}: {other_rankers(preferences, arena)}. {ANOTHER_RUN_SET}")
    difference = _difference(arena, preferences, (key for key in arena.settings if key not in INCIDENTAL))
    if difference:
        raise RecordsError(f"{where} was made for other duels: {difference}. {ANOTHER_RUN_SET}")
    return preferences


def _difference(arena: Arena, preferences: Preferences, keys: Iterable[str]) -> str:
    """Return text on the first setting in `keys` that differs; "" if none does."""
    for key in keys:
        found, wanted = preferences.settings.get(key, "not set"), arena.settings[key]
        if found != wanted:
            return f"{key} is {found} there and {wanted} now"
    return ""
