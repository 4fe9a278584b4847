"""SAVAGE: duel all pairs of active arms in turn; eliminate an arm at its first confident loss.

Urvoy, Clerot, Feraud and Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013, Algorithm 1
with the test for Condorcet winners. Assumes a Condorcet winner: an arm that beats every other with
probability above 1/2.

The next pair is the pair of active arms with the fewest duels, the lexicographically first of several. An arm
is eliminated when the interval of one of its pairs lies on the other arm's side of 1/2, since it then cannot
be the Condorcet winner. The last active arm duels itself.

    Algorithm 1                                              here
    active pairs W                                           State.active (the pairs of these arms)
    least sampled pair of W                                  select, _advance
    sample the pair, refine its interval                     update
    remove the pairs that cannot matter from W               _eliminate
    answer                                                   recommend

Duels are counted in sweeps: with the lexicographic order, the pairs before the current one have one duel more
than the other pairs, and eliminations do not change that. Two places in the list of active arms therefore
replace the search for the least sampled pair, and all duels of a sweep are judged by one decisive lead.
`idle` is not in the paper: it skips the self-duels of the last active arm. The pairs equal those of the
literal twin, tests/naive/policies/savage.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader_among
from rankduel.bandits.parts.common_settings import DeltaOrHorizon, ErrorHorizon
from rankduel.bandits.parts.racing.radius import decisive_lead, first_decisive_lead
from rankduel.bandits.parts.racing.savage_radius import (
    Bound,
    BoundSwitch,
    savage_log_term,
    savage_uses_horizon,
)
from rankduel.bandits.parts.survivors import remove_at, skip_if_one_left
from rankduel.base.compiling import kernel, record


class Params(NamedTuple):
    delta: DeltaOrHorizon = 0.0
    bound: BoundSwitch = Bound.FINITE
    horizon: ErrorHorizon = 0


class Now(NamedTuple):
    n_active: int = 0  # number of active arms
    row: int = 0  # place in `active` of the first arm of the next pair
    column: int = 1  # place of its second arm
    sweep: int = 1  # number of the sweep, and of the next duel of each pair in it
    decisive_lead: float = 0.0  # a larger lead eliminates an arm in this sweep
    log_constant: float = 0.0  # a of ln(eta / delta) = a + b ln n, computed once
    log_slope: float = 0.0  # b of ln(eta / delta)


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    wins: np.ndarray  # (arms, arms) int64
    active: np.ndarray  # (arms,) int64: the active arms in ascending order, in the first entries
    is_active: np.ndarray  # (arms,) bool


def init(n_arms, params, rng):
    log_term = savage_log_term(n_arms, params)
    now = Now(
        n_active=n_arms,
        decisive_lead=first_decisive_lead(log_term),
        log_constant=log_term.constant,
        log_slope=log_term.slope,
    )
    return State(
        now=record(now),
        wins=np.zeros((n_arms, n_arms), np.int64),
        active=np.arange(n_arms),
        is_active=np.ones(n_arms, np.bool_),
    )


def needs_horizon(params: Params) -> bool:
    return savage_uses_horizon(params)


@kernel
def select(state, params, rng):
    active, now = state.active, state.now[0]
    if now.n_active == 1:
        return active[0], active[0]
    return active[now.row], active[now.column]


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1
    if state.wins[winner, loser] - state.wins[loser, winner] > state.now[0].decisive_lead:
        _eliminate(state, loser, loser == first)
    else:
        state.now[0].column += 1
    _advance(state)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip all steps once a single arm is active."""
    return skip_if_one_left(state.active, state.now[0].n_active, limit, self_duels)


@kernel
def recommend(state, params):
    return copeland_leader_among(state.wins, state.is_active)


@kernel
def survivors(state, params):
    return state.now[0].n_active


@kernel
def _eliminate(state, arm, is_first):
    """Remove an arm of the current pair; the arm after it in the list takes its place in the sweep."""
    now = state.now[0]
    state.is_active[arm] = False
    now.n_active = remove_at(state.active, now.n_active, now.row if is_first else now.column)
    if is_first:
        now.column = now.row + 1


@kernel
def _advance(state):
    """Begin the next row at the end of a row, and the next sweep at the end of the last row."""
    now = state.now[0]
    if now.column < now.n_active:
        return
    now.row += 1
    if now.row >= now.n_active - 1:
        now.row = 0
        now.sweep += 1
        now.decisive_lead = decisive_lead(now.sweep, now.log_constant, now.log_slope)
    now.column = now.row + 1


POLICY = policy_of(
    __name__,
    source="Urvoy, Clerot, Feraud, Naamane 2013 (ICML), Algorithm 1, Condorcet",
    assumes="Condorcet winner",
    variants={"paper": {}},
)
