"""RCS: duel the winner of a sampled tournament against the arm with the largest upper bound on beating it.

Zoghi, Whiteson, de Rijke and Munos, "Relative Confidence Sampling for Efficient On-Line Ranker Evaluation",
WSDM 2014, Algorithm 1. Assumes a Condorcet winner: an arm that beats every other with probability above 1/2.

The champion is the arm that is undefeated in a tournament sampled from the posterior; if there is none, the
arm that was champion least often. The challenger is the arm with the largest upper confidence bound on
beating the champion, or the champion itself if all these bounds are below 1/2.

    Algorithm 1   in the thesis (2017)         here
    2             2        W = 0               init
    5-9           5-8      samples Theta       Undefeated (bandits/parts/thompson/champion_odds.py)
    10            9        champion c          _choose_champion
    12, 13        11, 12   upper bounds U      update (whether u_ij < 1/2: Beaten; columns: Challengers)
    14            13       challenger d        choose_challenger (bandits/parts/ucb_challenger.py)
    16            15       comparison, W       update

No tournament is sampled: the undefeated arm, if any, is one draw. `idle` and `recommend` are not in the
paper: `idle` draws the number of coming steps in which an arm that confidently beats all others is undefeated
and duels itself. The distribution of the pairs equals that of the literal twin, tests/naive/policies/rcs.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader
from rankduel.bandits.parts.bounds import Beaten, beats_all_until, none_beaten, record_beaten
from rankduel.bandits.parts.common_settings import Alpha, UnvisitedBound
from rankduel.bandits.parts.picks import NO_ARM, pick_largest
from rankduel.bandits.parts.thompson.champion_odds import (
    Undefeated,
    draw_waiting_time,
    even_undefeated,
    update_undefeated,
)
from rankduel.bandits.parts.thompson.pair_posterior import AboveHalf, even_above_half, update_above_half
from rankduel.bandits.parts.ucb_challenger import (
    Challengers,
    choose_challenger,
    new_challengers,
    record_rates,
)
from rankduel.base.compiling import kernel, record


class Params(NamedTuple):
    alpha: Alpha = 0.501
    unvisited_u: UnvisitedBound = 2.0


class Now(NamedTuple):
    clock: int = 0  # steps played
    defeated: int = NO_ARM  # an arm known to be defeated in the coming tournament, if any


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    wins: np.ndarray  # (arms, arms) int64, W
    above_half: AboveHalf
    undefeated: Undefeated
    beaten: Beaten
    challengers: Challengers
    minus_times_champion: np.ndarray  # (arms,) int64: minus the number of times that each arm was champion


def init(n_arms, params, rng):
    return State(
        now=record(Now()),
        wins=np.zeros((n_arms, n_arms), np.int64),
        above_half=even_above_half(n_arms),
        undefeated=even_undefeated(n_arms),
        beaten=none_beaten(n_arms),
        challengers=new_challengers(n_arms, params.unvisited_u),
        minus_times_champion=np.zeros(n_arms, np.int64),
    )


@kernel
def select(state, params, rng):
    t = state.now[0].clock + 1
    champion = _choose_champion(state, rng)
    return champion, choose_challenger(state.challengers, state.beaten, champion, params.alpha, t, rng)


@kernel
def update(state, params, first, second, first_won):
    state.now[0].clock += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    update_above_half(state.above_half, state.wins, winner, loser)
    state.wins[winner, loser] += 1
    update_undefeated(state.undefeated, state.above_half.neg_log, winner)
    update_undefeated(state.undefeated, state.above_half.neg_log, loser)
    record_beaten(state.beaten, state.wins, params.alpha, winner, loser)
    record_rates(state.challengers, state.wins, winner, loser)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip steps in which an arm that confidently beats all others is undefeated, and duels itself."""
    now, undefeated = state.now[0], state.undefeated
    likeliest = pick_largest(undefeated.probability, NO_ARM, rng)
    limit = min(limit, beats_all_until(state.beaten, likeliest) - now.clock - 1)
    p_end = undefeated.complement[likeliest]
    if limit <= 0 or p_end > 0.5:
        return 0
    n = draw_waiting_time(p_end, limit, rng)
    if n < limit:
        now.defeated = likeliest
    self_duels[likeliest] += n
    state.minus_times_champion[likeliest] -= n
    now.clock += n
    return n


@kernel
def recommend(state, params):
    return copeland_leader(state.wins)


@kernel
def _choose_champion(state, rng):
    """Return the undefeated arm of a tournament; if there is none, the arm that was champion least often."""
    now = state.now[0]
    champion = _draw_undefeated(state.undefeated, now.defeated, rng)
    now.defeated = NO_ARM
    if champion == NO_ARM:
        champion = pick_largest(state.minus_times_champion, NO_ARM, rng)
    state.minus_times_champion[champion] -= 1
    return champion


@kernel
def _draw_undefeated(undefeated, defeated, rng):
    """Return the undefeated arm of a tournament, or NO_ARM; conditional on its not being arm `defeated`."""
    left = rng.random() * (undefeated.complement[defeated] if defeated != NO_ARM else 1.0)
    for arm in range(len(undefeated.probability)):
        if arm != defeated:
            left -= undefeated.probability[arm]
            if left < 0.0:
                return arm
    return NO_ARM


POLICY = policy_of(
    __name__,
    source="Zoghi, Whiteson, de Rijke, Munos 2014 (WSDM), Algorithm 1",
    assumes="Condorcet winner",
    variants={"paper": {}},
    late_feedback=True,
)
