"""`rankduel data`: look at judged data, convert it, or make some up."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from experiments.specs import feature_list
from letor_data import Letor, write_parquet
from letor_data.formats import PROFILES
from letor_data.summary import FeatureSummary, Summary
from letor_data.synthetic.generate import SHAPES, Synthetic, blocks, docs_per_query, shape, synthesize
from letor_data.text.writer import write_folds, write_letor
from rankduel.api.data import describe_data, write_data
from rankduel.base.errors import DataError, encodable
from rankduel.cli.console import count_progress, errors, file_size, number_ranges, screen
from rankduel.cli.options import DataOptions, Files, Force, with_options

app = typer.Typer(no_args_is_help=True, help="Look at judged data, convert it, or make some up.")


def _shapes(incomplete: str) -> list[str]:
    return [name for name in SHAPES if name.startswith(incomplete)]


@app.command()
@with_options(DataOptions, "data_options")
def info(
    files: Files,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, for machines.")] = False,
    top: Annotated[int, typer.Option(help="How many of the best features to show.", min=1)] = 10,
    k: Annotated[int, typer.Option("--cutoff", "-k", help="Cut-off of NDCG.", min=1)] = 10,
    *,
    data_options: DataOptions,
) -> None:
    """Sizes, grades, ties, constant features and the best single features of judged data.

    [dim]Example:[/] rankduel data info MSLR-WEB10K.zip::Fold1/train.txt
    """
    letor = data_options.read(files)
    with count_progress("ranking by each feature", letor.n_features) as progress:
        summary = describe_data(letor, k, progress=progress)
    if as_json:
        typer.echo(json.dumps(summary.to_dict(), indent=1))
    else:
        show_summary(summary, top)


@app.command()
@with_options(DataOptions, "data_options")
def convert(
    files: Files,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="NAME.parquet, or text: NAME.txt, NAME.txt.gz, ...")
    ],
    split: Annotated[str | None, typer.Option(help="Only queries of this split, such as train.")] = None,
    features: Annotated[str, typer.Option(help="Only these features: '1-5,110'.", show_default=False)] = "",
    sparse: Annotated[bool, typer.Option("--sparse", help="Leave zeros out of the text.")] = False,
    force: Force = False,
    *,
    data_options: DataOptions,
) -> None:
    """Write judged data as Parquet or as text; both keep every value exactly.

    [dim]Example:[/] rankduel data convert train.txt -o train.parquet
    """
    _check_free(output, force)
    letor = data_options.read(files)
    letor = letor if split is None else letor.only_split(split)
    letor = letor.only_features(feature_list(features)) if features else letor
    _write(letor, output, sparse)
    for note in letor.notes:
        errors.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)
    _wrote(output)


@app.command()
def synth(
    kind: Annotated[
        str,
        typer.Option(
            "--shape", help=f"What it should look like: {', '.join(SHAPES)}.", autocompletion=_shapes
        ),
    ] = "small",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            show_default=False,
            help="NAME.txt, NAME.txt.gz (.bz2, .xz, .zst) or NAME.parquet, a folder with --folds; "
            "SHAPE.txt or SHAPE if not given.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    queries: Annotated[
        int | None,
        typer.Option(help="How many queries; the shape's own number if not given.", show_default=False),
    ] = None,
    folds: Annotated[
        bool, typer.Option("--folds", help="Five folds of train, vali and test, as MSLR has.")
    ] = False,
    knobs: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Any knob of the generator, such as p_norel=0 or cycle=true; repeatable.",
            metavar="NAME=VALUE",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Make up judged data that look like MSLR: correlated features, ties, a best ranker, or a cycle.

    [dim]Example:[/] rankduel data synth --shape mslr-web10k
    """
    output = output or Path(kind if folds else f"{kind}.txt")
    _check_free(output, force)
    changes: dict[str, Any] = {"seed": seed} | _knob_values(knobs or [])
    settings = shape(kind, **changes if queries is None else changes | {"queries": queries})
    _make(settings, output, folds)
    _wrote(output)
    example = escape(encodable(f"{output}/Fold1" if folds else str(output)))
    profile = "" if settings.profile in str(output) else f" --profile {settings.profile}"
    screen.print(f"next: [bold]rankduel data info {example}{profile}[/]")


def _make(settings: Synthetic, output: Path, folds: bool) -> None:
    started = time.perf_counter()
    n_docs = int(docs_per_query(settings).sum())
    with count_progress("making documents", n_docs) as progress:
        if output.suffix == ".parquet":
            write_parquet(synthesize(settings, progress), output)
        else:
            write = write_folds if folds else write_letor
            write(blocks(settings), output, settings.sparse, missing=settings.missing, progress=progress)
    seconds = time.perf_counter() - started
    screen.print(f"{settings.queries:,} queries, {n_docs:,} documents in {seconds:,.1f} s")


def _check_free(output: Path, force: bool) -> None:
    if output.exists() and not force:
        raise DataError(f"{output}: exists already\n  choose another name, or --force to replace it")
    if not output.absolute().parent.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent} to write to")


