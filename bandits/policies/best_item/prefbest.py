"""prefBest: prune items by their wins against n random opponents, then compare all pairs of the last m.

Clarke, Vtyurina and Smucker, "Assessing Top-k Preferences", ACM TOIS 2021, as in Yan, "Dueling Bandits for
Preference Judgments", thesis, University of Waterloo 2022, Figure 3.2. Assumes no model of the preferences:
the best items are those with the largest Borda scores.

The share of comparisons that an item wins against random opponents estimates its Borda score. Items below 1/2
are pruned until at most m are left. Then all pairs are compared, and the answer is the k items with most
wins. A pair is judged at most once in a phase, so that few different assessors are needed.

    Figure 3.2                                 here
    prefBest: prune while K > m, finalize      plan
    randomPairings                             _random_pairings
    completePairings                           _complete_pairings
    estimateBorda                              _estimate_borda
    prune: keep the items with b_i >= 0.5      learn
    finalize: keep the items with largest b_j  learn, _least_of_best

The k best items are chosen as in the public code of Clarke et al. (github.com/claclark/preferences): items
with as many wins as the k-th are included, and items without a win are left out. The score of an item is its
number of wins in the final phase, repetitions included; an item that pruning leaves alone has score 1. Before
the end, the answer is the k best items by the current estimates.

The random graph is drawn edge by edge: a random item with the fewest opponents is paired with a random new
opponent that has the fewest. This takes less time than the authors' code, which shuffles the items, sorts
them by number of opponents and takes the first new pair, and has the same distribution. A phase is one
agenda. Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/prefbest.py.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, add, clear, empty_agenda, play_one_arm, times_compared
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.arm_pool import count_wins, keep_at_least
from rankduel.bandits.parts.common_settings import MOST_COMPARISONS
from rankduel.bandits.parts.matches.standings import first_with_most
from rankduel.bandits.parts.picks import NO_ARM, pick
from rankduel.base.compiling import kernel, record
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Setting

_MAX_PRUNING_PHASES = 50  # limit, because with an even number of opponents a phase may prune no item


class Params(NamedTuple):
    k: Annotated[int, Setting("number of best items to find; more if the last are tied", at_least=1)] = 1
    n: Annotated[int, Setting("number of random opponents of an item in a pruning phase", at_least=1)] = 7
    m: Annotated[int, Setting("number of items at or below which all pairs are compared", at_least=1)] = 9
    extra: Annotated[
        int,
        Setting(
            "number of times that the final comparisons are repeated", at_least=0, at_most=MOST_COMPARISONS
        ),
    ] = 0


class Now(NamedTuple):
    n_pool: int = 0  # K: items left
    n_phases: int = 0  # complete phases
    finalizing: bool = False  # the current phase is the final one
    pool_is_final: bool = False  # the items left are the answer


class Room(NamedTuple):
    paired: np.ndarray  # (arms, arms) bool, edges of the random graph; between calls only i with itself
    no_items: np.ndarray  # (arms,) bool, all False
    n_wins: np.ndarray  # (arms,) int64, W
    n_pairings: np.ndarray  # (arms,) int64, C
    score: np.ndarray  # (arms,) float64, B


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    pool: np.ndarray  # (arms,) int64: the items left are first, in ascending order
    final_score: np.ndarray  # (arms,) float64, wins in the complete final phase; NaN for pruned items
    room: Room


def init(n_arms, params, rng):
    if not params.k < params.n < params.m:
        raise PolicyError(
            f"prefbest: k is {params.k}, n is {params.n} and m is {params.m}; expected k < n < m. Give a "
            "smaller k, or larger n and m"
        )
    return State(
        now=record(Now(n_pool=n_arms)),
        agenda=empty_agenda(n_arms * (n_arms - 1) // 2),
        pool=np.arange(n_arms),
        final_score=np.full(n_arms, np.nan),
        room=Room(
            paired=np.eye(n_arms, dtype=np.bool_),
            no_items=np.zeros(n_arms, np.bool_),
            n_wins=np.zeros(n_arms, np.int64),
            n_pairings=np.zeros(n_arms, np.int64),
            score=np.zeros(n_arms),
        ),
    )


@kernel
def plan(state, params, rng):
    """Draw the pairs of the next phase, in random order: a budget may end within the phase."""
    now = state.now[0]
    if now.pool_is_final:
        play_one_arm(state.agenda, recommend(state, params))
        return
    now.finalizing = now.n_pool <= params.m or now.n_phases == _MAX_PRUNING_PHASES
    if now.finalizing:
        clear(state.agenda, 1 + params.extra)
        _complete_pairings(state, rng)
    else:
        clear(state.agenda, 1)
        _random_pairings(state, params, rng)


@kernel
def learn(state, params):
    now, score = state.now[0], state.room.score
    pool = state.pool[: now.n_pool]
    _estimate_borda(state)
    least = 0.5
    if now.finalizing:
        _write_scores(state, state.final_score)
        least = _least_of_best(score, pool, params.k)
    now.n_pool = keep_at_least(pool, score, least)
    now.n_phases += 1
    now.pool_is_final = now.finalizing or now.n_pool == 1
    if now.n_pool == 1 and not now.finalizing:
        state.final_score[pool[0]] = 1.0


@kernel
def recommend(state, params):
    _estimate_borda(state)
    return first_with_most(state.room.score, state.pool[: state.now[0].n_pool])


@kernel
def answers(state, params, chosen):
    _estimate_borda(state)
    score, pool = state.room.score, state.pool[: state.now[0].n_pool]
    least = _least_of_best(score, pool, params.k)
    for item in pool:
        chosen[item] = score[item] >= least


@kernel
def scores(state, params, out):
    """Write the wins of the items in the final phase, so far; earlier no item has a score."""
    now = state.now[0]
    for item in range(len(out)):
        out[item] = state.final_score[item]
    if now.finalizing and not now.pool_is_final:
        _estimate_borda(state)
        _write_scores(state, out)


@kernel
def survivors(state, params):
    return state.now[0].n_pool


@kernel
def finished(state, params):
    return state.now[0].pool_is_final


@kernel
def _complete_pairings(state, rng):
    """Add all pairs of the pool."""
    pool = state.pool[: state.now[0].n_pool]
    for place in range(len(pool)):
        for other in range(place):
            _add_at_random(state.agenda, pool[other], pool[place], rng)


@kernel
def _random_pairings(state, params, rng):
    """Add random pairs until every item has at least n opponents; few items get more, hardly any n + 2."""
    pool, paired, degree = state.pool[: state.now[0].n_pool], state.room.paired, state.room.n_pairings
    for item in pool:
        degree[item] = 0
    while True:
        first = _pick_least_degree(pool, degree, state.room.no_items, rng)
        if degree[first] >= params.n:
            break
        second = _pick_least_degree(pool, degree, paired[first], rng)
        _add_at_random(state.agenda, first, second, rng)
        paired[first, second] = paired[second, first] = True
        degree[first] += 1
        degree[second] += 1
    _unmark_pairs(state.agenda, paired)


@kernel
def _unmark_pairs(agenda, paired):
    for index in range(agenda.now[0].n_pairs):
        first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
        paired[first, second] = paired[second, first] = False


@kernel
def _pick_least_degree(pool, degree, excluded, rng):
    """Return a uniform item of the pool among those not excluded with the smallest degree."""
    least, n_tied = 1 << 60, 0
    for item in pool:
        if not excluded[item] and degree[item] <= least:
            n_tied = n_tied + 1 if degree[item] == least else 1
            least = degree[item]
    left = pick(n_tied, rng)
    for item in pool:
        if not excluded[item] and degree[item] == least:
            if left == 0:
                return item
            left -= 1
    return NO_ARM


@kernel
def _add_at_random(agenda, first, second, rng):
    """Add a pair at a random place of the agenda; the pair at that place moves to the end."""
    place = pick(agenda.now[0].n_pairs + 1, rng)
    add(agenda, first, second)
    last = agenda.now[0].n_pairs - 1
    for side in range(2):
        agenda.pairs[last, side] = agenda.pairs[place, side]
    agenda.pairs[place, 0], agenda.pairs[place, 1] = first, second


@kernel
def _estimate_borda(state):
    """Score the items left by their shares of wins; by their wins in the final phase, and once it is over."""
    now, room = state.now[0], state.room
    count_wins(state.agenda, room.n_wins)
    _count_pairings(state.agenda, room.n_pairings)
    for item in state.pool[: now.n_pool]:
        if now.pool_is_final:
            room.score[item] = state.final_score[item]
        elif now.finalizing:
            room.score[item] = room.n_wins[item]
        else:
            n = room.n_pairings[item]
            room.score[item] = room.n_wins[item] / n if n > 0 else 0.5


@kernel
def _least_of_best(score, pool, k):
    """Return the k-th largest score of the pool; of fewer than k positive scores, the smallest."""
    least = score[first_with_most(score, pool)]
    while _count_at_least(score, pool, least) < k:
        below = 0.0
        for item in pool:
            if below < score[item] < least:
                below = score[item]
        if below == 0.0:
            break
        least = below
    return least


@kernel
def _count_at_least(score, pool, least):
    n = 0
    for item in pool:
        n += int(score[item] >= least)
    return n


@kernel
def _write_scores(state, out):
    for item in state.pool[: state.now[0].n_pool]:
        out[item] = state.room.score[item]


@kernel
def _count_pairings(agenda, n_pairings):
    """Set n_pairings[item] to the number of comparisons of each item in the current agenda, so far."""
    for item in range(len(n_pairings)):
        n_pairings[item] = 0
    for index in range(agenda.now[0].n_pairs):
        times = times_compared(agenda, index)
        for side in range(2):
            n_pairings[agenda.pairs[index, side]] += times


POLICY = policy_of(
    __name__,
    source="Clarke, Vtyurina, Smucker 2021 (ACM TOIS); Yan 2022 (thesis), Figure 3.2",
    assumes="best items by Borda score, the chance to beat a random opponent",
    variants={"paper": {}, "yan": {"extra": 1}},
)
