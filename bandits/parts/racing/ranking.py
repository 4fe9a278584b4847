"""Rank arms by a score; ties are broken by a random order that is drawn once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel


class RankingRoom(NamedTuple):
    score: np.ndarray  # (arms,) float64
    order: np.ndarray  # (arms,) int64: the arms by score, best first


def ranking_room(n_arms: int) -> RankingRoom:
    return RankingRoom(score=np.zeros(n_arms), order=np.zeros(n_arms, np.int64))


@kernel
def rank_arms(ranking, tie_order):
    """Sort `order` by score; of equal scores, the arm that is earlier in `tie_order` is first."""
    score, order = ranking.score, ranking.order
    for n in range(len(tie_order)):
        arm, place = tie_order[n], n
        while place > 0 and score[order[place - 1]] < score[arm]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = arm


@kernel
def mark_top(ranking, n, chosen):
    """Mark the `n` best arms in `chosen`."""
    for place in range(n):
        chosen[ranking.order[place]] = True
