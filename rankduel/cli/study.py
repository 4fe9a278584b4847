"""`rankduel study`: published experiments and one's own, from data to verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.markup import escape
from rich.table import Table

from experiments.studies import all_studies
from experiments.studies.checks import FAILS, HOLDS, WARNS, Record, in_words, summary
from experiments.studies.data import data_folder
from experiments.studies.playing import Played, count_runs, parts_to_play
from experiments.studies.reproduction import measured, write_page
from experiments.studies.study import TIERS, Part, Runs, Study, size_in
from rankduel.api import studies as api
from rankduel.api.studies import find_study
from rankduel.base.errors import StudyError, UsageError
from rankduel.base.files import path_inside
from rankduel.base.threads import n_workers
from rankduel.cli.console import command_typed, count_progress, notices, screen
from rankduel.cli.endings import keeping
from rankduel.cli.lists import show_rows, title
from rankduel.cli.options import Jobs, Repair

app = typer.Typer(no_args_is_help=True, help="Published experiments: list, show, run, check; or your own.")
_LONGEST = 200  # characters of the name of a page
_COLOURS = {HOLDS: "green", FAILS: "red", WARNS: "yellow"}


class Tier(str, Enum):
    quick = "quick"
    paper = "paper"
    long = "long"


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A study of 'rankduel study list', or a .toml file.")
]
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME...", help="Studies by name, or .toml files.", show_default=False),
]
AtTier = Annotated[Tier, typer.Option(help="; ".join(f"{name}: {about}" for name, about in TIERS.items()))]
Data = Annotated[
    Path | None,
    typer.Option(help="Folder with public matrices and judged data ($RANKDUEL_DATA).", show_default=False),
]
Real = Annotated[bool, typer.Option("--real", help="Leave out what would be played on stand-ins for data.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder for records, figures and verdicts.")]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Run the policy files (.py) that a .toml file names. A policy file is code: look at it "
        "first. Its path is relative to the current folder.",
    ),
]


@app.command("list")
def list_studies() -> None:
    """What there is: source, question, data needed, and how long it takes.

    [dim]Example:[/] rankduel study list
    """
    rows = {}
    for study in all_studies().values():
        times = ", ".join(f"{tier} {_time(study, tier, -1)}" for tier in TIERS if tier in study.minutes)
        rows[study.id] = (
            f"{escape(study.question)}\n[dim]{escape(study.source)}\ndata: {escape(study.data)}\n{times}[/]"
        )
    title(
        "Studies", "'rankduel study show NAME' says what each does; times are for all cores of this machine"
    )
    show_rows(rows, gap=1)


@app.command()
def show(name: Name, trust: Trust = False) -> None:
    """Settings and claims of a study.

    [dim]Example:[/] rankduel study show cycles
    """
    study = find_study(name, trust=trust)
    title(escape(study.title), escape(study.source))
    screen.print(f"{escape(study.question)}\n[dim]data: {escape(study.data)}[/]\n")
    title("Parts", "duels x runs, by tier")
    show_rows({escape(part.name): _about_part(part) for part in study.parts}, gap=1)
    title("Claims")
    for check in study.checks:
        known_value = f" [dim](known: {escape(check.reference)})[/]" if check.reference else ""
        screen.print(f"[cyan]{escape(check.id)}[/] {escape(check.claim)}{known_value}")
        screen.print(f"  {escape(in_words(check.test))}")
    screen.print(f"\nnext: [bold]rankduel study run {escape(name)}[/]")


def _about_part(part: Part) -> str:
    sizes = {tier: size_in(part, tier) for tier in TIERS}
    written = ", ".join(f"{tier} {s.horizon:,.0f} x {s.runs}" for tier, s in sizes.items() if s is not None)
    if not isinstance(part, Runs):
        return f"[dim]computed; {written}[/]"
    return f"{escape(part.problem)}\n{escape(', '.join(part.policies))}\n[dim]{written}[/]"


@app.command()
def run(
    names: Names = None,
    *,
    tier: AtTier = Tier.quick,
    all: Annotated[bool, typer.Option("--all", help="All studies there are.")] = False,
    data: Data = None,
    real: Real = False,
    out: Out = Path("results/studies"),
    repair: Repair = False,
    jobs: Jobs = -1,
    trust: Trust = False,
) -> None:
    """Play studies, draw their figures and check their claims; what is there already is not repeated.

    [dim]Example:[/] rankduel study run cycles --tier quick
    """
    from experiments.studies.page import write_study_page  # slow to import, for the other commands

    if bool(names) == all:
        raise UsageError("name the studies to run, or say --all; 'rankduel study list' shows them")
    studies = {name: find_study(name, trust=trust) for name in names or all_studies()}
    _refuse_same_ids(studies)
    played = _play_and_check(studies, tier.value, data, real, out, jobs, trust, repair)
    for one in played:
        screen.print(f"[cyan]{escape(one.study.id)}[/] {summary(one.records)}")
    ids = "all" if all else "-".join(one.study.id for one in played)
    page = path_inside(out, f"{ids if len(ids) <= _LONGEST else 'several'}-{tier.value}.html", StudyError)
    write_study_page(played, page)
    screen.print(
        f"\nwrote [bold]{escape(str(page))}[/]; next: [bold]rankduel study check NAME[/]", soft_wrap=True
    )


@app.command()
def check(
    name: Name,
    tier: AtTier = Tier.quick,
    data: Data = None,
    real: Real = False,
    out: Out = Path("results/studies"),
    jobs: Jobs = -1,
    trust: Trust = False,
) -> None:
    """Claim by claim: published, measured, holds or not. Runs that are missing are played first.

    Ends with exit code 1 if a claim does not hold and the study has no explanation.

    [dim]Example:[/] rankduel study check cycles
    """
    studies = {name: find_study(name, trust=trust)}
    (played,) = _play_and_check(studies, tier.value, data, real, out, jobs, trust)
    _show_records(played.records)
    if any(record.unexplained for record in played.records):
        raise typer.Exit(1)


@app.command()
def page(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Where 'rankduel study run' wrote.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path(
        "reproduction.md"
    ),
) -> None:
    """One line per published claim, from all checks under a folder, as Markdown.

    [dim]Example:[/] rankduel study page results/studies -o docs/reproduction.md
    """
    lines = write_page(out, output)
    screen.print(f"wrote [bold]{escape(str(output))}[/]: {summary([line.record for line in lines])}")


def _refuse_same_ids(studies: Mapping[str, Study]) -> None:
    """Their results would share a folder."""
    seen: dict[str, str] = {}
    for name, study in studies.items():
        other = seen.setdefault(study.id.lower(), name)
        if other != name:
            raise UsageError(f"{other} and {name} have the same id, '{study.id}'; change one of them")


def _play_and_check(
    studies: Mapping[str, Study],
    tier: str,
    data: Path | None,
    real: bool,
    out: Path,
    jobs: int,
    trust: bool,
    repair: bool = False,
) -> list[Played]:
    """Play studies, by what the command named them."""
    for study in studies.values():
        screen.print(f"[dim]{escape(study.id)}, tier {tier}: {_time(study, tier, jobs)}[/]")
    played = []
    for name, study in studies.items():
        n_runs = count_runs(parts_to_play(study, tier, data_folder(data), real))
        with (
            keeping(f"finished runs are kept in {out}"),
            notices(),
            count_progress(escape(study.id), n_runs) as done,
        ):
            one = api.study(
                name,
                tier=cast(api.Tier, tier),  # one of TIERS, by the option's type
                data=data,
                real=real,
                out=out,
                repair=repair,
                jobs=jobs,
                command=command_typed(),
                progress=done,
                trust=trust,
            )
        for stand_in in dict.fromkeys(filter(None, one.results.stand_ins.values())):
            screen.print(f"[yellow]{escape(study.id)}: on {escape(stand_in)}[/]")
        played.append(one)
    return played


def _time(study: Study, tier: str, jobs: int) -> str:
    """What it took where it was measured, shared by the cores here."""
    if tier not in study.minutes:
        return "no estimate"
    minutes = study.minutes[tier] / n_workers(jobs)
    if minutes < 1:
        return "under a minute"
    return f"about {minutes:.0f} min" if minutes < 120 else f"about {minutes / 60:.0f} h"


def _show_records(records: Sequence[Record]) -> None:
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
