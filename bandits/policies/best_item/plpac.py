"""PLPAC: arms are ranked around a random pivot, and all that the ranking implies is counted.

Szorenyi, Busa-Fekete, Paul and Huellermeier, "Online Rank Elicitation for Plackett-Luce: A Dueling Bandits
Approach", NeurIPS 2015, Algorithm 2 with a budget of one comparison per arm.

One pass of quicksort: every arm meets the pivot once, and those who beat it count as winners over those who
lost to it too, though they never met. Under the Plackett-Luce model that is as good as a duel; in general
it is not. An arm leaves once it is confidently worse than another; the answer is every arm that confidently
is at most epsilon worse than each of the others. All comparisons of a pass are one agenda.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.agenda import N_PAIRS, Agenda, add, clear, empty_agenda, rest, stepwise
from bandits.contract import Policy
from bandits.parts.matches.match import SETTINGS
from bandits.parts.picks import pick
from bandits.parts.survivors import remove_at
from rankduel.base.compiling import kernel

LOST, PIVOT, WON = range(3)  # groups, the best last
SPREAD, EPSILON = range(2)  # entries of State.bound
N_LEFT, N_ANSWERS = range(2)  # entries of State.now


class State(NamedTuple):
    agenda: Agenda
    wins: np.ndarray  # (arms, arms) int64: rankings in which i was in a better group than j
    group: np.ndarray  # (arms,) int64
    left: np.ndarray  # (arms,) int64: arms not yet out, ascending; the first of them count
    bound: np.ndarray  # (2,) float64: ln(4 K^2 / delta); epsilon
    now: np.ndarray  # (2,) int64: arms left; those in the answer, 0 before the end


class Params(NamedTuple):
    epsilon: float = 0.05
    delta: float = 0.1


def init(n_arms, params, rng):
    return State(
        agenda=empty_agenda(n_arms),
        wins=np.zeros((n_arms, n_arms), np.int64),
        group=np.zeros(n_arms, np.int64),
        left=np.arange(n_arms),
        bound=np.array([math.log(4 * n_arms**2 / params.delta), params.epsilon]),
        now=np.array([n_arms, 0]),
    )


@kernel
def plan(state, params, rng):
    if finished(state):
        rest(state.agenda, recommend(state))
        return
    pivot = state.left[pick(state.now[N_LEFT], rng)]
    state.group[pivot] = PIVOT
    clear(state.agenda, 1)
    for place in range(state.now[N_LEFT]):
        if state.left[place] != pivot:
            add(state.agenda, state.left[place], pivot)


@kernel
def learn(state):
    agenda, now = state.agenda, state.now
    for index in range(agenda.now[N_PAIRS]):
        state.group[agenda.pairs[index, 0]] = WON if agenda.wins[index] == 1 else LOST
    _break_ranks(state.wins, state.group, state.left, now[N_LEFT])
    _drop_beaten(state.wins, state.left, state.bound, now)
    for place in range(now[N_LEFT]):
        now[N_ANSWERS] += _is_near_best(state, state.left[place])


@kernel
def recommend(state):
    """The arm left whose smallest lower bound against another is largest; that is in the answer if any is."""
    best, best_bound = state.left[0], _weakest_bound(state, state.left[0])
    for place in range(1, state.now[N_LEFT]):
        bound = _weakest_bound(state, state.left[place])
        if bound > best_bound:
            best, best_bound = state.left[place], bound
    return best


@kernel
def answers(state, chosen):
    """Before the end, all arms that might as well be recommended."""
    largest = _weakest_bound(state, recommend(state))
    for place in range(state.now[N_LEFT]):
        arm = state.left[place]
        if finished(state):
            chosen[arm] = _is_near_best(state, arm)
        else:
            chosen[arm] = _weakest_bound(state, arm) == largest


@kernel
def survivors(state):
    return state.now[N_ANSWERS] if finished(state) else state.now[N_LEFT]


@kernel
def finished(state):
    return state.now[N_ANSWERS] > 0


@kernel
def _break_ranks(wins, group, left, n_left):
    """Count all pairs of arms in different groups."""
    for row in range(n_left):
        for column in range(n_left):
            one, other = left[row], left[column]
            wins[one, other] += int(group[one] > group[other])


@kernel
def _drop_beaten(wins, left, bound, now):
    """One after the other, so that arms in a circle do not all drop each other."""
    place = 0
    while place < now[N_LEFT]:
        if _is_beaten(wins, left, now[N_LEFT], bound, left[place]):
            now[N_LEFT] = remove_at(left, now[N_LEFT], place)
        else:
            place += 1


@kernel
def _is_beaten(wins, left, n_left, bound, arm):
    for place in range(n_left):
        if left[place] != arm and _is_surely_above(wins, bound, left[place], arm, 0.5):
            return True
    return False


@kernel
def _is_near_best(state, arm):
    level = 0.5 - state.bound[EPSILON]
    for place in range(state.now[N_LEFT]):
        other = state.left[place]
        if other != arm and not _is_surely_above(state.wins, state.bound, arm, other, level):
            return False
    return True


@kernel
def _is_surely_above(wins, bound, one, other, level):
    """Is the lower bound on the chance that `one` is ranked higher above this level?"""
    n = wins[one, other] + wins[other, one]
    lead = wins[one, other] - level * n
    if lead <= 0.0 or 2.0 * lead * lead <= n * bound[SPREAD]:  # then no logarithm is needed
        return False
    return 2.0 * lead * lead > n * (bound[SPREAD] + 2.0 * math.log(n))


@kernel
def _weakest_bound(state, arm):
    """The smallest of its lower bounds w / n - sqrt(ln(4 K^2 n^2 / delta) / (2 n)) against those left."""
    weakest = math.inf
    for place in range(state.now[N_LEFT]):
        other = state.left[place]
        n = state.wins[arm, other] + state.wins[other, arm]
        if other == arm:
            continue
        if n == 0:
            return -math.inf
        radius = math.sqrt((state.bound[SPREAD] + 2.0 * math.log(n)) / (2.0 * n))
        weakest = min(weakest, state.wins[arm, other] / n - radius)
    return weakest


SELECT, UPDATE = stepwise(plan, learn)
POLICY = Policy(
    "plpac",
    Params,
    init,
    SELECT,
    UPDATE,
    recommend,
    survivors,
    answers=answers,
    finished=finished,
    plan=plan,
    learn=learn,
    about="Arms are ranked around a random pivot, and all that the ranking implies is counted.",
    source="Szorenyi, Busa-Fekete, Paul, Huellermeier 2015 (NeurIPS), Algorithm 2",
    assumes="Plackett-Luce preferences",
    settings=SETTINGS,
    variants={"published": {}},
)
