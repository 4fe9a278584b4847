"""Summary of a matrix as plain values: winners, orders, cycles, transitivity and certainty."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.winners.certainty import certainty, joint
from rankduel.experiments.winners.notions import all_scores, ranker_table, winner_sets
from rankduel.experiments.winners.resampling import Resampled
from rankduel.experiments.winners.transitivity import (
    count_cycles,
    count_ties,
    count_triples,
    total_order,
    transitivity,
    weak_order,
)
from rankduel.experiments.winners.verdict import verdict_of


def summary_of(preferences: Preferences, drawn: Resampled | None) -> dict[str, Any]:
    """Return winners by every notion, orders, cycles and transitivity, and how certain they are.

    `drawn` holds how often each ranker wins over resampled queries; None if that is not known.
    """
    matrix, names = preferences.matrix, preferences.names
    joined = joint(preferences)
    sure = certainty(joined.preferences)
    orders = transitivity(matrix)
    scores = all_scores(matrix)
    order = total_order(matrix)
    weak = weak_order(matrix)
    return {
        "n_rankers": len(preferences),
        "digest": preferences.digest,
        "settings": dict(preferences.settings),
        "verdict": verdict_of(preferences, drawn)._asdict(),
        "winners": winner_sets(preferences, scores),
        "von_neumann_unique": scores.von_neumann.unique,
        "rankers": ranker_table(preferences, scores).to_dict("records"),
        "tied_pairs": count_ties(matrix),
        "total_order": None if order is None else [names[i] for i in order],
        "weak_order": None if weak is None else [names[i] for i in weak],
        "triples": count_triples(matrix),
        "cycles": count_cycles(matrix),
        "transitivity": orders.checks.to_dict("records"),
        "gamma": _finite(orders.gamma),
        "gamma_best": _finite(orders.gamma_best),
        "joint_confidence": joined.level,
        "undecided_pairs": [[names[i], names[j]] for i, j in sure.undecided],
        "condorcet_certain": sure.condorcet_certain,
        "condorcet_possible": [names[i] for i in sure.condorcet],
        "copeland_certain": sure.copeland_certain,
        "copeland_possible": [names[i] for i in sure.copeland],
        "cycles_certain": sure.cycles,
        "total_order_certain": sure.total_order is not None,
        "resampled_queries": None if drawn is None else _resampled(drawn),
    }


def _resampled(drawn: Resampled) -> dict[str, Any]:
    return {
        "resamples": drawn.resamples,
        "drawn": drawn.what,
        "without_condorcet": drawn.without_condorcet,
        "rankers": drawn.shares.to_dict("records"),
    }


def _finite(value: float) -> float | str | None:
    """Return a value for JSON: None for NaN, and "inf" for infinity."""
    if np.isnan(value):
        return None
    return "inf" if np.isinf(value) else float(value)
