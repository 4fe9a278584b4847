"""Print studies for `rankduel study`: running times, parts, and the results of their claims."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from rankduel.base.threads import n_workers
from rankduel.cli.console import screen
from rankduel.experiments.studies.checks import in_words
from rankduel.experiments.studies.play import Played
from rankduel.experiments.studies.study import FAILS, HOLDS, TIERS, WARNS, Part, Runs, Study, size_in
from rankduel.experiments.studies.verdicts import Record, measurement_text, summary

_COLOURS = {HOLDS: "green", FAILS: "red", WARNS: "yellow"}


def time_text(study: Study, tier: str, jobs: int) -> str:
    """Return the measured time of a study on one core, divided by the number of cores used."""
    if tier not in study.minutes:
        return "no estimate"
    minutes = study.minutes[tier] / n_workers(jobs)
    if minutes < 1:
        return "under a minute"
    return f"about {minutes:.0f} min" if minutes < 120 else f"about {minutes / 60:.0f} h"


def study_rows(studies: Iterable[Study]) -> list[dict[str, Any]]:
    """Return a row for every study; minutes by tier as measured on one core."""
    return [
        {name: getattr(study, name) for name in ("id", "title", "question", "source", "data")}
        | {f"minutes_{tier}": study.minutes.get(tier) for tier in TIERS}
        for study in studies
    ]


def claim_rows(study: Study) -> list[dict[str, Any]]:
    return [
        {"study": study.id, "id": check.id, "claim": check.claim, "test": in_words(check.test)}
        | {"known": check.reference}
        for check in study.checks
    ]


def study_as_data(study: Study) -> dict[str, Any]:
    """Return the study, its parts with their sizes by tier, and its claims, for JSON."""
    parts = [
        {"name": part.name}
        | ({"problem": part.problem, "policies": part.policies} if isinstance(part, Runs) else {})
        | {"sizes": {tier: size._asdict() for tier in TIERS if (size := size_in(part, tier))}}
        for part in study.parts
    ]
    return study_rows([study])[0] | {"parts": parts, "claims": claim_rows(study)}


def record_rows(played: Played) -> list[dict[str, Any]]:
    """Return a row for every claim that was checked."""
    return [{"study": played.study.id} | dataclasses.asdict(record) for record in played.records]


def about_part(part: Part) -> str:
    sizes = {tier: size_in(part, tier) for tier in TIERS}
    written = ", ".join(f"{tier} {s.horizon:,.0f} x {s.runs}" for tier, s in sizes.items() if s is not None)
    if not isinstance(part, Runs):
        return f"[dim]computed; {written}[/]"
    return f"{escape(part.problem)}\n{escape(', '.join(part.policies))}\n[dim]{written}[/]"


def show_records(records: Sequence[Record]) -> None:
    for record in records:
        colour = _COLOURS.get(record.verdict, "dim")
        screen.print(f"[{colour}]{record.in_short}[/] [cyan]{escape(record.id)}[/]")
        screen.print(_about_record(record))
    screen.print(f"\n{summary(records)}")


def _about_record(record: Record) -> Table:
    """Return a table with the published claim, the test, the measured value and the explanation."""
    rows = {
        "published": record.source_claim,
        "tested": record.expr,
        "measured": measurement_text(record),
        "reference": record.reference_value,
        "explanation": (record.why or "not explained") if record.verdict in (FAILS, WARNS) else "",
    }
    shown = Table.grid(padding=(0, 1), pad_edge=False)
    shown.add_column(style="dim", no_wrap=True)
    shown.add_column(overflow="fold")
    for name, text in rows.items():
        if text:
            shown.add_row(f"  {name}:", escape(text))
    return shown
