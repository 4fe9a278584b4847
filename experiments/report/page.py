"""Write a report: one self-contained HTML page with a section per run set and per live/proxy pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.report.charts.styles import LineStyle, line_styles
from experiments.report.headlines import report_title, run_set_headline
from experiments.report.html import charts_footer, page_html, plain_names
from experiments.report.pair import pair_clause, pair_section, pairs
from experiments.report.run_set import run_set_section
from experiments.runs.records import RunSet
from rankduel.base.files import write_text

# An id on the page is the name of a run set or pair plus one of these endings, which no id of the charting
# libraries has.
ENDINGS = tuple(
    f"-{kind}" for kind in "section regret accuracy final-regret ndcg clicks matrix e-bin difference".split()
)
Pair = tuple[RunSet, RunSet]  # live and proxy


def write_report(run_sets: Sequence[RunSet], path: str | Path) -> None:
    """Write the report of `run_sets` atomically; equal records give equal bytes."""
    names, paired = section_names(run_sets)
    styles = line_styles(policy for run_set in run_sets for policy in run_set.table["policy"])
    sections = [pair_section(name, *pair, styles) for name, pair in paired.items()]
    drawn: set[str] = set()
    for name, run_set in zip(names, run_sets):
        digest = run_set.settings["matrix"]["digest"]
        sections.append(run_set_section(name, run_set, styles, with_matrix=digest not in drawn))
        drawn.add(digest)
    lead = _lead(run_sets, list(paired.values()), styles)
    title = report_title(run_sets, bool(paired))
    write_text(path, page_html(title, sections, charts_footer(), lead))


def section_names(run_sets: Sequence[RunSet]) -> tuple[list[str], dict[str, Pair]]:
    """Return a unique name for each run set, and the live/proxy pairs keyed by unique names."""
    paired = pairs(run_sets)
    wanted = [run_set.name for run_set in run_sets]
    wanted += [f"live-versus-proxy-{number}" for number in range(1, len(paired) + 1)]
    names = plain_names(wanted, ENDINGS)
    return names[: len(run_sets)], dict(zip(names[len(run_sets) :], paired))


def _lead(run_sets: Sequence[RunSet], paired: Sequence[Pair], styles: dict[str, LineStyle]) -> str:
    """Return the sentence below the title; "" if the report has several results, one per section."""
    if len(run_sets) == 1:
        return run_set_headline(run_sets[0], styles)
    if len(run_sets) == 2 and paired:
        live, proxy = paired[0]
        return f"{run_set_headline(live, styles)[:-1]}; {pair_clause(live, proxy, styles)}."
    return ""
