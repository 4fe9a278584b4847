"""`rankduel data`: describe judged data, convert it, or generate synthetic data."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

import rankduel
from rankduel.base.errors import DataError, UsageError, encodable
from rankduel.base.text import counted
from rankduel.cli.console import (
    file_size,
    number_ranges,
    plain_table,
    print_result,
    screen,
    show_data_notes,
    title,
    watching,
)
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
    from rankduel.letor_data.summary import DataSummary, FeatureSummary, RankerSummary

app = typer.Typer(no_args_is_help=True, help="Describe judged data, convert it, or generate synthetic data.")

# Written out because `rankduel.letor_data.synthetic` takes long to import; a test compares the two.
SHAPES = ("mslr-web30k", "mslr-web10k", "yahoo", "istella", "letor-agg", "small", "demo")
_BAR = 30  # characters of the longest bar


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
    if as_json:
        refuse_typed(context, ["top"], "is for the table, and --json has all features: leave it out")
    letor = data_options.read(files)
    with watching() as watch:
        summary = rankduel.describe_data(letor, k, rankers=ranker or (), watch=watch)
    if not print_result(summary, as_json, as_csv):
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
    _check_free(output, force)
    if output.suffix == ".parquet":
        refuse_typed(context, ["sparse"], "is for text, and the output is Parquet: leave it out")
    letor = data_options.read(files)
    letor = letor if split is None else letor.only_split(split)
    with watching() as watch:
        rankduel.write_data(letor, output, sparse=sparse, watch=watch)
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
    output = output or Path(kind if folds else f"{kind}.txt")
    _check_free(output, force)
    changes = dict(_named_value(text) for text in assignments or [])
    for name in changes.keys() & {"seed", "queries"}:
        refuse_typed(context, [name], f"is given by --set {name}=... too: leave one of them out")
    started = time.perf_counter()
    with watching() as watch:
        made = rankduel.write_synthetic_data(
            output, kind, queries=queries, seed=seed, folds=folds, settings=changes, watch=watch
        )
    seconds = time.perf_counter() - started
    screen.print(
        f"{counted(made.queries, 'query')}, {counted(made.documents, 'document')} in {seconds:,.1f} s"
    )
    _wrote(output)
    example = escape(encodable(f"{output}/Fold1" if folds else str(output)))
    profile = "" if made.profile in str(output) else f" --profile {made.profile}"
    screen.print(f"next: [bold]rankduel data info {example}{profile}[/]")


def _check_free(output: Path, force: bool) -> None:
    if output.exists() and not force:
        raise DataError(f"{output}: exists already\n  choose another name, or --force to replace it")
    if not output.absolute().parent.is_dir():
        raise DataError(f"{output}: there is no folder {output.parent} to write to")


def _wrote(output: Path) -> None:
    size = f" ({file_size(output)})" if output.is_file() else ""
    screen.print(f"wrote [bold]{escape(encodable(str(output)))}[/]{size}")


def _named_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text}: expected NAME=VALUE, such as p_norel=0")
    return name, value


def show_summary(summary: DataSummary, top: int) -> None:
    about = summary.about_profile
    screen.print(f"[bold]{escape(summary.source)}[/]", soft_wrap=True)
    screen.print(f"[dim]read as '{summary.profile}': {about}[/]")
    screen.print(_sizes(summary))
    screen.print("\n[bold]Grades[/]")
    screen.print(_grades(summary))
    what = _what_ranks(summary)
    title(f"\nBest {what}s by NDCG@{summary.cutoff}", "mean over all orders of tied documents")
    screen.print(_best_features(summary, top))
    if summary.rankers:
        screen.print(f"\n[bold]Rankers by NDCG@{summary.cutoff}[/]")
        screen.print(_rankers(summary))
    screen.print(f"\n[bold]All {what}s[/]")
    for line in _feature_remarks(summary):
        screen.print(line)
    for note in summary.notes:
        screen.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def _what_ranks(summary: DataSummary) -> str:
    """Return what the columns of the data are called."""
    return "run" if summary.profile == "trec" else "feature"


def _sizes(summary: DataSummary) -> Table:
    spread = summary.docs_per_query
    table = plain_table(show_header=False)
    table.add_column(style="dim")
    table.add_column()
    splits = escape(", ".join(f"{name} {count:,}" for name, count in summary.splits.items()))
    table.add_row(
        "queries", f"{summary.queries:,}" + (f"  [dim]({splits})[/]" if len(summary.splits) > 1 else "")
    )
    table.add_row("documents", f"{summary.documents:,}")
    table.add_row(f"{_what_ranks(summary)}s", f"{summary.n_features:,}")
    table.add_row(
        "documents per query",
        f"{spread['min']:.0f} to {spread['max']:,.0f}, mean {spread['mean']:.1f}, "
        f"quartiles {spread['q25']:g}, {spread['median']:g}, {spread['q75']:g}",
    )
    same = "all their documents are equally relevant"
    table.add_row("queries with one grade", f"{summary.one_grade_queries:,}  [dim]({same})[/]")
    if summary.single_document_queries:
        table.add_row("queries with one document", f"{summary.single_document_queries:,}")
    return table


def _grades(summary: DataSummary) -> Table:
    table = plain_table()
    for heading in ("grade", "documents", "share"):
        table.add_column(heading, justify="right", header_style="dim")
    table.add_column("")
    most = max(summary.grades.values())
    for grade, count in summary.grades.items():
        bar = "█" * max(1, round(_BAR * count / most))
        table.add_row(str(grade), f"{count:,}", f"{count / summary.documents:.2%}", f"[cyan]{bar}[/]")
    return table


def _best_features(summary: DataSummary, top: int) -> Table:
    best = sorted(summary.features, key=lambda feature: -feature.ndcg)[:top]
    return _measured(_what_ranks(summary), best)


def _rankers(summary: DataSummary) -> Table:
    best = sorted(summary.rankers, key=lambda ranker: -ranker.ndcg)
    return _measured("ranker", best)


def _measured(heading: str, rows: Sequence[FeatureSummary] | Sequence[RankerSummary]) -> Table:
    """Return a table with a row per feature or ranker: NDCG, tied pairs, description."""
    table = plain_table()
    table.add_column(heading, header_style="dim", justify="right", overflow="fold")
    table.add_column("NDCG", header_style="dim", justify="right")
    table.add_column("tied pairs", header_style="dim", justify="right")
    table.add_column("", no_wrap=True)
    for one in rows:
        table.add_row(
            escape(one.name), f"{one.ndcg:.4f}", f"{one.tie_share:.1%}", f"[dim]{escape(one.title)}[/]"
        )
    return table


def _feature_remarks(summary: DataSummary) -> list[str]:
    """Return lines about ties, constant features and missing values."""
    features, what = summary.features, _what_ranks(summary)
    shares = [feature.tie_share for feature in features]
    constant = _names(feature for feature in features if feature.constant)
    within = _names(f for f in features if f.constant_in_queries and not f.constant)
    missing = [feature for feature in features if feature.missing_share > 0]
    lines = [
        f"pairs of documents with equal values: median {statistics.median(shares):.1%} per {what}; "
        f"over 50% in {sum(share > 0.5 for share in shares):,} of {counted(len(shares), what)}",
        f"constant: {constant or 'none'}",
        f"constant within every query: {within or 'none'}",
    ]
    if missing:
        share = statistics.fmean(feature.missing_share for feature in features)
        absent = "documents that a run does not list" if what == "run" else "missing values"
        lines.append(f"{absent}: {share:.1%} of all, in {counted(len(missing), what)}")
    return lines


def _names(features: Iterable[FeatureSummary]) -> str:
    return escape(number_ranges([feature.name for feature in features]))
