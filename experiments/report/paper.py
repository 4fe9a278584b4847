"""Figures and tables for papers: the charts of a report with chosen size, font, policies and labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rankduel.base.errors import UsageError
from rankduel.base.files import write_text
from rankduel.base.settings import find
from rankduel.experiments.report.charts.curves import View
from rankduel.experiments.report.charts.parts import Layout, printable
from rankduel.experiments.report.charts.styles import LineStyle, line_styles
from rankduel.experiments.report.files import POINTS_PER_INCH, fit_to_width, save_chart
from rankduel.experiments.report.html import Figure, Table
from rankduel.experiments.report.multileave import error_table, is_multileave
from rankduel.experiments.report.page import distinct, section_names
from rankduel.experiments.report.pair import pair_figure, pair_table
from rankduel.experiments.report.run_set import final_table, run_set_figures
from rankduel.experiments.runs.run_set import RunSet

WIDTHS = {"column": 3.33, "text": 7.0}  # inches, in the two-column layout of ACM
_NARROWEST, _WIDEST = 1.5, 30.0  # width of a figure, in inches
_SMALLEST, _LARGEST = 4.0, 40.0  # font size, in points
_TALLEST = 210  # height of a plot, in points
_LABELLED = re.compile(r"([^=(]+(?:\([^)]*\))?)(?:=(.*))?", re.DOTALL)
_TEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--",
    "<": "$<$", ">": "$>$", "|": r"\textbar{}",  # other letters in TeX's oldest fonts, which are the default
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}  # fmt: skip


class Paper(NamedTuple):
    """Options for drawing the figures of a paper."""

    kind: str = "pdf"  # or svg, png
    width: float = WIDTHS["text"]  # inches, axes and labels included
    font_size: float = 8.0  # points
    x: str = "log"  # scale of the axis of duels: log or linear
    y: str = "log"  # scale of the axis of regret: log or linear
    policies: Mapping[str, str] = {}  # policy -> label, in the order of the figures; empty for all policies


DEFAULT_PAPER = Paper()


def paper_of(
    kind: str, width: str | float, font_size: float, x: str, y: str, policies: Iterable[str]
) -> Paper:
    """Return validated options; a policy is given as 'dts' or, with a label, as 'dts=DTS (ours)'."""
    inches = _inches(width)
    if not _SMALLEST <= font_size <= _LARGEST:
        raise UsageError(f"font size is {font_size:g}; expected {_SMALLEST:g} to {_LARGEST:g} points")
    for axis, scale in (("x", x), ("y", y)):
        if scale not in ("log", "linear"):
            raise UsageError(f"scale of the {axis} axis is '{scale}'; expected log or linear")
    return Paper(kind, inches, float(font_size), x, y, labelled(policies))


def _inches(width: str | float) -> float:
    if isinstance(width, str) and width in WIDTHS:
        return WIDTHS[width]
    try:
        inches = float(width)
    except ValueError:
        inches = float("nan")
    if not _NARROWEST <= inches <= _WIDEST:
        raise UsageError(
            f"width of figures is '{width}'; expected {', '.join(WIDTHS)}, or inches from {_NARROWEST:g} to "
            f"{_WIDEST:g}"
        )
    return inches


def labelled(policies: Iterable[str]) -> dict[str, str]:
    """Return {'dts': 'DTS (ours)', 'rucb': ''} for 'dts=DTS (ours)' and 'rucb'."""
    labels: dict[str, str] = {}
    for text in policies:
        match = _LABELLED.fullmatch(text.strip())
        if match is None:
            raise UsageError(
                f"policy is '{text}'; expected a policy, or a policy and its label: 'dts=DTS (ours)'"
            )
        policy = match[1].strip()
        if policy in labels:
            raise UsageError(f"policy '{policy}' is given twice; name each policy once")
        labels[policy] = (match[2] or "").strip()
    return labels


def write_figures(run_sets: Sequence[RunSet], folder: str | Path, paper: Paper = DEFAULT_PAPER) -> list[Path]:
    """Write every chart of the report, and every table of results as LaTeX; return the paths."""
    folder = Path(folder)
    run_sets = [run_set for run_set, _ in distinct(run_sets)]
    labels = chosen(
        (policy for run_set in run_sets for policy in run_set.table["policy"].unique()), paper.policies
    )
    run_sets = [kept for run_set in run_sets if len((kept := _only(run_set, labels)).table)]
    styles = labelled_styles(labels)
    folder.mkdir(parents=True, exist_ok=True)
    order = list(labels) if paper.policies else None
    paths = []
    for figure in _figures(run_sets, styles, order):
        paths.append(folder / f"{figure.name}.{paper.kind}")
        _draw(figure, paths[-1], paper)
    for name, table in _tables(run_sets, styles, order):
        paths.append(folder / f"{name}.tex")
        write_text(paths[-1], latex(table))
    return paths


def chosen(policies: Iterable[str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Return policy -> label for the `wanted` policies of records, or for all policies if it is empty.

    A wanted name without settings matches if exactly one policy has that name.
    """
    every = list(dict.fromkeys(policies))
    if not wanted:
        return dict.fromkeys(every, "")
    by_name: dict[str, list[str]] = {}
    for policy in every:
        by_name.setdefault(policy.partition("(")[0], []).append(policy)
    known = {name: full[0] for name, full in by_name.items() if len(full) == 1}
    known |= {policy: policy for policy in every}
    labels: dict[str, str] = {}
    given: dict[str, str] = {}
    for name, label in wanted.items():
        policy = find(name, known, "policy of these records")
        if policy in given:
            raise UsageError(
                f"'{given[policy]}' and '{name}' are the same policy of these records, {policy}; "
                "name each policy once"
            )
        given[policy], labels[policy] = name, label
    return labels


