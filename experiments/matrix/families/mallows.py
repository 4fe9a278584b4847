"""Mallows: rankings scatter around a central order, in which arm 0 is first.

A ranking has a probability in proportion to phi^n, where n is the number of pairs that it orders otherwise
than the central order. A duel is the order of two arms in such a ranking; its probability depends on the
distance of their ranks in the central order, and not on the number of arms.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.settings import Setting
from rankduel.experiments.matrix.contract import MOST_ARMS, USUAL_ARMS, Family, Phi


class Params(NamedTuple):
    k: Annotated[int, Setting("number of arms", at_least=1, at_most=MOST_ARMS)] = USUAL_ARMS
    phi: Phi = 0.5


def make(params: Params) -> np.ndarray:
    return mallows_prefs(np.arange(params.k), params.phi)


def mallows_prefs(ranks: np.ndarray, phi: float) -> np.ndarray:
    """Return the matrix of arms with these ranks, from 0, in the central order."""
    above = mallows_above(phi, len(ranks))
    by_distance = np.concatenate([1 - above[::-1], [0.5], above])
    return by_distance[ranks[None, :] - ranks[:, None] + len(above)]


def mallows_above(phi: float, n_arms: int) -> np.ndarray:
    """Return the probabilities that an arm is above the arms 1, 2, ..., n_arms - 1 ranks behind it.

    The source states it for distance d as h(d + 1) - h(d), where h(d) = d / (1 - phi^d). The ratio of sums
    here is the same number without cancellation near phi = 1, where h has a pole.
    """
    powers = phi ** np.arange(n_arms, dtype=float)
    sums = np.cumsum(powers)  # 1 + phi + ... + phi^d
    weighted = np.cumsum(np.arange(1, n_arms) * powers[:-1])  # 1 + 2 phi + ... + d phi^(d - 1)
    return weighted / (sums[:-1] * sums[1:])


FAMILY = Family(
    "mallows",
    "Mallows: the order of two arms in a random ranking around a central order",
    "P(i above j) = h(j - i + 1) - h(j - i) for i < j, where h(d) = d / (1 - phi^d)",
    "Mallows 1957 (Biometrika); Busa-Fekete, Hüllermeier, Szörényi 2014 (ICML)",
    Params,
    make,
)
