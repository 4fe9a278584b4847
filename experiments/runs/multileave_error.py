"""How many impressions does a multileaving method need to order all pairs of rankers?

Schuth, Sietsma, Whiteson, Lefortier and de Rijke, "Multileaved Comparisons for Fast Online Evaluation", CIKM
2014: E_bin is the share of pairs whose inferred order differs from that of a reference, here a preference
matrix of pairwise interleaving. A pair that nobody leads is half wrong; pairs that tie in the reference are
left out.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from experiments.arena import Arena
from experiments.cluster import Cluster, Workers, checked_workers
from experiments.limits import MOST_RUNS, checked_count
from experiments.matrix.preferences import Preferences
from experiments.matrix.shared_pages import (
    COLUMNS,
    Contest,
    blocks,
    checked_impressions,
    looks_at,
    multileaved,
    order_of,
    play_impressions,
    random_pairs,
)
from experiments.runs.cells import Cell, PlayedCell, play_cells
from experiments.runs.problem import how_known, other_rankers
from experiments.runs.records import MULTILEAVE, open_run_set, versions
from experiments.specs import listed
from experiments.statistics import standard_error
from interleave.multileave import MULTILEAVERS
from rankduel.base.errors import UsageError
from rankduel.base.settings import Configured
from rankduel.base.streams import checked_seed

MODE = MULTILEAVE  # in the settings of a study
LIMITS = (0.10, 0.05, 0.01)


def binary_error(order: np.ndarray, reference: np.ndarray) -> float:
    """E_bin of (pairs,) signs, 0 for an undecided pair, against (pairs,) probabilities."""
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
    command: str = "",
    done: Callable[[int], object] = lambda pages: None,
) -> pd.DataFrame:
    """E_bin by impressions: one row per method ("policy", as in all records), run and look.

    Pairwise interleaving of random pairs comes last, for comparison. With a folder every run is kept there,
    and runs that are there already are not repeated; `repair` plays again those whose record is damaged or
    of another study. `done` hears of impressions.
    """
    impressions, runs, seed = checked_numbers(impressions, runs, seed, jobs)
    chosen = contests_of(arena, multileavers_of(methods))
    _check_reference(arena, reference)
    cells = [Cell(name, run) for name in chosen for run in range(runs)]
    kept = None
    if folder is not None:
        settings = _settings(arena, reference, impressions, seed)
        settings |= {"command": command, "versions": versions()}
        kept = open_run_set(Path(folder), settings, reference, repair=repair)
    table = play_cells(
        cells,
        lambda missing: _play_all(arena, chosen, missing, reference, impressions, seed, jobs, done),
        kept,
        repair=repair,
        on_found=lambda n_cells: done(impressions * n_cells),
        on_played=lambda n_cells: None,  # impressions are counted while they are shown
    )
    return table[["policy", "run", "step", "e_bin", "seconds"]]


def checked_numbers(impressions: float, runs: int, seed: int, jobs: Workers) -> tuple[int, int, int]:
    """Return impressions, runs and seed as whole numbers; raise an error for the first out of range."""
    checked_workers(jobs)
    return checked_impressions(impressions), checked_count("runs", runs, MOST_RUNS), checked_seed(seed)


def multileavers_of(given: Configured | str | Iterable[Configured | str]) -> list[Configured]:
    """Return multileaving methods that were asked for: one or several, as text or configured."""
    return listed(given, "multileaving method", MULTILEAVERS.parsed)


def contests_of(arena: Arena, methods: Sequence[Configured]) -> dict[str, Contest]:
    """By name: the methods, then random pairs; or an error if something does not fit."""
    contests = [*(multileaved(arena, way) for way in methods), random_pairs(arena)]
    return {contest.name: contest for contest in contests}


def _check_reference(arena: Arena, reference: Preferences) -> None:
    if reference.names != arena.rankings.names:
        raise UsageError(f"{other_rankers(reference, arena)}; make the matrix from the same data and rankers")
    if (reference.pairs["p"] == 0.5).all():
        raise UsageError("all pairs tie in the matrix, so there is no order to be right about")


def _settings(arena: Arena, reference: Preferences, impressions: int, seed: int) -> dict[str, Any]:
    """What a run depends on besides its method."""
    matrix = {"digest": reference.digest, "about": how_known(reference), **reference.settings}
    about = {"problem": arena.settings["data"], "mode": MODE, "rankers": len(reference)}
    return {**about, "horizon": impressions, "seed": seed, "matrix": matrix, "arena": dict(arena.settings)}


class _Shown(NamedTuple):
    """What all runs on a cluster have in common."""

    arena: Arena
    methods: tuple[str, ...]
    reference: Preferences
    impressions: int
    seed: int


def _play_on_worker(shown: _Shown, cell: Cell) -> PlayedCell:
    """Play one run; the contests are kept for as long as the worker has the arena."""
    if shown.arena not in _contests:
        _contests[shown.arena] = contests_of(shown.arena, multileavers_of(shown.methods))
    contest = _contests[shown.arena][cell.policy]
    return _play_one(contest, shown.reference, shown.impressions, shown.seed, cell)


_contests: weakref.WeakKeyDictionary[Arena, dict[str, Contest]] = weakref.WeakKeyDictionary()


def _play_on_cluster(
    cluster: Cluster, shown: _Shown, cells: list[Cell], done: Callable[[int], object]
) -> Iterator[PlayedCell]:
    for played in cluster.unordered_map(_play_on_worker, shown, cells, lambda cell: cell.policy):
        done(shown.impressions)
        yield played


def _play_all(
    arena: Arena,
    contests: dict[str, Contest],
    cells: list[Cell],
    reference: Preferences,
    impressions: int,
    seed: int,
    jobs: Workers,
    done: Callable[[int], object],
) -> Iterator[PlayedCell]:
    """Yield every cell as it ends."""
    if isinstance(jobs, Cluster):
        *methods, _pairs = contests
        shown = _Shown(arena, tuple(methods), reference, impressions, seed)
        return _play_on_cluster(jobs, shown, cells, done)
    for name in {cell.policy: None for cell in cells}:
        contests[name].sums(0, 0, np.random.default_rng(0))  # compile before the threads and the clock start
    return Parallel(n_jobs=jobs, prefer="threads", return_as="generator_unordered")(
        delayed(_play_one)(contests[cell.policy], reference, impressions, seed, cell, done) for cell in cells
    )


def _play_one(
    contest: Contest,
    reference: Preferences,
    impressions: int,
    seed: int,
    cell: Cell,
    done: Callable[[int], object] = lambda pages: None,
) -> PlayedCell:
    started = time.perf_counter()
    table = error_table(contest, reference, impressions, seed, cell.run, done)
    return PlayedCell(cell, table, time.perf_counter() - started)


def error_table(
    contest: Contest,
    reference: Preferences,
    impressions: int,
    seed: int,
    run: int,
    done: Callable[[int], object] = lambda pages: None,
) -> pd.DataFrame:
    """One run: E_bin at every look."""
    truth = reference.pairs["p"].to_numpy()
    looks = looks_at(impressions)
    sums = np.zeros((len(truth), COLUMNS))
    errors: list[float] = []
    for block in blocks(impressions):
        sums += play_impressions(contest, block, seed, run)
        if block.end == looks[len(errors)]:
            errors.append(binary_error(order_of(sums), truth))
        done(block.pages)
    return pd.DataFrame({"step": looks, "e_bin": errors})


def decades(impressions: int) -> list[int]:
    """100, 1,000, ... and the last."""
    tens = [10**k for k in range(2, len(str(impressions))) if 10**k < impressions]
    return [*tens, impressions]


def error_at(table: pd.DataFrame, step: int) -> tuple[float, float]:
    """(mean, standard error) over the runs of one method after so many impressions; of one run, NaN."""
    errors = table.loc[table["step"] == step, "e_bin"].to_numpy()
    return float(errors.mean()), float(standard_error(errors))


def impressions_until(table: pd.DataFrame, limit: float) -> float:
    """After how many impressions E_bin stays below the limit: the median over runs, inf if most do not."""
    needed = [_settles(run.sort_values("step"), limit) for _, run in table.groupby("run")]
    return float(np.quantile(needed, 0.5, method="inverted_cdf"))


def _settles(run: pd.DataFrame, limit: float) -> float:
    above = np.flatnonzero(run["e_bin"].to_numpy() >= limit)
    after = above[-1] + 1 if len(above) else 0
    return float(run["step"].iloc[after]) if after < len(run) else np.inf


def error_text(runs: pd.DataFrame, step: int) -> str:
    """'12.3 ± 0.4', in per cent; of a single run without its error."""
    mean, error = error_at(runs, step)
    return f"{100 * mean:.1f}" + ("" if np.isnan(error) else f" ± {100 * error:.1f}")


def until_text(runs: pd.DataFrame, limit: float) -> str:
    """'1,259', or '> 100,000' where that was not enough."""
    needed = impressions_until(runs, limit)
    return f"{needed:,.0f}" if np.isfinite(needed) else f"> {runs['step'].max():,}"
