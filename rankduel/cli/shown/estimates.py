"""Print how long studies will take, for `rankduel study run --dry-run`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.markup import escape

from rankduel.base.text import counted
from rankduel.base.threads import n_workers
from rankduel.cli.console import plain_table, screen, title
from rankduel.experiments.studies.estimates import Estimate
from rankduel.experiments.studies.study import TIERS, Study

UNKNOWN = "?"  # marks a time that lacks parts without a recorded run


def seconds_text(seconds: float) -> str:
    """Return a duration such as '2.5 s', '4 min 10 s' or '3 h 20 min'."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours:,} h {minutes} min"


def show_estimates(found: Sequence[Estimate], studies: Iterable[Study], tier: str, jobs: int) -> None:
    """Print the time that is left for every part, or every study if there are several, and in all.

    If some parts have no recorded run, also print the time that the studies state for the whole tier.
    """
    several = len({one.study for one in found}) > 1
    groups: dict[str, list[Estimate]] = {}
    for one in found:
        groups.setdefault(one.study if several else one.part, []).append(one)
    title("Left to run", f"tier {tier}; times are of one core, in proportion to those of recorded runs")
    table = plain_table()
    table.add_column("study" if several else "part", header_style="dim")
    for heading in ("runs", "duels", "time", "measured in tier"):
        table.add_column(heading, header_style="dim", justify="right")
    for name, group in groups.items():
        table.add_row(escape(name), *_cells(group))
    table.add_row("in all", *_cells(found), style="bold")
    screen.print(table)
    cores = n_workers(jobs)
    screen.print(f"with {counted(cores, 'core')}: {_time(found, cores)}")
    if _is_unknown(found):
        screen.print(f"{UNKNOWN}: no run is recorded; 'rankduel study run NAME --tier quick' measures it")
        stated = sum(60 * stated_minutes(study, tier) for study in studies)
        if stated:
            screen.print(
                f"stated for the whole tier, with {counted(cores, 'core')}: {seconds_text(stated / cores)}"
            )


def stated_minutes(study: Study, tier: str) -> float:
    """Return the minutes of one core that a study states for a tier, or the nearest shorter one; or 0."""
    minutes = 0.0
    for name in TIERS:
        minutes = study.minutes.get(name, minutes)
        if name == tier:
            break
    return minutes


def _cells(group: Sequence[Estimate]) -> list[str]:
    duels = sum(one.runs * one.horizon for one in group if one.policy)
    tiers = dict.fromkeys(one.tier for one in group if one.tier and one.runs)
    return [f"{sum(one.runs for one in group):,}", f"{duels:.3g}", _time(group, 1), ", ".join(tiers)]


def _time(group: Iterable[Estimate], cores: int) -> str:
    known = [one for one in group if one.runs and not math.isnan(one.seconds)]
    text = seconds_text(sum(one.runs * one.seconds for one in known) / cores) if known else ""
    return " + ".join(filter(None, (text, UNKNOWN if _is_unknown(group) else ""))) or "none"


def _is_unknown(group: Iterable[Estimate]) -> bool:
    return any(one.runs and math.isnan(one.seconds) for one in group)
