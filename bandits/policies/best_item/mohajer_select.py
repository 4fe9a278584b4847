"""SELECT: a knock-out tournament in which a match is the majority of several comparisons.

Mohajer, Suh and Elmahdy, "Active Learning for Top-K Rank Aggregation from Noisy Comparisons", ICML 2017,
Algorithm 1.

Slots are drawn once; neighbours play, and the winner of match number i takes slot i. An even match goes to
the first slot, and who has no neighbour goes on without a match. One layer of matches is one agenda.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.agenda import TIMES, Agenda, add, clear, empty_agenda, rest, stepwise
from bandits.contract import Policy
from bandits.parts.matches.standings import add_wins, first_with_most, wins_so_far
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class State(NamedTuple):
    agenda: Agenda
    slots: np.ndarray  # (arms,) int64: who is still in; the first of them count
    n_slots: np.ndarray  # (1,) int64
    won: np.ndarray  # (arms,) int64: comparisons won in layers that are over
    room: np.ndarray  # (arms,) int64


class Params(NamedTuple):
    m: int = 10


def init(n_arms, params, rng):
    return State(
        agenda=empty_agenda(max(n_arms // 2, 1)),
        slots=rng.permutation(n_arms),
        n_slots=np.array([n_arms]),
        won=np.zeros(n_arms, np.int64),
        room=np.zeros(n_arms, np.int64),
    )


@kernel
def plan(state, params, rng):
    if state.n_slots[0] == 1:
        rest(state.agenda, state.slots[0])
    else:
        plan_layer(state.agenda, state.slots, state.n_slots[0], params.m)


@kernel
def learn(state):
    add_wins(state.agenda, state.won)
    state.n_slots[0] = advance_winners(state.agenda, state.slots, state.n_slots[0])


@kernel
def plan_layer(agenda, slots, n, m):
    """The n arms in front of `slots` play, each with its neighbour."""
    clear(agenda, m)
    for match in range(n // 2):
        add(agenda, slots[2 * match], slots[2 * match + 1])


@kernel
def advance_winners(agenda, slots, n):
    """Put the winners, and whoever had no neighbour, in front of `slots`; returns how many they are."""
    for match in range(n // 2):
        slots[match] = slots[2 * match + (not wins_match(agenda, match))]
    if n % 2 == 1:
        slots[n // 2] = slots[n - 1]
    return n - n // 2


@kernel
def wins_match(agenda, index):
    """Did the first of the pair win at least half of its comparisons?"""
    return 2 * agenda.wins[index] >= agenda.now[TIMES]


@kernel
def recommend(state):
    """Of the arms still in, the one that has won the most comparisons."""
    wins_so_far(state.agenda, state.won, state.room)
    return first_with_most(state.room, state.slots[: state.n_slots[0]])


@kernel
def survivors(state):
    return state.n_slots[0]


@kernel
def finished(state):
    return state.n_slots[0] == 1


SELECT, UPDATE = stepwise(plan, learn)
POLICY = Policy(
    "mohajer_select",
    Params,
    init,
    SELECT,
    UPDATE,
    recommend,
    survivors,
    finished=finished,
    plan=plan,
    learn=learn,
    about="A knock-out tournament in which a match is the majority of several comparisons.",
    source="Mohajer, Suh, Elmahdy 2017 (ICML), Algorithm 1",
    assumes="Condorcet winner",
    settings={"m": Setting("comparisons of a match", at_least=1)},
    variants={"yan": {}},
)
