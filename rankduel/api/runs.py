"""Run policies live or by proxy, compare them, run multileaving, and write reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from rankduel.bandits.feedback import Feedback
from rankduel.base.arguments import check_type
from rankduel.base.errors import UsageError
from rankduel.base.settings import Configured
from rankduel.experiments.arena import Arena
from rankduel.experiments.cluster import workers_of
from rankduel.experiments.matrix.build import BuildStatus
from rankduel.experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from rankduel.experiments.runs.compare import Comparison, compare_runs
from rankduel.experiments.runs.in_play import InPlay
from rankduel.experiments.runs.live_matrix import preferences_for
from rankduel.experiments.runs.multileave_error import checked_numbers as checked_multileaving
from rankduel.experiments.runs.multileave_error import compare_multileavers, contests_of, multileavers_of
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.runs.run import checked_numbers
from rankduel.experiments.runs.run import run as run_policies
from rankduel.experiments.runs.run_sets import RunSet, read_run_sets
from rankduel.experiments.runs.summaries import read_for_charts
from rankduel.experiments.specs import policies_of

__all__ = ["compare", "load_records", "multileave", "report", "run"]


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
    command: str = "",
    progress: Callable[[int], None] | None = None,
    matrix_progress: Callable[[BuildStatus], object] | None = None,
    watch: Callable[[InPlay], None] | None = None,
    rows: Literal["all", "last"] = "all",
) -> pd.DataFrame:
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
        Whether to repeat runs whose records are damaged or of another study, instead of raising an error.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    command : str, default ""
        Command line to store with the run set.
    progress : callable, optional
        Called with the number of runs done since the last call.
    matrix_progress : callable, optional
        Called with the status of the matrix while it is made.
    watch : callable, optional
        Called before the first run with an object whose method ``n_steps()``, callable from any thread,
        returns the number of duels of the unfinished runs, and whose attribute ``horizon`` is their length.
    rows : {"all", "last"}, default "all"
        Checkpoints whose rows are returned: all, or the last of each run, which takes little memory. The
        records in `folder` have all.

    Returns
    -------
    DataFrame
        One row per policy, run and checkpoint: ``policy``, ``run``, ``step``, ``regret``, ``recommended``,
        ``correct`` and others; live runs with measured pages also have ``ndcg`` and ``clicks``, and
        ``unjudged``, the documents without a judgment per page, if the data have any.

    Raises
    ------
    RankduelError
        If a policy is unknown, a value is out of range, or `folder` holds runs of another problem.

    Examples
    --------
    >>> table = rankduel.run("arxiv6", ["rucb", "rmed1"], horizon=2000, runs=3, seed=1)
    >>> last = table[table["step"] == 2000]
    >>> last.groupby("policy")["regret"].mean().idxmin()
    'rmed1'
    """
    where = None if folder is None else Path(folder)
    policies = policies_of(policies)  # wrong arguments raise errors before a matrix is made
    checked_numbers(horizon, runs, seed, checkpoints, jobs)
    if rows not in ("all", "last"):
        raise UsageError(f"rows is '{rows}'; expected 'all' or 'last'")
    arena = problem if isinstance(problem, Arena) else None
    with workers_of(jobs, scheduler) as workers:
        if isinstance(problem, Arena):
            tell = matrix_progress or _ignore_status
            preferences = preferences_for(problem, matrix, where, workers, tell, repair=repair)
        else:
            preferences = _preferences(problem)
        feedback = Feedback(feedback_every, delay)
        return run_policies(
            Problem(preferences, arena, regret, feedback, multileave, measure),
            policies,
            horizon,
            runs,
            seed=seed,
            checkpoints=checkpoints,
            jobs=workers,
            folder=where,
            repair=repair,
            command=command,
            done=progress or _ignore,
            watch=watch or _ignore_runs,
            only_last=rows == "last",
        )


