"""Synthetic matrices in place of public ones that were not found.

A stand-in has the gaps of its user: P(best, other) - 1/2 is distributed as in the public MSLR matrix of the
same user, so that informational users are the hardest. Other pairs differ by the difference of their gaps,
with noise that makes as many triples cyclic as in the public matrix. The best rankers of MSLR have the
numbers of the public matrix; the others are in random order, the same for all users. Nothing else is fitted:
neither which rankers are similar, nor by how much the Borda winner differs from the Condorcet winner.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.streams import stream


class Fit(NamedTuple):
    """What a stand-in has in common with a public matrix."""

    gaps: tuple[float, ...]  # of the best ranker, at the quantiles AT
    noise: float  # standard deviation; with it the matrix has about as many cyclic triples


# Quantiles: the smallest, second and fifth smallest of 135 gaps, 10, 25, 50, 75 and 90 %, and the largest.
AT = (0, 1 / 134, 4 / 134, 0.1, 0.25, 0.5, 0.75, 0.9, 1)
# Measured on the public MSLR matrices, which have 447, 377 and 336 cyclic triples; of the informational one,
# on the version without the ranker that spoils the Condorcet winner.
FITS = {
    "perfect": Fit((0.00655, 0.0175, 0.0227, 0.0353, 0.0511, 0.0893, 0.1544, 0.2521, 0.3365), 0.0056),
    "navigational": Fit((0.00561, 0.0058, 0.0157, 0.0277, 0.0404, 0.0756, 0.1443, 0.2329, 0.3365), 0.0045),
    "informational": Fit((0.00465, 0.0058, 0.0102, 0.0204, 0.0293, 0.0804, 0.1580, 0.2861, 0.4037), 0.0043),
}
# The ranker that spoils the Condorcet winner of the informational matrix beats it by the first margin, and
# loses to two others by the second and third.
RIVAL = (0.00227, 0.00138, 0.0022)


# The best rankers of the public MSLR matrices with perfect users, and the best of the informational one.
BEST, BEST_INFORMATIONAL = (109, 119, 105), 114
# Seed of the order. With it, the first ten rankers in text order, which several sources play, are about as
# hard as in the public matrix: the best of them, 105, leads by .049 or more (public: .048), in the median by
# .164 (public: .172).
_ORDER = 2406


def mslr_like(user: str) -> np.ndarray:
    """Return a stand-in for a public matrix of 136 rankers; the informational has no Condorcet winner."""
    if user == "informational":
        return with_rival(mslr_like_with_winner())
    return _reorder(with_gaps_of(user, 136, f"mslr-{user}"), _mslr_places())


def mslr_like_with_winner() -> np.ndarray:
    """Return a stand-in for the informational matrix of 135 rankers, from which ranker 109 is removed."""
    places = _mslr_places()
    places[BEST_INFORMATIONAL] = -1
    places = np.delete(places, BEST[0])
    return _reorder(with_gaps_of("informational", 135, "mslr-informational"), places.argsort().argsort())


def _mslr_places() -> np.ndarray:
    """Return the place of every ranker of MSLR in the order by strength, shape (136,)."""
    others = np.setdiff1d(np.arange(136), BEST)
    by_strength = np.append(BEST, stream(_ORDER, "stand-in", "order").permutation(others))
    return by_strength.argsort()


def _reorder(prefs: np.ndarray, places: np.ndarray) -> np.ndarray:
    return prefs[np.ix_(places, places)]


def with_gaps_of(user: str, size: int, seed: str) -> np.ndarray:
    """Return a matrix with a Condorcet winner, arm 0, whose gaps are those of `user`; the others follow."""
    gaps, noise = FITS[user]
    behind = np.append(0.0, np.interp(np.linspace(0, 1, size - 1), AT, gaps))
    margins = behind[None, :] - behind[:, None]
    margins[1:] += noise * stream(0, "stand-in", seed).standard_normal((size - 1, size))
    margins = np.triu(margins, 1)
    return 0.5 + np.clip(margins - margins.T, -0.49, 0.49)


def with_rival(prefs: np.ndarray) -> np.ndarray:
    """Return the matrix with a new arm 109, which beats the best arm, so that there is no Condorcet winner.

    The new arm loses to the two arms that come closest to the best, and has its preferences otherwise.
    """
    beats, *loses = RIVAL
    best = int((prefs > 0.5).sum(axis=1).argmax())
    row = prefs[best].copy()
    row[best] = 0.5 + beats
    row[np.argsort(prefs[best])[1:3]] = 0.5 - np.array(loses)
    at = min(BEST[0], len(prefs))
    whole = np.insert(np.insert(prefs, at, row, axis=0), at, 0.5, axis=1)
    whole[:, at] = 1.0 - whole[at]
    whole[at, at] = 0.5
    return whole


def with_empty_features(prefs: np.ndarray, empty: int, gap: float) -> np.ndarray:
    """Return the matrix with `empty` more rankers, which tie with each other and lose to others by `gap`."""
    size = len(prefs)
    whole = np.full((size + empty, size + empty), 0.5)
    whole[:size, :size] = prefs
    whole[:size, size:], whole[size:, :size] = 0.5 + gap, 0.5 - gap
    return whole


def led_by(size: int, least: float, median: float, most: float) -> np.ndarray:
    """Return a total order in which the gaps of the best arm have this minimum, median and maximum."""
    behind = np.interp(np.linspace(0, 1, size - 1), (0, 0.5, 1), (least, median, most))
    place = np.append(0.0, behind)
    return 0.5 + place[None, :] - place[:, None]
