"""Figures of studies with the axes, scales and bands of the originals, and files of figures and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import altair as alt
import pandas as pd

from rankduel.base.errors import StudyError
from rankduel.base.files import path_inside, write_text
from rankduel.experiments.report.charts.curves import View, accuracy_chart, curve_chart
from rankduel.experiments.report.charts.parts import PAGE, Layout
from rankduel.experiments.report.charts.points import bubble_chart, line_chart
from rankduel.experiments.report.charts.styles import PALE, LineStyle
from rankduel.experiments.report.files import save_chart
from rankduel.experiments.runs.summaries import curves, share_curves
from rankduel.experiments.studies.checks import CheckSkipped, Results, sample
from rankduel.experiments.studies.pages.captions import styles_of
from rankduel.experiments.studies.pages.markdown import as_markdown
from rankduel.experiments.studies.study import STAND_IN, Bubbles, Curves, Figure, Measure, Points, Study

_AXES = {"regret": "cumulative regret", "ndcg": "NDCG"}
_SHARE = "correct"


def draw(
    study: Study, figure: Figure, results: Results, layout: Layout = PAGE, *, titled: bool = True
) -> alt.LayerChart | None:
    """Return the chart of a figure, or None if the tier has no data for it.

    With `titled`, the title of the chart names the stand-in data.
    """
    chart = _chart(study, figure, results, layout)
    stand_in = stand_in_of(figure, results) if titled else ""
    return chart.properties(title=f"on {stand_in}") if chart is not None and stand_in else chart


def _chart(study: Study, figure: Figure, results: Results, layout: Layout) -> alt.LayerChart | None:
    if isinstance(figure, Curves):
        return _curves(study, figure, results, layout)
    if isinstance(figure, Points):
        return _points(study, figure, results, layout)
    return _bubbles(figure, results, layout)


def _curves(study: Study, figure: Curves, results: Results, layout: Layout) -> alt.LayerChart | None:
    parts = [part for part in (figure.part, *figure.beside) if part in results.tables]
    tables = [results.tables[part] for part in parts]
    if not tables:
        return None
    for part, table in zip(parts, tables):
        if figure.column not in table:
            raise StudyError(f"curves '{figure.name}': the runs of '{part}' have no column '{figure.column}'")
    title = _AXES.get(figure.column, figure.column.replace("_", " "))
    view = View(figure.x, figure.y, figure.band)
    make = share_curves if figure.column == _SHARE else curves
    found = pd.concat([make(table, figure.column) for table in tables])
    limits = bound_lines(figure, results)
    styles = styles_of(study, found["policy"]) | _styles_of_bounds(limits["policy"].unique())
    found = pd.concat([found, limits]) if len(limits) else found
    known = published_values(study, figure, results)
    if figure.column == _SHARE:
        return accuracy_chart(found, view, styles, layout, known=known)
    return curve_chart(found, title, view, styles, layout, known=known)


def bound_lines(figure: Curves, results: Results) -> pd.DataFrame:
    """Return the bounds of a figure as columns policy (the name of the bound), step and mean."""
    rows = []
    for text, value in results.values.get(figure.bounds, {}).items():
        name, _, step = text.rpartition(" @")
        rows.append((name, int(float(step)), value))
    return pd.DataFrame(rows, columns=["policy", "step", "mean"]).sort_values(["policy", "step"])


def _styles_of_bounds(names: Iterable[str]) -> dict[str, LineStyle]:
    return {name: LineStyle(name, PALE, (1, 3 + 2 * place)) for place, name in enumerate(names)}


def _points(study: Study, figure: Points, results: Results, layout: Layout) -> alt.LayerChart | None:
    frame = points_table(figure, results)
    if figure.x == "log":
        frame = frame[frame["x"] > 0]
    if figure.y == "log":
        frame = frame[frame["mean"] > 0]
    if frame.empty:
        return None
    return line_chart(
        frame,
        figure.x_title,
        figure.y_title,
        figure.x,
        figure.y,
        layout=layout,
        known=published_values(study, figure, results),
        levels=published_levels(figure, results),
    )


def _bubbles(figure: Bubbles, results: Results, layout: Layout) -> alt.LayerChart | None:
    frame = points_table(figure, results)
    if frame.empty:
        return None
    frame = frame.rename(columns={"policy": "y", "mean": "share"})
    return bubble_chart(frame, figure.x_title, figure.y_title, layout)


def published_values(study: Study, figure: Figure, results: Results) -> pd.DataFrame:
    """Return the published values of measures that a figure shows: columns policy, step or x, and mean.

    A figure on stand-in data has none, nor have bubbles.
    """
    rows: list[tuple[str, float, float]] = []
    if not stand_in_of(figure, results) and not isinstance(figure, Bubbles):
        known = {
            measure: value for check in study.checks for measure, value in check.published_values.items()
        }
        if isinstance(figure, Curves):
            rows = _on_curves(study, figure, results, known)
        else:
            rows = _on_lines(figure, known)
    return pd.DataFrame(rows, columns=["policy", "step" if isinstance(figure, Curves) else "x", "mean"])


def _on_curves(
    study: Study, figure: Curves, results: Results, known: Mapping[Measure, float]
) -> list[tuple[str, float, float]]:
    """Return (policy, step, value) for the published means at steps that the curves include."""
    rows = []
    for measure, value in known.items():
        if measure.part not in (figure.part, *figure.beside) or measure.part not in results.tables:
            continue
        table = results.tables[measure.part]
        policy = str(study.policy(measure.policy))
        step = measure.at or _full_horizon(study, measure.part)
        is_mean = (measure.statistic, measure.only, measure.since) == ("mean", "all", 0)
        is_drawn = policy in set(table["policy"]) and step <= table["step"].max()
        if is_mean and is_drawn and measure.column == figure.column:
            rows.append((policy, step, value))
    return rows


def _full_horizon(study: Study, name: str) -> float:
    """Return the longest horizon of a part, to which a published final value belongs."""
    return max(size.horizon for part in study.parts if part.name == name for size in part.sizes.values())


def _on_lines(figure: Points, known: Mapping[Measure, float]) -> list[tuple[str, float, float]]:
    """Return (line, x, value) for the published values of points."""
    return [
        (line, x, known[measure])
        for line, measures in figure.lines.items()
        for x, measure in measures.items()
        if measure in known
    ]


def published_levels(figure: Figure, results: Results) -> Mapping[str, float]:
    """Return the published levels of a figure by description; a figure on stand-in data has none."""
    return figure.levels if isinstance(figure, Points) and not stand_in_of(figure, results) else {}


def points_table(figure: Points | Bubbles, results: Results) -> pd.DataFrame:
    """Return columns policy, x, mean, low, high (the bars) of the measures that the tier has."""
    logarithmic = isinstance(figure, Points) and figure.y == "log"
    whole_range = isinstance(figure, Points) and figure.bars == "range"
    rows = []
    for line, measures in figure.lines.items():
        for x, measure in measures.items():
            try:
                found = sample(measure, results)
            except CheckSkipped:
                continue
            error = 0.0 if pd.isna(found.se) else found.se
            low, high = found.value - error, found.value + error
            if whole_range:
                low, high = (sample(measure._replace(statistic=end), results).value for end in ("min", "max"))
            # A logarithmic axis cannot show a bar that reaches zero.
            low = low if not logarithmic or low > 0 else found.value
            rows.append((line, x, found.value, low, high))
    return pd.DataFrame(rows, columns=["policy", "x", "mean", "low", "high"])


def write_figures(study: Study, results: Results, folder: Path, kind: str = "svg") -> list[Path]:
    """Write every figure and table of the study to a file and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for figure in study.figures:
        chart = draw(study, figure, results)
        if chart is not None:
            paths.append(figure_path(figure, results, folder, kind))
            save_chart(chart, paths[-1])
    for table in study.tables:
        frame = table.make(results.values)
        paths.append(path_inside(folder, f"{table.name}.md", StudyError))
        write_text(paths[-1], f"{table.title}\n\n{as_markdown(frame)}{_notes(results)}")
    return paths


def figure_path(figure: Figure, results: Results, folder: Path, kind: str = "svg") -> Path:
    """Return the path of a figure, with a suffix if it is on stand-in data."""
    mark = STAND_IN if stand_in_of(figure, results) else ""
    return path_inside(folder, f"{figure.name}{mark}.{kind}", StudyError)


def stand_in_of(figure: Figure, results: Results) -> str:
    """Return a description of the stand-in data of a figure; "" if it is on the original data."""
    if isinstance(figure, Curves):
        return results.stand_ins.get(figure.part, "")
    parts = [measure.part for measures in figure.lines.values() for measure in measures.values()]
    return "; ".join(filter(None, dict.fromkeys(results.stand_ins.get(part, "") for part in parts)))


def _notes(results: Results) -> str:
    used = dict.fromkeys(filter(None, results.stand_ins.values()))
    return f"\nSome parts use stand-in data: {'; '.join(used)}.\n" if used else ""
