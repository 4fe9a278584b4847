"""Which conclusions stand however the undecided pairs turn out: those whose interval holds one half.

"Certain" means for every matrix within the intervals, and so at least as surely as the intervals are
all true at once: `joint` makes such intervals of those that are right one by one. All this is about the
queries at hand; experiments.winners.resampling asks about others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from experiments.matrix.preferences import Preferences
from experiments.winners.transitivity import count_cycles


class Certainty(NamedTuple):
    undecided: np.ndarray  # (n, 2) pairs i < j that may turn out either way
    condorcet: np.ndarray  # who may be the Condorcet winner; if there is none for certain, nobody
    condorcet_certain: bool  # is it certain who that is, or that there is none?
    copeland: np.ndarray  # who may have the highest Copeland score
    copeland_certain: bool
    cycles: int  # 3-cycles that are there for certain
    total_order: bool | None  # is there one? None if that is open


class Joint(NamedTuple):
    """Intervals that are all right at once."""

    preferences: Preferences
    level: float | None  # with this probability; None if the matrix does not say how its intervals were made


def joint(preferences: Preferences) -> Joint:
    """Return the preferences with intervals that are all right at once, by Bonferroni's inequality.

    Intervals by the normal law, each right with probability 1 - alpha, are made as long as those for alpha
    divided by the number of pairs that are not exact. Those of a matrix made with `decide` are joint already.
    """
    together, single = (_level(preferences, name) for name in ("decide", "alpha"))
    if together is not None:
        return Joint(preferences, 1.0 - together)
    pairs = preferences.pairs
    unsure = int((pairs["lo"] < pairs["hi"]).sum())
    if single is None or not unsure:
        return Joint(preferences, None)
    stretch = scipy.stats.norm.isf(single / 2 / unsure) / scipy.stats.norm.isf(single / 2)
    # An end at 0 or 1 was cut there; the interval was symmetric before.
    reach = stretch * np.maximum(pairs["hi"] - pairs["p"], pairs["p"] - pairs["lo"])
    wider = pairs.assign(lo=(pairs["p"] - reach).clip(0, 1), hi=(pairs["p"] + reach).clip(0, 1))
    return Joint(replace(preferences, pairs=wider), 1.0 - single)


def _level(preferences: Preferences, name: str) -> float | None:
    """Return the chance of an error that a setting says; None if it says something else, as a file may."""
    value = preferences.settings.get(name)
    return value if isinstance(value, float) and 0 < value < 1 else None


def is_undecided(preferences: Preferences) -> np.ndarray:
    """(K, K): whether the interval of a pair holds one half."""
    lower, upper = preferences.lower, preferences.upper
    return (lower < upper) & (lower <= 0.5) & (upper >= 0.5)


def certainty(preferences: Preferences) -> Certainty:
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
    """How many undecided pairs some of the candidates are in."""
    return int(np.isin(certainty.undecided, candidates).any(axis=1).sum())


def _has_order(wins: np.ndarray, possible: np.ndarray) -> bool | None:
    forced = ~possible.T  # who cannot be beaten by another has to come before it
    np.fill_diagonal(forced, False)
    if scipy.sparse.csgraph.connected_components(forced, connection="strong")[0] < len(wins):
        return False
    return True if wins.sum() == len(wins) * (len(wins) - 1) // 2 else None