def compare(
    arena: Arena,
    policies: Configured | str | Iterable[Configured | str],
    horizon: float = 1e5,
    runs: int = 20,
    *,
    matrix: Preferences | str | Path | None = None,
    regret: str = "",
    measure: str = "page",
    seed: int = 0,
    checkpoints: int = 1000,
    jobs: int = -1,
    folder: str | Path | None = None,
    repair: bool = False,
    scheduler: str | None = None,
    command: str = "",
    progress: Callable[[int], None] | None = None,
    matrix_progress: Callable[[BuildStatus], object] | None = None,
    watch: Callable[[InPlay], None] | None = None,
) -> Comparison:
    """Run policies on live duels and on draws from the matrix, and test whether the results differ.

    Parameters
    ----------
    arena : Arena
        Data, rankers, interleaving method and user, from `open_arena`.
    policies : Configured, str, or iterable of them
        One policy or several, as values of `policy` or as text.
    horizon : float, default 1e5
        Number of duels per run.
    runs : int, default 20
        Number of live runs, and of proxy runs, per policy.
    matrix : Preferences, str or Path, optional
        Matrix of the proxy. By default it is made from the arena.
    regret : str, default ""
        Notion of regret. By default "condorcet" if there is a Condorcet winner, and "copeland" otherwise.
    measure : {"page", "none"}, default "page"
        With "page", live runs build whole pages and measure their NDCG and clicks; with "none", pages end
        where the user leaves, which is faster. Winners have the same distribution, with other random draws.
    seed : int, default 0
        Seed of all random numbers.
    checkpoints : int, default 1000
        Number of evenly spaced steps to record.
    jobs : int, default -1
        Number of parallel runs; -1 uses all cores.
    folder : str or Path, optional
        Stem of the two run sets: ``FOLDER-live`` and ``FOLDER-proxy``.
    repair : bool, default False
        Whether to repeat runs whose records are damaged or of another study, instead of raising an error.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    command : str, default ""
        Command line to store with the run sets.
    progress : callable, optional
        Called with the number of runs done since the last call.
    matrix_progress : callable, optional
        Called with the status of the matrix while it is made.
    watch : callable, optional
        Called before the first run with an object whose method ``n_steps()``, callable from any thread,
        returns the number of duels of the unfinished runs, and whose attribute ``horizon`` is their length.

    Returns
    -------
    Comparison
        ``final`` has mean regrets, their difference with an interval, and p-values for every policy;
        ``by_step`` the same at every checkpoint, ``verdict`` a summary in words.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,115,96", interleave="team_draft")
    >>> found = rankduel.compare(arena, ["rucb"], horizon=500, runs=4)
    >>> found.final["policy"].tolist()
    ['rucb']
    """
    check_type("arena", arena, Arena, "what open_arena returns")
    policies = policies_of(policies)  # wrong arguments raise errors before a matrix is made
    checked_numbers(horizon, runs, seed, checkpoints, jobs)
    live_folder, proxy_folder = (
        None if folder is None else Path(f"{folder}-{mode}") for mode in ("live", "proxy")
    )
    tell = matrix_progress or _ignore_status
    with workers_of(jobs, scheduler) as workers:
        preferences = preferences_for(arena, matrix, live_folder, workers, tell, repair=repair)
        live, proxy = (
            run_policies(
                problem,
                policies,
                horizon,
                runs,
                seed=seed,
                checkpoints=checkpoints,
                jobs=workers,
                folder=where,
                repair=repair,
                command=command,
                done=progress or _ignore,
                watch=watch or _ignore_runs,
            )
            for problem, where in (
                (Problem(preferences, arena, regret, measure=measure), live_folder),
                (Problem(preferences, None, regret), proxy_folder),
            )
        )
    return compare_runs(live, proxy)


def multileave(
    arena: Arena,
    methods: Configured | str | Iterable[Configured | str],
    impressions: float = 1e5,
    runs: int = 5,
    *,
    matrix: Preferences | str | Path | None = None,
    seed: int = 0,
    jobs: int = -1,
    folder: str | Path | None = None,
    repair: bool = False,
    scheduler: str | None = None,
    command: str = "",
    progress: Callable[[int], object] | None = None,
    matrix_progress: Callable[[BuildStatus], object] | None = None,
) -> pd.DataFrame:
    """Measure how many pages shared by all rankers are needed to order every pair correctly.

    Parameters
    ----------
    arena : Arena
        Data, rankers, interleaving method and user, from `open_arena`.
    methods : Configured, str, or iterable of them
        One multileaving method or several, such as ``"sosm"``; `multileavers` lists them.
    impressions : float, default 1e5
        Number of pages per run.
    runs : int, default 5
        Number of runs per method.
    matrix : Preferences, str or Path, optional
        Matrix with the correct order of each pair. By default it is made from the arena.
    seed : int, default 0
        Seed of all random numbers.
    jobs : int, default -1
        Number of parallel runs; -1 uses all cores.
    folder : str or Path, optional
        Folder of the run set. Every run is stored there within a second after it ends, and stored runs are
        not repeated.
    repair : bool, default False
        Whether to repeat runs whose records are damaged or of another study, instead of raising an error.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    command : str, default ""
        Command line to store with the run set.
    progress : callable, optional
        Called with the number of impressions since the last call.
    matrix_progress : callable, optional
        Called with the status of the matrix while it is made.

    Returns
    -------
    DataFrame
        One row per method (column ``policy``), run and checkpoint: ``step`` impressions, and ``e_bin``, the
        share of pairs in the wrong order. Interleaving random pairs of rankers is the last method.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,115,96", interleave="team_draft")
    >>> table = rankduel.multileave(arena, ["sosm"], impressions=2000, runs=2)
    >>> table["policy"].unique().tolist()
    ['sosm', 'random pairs, team_draft']
    """
    check_type("arena", arena, Arena, "what open_arena returns")
    chosen = multileavers_of(methods)
    contests_of(arena, chosen)  # raises an error before any work
    checked_multileaving(impressions, runs, seed, jobs)
    where = None if folder is None else Path(folder)
    tell = matrix_progress or _ignore_status
    with workers_of(jobs, scheduler) as workers:
        reference = preferences_for(arena, matrix, where, workers, tell, repair=repair)
        return compare_multileavers(
            arena,
            chosen,
            reference,
            impressions,
            runs,
            seed=seed,
            jobs=workers,
            folder=where,
            repair=repair,
            command=command,
            done=progress or _ignore,
        )


