"""`rankduel multileave`: how soon multileaving orders all rankers; `rankduel multileavers`: the methods."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.markup import escape
from rich.table import Table

from experiments.matrix.preferences import Preferences, read_preferences
from experiments.matrix.shared_pages import checked_impressions
from experiments.runs.multileave_error import LIMITS, decades, error_text, until_text
from experiments.runs.problem import how_known
from experiments.runs.records import MATRIX, run_set_name
from interleave.multileave import MULTILEAVERS, Multileaver
from rankduel.api import runs as api
from rankduel.cli.console import command_typed, runs_progress, screen, show_next
from rankduel.cli.endings import keeping
from rankduel.cli.lists import about_method, settings_as_data, show_rows, title
from rankduel.cli.options import (
    AsJson,
    DataOptions,
    DuelOptions,
    Jobs,
    Name,
    Out,
    Repair,
    Seed,
    number,
    with_options,
)

_EXAMPLES = ("sosm", "probabilistic(credit=expected,tau=2)")


@with_options(DataOptions, "data_options")
@with_options(DuelOptions, "duel_options")
def multileave(
    data: Annotated[list[str], typer.Argument(help="Files of judged data.")],
    method: Annotated[
        list[str],
        typer.Option(
            "--method",
            "-m",
            help="How rankings share a page: 'rankduel multileavers' lists them; repeatable.",
        ),
    ],
    *,
    impressions: Annotated[
        float,
        typer.Option(help="Pages shown to users.", parser=number, metavar="NUMBER", show_default="1e5"),
    ] = 1e5,
    runs: Annotated[int, typer.Option(help="Runs of each method.", min=1)] = 5,
    seed: Seed = 0,
    matrix: Annotated[
        Path | None,
        typer.Option(help="Preferences that tell the right order; made by interleaving if not given."),
    ] = None,
    out: Out = Path("results"),
    name: Name = "",
    repair: Repair = False,
    jobs: Jobs = -1,
    duel_options: DuelOptions,
    data_options: DataOptions,
) -> None:
    """How many impressions until pages shared by all rankers order every pair as interleaving does?

    Beside the methods, as many impressions of interleaved pages of two random rankers.

    [dim]Example:[/] rankduel multileave data.txt --method sosm --method team_draft --impressions 1e5
    """
    methods = [MULTILEAVERS.parsed(text) for text in method]
    pages = checked_impressions(impressions)
    folder = out / (name or run_set_name(data[0], "multileave", pages, seed))
    arena = duel_options.open(data_options.read(data))
    kept = keeping(f"finished runs are kept in {folder}")
    with kept, runs_progress("impressions", pages * runs * (len(methods) + 1)) as progress:
        table = api.multileave(
            arena,
            methods,
            pages,
            runs,
            matrix=matrix,
            seed=seed,
            jobs=jobs,
            folder=folder,
            repair=repair,
            command=command_typed(),
            progress=progress.done,
            matrix_progress=progress.build_status,
        )
    _show(data[0], read_preferences(folder / MATRIX), table)
    show_next(folder, out)


def _show(source: str, reference: Preferences, table: pd.DataFrame) -> None:
    pairs, last = reference.pairs, int(table["step"].max())
    tied = int((pairs["p"] == 0.5).sum())
    unsure = int(((pairs["lo"] <= 0.5) & (pairs["hi"] >= 0.5)).sum()) - tied
    screen.print(
        f"[bold]{escape(source)}[/] [dim]{len(reference)} rankers, {len(pairs) - tied:,} pairs to order, "
        f"matrix {escape(how_known(reference))}, {table['run'].nunique()} runs[/]\n",
    )
    steps = {f"{step:,}": step for step in decades(last)}
    title("Pairs in the wrong order", "E_bin in % after so many impressions, ± standard error")
    _show_table(table, steps, error_text)
    title("\nImpressions until it stays below", "median of the runs")
    _show_table(table, {f"{limit:.0%}": limit for limit in LIMITS}, until_text)
    if tied or unsure:
        screen.print(
            f"\n[dim]{tied:,} pairs tie in the matrix and are left out; {unsure:,} others have 1/2 in their "
            "interval, so that their order in it may be wrong itself[/]"
        )


def _show_table(table: pd.DataFrame, columns: Mapping[str, Any], text: Callable[..., str]) -> None:
    """A row per method: text(its runs, value) for each of the columns, heading -> value."""
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    shown.add_column("method", header_style="dim", style="cyan", overflow="fold")
    for heading in columns:
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    for name, runs in table.groupby("policy", sort=False):
        shown.add_row(escape(str(name)), *(text(runs, value) for value in columns.values()))
    screen.print(shown)


def multileavers(as_json: AsJson = False) -> None:
    """Multileaving methods with their settings: many rankers on one page.

    [dim]Example:[/] rankduel multileavers
    """
    if as_json:
        typer.echo(json.dumps({"methods": [_as_data(method) for method in MULTILEAVERS.values()]}, indent=1))
        return
    title("Methods", "the first value of a setting is its default")
    show_rows({method.name: about_method(method) for method in MULTILEAVERS.values()}, gap=1)
    title("\nWritten as")
    for example in _EXAMPLES:
        screen.print(example)


def _as_data(method: Multileaver) -> dict[str, Any]:
    about = {"name": method.name, "about": method.about, "source": method.source}
    return about | {"settings": settings_as_data(method)}
