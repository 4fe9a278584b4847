"""Round-Efficient dueling: pair all arms at random in every round; eliminate arms far below the leader.

Lin and Lu, "Efficient Mechanisms for Peer Grading and Dueling Bandits", ACML 2018. Assumes that every arm has
a latent strength, and that the probability of a win is linear in the difference of two strengths.

In every round the remaining arms are paired at random; if their number is odd, one of them has no opponent. A
win scores gamma_t, such that the mean score of an arm does not depend on the number of arms left. An arm is
eliminated if the sum of its scores is below the largest sum by more than t times the confidence radius C_t.

    round t                                           here
    random pairs                                      plan (a round is one agenda)
    scores X_t(a) = gamma_t [a won], and their sums   _add_scores
    C_t = sqrt(18 / t ln(2 K t^2 / delta))            _margin (t C_t)
    eliminate arms with a sum below max - t C_t       learn

Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/round_efficient.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, add, clear, empty_agenda, is_over, play_one_arm
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.arm_pool import count_wins, keep_at_least
from rankduel.bandits.parts.common_settings import Delta
from rankduel.bandits.parts.matches.standings import first_with_most, mark_all_with_most
from rankduel.bandits.parts.picks import shuffle
from rankduel.base.compiling import kernel, record


class Params(NamedTuple):
    delta: Delta = 0.2


class Now(NamedTuple):
    n_pool: int = 0  # n_t: arms left
    n_rounds: int = 0  # t: complete rounds


class Room(NamedTuple):
    shuffled: np.ndarray  # (arms,) int64, the arms left in random order
    n_wins: np.ndarray  # (arms,) int64, in the current round
    total: np.ndarray  # (arms,) float64, `total` of the state with the scores of the current round


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    pool: np.ndarray  # (arms,) int64: the arms left are first, in ascending order
    total: np.ndarray  # (arms,) float64, sum of the scores in complete rounds
    room: Room


def init(n_arms, params, rng):
    return State(
        now=record(Now(n_pool=n_arms)),
        agenda=empty_agenda(max(n_arms // 2, 1)),
        pool=np.arange(n_arms),
        total=np.zeros(n_arms),
        room=Room(shuffled=np.arange(n_arms), n_wins=np.zeros(n_arms, np.int64), total=np.zeros(n_arms)),
    )


@kernel
def plan(state, params, rng):
    if finished(state, params):
        play_one_arm(state.agenda, state.pool[0])
        return
    n, shuffled = state.now[0].n_pool, state.room.shuffled
    for place in range(n):
        shuffled[place] = state.pool[place]
    shuffle(shuffled, n, rng)
    clear(state.agenda, 1)
    for pair in range(n // 2):
        add(state.agenda, shuffled[2 * pair], shuffled[2 * pair + 1])


@kernel
def learn(state, params):
    now, total = state.now[0], state.total
    pool = state.pool[: now.n_pool]
    _add_scores(state, total)
    now.n_rounds += 1
    largest = total[first_with_most(total, pool)]
    now.n_pool = keep_at_least(pool, total, largest - _margin(state, params))


@kernel
def recommend(state, params):
    _sum_scores(state)
    return first_with_most(state.room.total, state.pool[: state.now[0].n_pool])


@kernel
def answers(state, params, chosen):
    _sum_scores(state)
    mark_all_with_most(state.room.total, state.pool[: state.now[0].n_pool], chosen)


@kernel
def survivors(state, params):
    return state.now[0].n_pool


@kernel
def finished(state, params):
    return state.now[0].n_pool == 1


@kernel
def _margin(state, params):
    """Return t C_t = sqrt(18 t ln(2 K t^2 / delta)), for all K arms, after t rounds."""
    t, n_arms = state.now[0].n_rounds, len(state.pool)
    return math.sqrt(18.0 * t * math.log(2.0 * n_arms / params.delta * t * t))


@kernel
def _sum_scores(state):
    """Write the sum of the scores to room.total, those of an incomplete round included."""
    for arm in range(len(state.total)):
        state.room.total[arm] = state.total[arm]
    if not is_over(state.agenda):
        _add_scores(state, state.room.total)


@kernel
def _add_scores(state, total):
    """Add gamma_t for each win in the current round, so far."""
    n, n_wins = state.now[0].n_pool, state.room.n_wins
    gamma = 2.0 if n % 2 == 1 else 2.0 * (n - 1) / n
    count_wins(state.agenda, n_wins)
    for arm in range(len(total)):
        total[arm] += gamma * n_wins[arm]


POLICY = policy_of(
    __name__,
    source="Lin, Lu 2018 (ACML)",
    assumes="a latent strength decides the chance to beat a random opponent",
    variants={"yan": {}},
)