def load_records(folder: str | Path) -> pd.DataFrame:
    """Read the records of all run sets in a folder as one table.

    Every record is checked: a record that is damaged or of another study or release is an error.
    ``pandas.read_parquet(folder)`` returns the same rows without these checks and without the columns
    ``run_set`` and ``seconds``.

    Parameters
    ----------
    folder : str or Path
        Folder of one or several run sets: the argument `folder` of `run`, `compare` or `multileave`, or
        ``--out`` of the command.

    Returns
    -------
    DataFrame
        One row per run set, policy, run and checkpoint: ``run_set`` (the name of its folder), ``policy``,
        ``run``, ``step``, the values measured at this step, and ``seconds``, the time of the whole run.
        Rankers are given by name.

    Raises
    ------
    RankduelError
        If the folder holds no records, or some that are damaged or of another release.

    Examples
    --------
    >>> _ = rankduel.run("arxiv6", "rucb", horizon=1000, runs=2, folder="records/arxiv6")
    >>> table = rankduel.load_records("records")
    >>> table.loc[table["step"] == 1000, ["run_set", "policy", "run", "recommended"]]
         run_set policy  run recommended
    999   arxiv6   rucb    0           1
    1999  arxiv6   rucb    1           1
    """
    tables = []
    for run_set in read_run_sets(folder):
        run_set.table.insert(0, "run_set", run_set.name)
        tables.append(run_set.table)
    return pd.concat(tables, ignore_index=True)


def report(
    folder: str | Path,
    output: str | Path = "report.html",
    *,
    figures: str | Path | None = None,
    format: Literal["pdf", "svg", "png"] = "pdf",
    width: str | float = "text",
    font_size: float = 8,
    x: Literal["log", "linear"] = "log",
    y: Literal["log", "linear"] = "log",
    policies: Sequence[str] = (),
) -> list[Path]:
    """Write charts and tables of run sets as one HTML page, and optionally as files for papers.

    Parameters
    ----------
    folder : str or Path
        A run set, or a folder of run sets.
    output : str or Path, default "report.html"
        HTML file to write; it needs no network.
    figures : str or Path, optional
        Folder for every chart as a file of its own, and for the tables of results in LaTeX (booktabs).
    format : {"pdf", "svg", "png"}, default "pdf"
        Format of the charts in `figures`.
    width : str or float, default "text"
        Width of these charts: "column" (3.33 inches), "text" (7 inches) or a number of inches.
    font_size : float, default 8
        Font size of these charts in points.
    x : {"log", "linear"}, default "log"
        Scale of their duels axis.
    y : {"log", "linear"}, default "log"
        Scale of their regret axis.
    policies : sequence of str, optional
        Policies in `figures`, in this order, optionally with a label: ``"dts"`` or ``"dts=DTS (ours)"``. By
        default, all, by their names in the literature.

    Returns
    -------
    list of Path
        The files written, the page first.

    Raises
    ------
    RankduelError
        If there are no records in `folder`, they are damaged, or a value is out of range.

    Examples
    --------
    >>> _ = rankduel.run("arxiv6", ["rucb"], horizon=1000, runs=2, folder="records/arxiv6")
    >>> [path.name for path in rankduel.report("records", "report.html")]
    ['report.html']
    """
    from rankduel.experiments.report.page import write_report  # imported here: slow
    from rankduel.experiments.report.paper import paper_of, write_figures

    paper = paper_of(format, width, font_size, x, y, policies)
    run_sets: list[RunSet] = read_for_charts(folder)
    write_report(run_sets, output)
    charts = [] if figures is None else write_figures(run_sets, Path(figures), paper)
    return [Path(output), *charts]


def _preferences(problem: Preferences | np.ndarray | str | Path) -> Preferences:
    if isinstance(problem, Preferences):
        return problem
    return read_preferences(problem) if isinstance(problem, (str, Path)) else preferences_of(problem)


def _ignore(done: int) -> None:
    pass


def _ignore_status(status: BuildStatus) -> None:
    pass


def _ignore_runs(in_play: InPlay) -> None:
    pass
