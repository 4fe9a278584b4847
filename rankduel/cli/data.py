"""`rankduel data`: describe judged data, convert it, or generate synthetic data."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

import rankduel
from rankduel.base.errors import DataError, encodable
from rankduel.base.text import counted
from rankduel.cli.console import count_progress, file_size, print_table, screen, show_data_notes
from rankduel.cli.options import (
    AsCsv,
    AsJson,
    DataOptions,
    Files,
    Force,
    RankerTexts,
    refuse_typed,
    with_options,
)

if TYPE_CHECKING:
    from rankduel.letor_data.letor import Letor
    from rankduel.letor_data.synthetic.settings import Synthetic

app = typer.Typer(no_args_is_help=True, help="Describe judged data, convert it, or generate synthetic data.")

# Written out because `rankduel.letor_data.synthetic` takes long to import; a test compares the two.
SHAPES = ("mslr-web30k", "mslr-web10k", "yahoo", "istella", "letor-agg", "small", "demo")


def _shapes(incomplete: str) -> list[str]:
    return [name for name in SHAPES if name.startswith(incomplete)]


@app.command()
@with_options(DataOptions, "data_options")
def info(
    context: typer.Context,
    files: Files,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    top: Annotated[int, typer.Option(help="Number of features to list, best first.", min=1)] = 10,
    k: Annotated[int, typer.Option("--cutoff", "-k", help="Number of ranks of NDCG.", min=1)] = 10,
    ranker: RankerTexts = None,
    *,
    data_options: DataOptions,
) -> None:
    """Show sizes, grades, ties, constant features and the best single features of judged data.

    [dim]Example:[/] rankduel data info MSLR-WEB10K.zip::Fold1/train.txt
    """
    from rankduel.cli.shown.data import show_summary

    if as_json:
        refuse_typed(context, ["top"], "is for the table, and --json has all features: leave it out")
    letor = data_options.read(files)
    with count_progress("ranking by each feature", letor.n_features) as progress:
        summary = rankduel.describe_data(letor, k, rankers=ranker or (), progress=progress)
    facts = summary.to_dict()
    if not print_table(as_json, as_csv, lambda: facts["features"], lambda: facts):
        show_summary(summary, top)


@app.command()
@with_options(DataOptions, "data_options")
def convert(
    context: typer.Context,
    files: Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="NAME.parquet, or text: NAME.txt, NAME.txt.gz, ...")
    ],
    split: Annotated[str | None, typer.Option(help="Only queries of this split, such as train.")] = None,
    sparse: Annotated[bool, typer.Option("--sparse", help="Omit zeros from the text.")] = False,
    force: Force = False,
    *,
    data_options: DataOptions,
) -> None:
    """Write judged data as Parquet or as text, with exactly the same values.

    [dim]Example:[/] rankduel data convert train.txt -o train.parquet
    """
    from rankduel.letor_data.output import PARQUET, output_format

    _check_free(output, force)
    if output_format(output) == PARQUET:
        refuse_typed(context, ["sparse"], "is for text, and the output is Parquet: leave it out")
    letor = data_options.read(files)
    letor = letor if split is None else letor.only_split(split)
    _write(letor, output, sparse)
    show_data_notes(letor.notes)
    _wrote(output)


@app.command()
def synth(
    context: typer.Context,
    kind: Annotated[
        str,
        typer.Option("--shape", help=f"Data set to imitate: {', '.join(SHAPES)}.", autocompletion=_shapes),
    ] = "small",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            show_default=False,
            help="NAME.txt, NAME.txt.gz (.bz2, .xz, .zst) or NAME.parquet; a folder with --folds. By "
            "default SHAPE.txt or SHAPE.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers; equal seeds, equal files.")] = 0,
    queries: Annotated[
        int | None,
        typer.Option(help="Number of queries; by default that of the shape.", show_default=False),
    ] = None,
    folds: Annotated[
        bool, typer.Option("--folds", help="Write five folds of train, vali and test, as in MSLR.")
    ] = False,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A setting of the generator, such as p_norel=0 or cycle=true; may be repeated.",
            metavar="NAME=VALUE",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Generate synthetic data like MSLR's: correlated features, ties, a best ranker or a cycle.

    [dim]Example:[/] rankduel data synth --shape mslr-web10k
    """
    from rankduel.letor_data.output import output_format
    from rankduel.letor_data.synthetic.settings import shape

    output = output or Path(kind if folds else f"{kind}.txt")
    _check_free(output, force)
    if not folds:
        output_format(output)
    elif output.suffix:
        raise DataError(f"{output}: --folds writes a folder; give a name without '{output.suffix}'")
    for name in _setting_values(assignments or []).keys() & {"seed", "queries"}:
        refuse_typed(context, [name], f"is given by --set {name}=... too: leave one of them out")
    changes: dict[str, Any] = {"seed": seed} | _setting_values(assignments or [])
    settings = shape(kind, **changes if queries is None else changes | {"queries": queries})
    _make(settings, output, folds)
    _wrote(output)
    example = escape(encodable(f"{output}/Fold1" if folds else str(output)))
    profile = "" if settings.profile in str(output) else f" --profile {settings.profile}"
    screen.print(f"next: [bold]rankduel data info {example}{profile}[/]")


def _make(settings: Synthetic, output: Path, folds: bool) -> None:
    from rankduel.letor_data.parquet_files import write_parquet
    from rankduel.letor_data.synthetic.generate import blocks, docs_per_query, synthesize
    from rankduel.letor_data.text.writer import write_folds, write_letor

    started = time.perf_counter()
    n_docs = int(docs_per_query(settings).sum())
    with count_progress("making documents", n_docs) as progress:
        if output.suffix == ".parquet":
            write_parquet(synthesize(settings, progress), output)
        else:
            write = write_folds if folds else write_letor
            write(blocks(settings), output, settings.sparse, missing=settings.missing, progress=progress)
    seconds = time.perf_counter() - started
    made = f"{counted(settings.queries, 'query')}, {counted(n_docs, 'document')}"
    screen.print(f"{made} in {seconds:,.1f} s")


def _check_free(output: Path, force: bool) -> None:
    if output.exists() and not force:
        raise DataError(f"{output}: exists already\n  choose another name, or --force to replace it")
    if not output.absolute().parent.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent} to write to")


def _write(letor: Letor, output: Path, sparse: bool) -> None:
    with count_progress("writing documents", letor.n_docs) as progress:
        rankduel.write_data(letor, output, sparse=sparse, progress=progress)


def _wrote(output: Path) -> None:
    size = f" ({file_size(output)})" if output.is_file() else ""
    screen.print(f"wrote [bold]{escape(encodable(str(output)))}[/]{size}")


def _setting_values(pairs: list[str]) -> dict[str, Any]:
    """Return the values of 'NAME=VALUE' texts, with the types of the generator's settings."""
    from rankduel.letor_data.synthetic.settings import Synthetic

    known = {field.name: field.default for field in dataclasses.fields(Synthetic)}
    values = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in known or not isinstance(known[name], (bool, int, float, tuple)):
            settable = [name for name, value in known.items() if isinstance(value, (bool, int, float))]
            raise DataError(f"--set {pair}: expected NAME=VALUE with a name among {', '.join(settable)}")
        values[name] = _setting_value(pair, text, known[name])
    return values


def _setting_value(pair: str, text: str, example: Any) -> Any:
    try:
        if isinstance(example, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(example, tuple):
            return tuple(float(part) for part in text.split(","))
        return type(example)(text)
    except (KeyError, ValueError):
        raise DataError(f"--set {pair}: expected a value like {example!r}".lower()) from None
