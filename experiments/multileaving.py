"""Multileaving methods compared: their error by number of impressions.

Schuth, Sietsma, Whiteson, Lefortier and de Rijke, "Multileaved Comparisons for Fast Online Evaluation", CIKM
2014: E_bin is the share of pairs whose inferred order differs from that of a reference, here a preference
matrix of pairwise interleaving. A pair that is tied in the inferred order counts 1/2; pairs that are tied in
the reference are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from rankduel.base.arguments import check_type
from rankduel.base.errors import UsageError
from rankduel.base.notebook import few, html_repr, short_repr
from rankduel.base.results import plain
from rankduel.base.settings import Configured
from rankduel.base.streams import checked_seed
from rankduel.base.watch import SILENT, Watch
from rankduel.experiments.arena import Arena
from rankduel.experiments.arena_reference import ArenaReference, arena_of, transfers_of
from rankduel.experiments.cluster import Cluster, Compiling, Transfer, Workers, checked_workers, workers_of
from rankduel.experiments.limits import MOST_RUNS, checked_count
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.matrix.shared_pages import (
    COLUMNS,
    PageComparison,
    blocks,
    checked_impressions,
    evaluation_steps,
    multileaved,
    order_of,
    play_impressions,
    random_pairs,
)
from rankduel.experiments.runs.folder import MULTILEAVE, open_run_set, versions
from rankduel.experiments.runs.problem import how_known, other_rankers
from rankduel.experiments.runs.recorder import Cell, PlayedCell, play_cells
from rankduel.experiments.runs.run import preferences_for
from rankduel.experiments.specs import listed
from rankduel.experiments.statistics import standard_error
from rankduel.interleave.multileave import MULTILEAVERS

MODE = MULTILEAVE  # in the settings of a run set
LIMITS = (0.10, 0.05, 0.01)  # of E_bin


@dataclass(frozen=True, eq=False, repr=False)
class Multileaving:
    """Error of multileaving methods by number of impressions, from `multileave`.

    Parameters
    ----------
    table : DataFrame
        One row per method (``policy``), run and number of impressions (``step``): ``e_bin`` and ``seconds``.
    settings : Mapping
        Settings of the arena.
    reference : Preferences
        Matrix with the correct order of each pair.
    folder : Path or None
        Folder of the records, if the runs are stored.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,115,96", interleave="team_draft")
    >>> found = rankduel.multileave(arena, ["sosm"], impressions=2000, runs=2)
    >>> found
    Multileaving(methods='sosm, random pairs, team_draft', runs=2, impressions=2000)
    """

    table: pd.DataFrame
    settings: Mapping[str, Any]
    reference: Preferences
    folder: Path | None

    def errors(self) -> list[dict[str, Any]]:
        """Return a row for every method and power of ten of impressions: mean and standard error of E_bin."""
        return [
            {"method": name, "impressions": step}
            | dict(zip(("e_bin", "standard_error"), error_at(runs, step)))
            for name, runs in self.table.groupby("policy", sort=False)
            for step in decades(int(self.table["step"].max()))
        ]

    def until(self) -> list[dict[str, Any]]:
        """Return a row for every method and limit: the median impressions until E_bin stays below."""
        return [
            {"method": name, "limit": limit, "impressions": impressions_until(runs, limit)}
            for name, runs in self.table.groupby("policy", sort=False)
            for limit in LIMITS
        ]

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows of `errors`, the table that ``--csv`` prints."""
        return pd.DataFrame(self.errors())

    def to_dict(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints, as plain values."""
        records = None if self.folder is None else str(self.folder)
        return dict(plain({"records": records, "errors": self.errors(), "until": self.until()}))

    def _facts(self) -> dict[str, object]:
        return {
            "methods": few(self.table["policy"].unique().tolist()),
            "runs": int(self.table["run"].nunique()),
            "impressions": int(self.table["step"].max()),
        }

    def __repr__(self) -> str:
        return short_repr("Multileaving", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("Multileaving", self._facts())


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
    watch: Watch = SILENT,
) -> Multileaving:
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
        Whether to repeat runs whose records are damaged or of another run set, instead of raising an error.
    scheduler : str, optional
        Address of a Dask scheduler whose workers share the work, or ``"local:N"`` for N worker processes on
        this machine.
    watch : Watch, optional
        Receives the progress; `Watch.runs` receives the number of pages.

    Returns
    -------
    Multileaving
        ``table`` has one row per method (column ``policy``), run and checkpoint: ``step`` impressions, and
        ``e_bin``, the share of pairs in the wrong order. Interleaving of random pairs is the last method.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,115,96", interleave="team_draft")
    >>> found = rankduel.multileave(arena, ["sosm"], impressions=2000, runs=2)
    >>> found.to_pandas()["method"].unique().tolist()
    ['sosm', 'random pairs, team_draft']
    """
    check_type("arena", arena, Arena, "what open_arena returns")
    chosen = multileavers_of(methods)
    contests_of(arena, chosen)  # raises an error before any work
    checked_numbers(impressions, runs, seed, jobs)
    where = None if folder is None else Path(folder)
    with workers_of(jobs, scheduler) as workers:
        reference = preferences_for(arena, matrix, where, workers, watch, repair=repair)
        table = compare_multileavers(
            arena,
            chosen,
            reference,
            impressions,
            runs,
            seed=seed,
            jobs=workers,
            folder=where,
            repair=repair,
            watch=watch,
        )
    return Multileaving(table, arena.settings, reference, where)


def binary_error(order: np.ndarray, reference: np.ndarray) -> float:
    """Return E_bin of the signs `order`, (pairs,), against the probabilities `reference`, (pairs,)."""
    truth = np.sign(reference - 0.5)
    return float((1.0 - (order * truth)[truth != 0]).mean() / 2.0)


def compare_multileavers(
    arena: Arena,
    methods: Configured | str | Iterable[Configured | str],
    reference: Preferences,
    impressions: float = 1e5,
    runs: int = 5,
    *,
    seed: int = 0,
    jobs: Workers = 1,
    folder: str | Path | None = None,
    repair: bool = False,
    watch: Watch = SILENT,
) -> pd.DataFrame:
    """Return E_bin with one row per method, run and number of impressions.

    The method is in the column "policy", as in all records. Interleaving of random pairs is the last method,
    for comparison. If `folder` is given, every run is recorded there, and recorded runs are not repeated;
    with `repair`, runs whose record is damaged or belongs to another run set are played again. `watch.runs`
    receives the number of new impressions.
    """
    impressions, runs, seed = checked_numbers(impressions, runs, seed, jobs)
    chosen = contests_of(arena, multileavers_of(methods))
    _check_reference(arena, reference)
    cells = [Cell(name, run) for name in chosen for run in range(runs)]
    run_folder = None
    if folder is not None:
        settings = _settings(arena, reference, impressions, seed)
        settings |= {"command": watch.command, "versions": versions()}
        run_folder = open_run_set(Path(folder), settings, reference, repair=repair)
    table = play_cells(
        cells,
        lambda missing: _play_all(arena, chosen, missing, reference, impressions, seed, jobs, watch.runs),
        run_folder,
        repair=repair,
        on_found=lambda n_cells: watch.runs(impressions * n_cells),
        on_played=lambda n_cells: None,  # `_play_all` reports impressions as they are played
    )
    return table[["policy", "run", "step", "e_bin", "seconds"]]


def checked_numbers(impressions: float, runs: int, seed: int, jobs: Workers) -> tuple[int, int, int]:
    """Return impressions, runs and seed as ints; raise UsageError for the first that is out of range."""
    checked_workers(jobs)
    return checked_impressions(impressions), checked_count("runs", runs, MOST_RUNS), checked_seed(seed)


def multileavers_of(given: Configured | str | Iterable[Configured | str]) -> list[Configured]:
    """Return `given`, one multileaving method or several, as a list; texts are parsed."""
    return listed(given, "multileaving method", MULTILEAVERS.parsed)


def contests_of(arena: Arena, methods: Sequence[Configured]) -> dict[str, PageComparison]:
    """Return comparisons by name: multileaving with each of `methods`, then random pairs.

    Raises RankduelError if a method does not fit the arena.
    """
    comparisons = [*(multileaved(arena, method) for method in methods), random_pairs(arena)]
    return {comparison.name: comparison for comparison in comparisons}


def _check_reference(arena: Arena, reference: Preferences) -> None:
    if reference.names != arena.rankings.names:
        raise UsageError(f"{other_rankers(reference, arena)}; make the matrix from the same data and rankers")
    if (reference.pairs["p"] == 0.5).all():
        raise UsageError("all pairs tie in the matrix; expected at least one pair with a winner")


def _settings(arena: Arena, reference: Preferences, impressions: int, seed: int) -> dict[str, Any]:
    """Return the settings that a run depends on, besides its method."""
    matrix = {"digest": reference.digest, "about": how_known(reference), **reference.settings}
    about = {"problem": arena.settings["data"], "mode": MODE, "rankers": len(reference)}
    return {**about, "horizon": impressions, "seed": seed, "matrix": matrix, "arena": dict(arena.settings)}


@dataclass(frozen=True, eq=False)
class _Shared:
    """Values that all runs share on a cluster."""

    arena: Arena | ArenaReference
    methods: tuple[str, ...]
    reference: Preferences
    impressions: int
    seed: int

    @cached_property
    def comparisons(self) -> dict[str, PageComparison]:
        """The comparisons of all methods on a worker, which keeps them for as long as it has these values."""
        return contests_of(arena_of(self.arena), multileavers_of(self.methods))


def _compile_on_worker(shared: _Shared, cell: Cell) -> None:
    shared.comparisons[cell.policy].sums(0, 0, np.random.default_rng(0))


def _play_on_worker(shared: _Shared, cell: Cell) -> PlayedCell:
    comparison = shared.comparisons[cell.policy]
    return _play_one(comparison, shared.reference, shared.impressions, shared.seed, cell)


def _play_on_cluster(
    cluster: Cluster,
    transfers: list[Transfer],
    cells: list[Cell],
    impressions: int,
    done: Callable[[int], object],
) -> Iterator[PlayedCell]:
    compiling = Compiling(lambda cell: cell.policy, _compile_on_worker)
    for played in cluster.unordered_map(_play_on_worker, transfers, cells, compiling):
        done(impressions)
        yield played


def _play_all(
    arena: Arena,
    comparisons: dict[str, PageComparison],
    cells: list[Cell],
    reference: Preferences,
    impressions: int,
    seed: int,
    jobs: Workers,
    done: Callable[[int], object],
) -> Iterator[PlayedCell]:
    """Yield every cell as it ends."""
    if isinstance(jobs, Cluster):
        *methods, _pairs = comparisons
        transfers = transfers_of(
            arena, lambda sent: _Shared(sent, tuple(methods), reference, impressions, seed)
        )
        return _play_on_cluster(jobs, transfers, cells, impressions, done)
    for name in {cell.policy: None for cell in cells}:
        comparisons[name].sums(0, 0, np.random.default_rng(0))  # compile before the timed runs
    return Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered")(
        delayed(_play_one)(comparisons[cell.policy], reference, impressions, seed, cell, done)
        for cell in cells
    )


