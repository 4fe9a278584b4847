"""Arms by a score, best first; lots drawn once decide among equals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel


class Ranked(NamedTuple):
    score: np.ndarray  # (arms,) float64
    order: np.ndarray  # (arms,) int64: arms by score, as of the last look
    lots: np.ndarray  # (arms,) int64: arms in the order drawn


def no_scores(n_arms: int, rng: np.random.Generator) -> Ranked:
    return Ranked(np.zeros(n_arms), np.arange(n_arms), rng.permutation(n_arms))


@kernel
def rank_arms(ranked):
    """Put `order` in order; of equal scores, the arm drawn earlier is first."""
    score, order, lots = ranked.score, ranked.order, ranked.lots
    for n in range(len(lots)):
        place = n
        while place > 0 and score[order[place - 1]] < score[lots[n]]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = lots[n]


@kernel
def mark_top(ranked, n, chosen):
    for place in range(n):
        chosen[ranked.order[place]] = True
