"""DTS: choose both arms by Thompson sampling, among the arms that confidence bounds do not exclude.

Wu and Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016, Algorithm 1, and D-TS+ of the same
paper. Assumes that no pair has p_ij = 1/2. A Condorcet winner is not required, but improves the regret bound
from O(K^2 log T) to O(K log T + K^2 log log T).

Candidates are the arms with the largest upper bound on their Copeland score. The first arm is the candidate
with most wins in a tournament sampled from the posterior; ties are broken at random, in D-TS+ by expected
regret. The second arm has the largest new sample against the first arm, whose own is 1/2; arms that
confidently beat the first arm are excluded.

    Algorithm 1                                                  here
    B = 0                                                        init (Posterior.wins)
    Phase 1: upper bounds U, Copeland scores, candidates C       _prune_by_upper_bounds
             samples theta(1), first arm a(1)                    _first_thompson_sampling
             D-TS+: ties by expected regret                      _least_regret
    Phase 2: arms with a lower bound against a(1) <= 1/2         _prune_by_lower_bounds
             samples theta(2), second arm a(2)                   _second_thompson_sampling
    Compare and update B                                         update

`idle` is not in the paper: it draws the number of coming steps in which an arm duels itself. Most samples are
only compared with 1/2, and are drawn as Bernoulli variables (bandits/parts/thompson). The distribution of the
pairs equals that of the literal twin, tests/naive/policies/dts.py.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader, mark_copeland_leaders
from rankduel.bandits.parts.bounds import NEVER, beaten_until
from rankduel.bandits.parts.common_settings import Alpha
from rankduel.bandits.parts.picks import pick
from rankduel.bandits.parts.relative_entropy import entropy_of_edge
from rankduel.bandits.parts.thompson.bernoulli_rows import (
    TournamentRoom,
    admit_all,
    seed_bits,
    tournament_room,
)
from rankduel.bandits.parts.thompson.champion_odds import draw_waiting_time
from rankduel.bandits.parts.thompson.double_sampling import (
    Posterior,
    largest_sample_against,
    record_win,
    sample_first_arm,
    sample_row,
    skip_self_duels,
    uniform_posterior,
)
from rankduel.bandits.parts.thompson.extreme_samples import sample_above_half
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

_LARGEST_SAMPLE = 1.0 - 1e-7
_SMALLEST_DIVERGENCE = 1e-30


class Beaters(NamedTuple):
    until: np.ndarray  # (arms, arms) int64: arm i is confidently beaten by arm j before step until[i, j]
    n_beaters: np.ndarray  # (arms,) int64: number of beaters, valid before step soonest[i]
    soonest: np.ndarray  # (arms,) int64: at most the soonest coming step in the row of `until`


class Params(NamedTuple):
    alpha: Alpha = 0.51
    plus: Annotated[bool, Setting("D-TS+: break ties of the first arm by expected regret")] = False
    w0: Annotated[
        int, Setting("wins that each side of a pair starts with, in the bounds only", at_least=0, at_most=1)
    ] = 0


class Now(NamedTuple):
    clock: int = 0  # steps played
    n_candidates: int = 0  # number of arms in C
    n_beaters: int = 0  # number of arms that confidently beat each candidate
    recount_at: int = 0  # first step at which C may have changed
    not_idle: bool = False  # the coming step is known not to be idle


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    posterior: Posterior
    beaters: Beaters
    arms: np.ndarray  # (arms,) int64: the candidates, then the other arms, both in ascending order
    room: TournamentRoom


def init(n_arms, params, rng):
    return State(
        now=record(Now()),
        posterior=uniform_posterior(n_arms),
        beaters=no_beaters(n_arms),
        arms=np.arange(n_arms),
        room=tournament_room(n_arms, keep_rows=params.plus),
    )


@kernel
def select(state, params, rng):
    now = state.now[0]
    t, not_idle = now.clock + 1, now.not_idle
    now.not_idle = False
    seed_bits(state.room.bits, rng)
    n_candidates = _prune_by_upper_bounds(state, t)
    first, not_idle = _first_thompson_sampling(state, params, n_candidates, not_idle, rng)
    neg_log_self = _prune_by_lower_bounds(state, first, t)
    return first, _second_thompson_sampling(state, first, neg_log_self, not_idle, rng)


@kernel
def update(state, params, first, second, first_won):
    state.now[0].clock += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    record_win(state.posterior, winner, loser)
    _record_bound(state, params, winner, loser)
    _record_bound(state, params, loser, winner)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip steps in which the only candidate, or the undefeated arm of a tournament, duels itself."""
    now = state.now[0]
    t = now.clock + 1
    n_candidates = _prune_by_upper_bounds(state, t)
    limit = min(limit, now.recount_at - t)
    if n_candidates == 1:
        first = state.arms[0]
        p_duel = -math.expm1(-_prune_by_lower_bounds(state, first, t))
        n = draw_waiting_time(p_duel, limit, rng) if p_duel < 0.5 else 0
        not_idle = p_duel < 0.5 and n < limit
        self_duels[first] += n
    elif now.n_beaters == 0:
        candidates = state.arms[:n_candidates]
        n, not_idle = skip_self_duels(state.posterior.undefeated, candidates, limit, self_duels, rng)
    else:
        return 0  # every candidate is confidently beaten, so an undefeated one is improbable
    now.clock += n
    now.not_idle = not_idle
    return n


