"""What `rankduel study` prints: how long studies take, their parts, and the verdicts on their claims."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from experiments.studies.checks import FAILS, HOLDS, WARNS, Record, summary
from experiments.studies.reproduction import measured
from experiments.studies.study import TIERS, Part, Runs, Study, size_in
from rankduel.base.threads import n_workers
from rankduel.cli.console import screen

_COLOURS = {HOLDS: "green", FAILS: "red", WARNS: "yellow"}


def time_text(study: Study, tier: str, jobs: int) -> str:
    """What it took where it was measured, shared by the cores here."""
    if tier not in study.minutes:
        return "no estimate"
    minutes = study.minutes[tier] / n_workers(jobs)
    if minutes < 1:
        return "under a minute"
    return f"about {minutes:.0f} min" if minutes < 120 else f"about {minutes / 60:.0f} h"


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
    """What is said of it, each beside its name."""
    rows = {
        "published": record.source_claim,
        "tested": record.expr,
        "measured": measured(record),
        "known": record.reference_value,
        "why": (record.why or "not explained") if record.verdict == FAILS else "",
    }
    shown = Table.grid(padding=(0, 1), pad_edge=False)
    shown.add_column(style="dim", no_wrap=True)
    shown.add_column(overflow="fold")
    for name, text in rows.items():
        if text:
            shown.add_row(f"  {name}:", escape(text))
    return shown
