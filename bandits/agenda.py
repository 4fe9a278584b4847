"""An agenda: comparisons that a policy commits to before it sees any of their outcomes.

All pairs of an agenda are compared equally often, in sweeps: every pair once in the order of the list, then
again. A policy that works by agendas has one in its state, `state.agenda`, and two functions of its own

    plan(state, params, rng)   write the next agenda: `clear`, then `add` pairs
    learn(state)               every comparison was made; `wins` says how often the first of each pair won

from which `stepwise` makes the policy's `select` and `update`. Where outcomes are draws from a matrix, the
loop takes all comparisons of a pair in one draw instead (bandits/loop.py). A pair may be an arm with itself:
that arm alone; `rest` is for when nothing is left to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import bound_kernel, kernel

N_PAIRS, TIMES, PLAYED, ROUNDS = range(4)  # entries of Agenda.now
FOR_GOOD = 1 << 60  # more comparisons than any run has

# What the templates below call; `stepwise` puts a policy's functions in their place.
plan: Callable = NotImplemented
learn: Callable = NotImplemented


class Agenda(NamedTuple):
    pairs: np.ndarray  # (room, 2) int64
    wins: np.ndarray  # (room,) int64: of the first of each pair, in the comparisons made so far
    now: np.ndarray  # (4,) int64: how many pairs, how often each; comparisons made; agendas so far


def empty_agenda(room: int) -> Agenda:
    return Agenda(np.zeros((room, 2), np.int64), np.zeros(room, np.int64), np.zeros(4, np.int64))


@kernel
def clear(agenda, times):
    """Begin a new agenda, whose pairs will be compared so often."""
    agenda.now[N_PAIRS], agenda.now[TIMES], agenda.now[PLAYED] = 0, times, 0
    agenda.now[ROUNDS] += 1


@kernel
def add(agenda, first, second):
    n = agenda.now[N_PAIRS]
    agenda.pairs[n, 0], agenda.pairs[n, 1], agenda.wins[n] = first, second, 0
    agenda.now[N_PAIRS] += 1


@kernel
def rest(agenda, arm):
    """Nothing is left to compare: the arm meets itself from now on. Not counted as an agenda."""
    clear(agenda, FOR_GOOD)
    add(agenda, arm, arm)
    agenda.now[ROUNDS] -= 1


@kernel
def is_over(agenda):
    return agenda.now[PLAYED] == agenda.now[N_PAIRS] * agenda.now[TIMES]


@kernel
def times_compared(agenda, index):
    """How often pair number `index` was compared so far."""
    return _sweeps_past(agenda.now[PLAYED], agenda.now[N_PAIRS], index)


@kernel
def _sweeps_past(played, n_pairs, index):
    return (played + n_pairs - 1 - index) // n_pairs


@kernel
def times_within(agenda, index, n):
    """How often it is compared in the next n comparisons."""
    played, n_pairs = agenda.now[PLAYED], agenda.now[N_PAIRS]
    return _sweeps_past(played + n, n_pairs, index) - _sweeps_past(played, n_pairs, index)


@kernel
def rounds(state):
    """How many agendas there were: in how many rounds outcomes were handed over."""
    return state.agenda.now[ROUNDS]


def select(state, params, rng):
    agenda = state.agenda
    if is_over(agenda):
        plan(state, params, rng)
    index = agenda.now[PLAYED] % agenda.now[N_PAIRS]
    return agenda.pairs[index, 0], agenda.pairs[index, 1]


def update(state, first, second, first_won):
    agenda = state.agenda
    agenda.wins[agenda.now[PLAYED] % agenda.now[N_PAIRS]] += int(first_won)
    agenda.now[PLAYED] += 1
    if is_over(agenda):
        learn(state)


def stepwise(plan: Any, learn: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return (select, update) of the policy with this `plan` and `learn`."""
    return (
        bound_kernel(select, plan.__module__, plan=plan),
        bound_kernel(update, learn.__module__, learn=learn),
    )
