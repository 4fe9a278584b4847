"""MDB, multi-dueling bandits: all arms that may still be the best share one page.

Brost, Seldin, Cox and Lioma, "Multi-Dueling Bandits and Their Application to Online Ranker Evaluation", CIKM
2016, Algorithm 1.

Narrow confidence bounds decide whether there is anything to learn: if nobody but one arm is unbeaten by them,
it is shown alone. Otherwise all arms take part that nobody beats by wide bounds. With beta = 1, where the two
are the same, and sample-only scored multileaving this is the loop that Li et al. (TOIS 2020, section 6.6) run
beside MergeDTS.

The bounds of all pairs of a page change with it, so who is beaten is counted afresh in every step; that takes
less time than the page. While an arm is alone nothing changes but the clock, until a step known in advance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader
from bandits.parts.bounds import NEVER, beaten, beaten_until
from bandits.parts.picks import NO_ARM, pick, pick_flagged
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

CLOCK, N_NARROW, N_WIDE = range(3)  # entries of State.now


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    narrow: np.ndarray  # (arms,) bool: unbeaten by narrow bounds, as of the last look
    wide: np.ndarray  # (arms,) bool: by wide bounds
    now: np.ndarray  # (3,) int64: steps played; how many are flagged in `narrow` and in `wide`


class Params(NamedTuple):
    alpha: float = 0.51
    beta: float = 1.5
    max_set: int = 0


def init(n_arms, params, rng):
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        narrow=np.zeros(n_arms, np.bool_),
        wide=np.zeros(n_arms, np.bool_),
        now=np.zeros(3, np.int64),
    )


@kernel
def select(state, params, arms, copies, rng):
    _look(state, params)
    n = 0
    for arm in range(len(state.wide)):
        if _takes_part(state, arm):
            arms[n] = arm
            n += 1
    if params.max_set > 0:
        n = _draw_some(arms, n, params.max_set, rng)
    for place in range(n):
        copies[place] = 1
    return n


@kernel
def update(state, arms, n, won):
    state.now[CLOCK] += 1
    for x in range(n):
        for y in range(n):
            if x != y:
                state.wins[arms[x], arms[y]] += won[x, y]


@kernel
def idle(state, params, limit, alone, rng):
    """One arm alone, until the clock lets another one back in."""
    _look(state, params)
    now = state.now
    if now[N_NARROW] == 1:
        arm = pick_flagged(state.narrow, 1, rng)
        stop = _rejoins(state.wins, state.narrow, params.alpha)
    elif now[N_NARROW] == 0 and now[N_WIDE] == 1:
        arm = pick_flagged(state.wide, 1, rng)
        stop = min(
            _rejoins(state.wins, state.narrow, params.alpha),
            _rejoins(state.wins, state.wide, params.alpha * params.beta),
        )
    else:
        return 0
    n = min(limit, stop - (now[CLOCK] + 1))
    alone[arm] += n
    now[CLOCK] += n
    return n


@kernel
def recommend(state):
    return pick_only(state.narrow) if state.now[N_NARROW] == 1 else leader(state.wins)


@kernel
def pick_only(flags):
    for arm in range(len(flags)):
        if flags[arm]:
            return arm
    return NO_ARM


@kernel
def _look(state, params):
    """Who is unbeaten in the coming step, by both kinds of bounds?"""
    log_time, wins = math.log(state.now[CLOCK] + 1), state.wins
    n_narrow, n_wide = 0, 0
    for arm in range(len(wins)):
        in_narrow, in_wide = True, True
        for other in range(len(wins)):
            if in_narrow and beaten(wins[arm, other], wins[other, arm], params.alpha, log_time):
                in_narrow = False
            # Who is beaten by wide bounds is beaten by narrow ones.
            if not in_narrow:
                if beaten(wins[arm, other], wins[other, arm], params.alpha * params.beta, log_time):
                    in_wide = False
                    break
        state.narrow[arm], state.wide[arm] = in_narrow, in_wide
        n_narrow += in_narrow
        n_wide += in_wide
    state.now[N_NARROW], state.now[N_WIDE] = n_narrow, n_wide


@kernel
def _takes_part(state, arm):
    if state.now[N_NARROW] == 1:
        return state.narrow[arm]
    return state.wide[arm] or state.now[N_WIDE] == 0  # beaten all: nobody is left out


@kernel
def _draw_some(arms, n, at_most, rng):
    """Uniformly so many of arms[:n], at its front; how many there are now."""
    for place in range(min(n, at_most)):
        other = place + pick(n - place, rng)
        arms[place], arms[other] = arms[other], arms[place]
    return min(n, at_most)


@kernel
def _rejoins(wins, unbeaten, alpha):
    """The first step at which an arm that is not flagged is beaten by nobody any more."""
    soonest = NEVER
    for arm in range(len(unbeaten)):
        if not unbeaten[arm]:
            latest = 0
            for other in range(len(unbeaten)):
                latest = max(latest, beaten_until(wins[arm, other], wins[other, arm], alpha, 0.0))
            soonest = min(soonest, latest)
    return soonest


POLICY = Policy(
    "mdb",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    sets=True,
    about="All arms that nobody confidently beats share one page.",
    source="Brost, Seldin, Cox, Lioma 2016 (CIKM), Algorithm 1",
    assumes="Condorcet winner",
    settings={
        "alpha": Setting("width of the narrow bounds, which tell when to stop comparing", above=0),
        "beta": Setting("the wide bounds have alpha times beta; they tell who takes part", at_least=1),
        "max_set": Setting("arms on a page at most, drawn at random; 0: any number", at_least=0),
    },
    variants={"paper": {}, "merge-dts-paper": {"beta": 1.0}},
)
