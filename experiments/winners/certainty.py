"""Conclusions that hold for every matrix within the intervals of a preference matrix.

A pair is undecided if its interval contains 1/2. A conclusion is certain if it holds for all matrices within
the intervals, so its confidence is at least that of simultaneous intervals, which `joint` computes. This is
about the given queries; rankduel.experiments.winners.resampling is about other queries.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.winners.transitivity import count_cycles


class Certainty(NamedTuple):
    """Possible and certain winners, cycles and orders, given the intervals of all pairs."""

    undecided: np.ndarray  # (n, 2) pairs i < j whose interval contains 1/2
    condorcet: np.ndarray  # rankers that may be the Condorcet winner; empty if there certainly is none
    condorcet_certain: bool  # whether the Condorcet winner, or that there is none, is certain
    copeland: np.ndarray  # rankers that may have the highest Copeland score
    copeland_certain: bool
    cycles: int  # number of certain 3-cycles
    total_order: bool | None  # whether there is a total order; None if it is not certain


class Joint(NamedTuple):
    """Preferences with simultaneous intervals, which cover all pairs together."""

    preferences: Preferences
    level: float | None  # their joint confidence; None if the settings do not state that of the intervals


def joint(preferences: Preferences) -> Joint:
    """Return the preferences with simultaneous intervals, by the Bonferroni correction.

    Normal intervals of confidence 1 - alpha are widened to those for alpha divided by the number of pairs
    that are not exact. The intervals of a matrix made with `decide` are simultaneous already.
    """
    together, single = (_level(preferences, name) for name in ("decide", "alpha"))
    if together is not None:
        return Joint(preferences, 1.0 - together)
    pairs = preferences.pairs
    unsure = int((pairs["lo"] < pairs["hi"]).sum())
    if single is None or not unsure:
        return Joint(preferences, None)
    stretch = scipy.stats.norm.isf(single / 2 / unsure) / scipy.stats.norm.isf(single / 2)
    # Ends are clipped to 0 and 1; the longer side is the half-width before clipping.
    reach = stretch * np.maximum(pairs["hi"] - pairs["p"], pairs["p"] - pairs["lo"])
    wider = pairs.assign(lo=(pairs["p"] - reach).clip(0, 1), hi=(pairs["p"] + reach).clip(0, 1))
    return Joint(replace(preferences, pairs=wider), 1.0 - single)


def _level(preferences: Preferences, name: str) -> float | None:
    """Return the error probability in the setting `name`; None if its value is not a probability."""
    value = preferences.settings.get(name)
    return value if isinstance(value, float) and 0 < value < 1 else None


def is_undecided(preferences: Preferences) -> np.ndarray:
    """Return (K, K): whether the interval of a pair contains 1/2; False for exact pairs."""
    lower, upper = preferences.lower, preferences.upper
    return (lower < upper) & (lower <= 0.5) & (upper >= 0.5)


def certainty(preferences: Preferences) -> Certainty:
    """Return which winners, cycles and orders are possible and certain, given the intervals."""
    wins, possible = preferences.lower > 0.5, preferences.upper > 0.5
    undecided = np.argwhere(np.triu(is_undecided(preferences), 1))
    fewest = wins.sum(axis=1)
    most = possible.sum(axis=1)
    others = len(preferences) - 1
    leaders = np.flatnonzero(most >= fewest.max())
    return Certainty(
        undecided=undecided,
        condorcet=np.flatnonzero(most == others),
        condorcet_certain=bool((most == others).sum() == (fewest == others).sum()),
        copeland=leaders,
        copeland_certain=len(leaders) == 1 or bool((most == fewest)[leaders].all()),
        cycles=count_cycles(preferences.lower),
        total_order=_has_order(wins, possible),
    )


def deciding(certainty: Certainty, candidates: np.ndarray) -> int:
    """Return the number of undecided pairs with at least one of the candidates."""
    return int(np.isin(certainty.undecided, candidates).any(axis=1).sum())


def _has_order(wins: np.ndarray, possible: np.ndarray) -> bool | None:
    """Return whether there is a total order; None if it is not certain.

    `wins` marks certain wins, and `possible` possible ones.
    """
    forced = ~possible.T  # j cannot beat i, so i must precede j in a total order
    np.fill_diagonal(forced, False)
    if scipy.sparse.csgraph.connected_components(forced, connection="strong")[0] < len(wins):
        return False
    return True if wins.sum() == len(wins) * (len(wins) - 1) // 2 else None
