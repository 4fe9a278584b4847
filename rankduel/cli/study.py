"""`rankduel study`: run published experiments or one's own, and check their claims."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.markup import escape

import rankduel
from rankduel.base.errors import StudyError, UsageError
from rankduel.base.files import path_inside
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import (
    errors,
    notices,
    print_table,
    screen,
    show_rows,
    title,
    watching,
)
from rankduel.cli.endings import note_if_stopped
from rankduel.cli.options import AsCsv, AsJson, Jobs, Repair, Scheduler, refuse_jobs

if TYPE_CHECKING:
    from rankduel.experiments.studies.play import Played
    from rankduel.experiments.studies.play import Tier as TierName
    from rankduel.experiments.studies.study import Study

app = typer.Typer(no_args_is_help=True, help="Run published experiments or your own, and check their claims.")
_LONGEST = 200  # characters in the file name of a page


class Tier(str, Enum):
    quick = "quick"
    paper = "paper"
    long = "long"


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A study of 'rankduel study list', or a .toml file.",
        autocompletion=completion.studies,
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME...",
        help="Studies by name, or .toml files.",
        show_default=False,
        autocompletion=completion.studies,
    ),
]
AtTier = Annotated[
    Tier,
    typer.Option(
        help="quick: minutes: enough to test most claims; paper: horizons and repeats as published, or as "
        "many as the claims need; long: full length of the originals, if longer than 'paper'"
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder with public matrices and judged data ($RANKDUEL_DATA).",
        show_default=False,
        autocompletion=completion.folders,
    ),
]
Real = Annotated[bool, typer.Option("--real", help="Omit parts that would use a substitute for real data.")]
Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", help="Folder for records, figures and verdicts.", autocompletion=completion.folders
    ),
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Run the policy files (.py) that a .toml file names. Their code will run: read it first. "
        "Paths are relative to the current folder.",
    ),
]


@app.command("list")
def list_studies(as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List the studies with source, question, required data and running time.

    [dim]Example:[/] rankduel study list
    """
    from rankduel.cli.shown.study import study_rows, time_text
    from rankduel.experiments.studies import all_studies
    from rankduel.experiments.studies.study import TIERS

    if print_table(as_json, as_csv, lambda: study_rows(all_studies().values())):
        return
    rows = {}
    for study in all_studies().values():
        times = ", ".join(f"{tier} {time_text(study, tier, -1)}" for tier in TIERS if tier in study.minutes)
        rows[study.id] = (
            f"{escape(study.question)}\n[dim]{escape(study.source)}\ndata: {escape(study.data)}\n{times}[/]"
        )
    title("Studies", "'rankduel study show NAME' shows details; times are for all cores of this machine")
    show_rows(rows, gap=1)