@kernel
def recommend(state, params):
    return copeland_leader(state.posterior.wins)


@kernel
def answers(state, params, chosen):
    mark_copeland_leaders(state.posterior.wins, chosen)


@kernel
def _prune_by_upper_bounds(state, t):
    """Put the candidates of step `t` first in `arms`; return how many there are."""
    now = state.now[0]
    if t >= now.recount_at:
        now.n_candidates, now.n_beaters, now.recount_at = order_by_beaters(state.beaters, state.arms, t)
    return now.n_candidates


@kernel
def _first_thompson_sampling(state, params, n_candidates, not_idle, rng):
    """Return the first arm, and whether it is known to duel another arm."""
    posterior, room, arms = state.posterior, state.room, state.arms
    if n_candidates == 1:
        return arms[0], not_idle
    first, wins, not_idle = sample_first_arm(posterior, room, arms, n_candidates, not_idle, rng)
    if params.plus and wins < len(arms) - 1:
        first = _least_regret(state, n_candidates, first, wins, rng)
    return first, not_idle


@kernel
def _prune_by_lower_bounds(state, first, t):
    """Admit the arms that do not confidently beat `first` at step `t`.

    Return minus the logarithm of the probability that all their samples against `first` are below 1/2.
    """
    posterior, room = state.posterior, state.room
    admit_all(room)
    if state.now[0].n_beaters == 0:
        return posterior.undefeated.neg_log[first]
    neg_log_self = 0.0
    for arm in range(len(state.arms)):
        if t < state.beaters.until[first, arm]:
            room.admitted[arm] = 0
        elif arm != first:
            neg_log_self += posterior.above_half.neg_log[first, arm]
    return neg_log_self


@kernel
def _second_thompson_sampling(state, first, neg_log_self, not_idle, rng):
    """Return the admitted arm with the largest sample against `first`; `first` if none is above 1/2."""
    return largest_sample_against(state.posterior, state.room, first, neg_log_self, not_idle, rng)


@kernel
def _record_bound(state, params, arm, other):
    """Recompute the step before which `arm` is confidently beaten by `other`."""
    now, wins = state.now[0], state.posterior.wins
    until = beaten_until(wins[arm, other] + params.w0, wins[other, arm] + params.w0, params.alpha, 0.0)
    now.recount_at = min(now.recount_at, record_beater(state.beaters, arm, other, until, now.clock + 1))


@kernel
def _least_regret(state, n_candidates, first, most_wins, rng):
    """Return a candidate with `most_wins` and the least expected regret; `first` has `most_wins`."""
    posterior, room, candidates = state.posterior, state.room, state.arms[:n_candidates]
    n_tied = 0
    for arm in candidates:
        n_tied += room.score[arm] == most_wins
    if n_tied == 1:
        return first
    for arm in state.arms:  # the regret depends on the scores of all arms
        if room.admitted[arm] == 1:
            sample_row(posterior, room, arm, 0.0, rng)
    best, least, n_tied = first, math.inf, 0
    for arm in candidates:
        if room.score[arm] == most_wins:
            regret = _expected_regret(posterior, room, arm, most_wins, rng)
            n_tied = n_tied + 1 if regret == least else int(regret < least)
            if n_tied > 0 and pick(n_tied, rng) == 0:
                best, least = arm, regret
    return best


