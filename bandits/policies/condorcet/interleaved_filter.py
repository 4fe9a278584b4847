"""Interleaved Filter: a candidate fights all others in turn, until it has thrown them out or one unseats it.

Yue, Broder, Kleinberg and Joachims, "The K-armed Dueling Bandits Problem", JCSS 2012 (COLT 2009), Algorithms
2 (IF1) and 3 (IF2).

In a sweep the candidate meets every opponent once. After it, opponents that are confidently worse leave; if
one is confidently better, it becomes candidate and a new round begins with fresh counts. IF2 also throws out,
at such a change, every opponent that the old candidate was winning against.

All opponents have met the candidate equally often at the end of a sweep, so a step only moves one lead by
one, and one pass per sweep compares the leads with a common barrier: |p - 1/2| > sqrt(4 ln(T K^2) / n)
exactly when |lead| > 4 sqrt(n ln(T K^2)).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.picks import NO_ARM, pick_flagged
from bandits.parts.survivors import plays_on
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

CANDIDATE, N_OPPONENTS, N_HEIRS, N_SWEEPS, TURN = range(5)  # entries of State.now


class State(NamedTuple):
    opponents: np.ndarray  # (arms,) int64, ascending; the first of them count
    lead: np.ndarray  # (arms,) int64: the candidate's wins minus losses this round, per place in `opponents`
    heir: np.ndarray  # (arms,) bool: may be the next candidate, per place; read only while there is none
    barrier: np.ndarray  # (1,) float64: after n sweeps a lead decides when above sqrt(n) times this
    now: np.ndarray  # (5,) int64: candidate or NO_ARM; opponents; heirs; sweeps this round; next in the sweep


class Params(NamedTuple):
    version: int = 2
    horizon: int = 0


def init(n_arms, params, rng):
    # The first candidate is found like all later ones: the throne is empty, and every arm an heir.
    return State(
        opponents=np.arange(n_arms),
        lead=np.zeros(n_arms, np.int64),
        heir=np.ones(n_arms, np.bool_),
        barrier=np.array([4.0 * math.sqrt(math.log(params.horizon * n_arms**2))]),
        now=np.array([NO_ARM, n_arms, n_arms, 0, 0]),
    )


@kernel
def select(state, params, rng):
    if state.now[CANDIDATE] == NO_ARM:
        _crown(state, params.version, rng)
    candidate = state.now[CANDIDATE]
    if state.now[N_OPPONENTS] == 0:
        return candidate, candidate
    return candidate, state.opponents[state.now[TURN]]


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    state.lead[state.now[TURN]] += 1 if first_won else -1
    state.now[TURN] += 1
    if state.now[TURN] == state.now[N_OPPONENTS]:
        _end_sweep(state)


@kernel
def idle(state, params, limit, selves, rng):
    """A candidate without opponents plays itself for ever."""
    return plays_on(state.now[CANDIDATE], limit, selves) if state.now[N_OPPONENTS] == 0 else 0


@kernel
def recommend(state):
    if state.now[CANDIDATE] != NO_ARM:
        return state.now[CANDIDATE]
    place = 0
    while not state.heir[place]:
        place += 1
    return state.opponents[place]


@kernel
def survivors(state):
    return state.now[N_OPPONENTS] + (state.now[CANDIDATE] != NO_ARM)


@kernel
def _end_sweep(state):
    """Throw out who is confidently worse than the candidate; depose it if somebody is confidently better."""
    opponents, lead, heir, now = state.opponents, state.lead, state.heir, state.now
    now[TURN] = 0
    now[N_SWEEPS] += 1
    barrier = state.barrier[0] * math.sqrt(now[N_SWEEPS])
    kept = n_heirs = 0
    for place in range(now[N_OPPONENTS]):
        if lead[place] > barrier:
            continue
        opponents[kept], lead[kept], heir[kept] = opponents[place], lead[place], lead[place] < -barrier
        n_heirs += heir[kept]
        kept += 1
    now[N_OPPONENTS] = kept
    if n_heirs > 0:
        now[CANDIDATE], now[N_HEIRS] = NO_ARM, n_heirs


@kernel
def _crown(state, version, rng):
    """A random heir becomes candidate, and a round begins; in IF2 without those the old one was ahead of."""
    opponents, lead, now = state.opponents, state.lead, state.now
    chosen = pick_flagged(state.heir, now[N_HEIRS], rng)
    now[CANDIDATE], now[N_SWEEPS] = opponents[chosen], 0
    kept = 0
    for place in range(now[N_OPPONENTS]):
        if place == chosen or (version == 2 and lead[place] > 0):
            continue
        opponents[kept] = opponents[place]
        kept += 1
    now[N_OPPONENTS] = kept
    lead[:] = 0


POLICY = Policy(
    "interleaved_filter",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    about="A candidate fights all others in turn, and the first one clearly better takes its place.",
    source="Yue, Broder, Kleinberg, Joachims 2012 (JCSS), Algorithms 2 and 3",
    assumes="total order, strong stochastic transitivity and a stochastic triangle inequality",
    settings={
        "version": Setting("1: IF1; 2: IF2, which prunes when the candidate changes", at_least=1, at_most=2),
        "horizon": Setting("steps the error bound is made for; 0: those of the run", at_least=0),
    },
    variants={"paper": {}, "if1": {"version": 1}},
)