def _write(letor: Letor, output: Path, sparse: bool) -> None:
    with count_progress("writing documents", letor.n_docs) as progress:
        write_data(letor, output, sparse=sparse, progress=progress)


def _wrote(output: Path) -> None:
    size = f" ({file_size(output)})" if output.is_file() else ""
    screen.print(f"wrote [bold]{escape(encodable(str(output)))}[/]{size}")


def _knob_values(pairs: list[str]) -> dict[str, Any]:
    """'name=value' texts as values of the types that the settings have."""
    known = {field.name: field.default for field in dataclasses.fields(Synthetic)}
    values = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in known or not isinstance(known[name], (bool, int, float, tuple)):
            settable = [name for name, value in known.items() if isinstance(value, (bool, int, float))]
            raise DataError(f"--set {pair}: expected NAME=VALUE with a name among {', '.join(settable)}")
        values[name] = _knob_value(pair, text, known[name])
    return values


def _knob_value(pair: str, text: str, example: Any) -> Any:
    try:
        if isinstance(example, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(example, tuple):
            return tuple(float(part) for part in text.split(","))
        return type(example)(text)
    except (KeyError, ValueError):
        raise DataError(f"--set {pair}: expected a value like {example!r}".lower()) from None


_BAR = 30  # cells of the longest bar


def show_summary(summary: Summary, top: int) -> None:
    about = PROFILES[summary.profile].about
    screen.print(f"[bold]{escape(summary.source)}[/]", soft_wrap=True)
    screen.print(f"[dim]read as '{summary.profile}': {about}[/]")
    screen.print(_sizes(summary))
    screen.print("\n[bold]Grades[/]")
    screen.print(_grades(summary))
    screen.print(f"\n[bold]Best features by NDCG@{summary.cutoff}[/] [dim](expected over tie breaks)[/]")
    screen.print(_best_features(summary, top))
    screen.print("\n[bold]All features[/]")
    for line in _feature_remarks(summary):
        screen.print(line)
    for note in summary.notes:
        screen.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def _plain_table(**settings: Any) -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), **settings)


def _sizes(summary: Summary) -> Table:
    spread = summary.docs_per_query
    table = _plain_table(show_header=False)
    table.add_column(style="dim")
    table.add_column()
    splits = escape(", ".join(f"{name} {count:,}" for name, count in summary.splits.items()))
    table.add_row(
        "queries", f"{summary.queries:,}" + (f"  [dim]({splits})[/]" if len(summary.splits) > 1 else "")
    )
    table.add_row("documents", f"{summary.documents:,}")
    table.add_row("features", f"{summary.n_features:,}")
    table.add_row(
        "documents per query",
        f"{spread['min']:.0f} to {spread['max']:,.0f}, mean {spread['mean']:.1f}, "
        f"quartiles {spread['q25']:g}, {spread['median']:g}, {spread['q75']:g}",
    )
    table.add_row("queries of one grade", f"{summary.one_grade_queries:,}  [dim](no order beats another)[/]")
    if summary.single_document_queries:
        table.add_row("of one document", f"{summary.single_document_queries:,}")
    return table


def _grades(summary: Summary) -> Table:
    table = _plain_table()
    for heading in ("grade", "documents", "share"):
        table.add_column(heading, justify="right", header_style="dim")
    table.add_column("")
    most = max(summary.grades.values())
    for grade, count in summary.grades.items():
        bar = "█" * max(1, round(_BAR * count / most))
        table.add_row(str(grade), f"{count:,}", f"{count / summary.documents:.2%}", f"[cyan]{bar}[/]")
    return table


def _best_features(summary: Summary, top: int) -> Table:
    best = sorted(summary.features, key=lambda feature: -feature.ndcg)[:top]
    table = _plain_table()
    table.add_column("feature", header_style="dim", justify="right")
    table.add_column("NDCG", header_style="dim", justify="right")
    table.add_column("tied pairs", header_style="dim", justify="right")
    table.add_column("", no_wrap=True)
    for feature in best:
        table.add_row(
            escape(feature.name),
            f"{feature.ndcg:.4f}",
            f"{feature.tie_share:.1%}",
            f"[dim]{escape(feature.title)}[/]",
        )
    return table


def _feature_remarks(summary: Summary) -> list[str]:
    """Ties, constants and missing values over all features, in words."""
    features = summary.features
    shares = np.array([feature.tie_share for feature in features])
    constant = _names(feature for feature in features if feature.constant)
    within = _names(f for f in features if f.constant_in_queries and not f.constant)
    missing = [feature for feature in features if feature.missing_share > 0]
    lines = [
        f"tied document pairs: median {np.median(shares):.1%}; "
        f"{(shares > 0.5).sum()} of {len(shares)} features tie more than half",
        f"constant: {constant or 'none'}",
        f"constant within every query: {within or 'none'}",
    ]
    if missing:
        share = np.mean([feature.missing_share for feature in features])
        lines.append(f"missing values: {share:.1%} of all, in {len(missing)} features")
    return lines


def _names(features: Iterable[FeatureSummary]) -> str:
    return escape(number_ranges([feature.name for feature in features]))