@kernel
def _expected_regret(posterior, room, arm, most_wins, rng):
    """Return the sum of (most_wins - score of j) / d(theta_ij, 1/2) over all arms j other than i = `arm`.

    The tournament holds whether theta_ij is above 1/2, in the row of the arm that was sampled first; its
    value is drawn given that. The Kullback-Leibler divergence d is symmetric about 1/2.
    """
    regret, won, turn = 0.0, room.won, room.turn
    for other in range(len(turn)):
        deficit = most_wins - room.score[other]
        if other != arm and deficit != 0:
            arm_won = won[arm, other] == 1 if turn[arm] > turn[other] else won[other, arm] == 0
            winner, loser = (arm, other) if arm_won else (other, arm)
            wins = float(posterior.wins[winner, loser])
            losses = float(posterior.wins[loser, winner])
            theta = sample_above_half(wins, losses, posterior.above_half.probability[winner, loser], rng)
            edge = 2.0 * min(theta, _LARGEST_SAMPLE) - 1.0
            regret += deficit / max(entropy_of_edge(edge), _SMALLEST_DIVERGENCE)
    return regret


# ---- The arms with the fewest beaters ----
#
# The arms that are confidently beaten by the fewest others, without a search of all pairs in every step.
#
# Between duels a pair can only cease to be beaten, at a step known in advance (bandits/parts/bounds.py). So
# the number of arms that confidently beat an arm, its beaters, changes by its duels or at the soonest of
# these steps. Only then is it counted again.


def no_beaters(n_arms: int) -> Beaters:
    """Return the state without duels, in which no arm has a beater."""
    return Beaters(
        np.zeros((n_arms, n_arms), np.int64), np.zeros(n_arms, np.int64), np.full(n_arms, NEVER, np.int64)
    )


@kernel
def record_beater(beaters, arm, other, step, t):
    """Record that `arm` is confidently beaten by `other` before `step`, where `t` is the coming step.

    Return the first step from `t` on at which this changes the number of beaters.
    """
    before = beaters.until[arm, other]
    beaters.until[arm, other] = step
    if step > t:
        beaters.soonest[arm] = min(beaters.soonest[arm], step)
    beaters.n_beaters[arm] += int(step > t) - int(before > t)
    if (step > t) != (before > t):
        return t
    return step if step > t else NEVER


@kernel
def order_by_beaters(beaters, arms, t):
    """Put the arms with the fewest beaters at step `t` first in `arms`, then the others, both ascending.

    Return how many arms have the fewest, the number of beaters of each, and a step before which no number of
    beaters changes without a duel.
    """
    fewest, soonest = len(arms), NEVER
    for arm in range(len(arms)):
        if beaters.soonest[arm] <= t:
            _recount(beaters, arm, t)
        fewest = min(fewest, beaters.n_beaters[arm])
        soonest = min(soonest, beaters.soonest[arm])
    place = 0
    for arm in range(len(arms)):
        if beaters.n_beaters[arm] == fewest:
            arms[place] = arm
            place += 1
    n_fewest = place
    for arm in range(len(arms)):
        if beaters.n_beaters[arm] != fewest:
            arms[place] = arm
            place += 1
    return n_fewest, fewest, soonest


@kernel
def _recount(beaters, arm, t):
    """Count the beaters of `arm` at step `t`."""
    n, soonest = 0, NEVER
    for other in range(len(beaters.n_beaters)):
        step = beaters.until[arm, other]
        if step > t:
            n += 1
            soonest = min(soonest, step)
    beaters.n_beaters[arm], beaters.soonest[arm] = n, soonest


POLICY = policy_of(
    __name__,
    source="Wu, Liu 2016 (NIPS), Algorithm 1",
    assumes="Condorcet winner (or Copeland winners)",
    variants={"paper": {}, "published": {"alpha": 0.2097152}},
    late_feedback=True,
)
