"""An agenda: comparisons that a policy commits to before it learns any of their outcomes.

All pairs of an agenda are compared equally often, in sweeps: every pair once in the order of the list, then
every pair again. A policy that works by agendas has a field `state.agenda` and defines two functions:

    plan(state, params, rng)   write the next agenda: call `clear`, then `add` for each pair
    learn(state, params)       called after the last comparison; agenda.wins counts wins of the first arms

`stepwise` makes the policy's `select` and `update` from these. If outcomes are draws from a matrix, the loop
draws all outcomes of a pair at once instead (bandits/loop.py). A pair may be an arm with itself: that arm is
then played alone. `play_one_arm` plans this for all remaining steps, when nothing is left to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import entry, is_compiled, kernel, may_allocate, record

UNLIMITED = 1 << 60  # more comparisons than any run has


class Agenda(NamedTuple):
    pairs: np.ndarray  # (capacity, 2) int64
    wins: np.ndarray  # (capacity,) int64: wins of the first arm of each pair in the comparisons so far
    now: np.recarray  # (1,), fields of AgendaNow


class AgendaNow(NamedTuple):
    n_pairs: int = 0
    times: int = 0  # number of comparisons of each pair
    played: int = 0  # number of comparisons made so far
    n_agendas: int = 0  # number of agendas so far


def empty_agenda(capacity: int) -> Agenda:
    """Return an agenda without pairs, for up to `capacity` pairs."""
    return Agenda(np.zeros((capacity, 2), np.int64), np.zeros(capacity, np.int64), record(AgendaNow()))


@kernel
def clear(agenda, times):
    """Begin an agenda without pairs, in which each pair will be compared `times` times."""
    now = agenda.now[0]
    now.n_pairs, now.times, now.played = 0, times, 0
    now.n_agendas += 1


@kernel
def add(agenda, first, second):
    """Append a pair to the agenda."""
    n = agenda.now[0].n_pairs
    agenda.pairs[n, 0], agenda.pairs[n, 1], agenda.wins[n] = first, second, 0
    agenda.now[0].n_pairs += 1


@kernel
def play_one_arm(agenda, arm):
    """Plan `arm` against itself for all remaining steps; this is not counted as an agenda."""
    clear(agenda, UNLIMITED)
    add(agenda, arm, arm)
    agenda.now[0].n_agendas -= 1


@kernel
def is_over(agenda):
    """Return whether all comparisons of the agenda were made."""
    return agenda.now[0].played == agenda.now[0].n_pairs * agenda.now[0].times


@kernel
def times_compared(agenda, index):
    """Return how often pair number `index` was compared so far."""
    return _n_comparisons(agenda.now[0].played, agenda.now[0].n_pairs, index)


@kernel
def _n_comparisons(played, n_pairs, index):
    """Return how often pair number `index` is among the first `played` comparisons."""
    return (played + n_pairs - 1 - index) // n_pairs


@kernel
def times_within(agenda, index, n):
    """Return how often pair number `index` is among the next `n` comparisons."""
    played, n_pairs = agenda.now[0].played, agenda.now[0].n_pairs
    return _n_comparisons(played + n, n_pairs, index) - _n_comparisons(played, n_pairs, index)


@kernel
def n_agendas(state, params):
    """Return the number of agendas so far, which is the number of rounds of adaptivity."""
    return state.agenda.now[0].n_agendas


def stepwise(plan: Any, learn: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return functions `select` and `update` that play the agendas of `plan` and `learn` step by step."""

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
