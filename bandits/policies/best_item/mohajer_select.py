"""SELECT: play a single-elimination tournament in which a match is the majority of m comparisons.

Mohajer, Suh and Elmahdy, "Active Learning for Top-K Rank Aggregation from Noisy Comparisons", ICML 2017,
Algorithm 1. Assumes a Condorcet winner: an arm that beats every other with probability above 1/2.

The arms are placed in random slots once. In every layer neighbouring slots play matches, and the winner of
match i takes slot i; an even match goes to the first slot. The tournament takes (K - 1) m comparisons.

    Algorithm 1                             here
    random placement of the arms            init
    the matches of a layer                  plan (plan_layer; a layer is one agenda)
    the winners go on to the next layer     learn (advance_winners)
    the last arm                            recommend

Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/mohajer_select.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, empty_agenda, play_one_arm
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.matches.standings import add_wins, first_with_most, wins_so_far
from rankduel.bandits.parts.single_elimination import ComparisonsPerMatch, advance_winners, plan_layer
from rankduel.base.compiling import kernel, record


class Params(NamedTuple):
    m: ComparisonsPerMatch = 10


class Now(NamedTuple):
    n_slots: int = 0  # arms in the current layer


class Room(NamedTuple):
    wins: np.ndarray  # (arms,) int64, `wins` of the state with those of the current layer


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    slots: np.ndarray  # (arms,) int64: the arms of the layer are in the first slots
    wins: np.ndarray  # (arms,) int64, comparisons won in complete layers
    room: Room


def init(n_arms, params, rng):
    return State(
        now=record(Now(n_slots=n_arms)),
        agenda=empty_agenda(max(n_arms // 2, 1)),
        slots=rng.permutation(n_arms),
        wins=np.zeros(n_arms, np.int64),
        room=Room(wins=np.zeros(n_arms, np.int64)),
    )


@kernel
def plan(state, params, rng):
    if finished(state, params):
        play_one_arm(state.agenda, state.slots[0])
    else:
        plan_layer(state.agenda, state.slots, state.now[0].n_slots, params.m)


@kernel
def learn(state, params):
    now = state.now[0]
    add_wins(state.agenda, state.wins)
    now.n_slots = advance_winners(state.agenda, state.slots, now.n_slots)


@kernel
def recommend(state, params):
    """Return the arm with most wins among those of the current layer."""
    wins_so_far(state.agenda, state.wins, state.room.wins)
    return first_with_most(state.room.wins, state.slots[: state.now[0].n_slots])


@kernel
def survivors(state, params):
    return state.now[0].n_slots


@kernel
def finished(state, params):
    return state.now[0].n_slots == 1


POLICY = policy_of(
    __name__,
    source="Mohajer, Suh, Elmahdy 2017 (ICML), Algorithm 1",
    assumes="Condorcet winner",
    variants={"yan": {}},
)
