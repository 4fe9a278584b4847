"""Print the results of `rankduel data info`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from rich.markup import escape
from rich.table import Table

from rankduel.base.text import counted
from rankduel.cli.console import number_ranges, plain_table, screen, title
from rankduel.letor_data.formats import PROFILES
from rankduel.letor_data.rankers.contract import NAMED
from rankduel.letor_data.summary import FeatureSummary, RankerSummary, Summary

_BAR = 30  # characters of the longest bar


def show_summary(summary: Summary, top: int) -> None:
    about = PROFILES[summary.profile].about
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


def _what_ranks(summary: Summary) -> str:
    """Return what the columns of the data are called."""
    return "run" if summary.profile == "trec" else "feature"


def _sizes(summary: Summary) -> Table:
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


def _grades(summary: Summary) -> Table:
    table = plain_table()
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
    return _measured(_what_ranks(summary), ((one, one.title) for one in best))


def _rankers(summary: Summary) -> Table:
    best = sorted(summary.rankers, key=lambda ranker: -ranker.ndcg)
    return _measured("ranker", ((one, one.text.removesuffix(f"{NAMED}{one.name}")) for one in best))


def _measured(heading: str, rows: Iterable[tuple[FeatureSummary | RankerSummary, str]]) -> Table:
    """Return a table with a row per feature or ranker: NDCG, tied pairs, description."""
    table = plain_table()
    table.add_column(heading, header_style="dim", justify="right", overflow="fold")
    table.add_column("NDCG", header_style="dim", justify="right")
    table.add_column("tied pairs", header_style="dim", justify="right")
    table.add_column("", no_wrap=True)
    for one, about in rows:
        table.add_row(escape(one.name), f"{one.ndcg:.4f}", f"{one.tie_share:.1%}", f"[dim]{escape(about)}[/]")
    return table


def _feature_remarks(summary: Summary) -> list[str]:
    """Return lines about ties, constant features and missing values."""
    features, what = summary.features, _what_ranks(summary)
    shares = np.array([feature.tie_share for feature in features])
    constant = _names(feature for feature in features if feature.constant)
    within = _names(f for f in features if f.constant_in_queries and not f.constant)
    missing = [feature for feature in features if feature.missing_share > 0]
    lines = [
        f"pairs of documents with equal values: median {np.median(shares):.1%} per {what}; "
        f"over 50% in {(shares > 0.5).sum():,} of {counted(len(shares), what)}",
        f"constant: {constant or 'none'}",
        f"constant within every query: {within or 'none'}",
    ]
    if missing:
        share = np.mean([feature.missing_share for feature in features])
        absent = "documents that a run does not list" if what == "run" else "missing values"
        lines.append(f"{absent}: {share:.1%} of all, in {counted(len(missing), what)}")
    return lines


def _names(features: Iterable[FeatureSummary]) -> str:
    return escape(number_ranges([feature.name for feature in features]))