def _play_one(
    comparison: PageComparison,
    reference: Preferences,
    impressions: int,
    seed: int,
    cell: Cell,
    done: Callable[[int], object] = lambda pages: None,
) -> PlayedCell:
    started = time.perf_counter()
    table = error_table(comparison, reference, impressions, seed, cell.run, done)
    return PlayedCell(cell, table, time.perf_counter() - started)


def error_table(
    comparison: PageComparison,
    reference: Preferences,
    impressions: int,
    seed: int,
    run: int,
    done: Callable[[int], object] = lambda pages: None,
) -> pd.DataFrame:
    """Return E_bin of one run at all numbers of impressions of `evaluation_steps`."""
    truth = reference.pairs["p"].to_numpy()
    steps = evaluation_steps(impressions)
    sums = np.zeros((len(truth), COLUMNS))
    errors: list[float] = []
    for block in blocks(impressions):
        sums += play_impressions(comparison, block, seed, run)
        if block.end == steps[len(errors)]:
            errors.append(binary_error(order_of(sums), truth))
        done(block.pages)
    return pd.DataFrame({"step": steps, "e_bin": errors})


def decades(impressions: int) -> list[int]:
    """Return the powers of ten from 100 below `impressions`, and `impressions`."""
    tens = [10**k for k in range(2, len(str(impressions))) if 10**k < impressions]
    return [*tens, impressions]


