"""Interleaved Filter: duel a candidate with all other arms in turn; replace it by a clearly better arm.

Yue, Broder, Kleinberg and Joachims, "The K-armed Dueling Bandits Problem", JCSS 2012 (COLT 2009), Algorithms
2 (IF1) and 3 (IF2). Assumes a total order of the arms, strong stochastic transitivity and a stochastic
triangle inequality.

In a sweep the candidate duels every remaining opponent once. After it, opponents that are confidently worse
are removed; an opponent that is confidently better becomes the candidate, and a round with new counts begins.
IF2 also removes, at such a change, every opponent that the old candidate has won most duels against.

    Algorithms 2 and 3                                    here
    random candidate b, W = all other arms                init
    duel b with every arm of W                            select, update
    remove b' with P(b, b') > 1/2 + c from W              _end_sweep
    b' with P(b, b') < 1/2 - c: becomes the candidate     _end_sweep, _change_candidate
    IF2: remove b' with P(b, b') > 1/2 from W             _change_candidate
    Return b                                              recommend

All opponents have equally many duels with the candidate at the end of a sweep, so their leads are compared
with one threshold: |P - 1/2| > sqrt(4 ln(T K^2) / n) if and only if |lead| > 4 sqrt(n ln(T K^2)). Given the
same random numbers, the pairs equal those of the literal twin, tests/naive/policies/interleaved_filter.py.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.picks import NO_ARM, pick_flagged
from rankduel.bandits.parts.survivors import skip_all
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Params(NamedTuple):
    version: Annotated[
        int, Setting("1: IF1; 2: IF2, which prunes when the candidate changes", at_least=1, at_most=2)
    ] = 2
    horizon: Annotated[
        int, Setting("number of steps for which the error bound holds; 0: those of the run", at_least=0)
    ] = 0


class Now(NamedTuple):
    n_opponents: int  # number of arms in W
    n_better: int  # number of arms of W that may be the next candidate
    threshold_factor: float  # threshold of the lead after one sweep, 4 sqrt(ln(T K^2))
    candidate: int = NO_ARM  # NO_ARM while one is to be drawn
    n_sweeps: int = 0  # number of sweeps in this round
    place: int = 0  # place in `opponents` of the next one in the sweep


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    opponents: np.ndarray  # (arms,) int64: W in opponents[:n_opponents], ascending
    lead: np.ndarray  # (arms,) int64: wins - losses of the candidate in this round, by place in `opponents`
    better: np.ndarray  # (arms,) bool: may be the next candidate, by place; used while there is no candidate


def init(n_arms, params, rng):
    """Return a state without a candidate, in which any arm may be the next one."""
    threshold_factor = 4.0 * math.sqrt(math.log(params.horizon * n_arms**2))
    return State(
        now=record(Now(n_opponents=n_arms, n_better=n_arms, threshold_factor=threshold_factor)),
        opponents=np.arange(n_arms),
        lead=np.zeros(n_arms, np.int64),
        better=np.ones(n_arms, np.bool_),
    )


@kernel
def select(state, params, rng):
    now = state.now[0]
    if now.candidate == NO_ARM:
        _change_candidate(state, params, rng)
    if now.n_opponents == 0:
        return now.candidate, now.candidate
    return now.candidate, state.opponents[now.place]


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    now = state.now[0]
    state.lead[now.place] += 1 if first_won else -1
    now.place += 1
    if now.place == now.n_opponents:
        _end_sweep(state)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip all steps if no opponent remains."""
    now = state.now[0]
    return skip_all(now.candidate, limit, self_duels) if now.n_opponents == 0 else 0


@kernel
def recommend(state, params):
    """Return the candidate; the first arm that may be the next one while there is none."""
    if state.now[0].candidate != NO_ARM:
        return state.now[0].candidate
    place = 0
    while not state.better[place]:
        place += 1
    return state.opponents[place]


@kernel
def survivors(state, params):
    return state.now[0].n_opponents + (state.now[0].candidate != NO_ARM)


@kernel
def _end_sweep(state):
    """Remove the opponents that are confidently worse than the candidate, and mark those that are better."""
    now, opponents, lead, better = state.now[0], state.opponents, state.lead, state.better
    now.place = 0
    now.n_sweeps += 1
    threshold = now.threshold_factor * math.sqrt(now.n_sweeps)
    n = n_better = 0
    for place in range(now.n_opponents):
        if lead[place] > threshold:
            continue
        opponents[n], lead[n], better[n] = opponents[place], lead[place], lead[place] < -threshold
        n_better += better[n]
        n += 1
    now.n_opponents = n
    if n_better > 0:
        now.candidate, now.n_better = NO_ARM, n_better


@kernel
def _change_candidate(state, params, rng):
    """Draw the candidate from the better arms, and begin a round; in IF2, prune the other opponents."""
    now, opponents = state.now[0], state.opponents
    chosen = pick_flagged(state.better, now.n_better, rng)
    now.candidate, now.n_sweeps = opponents[chosen], 0
    n = 0
    for place in range(now.n_opponents):
        if place == chosen or (params.version == 2 and state.lead[place] > 0):
            continue
        opponents[n] = opponents[place]
        n += 1
    now.n_opponents = n
    state.lead[:] = 0


POLICY = policy_of(
    __name__,
    source="Yue, Broder, Kleinberg, Joachims 2012 (JCSS), Algorithms 2 and 3",
    assumes="total order, strong stochastic transitivity and a stochastic triangle inequality",
    variants={"paper": {}, "if1": {"version": 1}},
)
