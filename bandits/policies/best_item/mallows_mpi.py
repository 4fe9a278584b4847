"""MallowsMPI: an anchor meets the others one by one, each until it is certain who is better.

Busa-Fekete, Huellermeier and Szorenyi, "Preference-Based Rank Elicitation using Statistical Models: The Case
of Mallows", ICML 2014, Algorithm 1 (most preferred item).

Two arms that are exactly even are compared for ever, so it needs a budget where that may happen.
"""

from __future__ import annotations

from typing import NamedTuple

from bandits.contract import Policy
from bandits.parts.matches.anchor import ANCHOR, NEXT, finished, idle, init, recommend, survivors, update
from bandits.parts.matches.match import SETTINGS, compare_exactly, is_over, pair
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    delta: float = 0.05


@kernel
def select(state, params, rng):
    anchor = state.now[ANCHOR]
    if finished(state):
        return anchor, anchor
    if is_over(state.match):
        challenger = state.order[state.now[NEXT]]
        compare_exactly(state.match, challenger, anchor, len(state.order), params.delta)
    return pair(state.match)


POLICY = Policy(
    "mallows_mpi",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    finished=finished,
    about="An anchor meets the others one by one, each until it is certain who is better.",
    source="Busa-Fekete, Huellermeier, Szorenyi 2014 (ICML), Algorithm 1",
    assumes="Mallows rankings, or weak stochastic transitivity; no arm ties with the best",
    settings={"delta": SETTINGS["delta"]},
    variants={"published": {}},
)
