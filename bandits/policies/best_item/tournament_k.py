"""Tournament-k-Selection: select the best k arms of every small block in each round, until k are left.

Ren, Liu and Shroff, "The Sample Complexity of Best-k Items Selection from Pairwise Comparisons", ICML 2020.
Assumes strong stochastic transitivity and a stochastic triangle inequality.

A block has at most 2k arms, and its best k are found by Epsilon-Quick-Select: each other arm has one match
with a random pivot, and the search continues among the arms above or below it. Matches become more exact from
round to round. If only some of the arms that are even with the pivot are to be selected, these are the first
of them; the arms of a round are in random order.

    the paper                                                         here (bandits/parts/matches/tournament)
    R, and t = 1                                                      init (new_tournament)
    epsilon_t = (epsilon / 4) (4 / 5)^t                               begin_next_match
    delta_t = 6 delta / (pi t)^2, random blocks of R                  _begin_block
    Epsilon-Quick-Select(S, k, epsilon_t, delta_t / k)
        random pivot v                                                _choose_pivot
        Distribute-Item(i, v, epsilon_t / 2, 0, 0, delta / (n(n-1)))  begin_next_match, record_tournament_duel
        Up, Mid and Down; search Up or Down with (n - 1) delta / n    _divide_block
    |R| = k                                                           finished (has_selected)

The factor epsilon of epsilon_t is missing in print. SEEBS (bandits/policies/best_item/seebs.py) consists of
several tournaments. Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/tournament_k.py.
"""

from __future__ import annotations

from typing import NamedTuple

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import Delta, NumberToFind
from rankduel.bandits.parts.matches.match import Epsilon, arms_of, is_decided
from rankduel.bandits.parts.matches.tournament import (
    begin_next_match,
    has_selected,
    most_successful,
    new_tournament,
    record_tournament_duel,
)
from rankduel.bandits.parts.picks import NO_ARM
from rankduel.bandits.parts.survivors import skip_all
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    k: NumberToFind = 1
    epsilon: Epsilon = 0.05
    delta: Delta = 0.1


def init(n_arms, params, rng):
    return new_tournament(n_arms, params.k)


@kernel
def select(state, params, rng):
    if finished(state, params):
        arm = recommend(state, params)
        return arm, arm
    if is_decided(state.match):
        begin_next_match(state, params.k, params.epsilon, params.delta, rng)
    return arms_of(state.match)


@kernel
def update(state, params, first, second, first_won):
    if not finished(state, params):
        record_tournament_duel(state, first, second, first_won)


@kernel
def idle(state, params, limit, self_duels, rng):
    return skip_all(recommend(state, params), limit, self_duels) if finished(state, params) else 0


@kernel
def recommend(state, params):
    return most_successful(state)


@kernel
def answers(state, params, chosen):
    """Mark the k remaining arms that have won most duels."""
    for _ in range(min(params.k, state.now[0].n_remaining)):
        best = NO_ARM
        for arm in range(len(chosen)):
            eligible = state.remains[arm] and not chosen[arm]
            if eligible and (best == NO_ARM or state.n_won[arm] > state.n_won[best]):
                best = arm
        chosen[best] = True


@kernel
def survivors(state, params):
    return state.now[0].n_remaining


@kernel
def finished(state, params):
    return has_selected(state, params.k)


POLICY = policy_of(
    __name__,
    source="Ren, Liu, Shroff 2020 (ICML), Tournament-k-Selection",
    assumes="strong stochastic transitivity and a stochastic triangle inequality",
)