def labelled_styles(labels: Mapping[str, str]) -> dict[str, LineStyle]:
    """Return line styles with these labels; an empty label means the name in the literature."""
    return line_styles(labels, {policy: label for policy, label in labels.items() if label})


def _only(run_set: RunSet, policies: Mapping[str, str]) -> RunSet:
    return replace(run_set, rows=run_set.rows[run_set.rows["policy"].isin(list(policies))])


def _figures(
    run_sets: Sequence[RunSet], styles: Mapping[str, LineStyle], order: Sequence[str] | None
) -> list[Figure]:
    """Return the figures of the report; a matrix that several run sets share is included once."""
    names, paired = section_names(run_sets)
    figures: list[Figure] = []
    drawn: set[str] = set()
    for name, run_set in zip(names, run_sets):
        digest = run_set.settings["matrix"]["digest"]
        figures += run_set_figures(name, run_set, styles, with_matrix=digest not in drawn, order=order)
        drawn.add(digest)
    return figures + [pair_figure(name, *pair, styles) for name, pair in paired.items()]


def _draw(figure: Figure, path: Path, paper: Paper) -> None:
    points = paper.width * POINTS_PER_INCH
    view = View(paper.x, paper.y)
    height = min(_TALLEST, 0.5 * points)

    def make(width: float) -> object:
        return figure.make(view, Layout(width, height, paper.font_size))

    save_chart(fit_to_width(make, points), path, for_print=True)


def _tables(
    run_sets: Sequence[RunSet], styles: Mapping[str, LineStyle], order: Sequence[str] | None
) -> list[tuple[str, Table]]:
    names, paired = section_names(run_sets)
    found = [
        (f"{name}-e-bin", error_table(run_set.table, styles))
        if is_multileave(run_set)
        else (f"{name}-final", final_table(run_set, styles, order))
        for name, run_set in zip(names, run_sets)
    ]
    return found + [(f"{name}-difference", pair_table(*pair, styles)) for name, pair in paired.items()]


def latex(table: Table) -> str:
    """Return the table as LaTeX with booktabs; every cell is escaped."""
    columns = "l" + "r" * (len(table.headings) - 1)
    lines = [
        f"% {_tex(table.caption)}. Made by rankduel; needs \\usepackage{{booktabs}}.",
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        _tex_row(table.headings),
        "\\midrule",
        *map(_tex_row, table.rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _tex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_tex, cells)) + r" \\"


def _tex(text: str) -> str:
    """Return `text` on one line, escaped so that LaTeX prints it unchanged."""
    plain = " ".join(printable(text).split())
    return "".join(_TEX.get(letter, letter) for letter in plain)
