"""Draw charts of regret, accuracy, matrices and comparisons, in the style of the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd

from rankduel.base.errors import RecordsError, UsageError
from rankduel.experiments.matrix.preferences import Preferences, preferences_of, read_preferences
from rankduel.experiments.runs.compare import Comparison
from rankduel.experiments.runs.run_set import RunSet, read_run_sets

if TYPE_CHECKING:
    import altair

    from rankduel.experiments.report.charts.styles import LineStyle

_NEEDED = ("policy", "run", "step")


class _Records(NamedTuple):
    table: pd.DataFrame
    shown: dict[str, LineStyle]
    slope: float | None  # of the lower bound; None for a table


def plot_regret(
    records: RunSet | str | Path | pd.DataFrame,
    *,
    policies: Sequence[str] = (),
    x: Literal["log", "linear"] = "log",
    y: Literal["log", "linear"] = "log",
    band: Literal["error", "quantiles", "none"] = "error",
) -> altair.LayerChart:
    """Draw the mean regret of policies over their duels, with bands.

    Parameters
    ----------
    records : RunSet, str, Path or DataFrame
        Result of `run`, the folder of a run set, or a table of records. Except with a table, the chart also
        has the slope of the lower bound, if there is one.
    policies : sequence of str, optional
        Policies to draw, optionally with a label: ``"dts"`` or ``"dts=DTS (ours)"``. By default, all by their
        names in the literature.
    x : {"log", "linear"}, default "log"
        Scale of the duels axis.
    y : {"log", "linear"}, default "log"
        Scale of the regret axis.
    band : {"error", "quantiles", "none"}, default "error"
        Band around a mean: one standard error, 10% to 90% of the runs, or none.

    Returns
    -------
    altair.LayerChart
        The chart. A notebook shows it; its method ``save`` writes it to a file.

    Raises
    ------
    RankduelError
        If there are no such records or policies, or a value is unknown.

    Examples
    --------
    >>> played = rankduel.run("arxiv6", ["rucb", "merge_dts"], horizon=1000, runs=2)
    >>> chart = rankduel.plot_regret(played, policies=["merge_dts=MergeDTS (ours)", "rucb"])
    >>> chart.save("regret.svg")
    """
    from rankduel.experiments.report.charts.curves import View, regret_chart
    from rankduel.experiments.runs.summaries import curves

    view = View(_scale(x), _scale(y), _band(band))
    found = _read(records, policies, "regret")
    return regret_chart(curves(found.table, "regret"), found.slope, view, found.shown)


def plot_accuracy(
    records: RunSet | str | Path | pd.DataFrame,
    *,
    policies: Sequence[str] = (),
    x: Literal["log", "linear"] = "log",
    band: bool = True,
) -> altair.LayerChart:
    """Draw the share of runs that recommend a winner, over their duels.

    Parameters
    ----------
    records : RunSet, str, Path or DataFrame
        Result of `run`, the folder of a run set, or a table of records.
    policies : sequence of str, optional
        Policies to draw, optionally with a label: ``"dts"`` or ``"dts=DTS (ours)"``. By default, all by their
        names in the literature.
    x : {"log", "linear"}, default "log"
        Scale of the duels axis.
    band : bool, default True
        Whether to draw the 95% interval of each share (Wilson).

    Returns
    -------
    altair.LayerChart
        The chart. A notebook shows it; its method ``save`` writes it to a file.

    Raises
    ------
    RankduelError
        If there are no such records or policies, or a value is unknown.

    Examples
    --------
    >>> played = rankduel.run("arxiv6", ["rucb", "merge_dts"], horizon=1000, runs=2)
    >>> rankduel.plot_accuracy(played, x="linear").save("accuracy.svg")
    """
    from rankduel.experiments.report.charts.curves import View, accuracy_chart
    from rankduel.experiments.runs.summaries import share_curves

    view = View(_scale(x), band="error" if band else "none")
    found = _read(records, policies, "correct")
    return accuracy_chart(share_curves(found.table, "correct"), view, found.shown)


def plot_matrix(
    preferences: Preferences | np.ndarray | str | Path, *, highlight: Sequence[str] = ()
) -> altair.LayerChart:
    """Draw a preference matrix as a heat map, best ranker first.

    Undecided pairs, whose interval contains 1/2, are paler and hatched.

    Parameters
    ----------
    preferences : Preferences, array, str or Path
        A preference matrix, its name or its file.
    highlight : sequence of str, optional
        Rankers whose rows are framed.

    Returns
    -------
    altair.LayerChart
        The chart. A notebook shows it; its method ``save`` writes it to a file.

    Raises
    ------
    RankduelError
        If there is no such matrix or ranker.

    Examples
    --------
    >>> rankduel.plot_matrix("arxiv6", highlight=["0"]).save("matrix.svg")
    """
    from rankduel.experiments.report.charts.heatmap import heatmap

    if isinstance(preferences, (str, Path)):
        preferences = read_preferences(preferences)
    elif not isinstance(preferences, Preferences):
        preferences = preferences_of(preferences)
    unknown = [name for name in highlight if name not in preferences.names]
    if unknown:
        raise UsageError(f"no ranker '{unknown[0]}' to highlight; there are {_few(preferences.names)}")
    return heatmap(preferences, highlight)


def plot_comparison(comparison: Comparison, *, policies: Sequence[str] = ()) -> altair.FacetChart:
    """Draw the difference of live and proxy regret with 95% intervals, one panel per policy.

    Parameters
    ----------
    comparison : Comparison
        Result of `compare`.
    policies : sequence of str, optional
        Policies to draw, optionally with a label: ``"dts"`` or ``"dts=DTS (ours)"``. By default, all by their
        names in the literature.

    Returns
    -------
    altair.FacetChart
        The chart. A notebook shows it; its method ``save`` writes it to a file.

    Raises
    ------
    RankduelError
        If a policy was not compared.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> arena = rankduel.open_arena(data, rankers="110,115,96", interleave="team_draft")
    >>> found = rankduel.compare(arena, ["rucb"], horizon=500, runs=4)
    >>> rankduel.plot_comparison(found).save("comparison.svg")
    """
    from rankduel.experiments.report.charts.differences import difference_chart

    table, shown = _chosen(comparison.by_step, policies)
    return difference_chart(table, shown)


def _read(records: RunSet | str | Path | pd.DataFrame, policies: Sequence[str], column: str) -> _Records:
    if isinstance(records, pd.DataFrame):
        missing = [name for name in (*_NEEDED, column) if name not in records]
        if missing:
            raise RecordsError(f"a table without a column '{missing[0]}'; expected one that 'run' returned")
        return _Records(*_chosen(records, policies), None)
    from rankduel.experiments.report.run_set import bound_slope

    run_set = records if isinstance(records, RunSet) else _only_run_set(records)
    if column not in run_set.rows:
        raise RecordsError(f"{run_set.name}: runs without '{column}', as of multileaving; nothing to draw")
    return _Records(*_chosen(run_set.table, policies), bound_slope(run_set))


def _only_run_set(folder: str | Path) -> RunSet:
    run_sets = read_run_sets(folder)
    if len(run_sets) > 1:
        names = _few([run_set.name for run_set in run_sets])
        raise RecordsError(f"{folder}: {len(run_sets)} run sets, {names}; name the folder of one")
    return run_sets[0]


def _chosen(table: pd.DataFrame, policies: Sequence[str]) -> tuple[pd.DataFrame, dict[str, LineStyle]]:
    """Return the rows of `policies`, in their order, and the style of each."""
    from rankduel.experiments.report.paper import chosen, labelled, labelled_styles

    labels = chosen(table["policy"], labelled(policies))
    table = pd.concat([table[table["policy"] == policy] for policy in labels], ignore_index=True)
    return table, labelled_styles(labels)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def _scale(text: str) -> str:
    return _one_of(text, ("log", "linear"), "scale")


def _band(text: str) -> str:
    return _one_of(text, ("error", "quantiles", "none"), "band")


def _one_of(text: str, known: Sequence[str], what: str) -> str:
    if text not in known:
        raise UsageError(f"{what} '{text}'; expected {' or '.join(known)}")
    return text
