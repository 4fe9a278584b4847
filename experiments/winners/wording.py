"""What a matrix says about its winners, as names with short texts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from rankduel.bandits import condorcet_winner
from rankduel.base.text import counted
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.winners.certainty import Certainty, Joint, certainty, deciding
from rankduel.experiments.winners.notions import Mixture, Scores, copeland_order, winner_sets
from rankduel.experiments.winners.overlaps import CONTAINED, LOSSES, WINNERS, Overlaps, pooled
from rankduel.experiments.winners.transitivity import (
    Transitivity,
    count_cycles,
    count_ties,
    count_triples,
    total_order,
    transitivity,
    weak_order,
)
from rankduel.experiments.winners.verdict import listed

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def winner_rows(preferences: Preferences, scores: Scores) -> dict[str, str]:
    """Return the winners by each notion."""
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


def margin_rows(preferences: Preferences) -> dict[str, str]:
    """Return how clearly the first ranker wins, and how clearly the pairs are decided."""
    matrix = preferences.matrix
    first = int(copeland_order(matrix)[0])
    others = np.delete(np.arange(len(matrix)), first)
    against = matrix[first, others] - 0.5
    closest = preferences.names[others[against.argmin()]]
    all_pairs = np.abs(preferences.pairs["p"] - 0.5)
    spread = ", ".join(f"{q:.0%} {value:.4f}" for q, value in zip(_QUANTILES, all_pairs.quantile(_QUANTILES)))
    return {
        f"of {preferences.names[first]}": (
            f"{_margin(against.min())} {closest}, the closest; "
            f"median {np.median(against):+.4f}, mean {against.mean():+.4f}, largest {against.max():+.4f}"
        ),
        "of all pairs": f"absolute values, quantiles: {spread}, largest {all_pairs.max():.4f}",
    }


def _margin(least: float) -> str:
    return f"{least:+.4f} against" if least else "a tie with"


def order_rows(preferences: Preferences) -> dict[str, str]:
    """Return whether there is an order, cycles, and stochastic transitivity."""
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
        return "yes: " + listed([preferences.names[i] for i in order], " > ")
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


def certainty_rows(joined: Joint) -> dict[str, str]:
    """Return what is certain within the intervals of all pairs."""
    preferences = joined.preferences
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


def overlap_remark(overlaps: Overlaps) -> str:
    """Return which subsets the shares of `overlap_rows` are of."""
    return _drawn_in_words(overlaps.shared)


def overlap_rows(overlaps: Overlaps) -> dict[str, str]:
    """Return how often two notions have a winner in common, over all sizes with equal weight."""
    shared = pooled(overlaps.shared)
    counts = pooled(overlaps.counts)
    rows = {row["notions"]: _percent(row) for row in shared.to_dict("records")}
    rows["all Copeland in von Neumann"] = rows.pop(CONTAINED)
    for name, number in ((WINNERS, WINNERS), ("losses of each winner", LOSSES)):
        some = counts[counts["number"] == number]
        parts = [f"{row['count']} in {_percent(row)}" for row in some.to_dict("records")]
        rows[name] = f"{listed(parts)}; at most {some['count'].max()}"
    return rows


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
