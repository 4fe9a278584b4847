"""The command line `rankduel COMMAND ...`. Each command, or group of commands, is a module."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from rankduel.cli import (
    cache,
    compare,
    data,
    demo,
    evaluate,
    judge,
    lists,
    matrix,
    multileave,
    report,
    run,
    study,
    winners,
)
from rankduel.cli.console import prepare_streams, show_notes
from rankduel.cli.endings import run_to_end

app = typer.Typer(
    name="rankduel",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(data.app, name="data")
app.command("demo")(demo.demo)
app.command("evaluate")(evaluate.evaluate)
app.add_typer(matrix.app, name="matrix")
app.command("winners")(winners.winners)
app.command("run")(run.run)
app.command("compare")(compare.compare)
app.command("multileave")(multileave.multileave)
app.add_typer(study.app, name="study")
app.command("report")(report.report)
app.add_typer(judge.app, name="judge")
app.command("policies")(lists.policies)
app.command("interleavers")(lists.interleavers)
app.command("multileavers")(multileave.multileavers)
app.command("clickmodels")(lists.clickmodels)
app.command("measures")(lists.measures)
app.command("matrices")(lists.matrices)
app.command("cache")(cache.cache)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rankduel {version('rankduel')}")
        raise typer.Exit


@app.callback()
def rankduel(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Simulate the online evaluation of rankers: judged data, interleaving, clicks, dueling bandits."""


def main() -> None:
    """Run the command line and exit with its code, see `rankduel.cli.endings`."""
    prepare_streams()
    show_notes()
    run_to_end(lambda: app(prog_name="rankduel", standalone_mode=False))
