"""Write a report: one self-contained HTML page with a section per run set and per live/proxy pair."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from rankduel.base.files import write_text
from rankduel.experiments.report.charts.styles import LineStyle, line_styles
from rankduel.experiments.report.headlines import report_title, run_set_headline
from rankduel.experiments.report.html import charts_footer, page_html, plain_names
from rankduel.experiments.report.pair import pair_clause, pair_section, pairs
from rankduel.experiments.report.run_set import run_set_section
from rankduel.experiments.runs.folder import read_settings
from rankduel.experiments.runs.run_set import RunSet, read_for_charts

# An id on the page is the name of a run set or pair plus one of these endings, which no id of the charting
# libraries has.
ENDINGS = tuple(
    f"-{kind}" for kind in "section regret accuracy final-regret ndcg clicks matrix e-bin difference".split()
)
Pair = tuple[RunSet, RunSet]  # live and proxy


def write_report(run_sets: Sequence[RunSet], path: str | Path) -> None:
    """Write the report of `run_sets` atomically; equal records give equal bytes."""
    different = distinct(run_sets)
    run_sets = [run_set for run_set, _ in different]
    names, paired = section_names(run_sets)
    styles = line_styles(policy for run_set in run_sets for policy in run_set.table["policy"].unique())
    sections = [pair_section(name, *pair, styles) for name, pair in paired.items()]
    drawn: set[str] = set()
    for name, (run_set, same) in zip(names, different):
        digest = run_set.settings["matrix"]["digest"]
        with_matrix = digest not in drawn
        sections.append(run_set_section(name, run_set, styles, with_matrix=with_matrix, same=same))
        drawn.add(digest)
    lead = _lead(run_sets, list(paired.values()), styles)
    title = report_title(run_sets, bool(paired))
    write_text(path, page_html(title, sections, charts_footer(), lead))


def distinct(run_sets: Sequence[RunSet]) -> list[tuple[RunSet, list[str]]]:
    """Return the different run sets, each with the names of the others that have the same runs.

    `run --live` and `compare` play the same live runs, and keep them under two names.
    """
    if len(run_sets) == 1:
        return [(run_sets[0], [])]
    found: dict[str, tuple[RunSet, list[str]]] = {}
    for run_set in run_sets:
        digest = _runs_digest(run_set)
        if digest in found:
            found[digest][1].append(run_set.name)
        else:
            found[digest] = (run_set, [])
    return list(found.values())


def count_repeated(folders: Iterable[Path]) -> int:
    """Return how many of these run sets have the same runs as another; those of equal settings are read."""
    alike: dict[str, list[Path]] = {}
    for folder in folders:
        alike.setdefault(_settings_text(read_settings(folder)), []).append(folder)
    repeated = 0
    for some in alike.values():
        if len(some) > 1:
            run_sets = [run_set for folder in some for run_set in read_for_charts(folder)]
            repeated += len(run_sets) - len(distinct(run_sets))
    return repeated


def _settings_text(settings: Mapping[str, Any]) -> str:
    """Return the settings without the command and the versions as text."""
    kept = {key: value for key, value in settings.items() if key not in ("command", "versions")}
    return json.dumps(kept, sort_keys=True, default=str)


def _runs_digest(run_set: RunSet) -> str:
    """Return a digest of settings and runs, without the times, the command and the versions."""
    table = run_set.table.drop(columns="seconds")
    about = [_settings_text(run_set.settings), {name: str(kind) for name, kind in table.dtypes.items()}]
    found = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    found.update(pd.util.hash_pandas_object(table, index=False).to_numpy().tobytes())
    return found.hexdigest()


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
