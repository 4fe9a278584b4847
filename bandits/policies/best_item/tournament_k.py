"""Tournament-k-Selection: the best k arms of every small block go on, until k are left.

Ren, Liu and Shroff, "The Sample Complexity of Best-k Items Selection from Pairwise Comparisons", ICML 2020.

A block has at most 2k arms. Its best k are found by quick-select (Epsilon-Quick-Select): a random pivot meets
the others, each in one match, and the search goes on above or below it. Matches get longer from round to
round; the first epsilon is missing in print in epsilon_t = (epsilon / 4) (4 / 5)^t.

The arms of a round are in random order, and so are those even with the pivot, who have equal claims to the
last places: the first of them get these.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.matches.match import (
    BETTER,
    EVEN,
    SETTINGS,
    UNDECIDED,
    WORSE,
    Match,
    distribute_item,
    is_over,
    no_match,
    outcome,
    pair,
)
from bandits.parts.picks import NO_ARM, pick, shuffle
from bandits.parts.survivors import plays_on
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

K, ROUND, N_LEFT, N_ARMS, NEXT, N_KEPT, N_BLOCK, WANTED, PIVOT, TURN = range(10)  # entries of State.now
NO_GROUP = -1  # a verdict that no arm has


class State(NamedTuple):
    arms: np.ndarray  # (arms,) int64: who is kept in this round; from NEXT to N_ARMS the blocks to come
    block: np.ndarray  # (2k,) int64: arms among which the best WANTED are searched for
    group: np.ndarray  # (2k,) int64: BETTER, EVEN or WORSE than the pivot, by place in the block
    is_left: np.ndarray  # (arms,) bool
    won: np.ndarray  # (arms,) int64: duels won
    match: Match
    delta: np.ndarray  # (1,) float64, of the search
    now: np.ndarray  # (10,) int64: k; round, from 1; arms left; see above; kept in this round; arms in the
    # block, 0 between blocks; how many are still wanted of them; places of the pivot and of who meets it


class Params(NamedTuple):
    k: int = 1
    epsilon: float = 0.05
    delta: float = 0.1


def init(n_arms, params, rng):
    room = 2 * min(params.k, n_arms)
    now = np.zeros(10, np.int64)
    now[[K, ROUND, N_LEFT, N_ARMS]] = params.k, 1, n_arms, n_arms
    return State(
        arms=np.arange(n_arms),
        block=np.zeros(room, np.int64),
        group=np.zeros(room, np.int64),
        is_left=np.ones(n_arms, np.bool_),
        won=np.zeros(n_arms, np.int64),
        match=no_match(),
        delta=np.zeros(1),
        now=now,
    )


@kernel
def select(state, params, rng):
    if finished(state):
        arm = recommend(state)
        return arm, arm
    if is_over(state.match):
        block, now = state.block, state.now
        if now[N_BLOCK] == 0:
            _begin_block(state, params.delta, rng)
        if now[PIVOT] == NO_ARM:
            _choose_pivot(state.group, now, rng)
        n, epsilon = now[N_BLOCK], params.epsilon / 4.0 * 0.8 ** now[ROUND]
        delta = state.delta[0] / (n * (n - 1))
        distribute_item(state.match, block[now[TURN]], block[now[PIVOT]], epsilon / 2.0, 0.0, 0.0, delta)
    return pair(state.match)


@kernel
def update(state, first, second, first_won):
    if finished(state):
        return
    state.won[first if first_won else second] += 1
    verdict, now = outcome(state.match, first_won), state.now
    if verdict == UNDECIDED:
        return
    state.group[now[TURN]] = verdict
    now[TURN] += 1
    now[TURN] += now[TURN] == now[PIVOT]
    if now[TURN] >= now[N_BLOCK]:
        _divide(state)


@kernel
def idle(state, params, limit, selves, rng):
    return plays_on(recommend(state), limit, selves) if finished(state) else 0


@kernel
def recommend(state):
    """Of the arms left the one that has won the most duels."""
    best = NO_ARM
    for arm in range(len(state.won)):
        if state.is_left[arm] and (best == NO_ARM or state.won[arm] > state.won[best]):
            best = arm
    return best


@kernel
def answers(state, chosen):
    """The k arms left that have won the most duels."""
    for _ in range(min(state.now[K], state.now[N_LEFT])):
        best = NO_ARM
        for arm in range(len(chosen)):
            eligible = state.is_left[arm] and not chosen[arm]
            if eligible and (best == NO_ARM or state.won[arm] > state.won[best]):
                best = arm
        chosen[best] = True


@kernel
def survivors(state):
    return state.now[N_LEFT]


@kernel
def finished(state):
    return state.now[N_LEFT] <= state.now[K]


@kernel
def begin_tournament(state, arms, n):
    """Of the first n of these arms; nobody else is left."""
    now = state.now
    for arm in range(len(state.is_left)):
        state.is_left[arm] = False
    for place in range(n):
        state.arms[place] = arms[place]
        state.is_left[arms[place]] = True
    now[ROUND], now[N_LEFT], now[N_ARMS] = 1, n, n
    now[NEXT] = now[N_KEPT] = now[N_BLOCK] = 0


@kernel
def _begin_block(state, delta, rng):
    """The next block of more than k arms; smaller ones are kept as they are."""
    arms, now = state.arms, state.now
    while now[N_BLOCK] <= now[K]:
        for place in range(now[N_BLOCK]):
            _keep(arms, now, state.block[place])
        if now[NEXT] == now[N_ARMS]:
            now[N_ARMS], now[NEXT], now[N_KEPT] = now[N_KEPT], 0, 0
            now[ROUND] += 1
        if now[NEXT] == 0:
            shuffle(arms, now[N_ARMS], rng)
        now[N_BLOCK] = min(2 * now[K], now[N_ARMS] - now[NEXT])
        for place in range(now[N_BLOCK]):
            state.block[place] = arms[now[NEXT] + place]
        now[NEXT] += now[N_BLOCK]
    now[WANTED], now[PIVOT] = now[K], NO_ARM
    round_delta = 6.0 * delta / (math.pi * math.pi * now[ROUND] * now[ROUND])
    state.delta[0] = round_delta / now[K]


@kernel
def _choose_pivot(group, now, rng):
    now[PIVOT] = pick(now[N_BLOCK], rng)
    group[now[PIVOT]] = EVEN
    now[TURN] = now[PIVOT] == 0


@kernel
def _divide(state):
    """Everybody has met the pivot: keep, dismiss, and go on with those about whom the block is undecided."""
    block, group, now = state.block, state.group, state.now
    n, places = now[N_BLOCK], now[WANTED] - _count(group, now[N_BLOCK], BETTER)
    n_even = _count(group, n, EVEN)
    again = BETTER if places < 0 else (WORSE if places > n_even else NO_GROUP)
    now[N_BLOCK] = 0
    for place in range(n):
        arm = block[place]
        if group[place] == again:
            block[now[N_BLOCK]] = arm
            now[N_BLOCK] += 1
        elif group[place] == BETTER or (group[place] == EVEN and places > 0):
            places -= group[place] == EVEN
            _keep(state.arms, now, arm)
            now[WANTED] -= 1
        else:
            state.is_left[arm] = False
            now[N_LEFT] -= 1
    now[PIVOT] = NO_ARM
    state.delta[0] *= (n - 1) / n


@kernel
def _count(group, n, verdict):
    count = 0
    for place in range(n):
        count += group[place] == verdict
    return count


@kernel
def _keep(arms, now, arm):
    """Who is kept gathers at the front, where the arms had their block already."""
    arms[now[N_KEPT]] = arm
    now[N_KEPT] += 1


POLICY = Policy(
    "tournament_k",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    answers,
    finished,
    about="The best k arms of every small block go on, until k are left.",
    source="Ren, Liu, Shroff 2020 (ICML), Tournament-k-Selection",
    assumes="strong stochastic transitivity and a stochastic triangle inequality",
    settings={"k": Setting("how many arms to find", at_least=1), **SETTINGS},
)