@app.command()
def show(name: Name, trust: Trust = False, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """Show the settings and claims of a study.

    [dim]Example:[/] rankduel study show cycles
    """
    from rankduel.cli.shown.study import about_part, claim_rows, study_as_data
    from rankduel.experiments.studies.checks import in_words
    from rankduel.experiments.studies.play import find_study

    study = find_study(name, trust=trust)
    if print_table(as_json, as_csv, lambda: claim_rows(study), lambda: study_as_data(study)):
        return
    title(escape(study.title), escape(study.source))
    screen.print(f"{escape(study.question)}\n[dim]data: {escape(study.data)}[/]\n")
    title("Parts", "problem, policies, and duels x runs by tier")
    show_rows({escape(part.name): about_part(part) for part in study.parts}, gap=1)
    title("Claims")
    for check in study.checks:
        known_value = f" [dim](reference: {escape(check.reference)})[/]" if check.reference else ""
        screen.print(f"[cyan]{escape(check.id)}[/] {escape(check.claim)}{known_value}")
        screen.print(f"  {escape(in_words(check.test))}")
    screen.print(f"\nnext: [bold]rankduel study run {escape(name)}[/]")


@app.command()
def run(
    context: typer.Context,
    names: Names = None,
    *,
    tier: AtTier = Tier.quick,
    all: Annotated[bool, typer.Option("--all", help="Run all studies.")] = False,
    data: Data = None,
    real: Real = False,
    out: Out = Path("results/studies"),
    repair: Repair = False,
    jobs: Jobs = -1,
    scheduler: Scheduler = None,
    trust: Trust = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only show what is left to run, and how long it will take."),
    ] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Run studies, draw their figures and check their claims; finished runs are not repeated.

    [dim]Example:[/] rankduel study run cycles --tier quick
    """
    from rankduel.cli.shown.estimates import seconds_text
    from rankduel.cli.shown.study import record_rows
    from rankduel.experiments.studies import all_studies
    from rankduel.experiments.studies.pages.html import write_study_page
    from rankduel.experiments.studies.play import find_study
    from rankduel.experiments.studies.verdicts import summary

    if bool(names) == all:
        raise UsageError("expected names of studies, or --all alone; 'rankduel study list' shows the names")
    studies = {name: find_study(name, trust=trust) for name in names or all_studies()}
    _refuse_same_ids(studies)
    as_data = as_json or as_csv
    refuse_jobs(context, scheduler)
    if dry_run:
        _show_time_left(studies.values(), tier.value, data, real, out, jobs, as_json=as_json, as_csv=as_csv)
        return
    started = time.monotonic()
    workers = {"jobs": jobs, "scheduler": scheduler}
    played = []
    for one in _play_and_check(studies, tier.value, data, real, out, workers, trust, repair, as_data=as_data):
        played.append(one)
        if not as_data:
            so_far = seconds_text(time.monotonic() - started)
            screen.print(f"[cyan]{escape(one.study.id)}[/] {summary(one.records)} [dim](after {so_far})[/]")
    printed = print_table(as_json, as_csv, lambda: [row for one in played for row in record_rows(one)])
    ids = "all" if all else "-".join(one.study.id for one in played)
    page = path_inside(out, f"{ids if len(ids) <= _LONGEST else 'several'}-{tier.value}.html", StudyError)
    write_study_page(played, page)
    if not printed:
        if len(played) > 1:
            everything = summary([record for one in played for record in one.records])
            total = seconds_text(time.monotonic() - started)
            screen.print(f"[bold]{counted(len(played), 'study')} in {total}:[/] {everything}")
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
    *,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Compare each published claim with the measured values. Missing runs are played first.

    The exit code is 1 if a claim does not hold and the study has no explanation.

    [dim]Example:[/] rankduel study check cycles
    """
    from rankduel.cli.shown.study import record_rows, show_records
    from rankduel.experiments.studies.play import find_study

    studies = {name: find_study(name, trust=trust)}
    as_data = as_json or as_csv
    (played,) = _play_and_check(studies, tier.value, data, real, out, {"jobs": jobs}, trust, as_data=as_data)
    if not print_table(as_json, as_csv, lambda: record_rows(played)):
        show_records(played.records)
    if any(record.unexplained for record in played.records):
        raise typer.Exit(1)


@app.command()
def page(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder of 'rankduel study run'.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Markdown file to write.")] = Path(
        "reproduction.md"
    ),
) -> None:
    """Write all checked claims of a folder as a Markdown page, with the figures in a folder beside it.

    [dim]Example:[/] rankduel study page results/studies -o docs/reproduction.md
    """
    from rankduel.experiments.studies.pages.reproduction import write_page
    from rankduel.experiments.studies.verdicts import summary

    lines = write_page(out, output)
    screen.print(f"wrote [bold]{escape(str(output))}[/]: {summary([line.record for line in lines])}")


def _show_time_left(
    studies: Collection[Study],
    tier: str,
    data: Path | None,
    real: bool,
    out: Path,
    jobs: int,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print what is left to run, and how long it will take."""
    from rankduel.cli.shown.estimates import show_estimates
    from rankduel.experiments.studies.data.folder import data_folder
    from rankduel.experiments.studies.estimates import estimates

    folder = data_folder(data)
    found = [one for study in studies for one in estimates(study, tier, out, data=folder, real=real)]
    if not print_table(as_json, as_csv, lambda: [one._asdict() for one in found]):
        show_estimates(found, studies, tier, jobs)


def _refuse_same_ids(studies: Mapping[str, Study]) -> None:
    """Raise an error if two studies have the same id; their results would share a folder."""
    seen: dict[str, str] = {}
    for name, study in studies.items():
        other = seen.setdefault(study.id.lower(), name)
        if other != name:
            raise UsageError(f"{other} and {name} have the same id, '{study.id}'; change the id of one")


def _play_and_check(
    studies: Mapping[str, Study],
    tier: str,
    data: Path | None,
    real: bool,
    out: Path,
    workers: Mapping[str, Any],
    trust: bool,
    repair: bool = False,
    *,
    as_data: bool,
) -> Iterator[Played]:
    """Run the studies and yield their results; with `as_data`, messages go to standard error.

    `workers` are the arguments `jobs` and `scheduler` of `rankduel.study`.
    """
    from rankduel.cli.shown.study import time_text
    from rankduel.experiments.studies.data.folder import data_folder
    from rankduel.experiments.studies.play import count_runs, parts_to_play

    console = errors if as_data else screen
    for study in studies.values():
        console.print(f"[dim]{escape(study.id)}, tier {tier}: {time_text(study, tier, workers['jobs'])}[/]")
    for name, study in studies.items():
        n_runs = count_runs(parts_to_play(study, tier, data_folder(data), real))
        with (
            note_if_stopped(f"finished runs are kept in {out}"),
            notices(),
            watching(escape(study.id), n_runs) as watch,
        ):
            one = rankduel.study(
                name,
                tier=cast("TierName", tier),  # one of TIERS, by the option's type
                data=data,
                real=real,
                out=out,
                repair=repair,
                **workers,
                watch=watch,
                trust=trust,
            )
        for stand_in in dict.fromkeys(filter(None, one.results.stand_ins.values())):
            console.print(f"[yellow]{escape(study.id)}: on {escape(stand_in)}[/]")
        yield one
