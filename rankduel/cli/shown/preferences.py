"""Sentences about a matrix that several commands print: its duels, and how its pairs are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rankduel.base.text import counted
from rankduel.experiments.matrix.preferences import Preferences, exact_ties

_METHODS = {
    "exact": "exact",
    "rao-blackwell": "estimated from simulated pages",
    "simulated": "estimated from simulated duels",
    "multileaved": "estimated from pages that all rankers share",
    "given": "given without an interval",
}


def duel_text(settings: Mapping[str, Any]) -> str:
    """Return the interleaving method and the user of an arena's or a matrix's settings."""
    if "impressions" in settings:  # a matrix made from shared pages
        method = f"{counted(settings['impressions'], 'page')} of {settings['multileave']}"
    else:
        method = str(settings["interleave"])
    return f"{method}, {user_text(settings)}"


def user_text(settings: Mapping[str, Any]) -> str:
    return f"{settings['clicks']} user"


def methods_text(preferences: Preferences) -> str:
    """Return how many pairs are exact or estimated, and the largest half-width of an interval."""
    counts = preferences.pairs["method"].value_counts()
    found = [f"{counted(n, 'pair')} {_METHODS[str(method)]}" for method, n in counts.items()]
    half_width = _largest_half_width(preferences.pairs)
    within = f" ({_interval_name(preferences.settings)}: at most ± {half_width:.2g})" if half_width else ""
    return ", ".join(found) + within


def matrix_text(preferences: Preferences) -> str:
    """Return 'exact', 'given' or 'estimated' with the largest half-width of an interval."""
    methods = set(preferences.pairs["method"])
    if methods <= {"exact"}:
        return "exact"
    if "given" in methods:
        return "given"
    return f"estimated, intervals of at most ± {_largest_half_width(preferences.pairs):.2g}"


def undecided_text(pairs: pd.DataFrame) -> str:
    """Return how many pairs have an interval that contains 1/2, and how many tie exactly."""
    ties = int(exact_ties(pairs).sum())
    undecided = int(((pairs["lo"] <= 0.5) & (pairs["hi"] >= 0.5)).sum()) - ties
    tied = f"; {counted(ties, 'pair')} with p = 1/2 exactly" if ties else ""
    return f"undecided (interval contains 1/2): {counted(undecided, 'pair')}{tied}"


def _largest_half_width(pairs: pd.DataFrame) -> float:
    return float((pairs["hi"] - pairs["lo"]).max()) / 2


def _interval_name(settings: Mapping[str, Any]) -> str:
    """Return the confidence level of the intervals, where the settings of the matrix state it."""
    if settings.get("decide") is not None:
        return f"intervals that hold together with probability {1 - settings['decide']:g}"
    if settings.get("alpha") is not None:
        return f"{100 * (1 - settings['alpha']):.4g}% interval"
    return "interval"
