"""A report: one page that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.report.answers import answer, question
from experiments.report.charts.looks import Look, looks
from experiments.report.html import charts_footer, page_html, plain_names
from experiments.report.pair import pair_answer, pair_section, pairs
from experiments.report.run_set import run_set_section
from experiments.runs.records import RunSet
from rankduel.base.files import write_text

# An id on the page is the name of a run set or pair and one of these, and so never one of the libraries' ids.
ENDINGS = tuple(
    f"-{kind}" for kind in "section regret accuracy final-regret ndcg clicks matrix e-bin difference".split()
)
Pair = tuple[RunSet, RunSet]  # live and proxy


def write_report(run_sets: Sequence[RunSet], path: str | Path) -> None:
    """Write the page, completely or not at all; the same records give the same bytes."""
    names, paired = named(run_sets)
    shown = looks(policy for run_set in run_sets for policy in run_set.table["policy"])
    sections = [pair_section(name, *pair, shown) for name, pair in paired.items()]
    drawn: set[str] = set()
    for name, run_set in zip(names, run_sets):
        digest = run_set.settings["matrix"]["digest"]
        sections.append(run_set_section(name, run_set, shown, with_matrix=digest not in drawn))
        drawn.add(digest)
    lead = _lead(run_sets, list(paired.values()), shown)
    title = question(run_sets, bool(paired))
    write_text(path, page_html(title, sections, charts_footer(), lead))


def named(run_sets: Sequence[RunSet]) -> tuple[list[str], dict[str, Pair]]:
    """Return a name for each run set, and the pairs of live and proxy by theirs."""
    paired = pairs(run_sets)
    wanted = [run_set.name for run_set in run_sets]
    wanted += [f"live-versus-proxy-{number}" for number in range(1, len(paired) + 1)]
    names = plain_names(wanted, ENDINGS)
    return names[: len(run_sets)], dict(zip(names[len(run_sets) :], paired))


def _lead(run_sets: Sequence[RunSet], paired: Sequence[Pair], shown: dict[str, Look]) -> str:
    """Return the sentence that answers the title; nothing if there are several answers, one a section."""
    if len(run_sets) == 1:
        return answer(run_sets[0], shown)
    if len(run_sets) == 2 and paired:
        live, proxy = paired[0]
        return f"{answer(live, shown)[:-1]}; {pair_answer(live, proxy, shown)}."
    return ""