def error_at(table: pd.DataFrame, step: int) -> tuple[float, float]:
    """Return mean and standard error of E_bin over the runs in `table` after `step` impressions.

    The standard error of a single run is NaN.
    """
    errors = table.loc[table["step"] == step, "e_bin"].to_numpy()
    return float(errors.mean()), float(standard_error(errors))


def impressions_until(table: pd.DataFrame, limit: float) -> float:
    """Return the median over runs of the number of impressions from which E_bin stays below `limit`.

    A run that ends at `limit` or above counts as infinity.
    """
    needed = [_stays_below_from(run.sort_values("step"), limit) for _, run in table.groupby("run")]
    return float(np.quantile(needed, 0.5, method="inverted_cdf"))


def _stays_below_from(run: pd.DataFrame, limit: float) -> float:
    above = np.flatnonzero(run["e_bin"].to_numpy() >= limit)
    after = above[-1] + 1 if len(above) else 0
    return float(run["step"].iloc[after]) if after < len(run) else np.inf


def error_text(runs: pd.DataFrame, step: int) -> str:
    """Return E_bin in per cent, such as '12.3 ± 0.4'; without the standard error for a single run."""
    mean, error = error_at(runs, step)
    return f"{100 * mean:.1f}" + ("" if np.isnan(error) else f" ± {100 * error:.1f}")


def until_text(runs: pd.DataFrame, limit: float) -> str:
    """Return `impressions_until` as text: '1,259', or '> 100,000' if it is infinite."""
    needed = impressions_until(runs, limit)
    return f"{needed:,.0f}" if np.isfinite(needed) else f"> {runs['step'].max():,}"
