"""An agenda: comparisons that a policy commits to before it sees any of their outcomes.

All pairs of an agenda are compared equally often, in sweeps: every pair once in the order of the list, then
again. A policy that works by agendas has one in its state, `state.agenda`, and two functions of its own

    plan(state, params, rng)   write the next agenda: `clear`, then `add` pairs
    learn(state, params)       every comparison was made; `wins` says how often the first of each pair won

from which `stepwise` makes the policy's `select` and `update`. Where outcomes are draws from a matrix, the
loop takes all comparisons of a pair in one draw instead (bandits/loop.py). A pair may be an arm with itself:
that arm alone; `rest` is for when nothing is left to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import entry, is_compiled, kernel, may_allocate, record

FOR_GOOD = 1 << 60  # more comparisons than any run has


class Agenda(NamedTuple):
    pairs: np.ndarray  # (room, 2) int64
    wins: np.ndarray  # (room,) int64: of the first of each pair, in the comparisons made so far
    now: np.recarray  # (1,), fields of AgendaNow


class AgendaNow(NamedTuple):
    n_pairs: int = 0
    times: int = 0  # comparisons of each pair
    played: int = 0  # comparisons made
    n_agendas: int = 0  # agendas so far


def empty_agenda(capacity: int) -> Agenda:
    """Return an agenda without pairs, for up to `capacity` pairs."""
    return Agenda(np.zeros((capacity, 2), np.int64), np.zeros(capacity, np.int64), record(AgendaNow()))


@kernel
def clear(agenda, times):
    """Begin a new agenda, whose pairs will be compared so often."""
    now = agenda.now[0]
    now.n_pairs, now.times, now.played = 0, times, 0
    now.n_agendas += 1


@kernel
def add(agenda, first, second):
    n = agenda.now[0].n_pairs
    agenda.pairs[n, 0], agenda.pairs[n, 1], agenda.wins[n] = first, second, 0
    agenda.now[0].n_pairs += 1


@kernel
def rest(agenda, arm):
    """Nothing is left to compare: the arm meets itself from now on. Not counted as an agenda."""
    clear(agenda, FOR_GOOD)
    add(agenda, arm, arm)
    agenda.now[0].n_agendas -= 1


@kernel
def is_over(agenda):
    return agenda.now[0].played == agenda.now[0].n_pairs * agenda.now[0].times


@kernel
def times_compared(agenda, index):
    """How often pair number `index` was compared so far."""
    return _sweeps_past(agenda.now[0].played, agenda.now[0].n_pairs, index)


@kernel
def _sweeps_past(played, n_pairs, index):
    return (played + n_pairs - 1 - index) // n_pairs


@kernel
def times_within(agenda, index, n):
    """How often it is compared in the next n comparisons."""
    played, n_pairs = agenda.now[0].played, agenda.now[0].n_pairs
    return _sweeps_past(played + n, n_pairs, index) - _sweeps_past(played, n_pairs, index)


@kernel
def n_agendas(state, params):
    """Return how many agendas there were: in how many rounds outcomes were learned."""
    return state.agenda.now[0].n_agendas


def stepwise(plan: Any, learn: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return `select` and `update` of the policy with this `plan` and `learn`."""

    def select(state, params, rng):
        agenda = state.agenda
        if is_over(agenda):
            plan(state, params, rng)
        index = agenda.now[0].played % agenda.now[0].n_pairs
        return agenda.pairs[index, 0], agenda.pairs[index, 1]

    def update(state, params, first, second, first_won):
        agenda = state.agenda
        agenda.wins[agenda.now[0].played % agenda.now[0].n_pairs] += int(first_won)
        agenda.now[0].played += 1
        if is_over(agenda):
            learn(state, params)

    if not (is_compiled(plan) and is_compiled(learn)):
        return select, update
    as_kernel = entry if may_allocate((plan, learn)) else kernel
    return as_kernel(select), as_kernel(update)
