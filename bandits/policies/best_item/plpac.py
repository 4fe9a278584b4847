"""PLPAC: rank the arms around a random pivot, and count every preference that the ranking implies.

Szorenyi, Busa-Fekete, Paul and Huellermeier, "Online Rank Elicitation for Plackett-Luce: A Dueling Bandits
Approach", NeurIPS 2015, Algorithm 2 with a budget of one comparison per arm. Assumes Plackett-Luce
preferences.

In one pass of quicksort every active arm duels the pivot once. Arms that beat it are counted as winners over
the arms that lost to it, too: under the Plackett-Luce model this has the distribution of a duel, in general
it does not. An arm is eliminated once another arm is confidently better; the answer is every arm that is
confidently at most epsilon worse than each other active arm.

    Algorithm 2                                                  here
    A, all arms                                                  init
    budgeted quicksort of A with |A| - 1 comparisons             plan
    rank breaking: wins and number of rankings per pair          _break_ranking
    radius c = sqrt(ln(4 K^2 n^2 / delta) / (2 n))               _lower_bound_exceeds
    remove i from A if p_ij + c < 1/2 for a j in A               _eliminate_beaten_arms
    C: every i with p_ij - c > 1/2 - epsilon for all j in A      _is_near_best
    until C is not empty; return C                               finished, answers

All comparisons of a pass are one agenda. Given the same random numbers, the pairs equal those of the literal
twin, tests/naive/policies/plpac.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, add, clear, empty_agenda, play_one_arm
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import Delta
from rankduel.bandits.parts.matches.match import Epsilon
from rankduel.bandits.parts.picks import pick
from rankduel.bandits.parts.survivors import remove_at
from rankduel.base.compiling import kernel, record

LOST, PIVOT, WON = range(3)  # groups of a ranking, the best last


class Params(NamedTuple):
    epsilon: Epsilon = 0.05
    delta: Delta = 0.1


class Now(NamedTuple):
    n_active: int = 0  # |A|
    n_answers: int = 0  # |C|; 0 before the end
    log_term: float = 0.0  # ln(4 K^2 / delta)


class Room(NamedTuple):
    group: np.ndarray  # (arms,) int64: LOST, PIVOT or WON in the last ranking


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    wins: np.ndarray  # (arms, arms) int64: rankings in which i was in a better group than j
    active: np.ndarray  # (arms,) int64, A: its first `n_active` entries, ascending
    room: Room


def init(n_arms, params, rng):
    return State(
        now=record(Now(n_active=n_arms, log_term=math.log(4 * n_arms**2 / params.delta))),
        agenda=empty_agenda(n_arms),
        wins=np.zeros((n_arms, n_arms), np.int64),
        active=np.arange(n_arms),
        room=Room(group=np.zeros(n_arms, np.int64)),
    )


@kernel
def plan(state, params, rng):
    """Compare a random pivot with every other active arm."""
    if finished(state, params):
        play_one_arm(state.agenda, recommend(state, params))
        return
    n_active = state.now[0].n_active
    pivot = state.active[pick(n_active, rng)]
    clear(state.agenda, 1)
    for arm in state.active[:n_active]:
        if arm != pivot:
            add(state.agenda, arm, pivot)


@kernel
def learn(state, params):
    _break_ranking(state)
    _eliminate_beaten_arms(state)
    now = state.now[0]
    for arm in state.active[: now.n_active]:
        now.n_answers += _is_near_best(state, params, arm)


@kernel
def recommend(state, params):
    """Return the active arm with the largest smallest lower bound; it is in C unless C is empty."""
    best, best_bound = state.active[0], _smallest_lower_bound(state, state.active[0])
    for arm in state.active[1 : state.now[0].n_active]:
        bound = _smallest_lower_bound(state, arm)
        if bound > best_bound:
            best, best_bound = arm, bound
    return best


@kernel
def answers(state, params, chosen):
    """Mark the arms of C; before the end, all arms with the largest smallest lower bound."""
    largest = _smallest_lower_bound(state, recommend(state, params))
    for arm in state.active[: state.now[0].n_active]:
        if finished(state, params):
            chosen[arm] = _is_near_best(state, params, arm)
        else:
            chosen[arm] = _smallest_lower_bound(state, arm) == largest


@kernel
def survivors(state, params):
    return state.now[0].n_answers if finished(state, params) else state.now[0].n_active


@kernel
def finished(state, params):
    return state.now[0].n_answers > 0


@kernel
def _break_ranking(state):
    """Count a win for every pair of arms in different groups of the ranking."""
    agenda, wins, group = state.agenda, state.wins, state.room.group
    active = state.active[: state.now[0].n_active]
    group[agenda.pairs[0, 1]] = PIVOT
    for index in range(agenda.now[0].n_pairs):
        group[agenda.pairs[index, 0]] = WON if agenda.wins[index] == 1 else LOST
    for arm in active:
        for other in active:
            wins[arm, other] += int(group[arm] > group[other])


@kernel
def _eliminate_beaten_arms(state):
    """Eliminate one arm after the other, so that arms in a cycle do not all eliminate each other."""
    now, place = state.now[0], 0
    while place < now.n_active:
        if _is_beaten(state, state.active[place]):
            now.n_active = remove_at(state.active, now.n_active, place)
        else:
            place += 1


@kernel
def _is_beaten(state, arm):
    for other in state.active[: state.now[0].n_active]:
        if other != arm and _lower_bound_exceeds(state, other, arm, 0.5):
            return True
    return False


@kernel
def _is_near_best(state, params, arm):
    """Return whether `arm` is confidently at most epsilon worse than each other active arm."""
    level = 0.5 - params.epsilon
    for other in state.active[: state.now[0].n_active]:
        if other != arm and not _lower_bound_exceeds(state, arm, other, level):
            return False
    return True


@kernel
def _lower_bound_exceeds(state, arm, other, level):
    """Return whether the lower bound on the probability that `arm` is ranked higher exceeds `level`."""
    wins, log_term = state.wins, state.now[0].log_term
    n = wins[arm, other] + wins[other, arm]
    lead = wins[arm, other] - level * n
    if lead <= 0.0 or 2.0 * lead * lead <= n * log_term:  # without computing a logarithm
        return False
    return 2.0 * lead * lead > n * (log_term + 2.0 * math.log(n))


@kernel
def _smallest_lower_bound(state, arm):
    """Return the smallest of the lower bounds w / n - c of `arm` against the other active arms."""
    smallest, wins, log_term = math.inf, state.wins, state.now[0].log_term
    for other in state.active[: state.now[0].n_active]:
        n = wins[arm, other] + wins[other, arm]
        if other == arm:
            continue
        if n == 0:
            return -math.inf
        radius = math.sqrt((log_term + 2.0 * math.log(n)) / (2.0 * n))
        smallest = min(smallest, wins[arm, other] / n - radius)
    return smallest


POLICY = policy_of(
    __name__,
    source="Szorenyi, Busa-Fekete, Paul, Huellermeier 2015 (NeurIPS), Algorithm 2",
    assumes="Plackett-Luce preferences",
    variants={"published": {}},
)
