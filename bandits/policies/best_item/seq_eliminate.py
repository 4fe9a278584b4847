"""Seq-Eliminate: an anchor meets the others one by one, and only a clearly better arm replaces it.

Falahatgar, Hao, Orlitsky, Pichapati and Ravindrakumar, "Maxing and Ranking with Few Assumptions", NeurIPS
2017; its comparisons as in Falahatgar, Jain, Orlitsky, Pichapati and Ravindrakumar, "The Limits of Maxing,
Ranking, and Preference Learning", ICML 2018, Algorithm 9.
"""

from __future__ import annotations

from typing import NamedTuple

from bandits.contract import Policy
from bandits.parts.matches.anchor import ANCHOR, NEXT, finished, idle, init, recommend, survivors, update
from bandits.parts.matches.match import SETTINGS, compare_2, is_over, pair
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    epsilon: float = 0.05
    delta: float = 0.1


@kernel
def select(state, params, rng):
    anchor = state.now[ANCHOR]
    if finished(state):
        return anchor, anchor
    if is_over(state.match):
        challenger, delta = state.order[state.now[NEXT]], params.delta / len(state.order)
        compare_2(state.match, challenger, anchor, 0.0, params.epsilon, delta)
    return pair(state.match)


POLICY = Policy(
    "seq_eliminate",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    finished=finished,
    about="An anchor meets the others one by one, and only a clearly better arm replaces it.",
    source="Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar 2017 (NeurIPS)",
    assumes="strong stochastic transitivity",
    settings=SETTINGS,
    variants={"published": {}},
)
