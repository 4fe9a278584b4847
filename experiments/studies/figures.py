"""Figures of studies, in the layout of the originals: axes, scales, bands; and tables as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from experiments.report.charts.curves import View, curve_chart
from experiments.report.charts.points import bubble_chart, line_chart
from experiments.report.files import save_chart
from experiments.runs.summaries import curves
from experiments.studies.checks import Results, TooShort, sample
from experiments.studies.study import STAND_IN, Bubbles, Curves, Figure, Points, Study
from rankduel.base.errors import StudyError
from rankduel.base.files import path_inside, write_text

_AXES = {"regret": "cumulative regret", "correct": "share of runs that are right"}


def draw(figure: Figure, results: Results) -> alt.LayerChart | None:
    """The chart, which says so if data stand in for others; None if the tier has nothing to show in it."""
    chart = _drawn(figure, results)
    stand_in = stand_in_of(figure, results)
    return chart.properties(title=f"on {stand_in}") if chart is not None and stand_in else chart


def _drawn(figure: Figure, results: Results) -> alt.LayerChart | None:
    if isinstance(figure, Curves):
        return _curves(figure, results)
    return _points(figure, results) if isinstance(figure, Points) else _bubbles(figure, results)


def _curves(figure: Curves, results: Results) -> alt.LayerChart | None:
    parts = [part for part in (figure.part, *figure.beside) if part in results.tables]
    tables = [results.tables[part] for part in parts]
    if not tables:
        return None
    for part, table in zip(parts, tables):
        if figure.column not in table:
            raise StudyError(f"curves '{figure.name}': the runs of '{part}' have no column '{figure.column}'")
    title = _AXES.get(figure.column, figure.column.replace("_", " "))
    shown = pd.concat([curves(table, figure.column) for table in tables])
    return curve_chart(shown, title, View(figure.x, figure.y, figure.band))


def _points(figure: Points, results: Results) -> alt.LayerChart | None:
    frame = points_table(figure, results)
    if figure.x == "log":
        frame = frame[frame["x"] > 0]
    if figure.y == "log":
        frame = frame[frame["mean"] > 0]
    if frame.empty:
        return None
    return line_chart(frame, figure.x_title, figure.y_title, figure.x, figure.y)


def _bubbles(figure: Bubbles, results: Results) -> alt.LayerChart | None:
    frame = points_table(figure, results)
    if frame.empty:
        return None
    return bubble_chart(
        frame.rename(columns={"policy": "y", "mean": "share"}), figure.x_title, figure.y_title
    )


def points_table(figure: Points | Bubbles, results: Results) -> pd.DataFrame:
    """policy, x, mean, low, high: one standard error to both sides; what the tier lacks is left out."""
    logarithmic = isinstance(figure, Points) and figure.y == "log"
    rows = []
    for line, measures in figure.lines.items():
        for x, measure in measures.items():
            try:
                found = sample(measure, results)
            except TooShort:
                continue
            error = 0.0 if pd.isna(found.se) else found.se
            low = found.value - error
            # A bar down to zero or below has no place on a logarithmic axis.
            low = low if not logarithmic or low > 0 else found.value
            rows.append((line, x, found.value, low, found.value + error))
    return pd.DataFrame(rows, columns=["policy", "x", "mean", "low", "high"])


def write_figures(study: Study, results: Results, folder: Path, kind: str = "svg") -> list[Path]:
    """Every figure and table of the study as a file; stand-ins are named in the files' names."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for figure in study.figures:
        chart = draw(figure, results)
        if chart is not None:
            paths.append(figure_path(figure, results, folder, kind))
            save_chart(chart, paths[-1])
    for table in study.tables:
        frame = table.make(results.values)
        paths.append(path_inside(folder, f"{table.name}.md", StudyError))
        write_text(paths[-1], f"{table.title}\n\n{as_markdown(frame)}{_notes(results)}")
    return paths


def figure_path(figure: Figure, results: Results, folder: Path, kind: str = "svg") -> Path:
    """Return the file of a figure; one on stand-ins for data says so in its name."""
    mark = STAND_IN if stand_in_of(figure, results) else ""
    return path_inside(folder, f"{figure.name}{mark}.{kind}", StudyError)


def stand_in_of(figure: Figure, results: Results) -> str:
    """What stands in for the data of a figure, in words; nothing if they are the real ones."""
    if isinstance(figure, Curves):
        return results.stand_ins.get(figure.part, "")
    parts = [measure.part for measures in figure.lines.values() for measure in measures.values()]
    return "; ".join(filter(None, dict.fromkeys(results.stand_ins.get(part, "") for part in parts)))


def _notes(results: Results) -> str:
    used = dict.fromkeys(filter(None, results.stand_ins.values()))
    return "".join(f"\nIn part on {stand_in}.\n" for stand_in in used)


def as_markdown(frame: pd.DataFrame) -> str:
    """Columns that are numbers to the right."""
    headings = [str(column) for column in frame]
    marks = ["--:" if pd.api.types.is_numeric_dtype(frame[column]) else "---" for column in frame]
    return "".join(f"| {' | '.join(row)} |\n" for row in [headings, marks, *cells(frame)])


def cells(frame: pd.DataFrame) -> list[list[str]]:
    """As text."""
    return [[_cell(value) for value in row] for row in frame.itertuples(index=False)]


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "–" if pd.isna(value) else f"{value:,.4g}"
    return str(value).replace("|", "\\|")
