"""Print and draw the results of `rankduel winners`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.markup import escape
from rich.table import Table

from rankduel.api.matrices import Subsets
from rankduel.bandits import condorcet_winner
from rankduel.base.text import counted
from rankduel.cli.console import plain_table, screen, show_legend, show_rows, show_verdict, title
from rankduel.cli.shown.verdict import show_pairs
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.winners.bounds import IN_EXPECTATION
from rankduel.experiments.winners.certainty import Certainty, certainty, deciding, joint
from rankduel.experiments.winners.notions import (
    Mixture,
    Scores,
    all_scores,
    copeland_order,
    ranker_table,
    winner_sets,
)
from rankduel.experiments.winners.overlaps import CONTAINED, FEWEST, LOSSES, WINNERS, Overlaps, pooled
from rankduel.experiments.winners.resampling import Resampled
from rankduel.experiments.winners.summary import summary_of
from rankduel.experiments.winners.transitivity import (
    Transitivity,
    count_cycles,
    count_ties,
    count_triples,
    total_order,
    transitivity,
    weak_order,
)
from rankduel.experiments.winners.verdict import listed, verdict_of


def write_figures(found: Subsets, folder: Path) -> list[Path]:
    """Draw the shares by size, Copeland winners and their losses (Zoghi 2017, Figures 7.1 and 7.2)."""
    # Imported here: the chart library takes a second to load, and the terminal output does not need it.
    from rankduel.experiments.report.charts.points import bubble_chart, line_chart
    from rankduel.experiments.report.files import save_chart

    assert found.overlaps is not None
    size, counts = "rankers in the subset", found.overlaps.counts.rename(columns={"size": "x", "count": "y"})
    charts = {"subsets": line_chart(_curves(found.shares), size, "share of subsets")}
    for name, number in (("copeland-winners", WINNERS), ("copeland-losses", LOSSES)):
        title = WINNERS if number == WINNERS else "losses of a Copeland winner"
        charts[name] = bubble_chart(counts[counts["number"] == number], size, title)
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in charts.items():
        save_chart(chart, folder / f"{name}.svg")
    return [folder / f"{name}.svg" for name in charts]


def _curves(shares: pd.DataFrame) -> pd.DataFrame:
    """Return the shares in the form of `line_chart`, with bars of one standard error."""
    lines = (
        ("Condorcet winner", shares["condorcet"], 0.0),
        ("total order", shares["total_order"], shares["standard_error"]),
    )
    return pd.concat(
        pd.DataFrame(
            {"policy": name, "x": shares["size"], "mean": share, "low": share - error, "high": share + error}
        )
        for name, share, error in lines
    )


def ranker_rows(preferences: Preferences, drawn: Resampled | None) -> pd.DataFrame:
    """Return a row per ranker: its scores and, by notion, the share of resampled query sets that it wins."""
    table = ranker_table(preferences)
    if drawn is None:
        return table
    return table.merge(drawn.shares.add_prefix("resampled_").rename(columns={"resampled_ranker": "ranker"}))


def as_data(
    preferences: Preferences,
    drawn: Resampled | None,
    found: Subsets | None = None,
    bounds: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """Return all values, including those that are not printed, for JSON."""
    data = summary_of(preferences, drawn)
    if bounds is not None:
        data["bounds"] = bounds.to_dict("records")
    if found is None:
        return data
    return data | {
        "subsets": found.shares.to_dict("records"),
        "overlaps": None if found.overlaps is None else _overlaps_as_data(found.overlaps),
    }


def _overlaps_as_data(overlaps: Overlaps) -> dict[str, Any]:
    """Return the shares by size, and pooled over all sizes with equal weight."""
    return {
        name: {"pooled": pooled(table).to_dict("records"), "by_size": table.to_dict("records")}
        for name, table in overlaps._asdict().items()
    }


_RANKER_LEGEND = {
    "beats, loses to": "number of other rankers",
    "Borda": "mean probability of beating another ranker",
    "random walk": "share of time in a random walk from losers to winners",
    "von Neumann": "weight in the lottery over rankers that no ranker beats",
    "p against first": "probability of beating the ranker in the first row",
}
_ORDER_LEGEND = {
    "SST, MST, WST": "strong, moderate and weak stochastic transitivity",
    "STI": "stochastic triangle inequality",
    "gamma": "factor of relaxed stochastic transitivity; 1 if SST holds",
}
_BY_NOTION = {
    "condorcet": "Condorcet",
    "copeland": "Copeland",
    "borda": "Borda",
    "random_walk": "random walk",
    "von_neumann": "von Neumann",
}
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def show_winners(name: str, preferences: Preferences, top: int, drawn: Resampled | None) -> None:
    title(escape(name), f"rankers: {len(preferences):,}, pairs: {len(preferences.pairs):,}")
    show_verdict(verdict_of(preferences, drawn))
    screen.print()
    scores = all_scores(preferences.matrix)
    show_rows({what: escape(text) for what, text in _winner_rows(preferences, scores).items()})
    if len(preferences) == 1:
        return
    show_pairs(preferences)
    title("\nRankers", _ranking_remark(len(preferences), top))
    screen.print(_ranking(ranker_table(preferences, scores).head(top), scores.von_neumann.unique))
    show_legend(_RANKER_LEGEND)
    title("\nMargins", "probability of winning minus 1/2")
    show_rows(_margin_rows(preferences))
    title("\nOrder")
    show_rows(_order_rows(preferences))
    if len(preferences) > 2:  # transitivity is a property of triples
        show_legend(_ORDER_LEGEND)
    joined = joint(preferences)
    title("\nConfidence for these queries", _level(preferences, joined.level))
    show_rows({what: escape(text) for what, text in _certainty_rows(joined.preferences).items()})
    _show_resampled(preferences, drawn, top)


def _ranking_remark(n_rankers: int, top: int) -> str:
    return "by Copeland score" + (f", first {top} of {n_rankers}" if n_rankers > top else "")


def _show_resampled(preferences: Preferences, drawn: Resampled | None, top: int) -> None:
    """Print how often each ranker wins if the queries are drawn again; unknown for some matrices."""
    heading = "\nConfidence for similar queries"
    if drawn is not None:
        title(heading, f"wins in {drawn.resamples:,} resamples of {drawn.what}")
        screen.print(_resampled(drawn, top))
    elif not (preferences.pairs["method"] == "given").any():
        title(heading)
        screen.print("unknown: the matrix was made without values per query")


def _winner_rows(preferences: Preferences, scores: Scores) -> dict[str, str]:
    won = winner_sets(preferences, scores)
    losses = scores.loses_to[scores.beats == scores.beats.max()]
    lost = f"{losses.min():,}" if losses.min() == losses.max() else f"{losses.min():,} to {losses.max():,}"
    rows = {"Condorcet": listed(won["condorcet"]) or "none: no ranker beats all others"}
    rows["Copeland"] = (
        f"{listed(won['copeland'])}; {'each ' if len(won['copeland']) > 1 else ''}"
        f"beats {scores.beats.max():,}, loses to {lost}"
    )
    rows["Borda"] = (
        f"{listed(won['borda'])}; beats a random other ranker with probability {scores.borda.max():.2%}"
    )
    rows["random walk"] = (
        f"{listed(won['random_walk'])}; {scores.random_walk.max():.2%} of the time at this ranker"
    )
    rows["von Neumann"] = _lottery(preferences, scores.von_neumann)
    if len(won["smith_set"]) == len(preferences) > 1:
        rows["Smith set"] = "all rankers: no smaller group beats the rest"
    elif len(won["smith_set"]) > 1:
        rows["Smith set"] = f"{listed(won['smith_set'])}: the smallest group whose members beat all others"
    return rows


def _lottery(preferences: Preferences, mixture: Mixture) -> str:
    if not mixture.unique:
        members = listed([preferences.names[i] for i in mixture.support])
        return f"not unique; each of {members} is in some unbeaten lottery"
    heaviest = mixture.support[np.argsort(-mixture.weights[mixture.support], kind="stable")]
    if len(heaviest) == 1:
        return str(preferences.names[heaviest[0]])
    weights = [f"{preferences.names[i]} ({mixture.weights[i]:.3f})" for i in heaviest]
    return f"a lottery that no ranker beats: {listed(weights)}"


def _ranking(table: pd.DataFrame, one_lottery: bool) -> Table:
    shown = plain_table()
    shown.add_column("ranker", header_style="dim", style="cyan", overflow="fold")
    for heading in ("beats", "loses to", "Borda", "random walk", "von Neumann", "p against first"):
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    for place, row in enumerate(table.to_dict("records")):
        shown.add_row(
            escape(row["ranker"]),
            f"{row['beats']:,}",
            f"{row['loses_to']:,}",
            f"{row['borda']:.4f}",
            f"{row['random_walk']:.4f}",
            f"{row['von_neumann']:.4f}" if one_lottery and row["von_neumann"] else "",
            f"{row['against_first']:.4f}" if place else "",
        )
    return shown


def _margin_rows(preferences: Preferences) -> dict[str, str]:
    matrix = preferences.matrix
    first = int(copeland_order(matrix)[0])
    others = np.delete(np.arange(len(matrix)), first)
    against = matrix[first, others] - 0.5
    closest = preferences.names[others[against.argmin()]]
    all_pairs = np.abs(preferences.pairs["p"] - 0.5)
    spread = ", ".join(f"{q:.0%} {value:.4f}" for q, value in zip(_QUANTILES, all_pairs.quantile(_QUANTILES)))
    return {
        f"of {escape(preferences.names[first])}": (
            f"{_margin(against.min())} {escape(closest)}, the closest; "
            f"median {np.median(against):+.4f}, mean {against.mean():+.4f}, largest {against.max():+.4f}"
        ),
        "of all pairs": f"absolute values, quantiles: {spread}, largest {all_pairs.max():.4f}",
    }


def _margin(least: float) -> str:
    return f"{least:+.4f} against" if least else "a tie with"


def _order_rows(preferences: Preferences) -> dict[str, str]:
    matrix = preferences.matrix
    cycles = count_cycles(matrix)
    triples = count_triples(matrix)
    rows = {"total order": _order_in_words(preferences)}
    if triples:
        rows["3-cycles"] = f"{cycles:,} of {triples:,} triples ({cycles / triples:.2%})"
        found = transitivity(matrix)
        rows |= _property_rows(found)
        rows["gamma"] = _gamma_in_words(found)
    return rows


def _order_in_words(preferences: Preferences) -> str:
    order = total_order(preferences.matrix)
    ties = count_ties(preferences.matrix)
    if order is not None:
        return "yes: " + escape(listed([preferences.names[i] for i in order], " > "))
    tied = counted(ties, "tied pair")
    if weak_order(preferences.matrix) is not None:
        return f"no, because of {tied}; otherwise there is one"
    return "none" + (f"; {tied}" if ties else "")


def _property_rows(found: Transitivity) -> dict[str, str]:
    rows = {}
    for check in found.checks.to_dict("records"):
        count = f"{check['violations']:,} of {check['triples']:,} triples"
        violated = f"violated by {count}, by up to {check['worst']:.4f}"
        rows[check["property"]] = violated if check["violations"] else "holds"
    return rows


def _gamma_in_words(found: Transitivity) -> str:
    """Return the factor of relaxed stochastic transitivity, for all triples and for those of the winner."""
    every = "infinite: no factor is large enough" if np.isinf(found.gamma) else f"{found.gamma:.4g}"
    if np.isnan(found.gamma_best):
        return every
    return f"{every}; {found.gamma_best:.4g} for triples with the Condorcet winner"


def _certainty_rows(preferences: Preferences) -> dict[str, str]:
    sure = certainty(preferences)
    n_pairs = len(preferences.pairs)
    if not _has_intervals(preferences):
        return {"": _without_intervals(preferences)}
    rows = {"undecided": f"{len(sure.undecided):,} of {counted(n_pairs, 'pair')} (interval contains 1/2)"}
    rows["Condorcet"] = _condorcet_in_words(preferences, sure)
    rows["Copeland"] = (
        "certain" if sure.copeland_certain else _open_question(preferences, sure, sure.copeland)
    )
    rows["total order"] = {
        True: "certain",
        False: "certain that there is none",
        None: f"depends on {counted(len(sure.undecided), 'undecided pair')}",
    }[sure.total_order]
    rows["3-cycles"] = f"{sure.cycles:,} certain"
    return rows


def _resampled(drawn: Resampled, top: int) -> Table:
    """Return a table of the rankers that win most often if the queries are drawn again."""
    shown = plain_table()
    shown.add_column("ranker", header_style="dim", style="cyan", overflow="fold")
    for heading in _BY_NOTION.values():
        shown.add_column(heading, header_style="dim", justify="right", no_wrap=True)
    winning = drawn.shares[(drawn.shares[list(_BY_NOTION)] > 0).any(axis=1)].head(top)
    for row in winning.to_dict("records"):
        shown.add_row(escape(row["ranker"]), *(f"{row[notion]:.1%}" for notion in _BY_NOTION))
    if drawn.without_condorcet:
        shown.add_row("none", f"{drawn.without_condorcet:.1%}")
    return shown


def show_bounds(bounds: pd.DataFrame, horizon: float, alpha: float) -> None:
    """Print the bounds of `regret_bounds`."""
    title("\nBounds on the regret", f"{horizon:,.0f} duels, alpha = {alpha:g}")
    shown = plain_table()
    for heading in ("policy", "at most", "", "source"):
        shown.add_column(
            heading, header_style="dim", justify="right" if heading == "at most" else "left", no_wrap=True
        )
    for row in bounds.to_dict("records"):
        most = row["why"] or _large_number(row["bound"], row["log10_bound"])
        holds = "expected" if row["holds"] == IN_EXPECTATION else "likely"
        shown.add_row(row["policy"], most, holds, row["source"])
    screen.print(shown)
    likely = bounds.loc[bounds["holds"] != IN_EXPECTATION, "holds"].iloc[0]
    show_legend({"expected": "a bound on the mean over runs", "likely": f"holds {likely}"})


def _large_number(value: float, log10: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else f"10^{log10:,.0f}"


def _level(preferences: Preferences, level: float | None) -> str:
    """Return the confidence level of all intervals together, if it is known."""
    if level is None or not _has_intervals(preferences):
        return ""
    return f"all intervals hold together with probability {level:g}"


def _has_intervals(preferences: Preferences) -> bool:
    return bool((preferences.pairs["lo"] < preferences.pairs["hi"]).any())


def _without_intervals(preferences: Preferences) -> str:
    if (preferences.pairs["method"] == "given").any():
        return "unknown: the matrix has no intervals; its probabilities are taken as exact"
    return "all probabilities are exact"


def _condorcet_in_words(preferences: Preferences, sure: Certainty) -> str:
    if not sure.condorcet_certain:
        return _open_question(preferences, sure, sure.condorcet)
    return "certain" if condorcet_winner(preferences.matrix) >= 0 else "certain that there is none"


def _open_question(preferences: Preferences, sure: Certainty, candidates: np.ndarray) -> str:
    names = listed([preferences.names[i] for i in candidates])
    pairs = counted(deciding(sure, candidates), "undecided pair")
    return f"depends on {pairs}; possible: {names}"


def show_shares(shares: pd.DataFrame) -> None:
    drawn = shares.loc[~shares["exact"], "subsets"]
    estimated = f"; ~ estimated from {drawn.iloc[0]:,} subsets, ± one standard error" if len(drawn) else ""
    title("\nSubsets of the rankers", f"share of subsets, by their size{estimated}")
    shown = plain_table()
    for heading in ("size", "with a Condorcet winner", "with a total order", ""):
        shown.add_column(
            heading, header_style="dim", justify="left" if not heading else "right", no_wrap=True
        )
    for row in shares.to_dict("records"):
        bar = "█" * round(20 * row["total_order"])
        shown.add_row(f"{row['size']:,}", f"{row['condorcet']:.5f}", _share(row), f"[cyan]{bar}[/]")
    screen.print(shown)


def _share(row: Mapping[Hashable, Any]) -> str:
    share = row["total_order"]
    if row["exact"]:
        return f"{share:.5f}          "
    if share in (0, 1):  # the end of the 95% interval: the rule of three
        return f"~ {'over 1 -' if share else 'under'} {3 / row['subsets']:.1e}"
    return f"~ {share:.5f} ± {row['standard_error']:.5f}"


def show_overlaps(overlaps: Overlaps | None, n_rankers: int) -> None:
    """Print how often two notions have a winner in common, over all sizes with equal weight."""
    heading = "\nNotions with a common winner"
    if overlaps is None:
        title(heading)
        screen.print(f"not computed: it takes {FEWEST} rankers or more, and there are {n_rankers}")
        return
    title(heading, _drawn_in_words(overlaps.shared))
    shared = pooled(overlaps.shared)
    counts = pooled(overlaps.counts)
    rows = {row["notions"]: _percent(row) for row in shared.to_dict("records")}
    rows["all Copeland in von Neumann"] = rows.pop(CONTAINED)
    for name, number in ((WINNERS, WINNERS), ("losses of each winner", LOSSES)):
        some = counts[counts["number"] == number]
        parts = [f"{row['count']} in {_percent(row)}" for row in some.to_dict("records")]
        rows[name] = f"{listed(parts)}; at most {some['count'].max()}"
    show_rows(rows)


def _drawn_in_words(table: pd.DataFrame) -> str:
    sizes, drawn = table["size"].unique(), table.loc[~table["exact"], "subsets"]
    if drawn.empty:
        return f"shares of all subsets of {sizes[0]} to {sizes[-1]} rankers"
    which = "each size" if len(sizes) == sizes[-1] - sizes[0] + 1 else f"each of {len(sizes)} sizes"
    drawn_of_each = (
        f"{'up to ' if table['exact'].any() else ''}{drawn.iloc[0]:,}"  # all subsets of sizes with fewer
    )
    return f"shares of {drawn_of_each} subsets of {which}, {sizes[0]} to {sizes[-1]}, ± one standard error"


def _percent(row: Mapping[Hashable, Any]) -> str:
    error = row["standard_error"]
    return f"{row['share']:.2%}" + (f" ± {error:.2%}" if error else "")
