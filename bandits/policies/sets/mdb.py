"""MDB: compare all arms that no arm confidently beats, on one page.

Brost, Seldin, Cox and Lioma, "Multi-Dueling Bandits and Their Application to Online Ranker Evaluation", CIKM
2016, Algorithm 1. Assumes a Condorcet winner: an arm that beats every other with probability above 1/2.

If narrow confidence bounds leave only one arm unbeaten, it is shown alone. Otherwise the page has all arms
that are unbeaten by wide bounds, or all arms if there are none.

With beta = 1, where both bounds are the same, and sample-only scored multileaving this is the loop that Li et
al. (TOIS 2020, section 6.6) compare with MergeDTS. Their bounds have C(epsilon) added to the step (Table 1;
bandits/parts/head_start.py). In their public program no arm is ever unbeaten, as an arm must also have an
upper bound above 1/2 against itself, which is 1/2. It then draws 100 arms with replacement for every page.

    Algorithm 1                                           here
    w = 0                                                 init
    E: arms unbeaten by narrow bounds, alpha              _mark_unbeaten (State.narrow)
    F: arms unbeaten by wide bounds, alpha beta           _mark_unbeaten (Room.wide)
    E if it has one arm, otherwise F                      select (_takes_part)
    (program of Li et al.) arms drawn at random           _draw_with_replacement
    compare all pairs, w                                  update
    (not in the paper) arm of the answer                  recommend

`idle` is not in the paper: it skips the steps in which one arm is alone, up to the step, known in advance, at
which another arm is no longer beaten; with C(epsilon) it skips none. Given the same random numbers, the sets
equal those of the literal twin, tests/naive/policies/mdb.py.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader
from rankduel.bandits.parts.bounds import NEVER, beaten, beaten_until
from rankduel.bandits.parts.common_settings import LONGEST_PAGE, ErrorHorizon
from rankduel.bandits.parts.head_start import exp_or_inf, log_head_start, log_of_sum
from rankduel.bandits.parts.picks import NO_ARM, pick
from rankduel.base.compiling import kernel, record
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Setting


class Params(NamedTuple):
    alpha: Annotated[
        float, Setting("width of the narrow bounds, which decide when one arm is shown alone", above=0)
    ] = 0.51
    beta: Annotated[
        float, Setting("width of the wide bounds, which decide the arms of a page, is alpha beta", at_least=1)
    ] = 1.5
    max_set: Annotated[
        int, Setting("maximum number of arms on a page, drawn at random; 0: no maximum", at_least=0)
    ] = 0
    add_c: Annotated[
        bool, Setting("add C(epsilon) to the step in the bounds, for epsilon = 1 / `horizon`")
    ] = False
    draws: Annotated[
        int,
        Setting(
            "arms drawn with replacement for every page, whatever the bounds; 0: by the bounds",
            at_least=0,
            at_most=LONGEST_PAGE,
        ),
    ] = 0
    horizon: ErrorHorizon = 0


class Now(NamedTuple):
    clock: int = 0  # steps played
    c: float = 0.0  # C(epsilon), or 0; infinite if it exceeds all numbers
    log_c: float = 0.0  # ln C(epsilon)
    n_narrow: int = 0  # arms in E, as of the last step
    n_wide: int = 0  # arms in F
    marked_at: int = -1  # clock when E and F were marked


class Room(NamedTuple):
    wide: np.ndarray  # (arms,) bool, F
    drawn: np.ndarray  # (arms,) int64: how often each arm was drawn


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    wins: np.ndarray  # (arms, arms) int64, w
    narrow: np.ndarray  # (arms,) bool, E, as of the last step
    room: Room


def needs_horizon(params):
    return params.add_c


def init(n_arms, params, rng):
    return State(
        now=record(_first_step(n_arms, params)),
        wins=np.zeros((n_arms, n_arms), np.int64),
        narrow=np.zeros(n_arms, np.bool_),
        room=Room(wide=np.zeros(n_arms, np.bool_), drawn=np.zeros(n_arms, np.int64)),
    )


def _first_step(n_arms: int, params: Params) -> Now:
    if not params.add_c:
        return Now()
    if params.alpha <= 0.5:
        raise PolicyError(
            f"mdb: alpha is {params.alpha:g}; expected more than 1/2 for C(epsilon), which add_c selects. "
            "Leave add_c out, or give a larger alpha"
        )
    log_c = log_head_start(n_arms, params.alpha, 1.0 / params.horizon)
    return Now(c=exp_or_inf(log_c), log_c=log_c)


@kernel
def select(state, params, arms, copies, rng):
    if params.draws > 0:
        return _draw_with_replacement(state, params, arms, copies, rng)
    _mark_unbeaten(state, params)
    n = 0
    for arm in range(len(state.narrow)):
        if _takes_part(state, arm):
            arms[n] = arm
            n += 1
    if params.max_set > 0:
        n = _draw_subset(arms, n, params.max_set, rng)
    for place in range(n):
        copies[place] = 1
    return n


@kernel
def update(state, params, arms, n, won):
    state.now[0].clock += 1
    for x in range(n):
        for y in range(n):
            if x != y:
                state.wins[arms[x], arms[y]] += won[x, y]


@kernel
def idle(state, params, limit, alone, rng):
    """Skip steps that show one arm alone, up to the first at which another arm is no longer beaten."""
    if params.draws > 0 or params.add_c:
        return 0
    _mark_unbeaten(state, params)
    now, wins = state.now[0], state.wins
    if now.n_narrow == 1:
        arm = _first_marked(state.narrow)
        stop = _first_rejoin(wins, state.narrow, params.alpha)
    elif now.n_narrow == 0 and now.n_wide == 1:
        arm = _first_marked(state.room.wide)
        stop = min(
            _first_rejoin(wins, state.narrow, params.alpha),
            _first_rejoin(wins, state.room.wide, params.alpha * params.beta),
        )
    else:
        return 0
    n = min(limit, stop - (now.clock + 1))
    alone[arm] += n
    now.clock += n
    return n


@kernel
def recommend(state, params):
    """Return the only arm in E, if there is one; otherwise the arm that beats most others."""
    return _first_marked(state.narrow) if state.now[0].n_narrow == 1 else copeland_leader(state.wins)


@kernel
def _mark_unbeaten(state, params):
    """Mark the arms that no arm beats in the coming step, by narrow and by wide bounds.

    `idle` and `select` both need the marks of a step; the second call in a step computes nothing.
    """
    now, wins = state.now[0], state.wins
    if now.marked_at == now.clock:
        return
    now.marked_at = now.clock
    log_time = log_of_sum(now.clock + 1, now.c, now.log_c)
    n_narrow, n_wide = 0, 0
    for arm in range(len(wins)):
        in_narrow, in_wide = True, True
        for other in range(len(wins)):
            if in_narrow and beaten(wins[arm, other], wins[other, arm], params.alpha, log_time):
                in_narrow = False
            # An arm that is beaten by wide bounds is beaten by narrow ones.
            if not in_narrow:
                if beaten(wins[arm, other], wins[other, arm], params.alpha * params.beta, log_time):
                    in_wide = False
                    break
        state.narrow[arm], state.room.wide[arm] = in_narrow, in_wide
        n_narrow += in_narrow
        n_wide += in_wide
    now.n_narrow, now.n_wide = n_narrow, n_wide


@kernel
def _takes_part(state, arm):
    """Return whether the arm is in E, if that has one arm; otherwise in F, or F is empty."""
    if state.now[0].n_narrow == 1:
        return state.narrow[arm]
    return state.room.wide[arm] or state.now[0].n_wide == 0


@kernel
def _draw_with_replacement(state, params, arms, copies, rng):
    """Draw params.draws arms, and put each different one in `arms` once; return how many they are."""
    drawn, n = state.room.drawn, 0
    drawn[:] = 0
    for _ in range(params.draws):
        drawn[pick(len(drawn), rng)] += 1
    for arm in range(len(drawn)):
        if drawn[arm] > 0:
            arms[n], copies[n] = arm, drawn[arm]
            n += 1
    return n


@kernel
def _draw_subset(arms, n, at_most, rng):
    """Put a random subset of arms[:n], of `at_most` arms, first; return how many they are."""
    for place in range(min(n, at_most)):
        other = place + pick(n - place, rng)
        arms[place], arms[other] = arms[other], arms[place]
    return min(n, at_most)


@kernel
def _first_marked(marks):
    """Return the first marked arm, or NO_ARM."""
    for arm in range(len(marks)):
        if marks[arm]:
            return arm
    return NO_ARM


@kernel
def _first_rejoin(wins, unbeaten, alpha):
    """Return the first step at which an arm that is not marked as unbeaten is no longer beaten."""
    soonest = NEVER
    for arm in range(len(unbeaten)):
        if not unbeaten[arm]:
            latest = 0
            for other in range(len(unbeaten)):
                latest = max(latest, beaten_until(wins[arm, other], wins[other, arm], alpha, 0.0))
            soonest = min(soonest, latest)
    return soonest


POLICY = policy_of(
    __name__,
    source="Brost, Seldin, Cox, Lioma 2016 (CIKM), Algorithm 1",
    assumes="Condorcet winner",
    variants={
        "paper": {},
        "merge-dts-paper": {"beta": 1.0, "add_c": True},  # Li et al. 2020, section 6.6
        "chang-li": {"beta": 1.0, "draws": 100},  # their public program
    },
    sets=True,
)
