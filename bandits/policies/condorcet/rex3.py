"""REX3: draw both arms from exponential weights; increase the winner's weight and decrease the loser's.

Gajane, Urvoy and Clerot, "A Relative Exponential Weighing Algorithm for Adversarial Utility-based Dueling
Bandits", ICML 2015, Algorithm 1. Assumes that every arm has a utility, which may be set by an adversary.

An arm is drawn in proportion to its weight with probability 1 - gamma, and uniformly with probability gamma;
p is that mixture. A duel multiplies the winner's weight by exp(gamma / (2 K p)) and divides the loser's
likewise, each with its own p. Nothing is learned from a self-duel.

    Algorithm 1                                           here
    all weights 1                                         init
    gamma (fixed in the paper, or of step t)              init, _exploration_rate
    p_i = (1 - gamma) w_i / sum of w + gamma / K          mixture_probability
    a and b drawn from p                                  select (draw_from_mixture)
    duel; weights of a and b                              update
    (not in the paper) arm of the largest weight          recommend

`idle` is not in the paper: it skips self-duels of the leader, the arm of the largest weight. Without it,
given the same random numbers, the pairs equal those of the literal twin, tests/naive/policies/rex3.py
(Rex3ByMixture); with it their distribution does.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.exponential_weights import (
    ExponentialWeights,
    add_to_log_weight,
    divide_weights,
    draw_from_mixture,
    equal_weights,
    mixture_probability,
    total_weight,
    weight,
)
from rankduel.bandits.parts.matches.standings import place_of_largest
from rankduel.bandits.parts.picks import pick
from rankduel.bandits.parts.sum_tree import draw, set_weight
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

_WORTH_SKIPPING = 0.5  # probability of the leader from which `idle` saves time
_LARGEST_TOTAL = 1e200  # when the sum of weights leaves [1 / this, this], all are divided by the largest


class Schedule(IntEnum):
    """The number of steps that gamma is for."""

    ANYTIME = 0
    FIXED = 1


class Params(NamedTuple):
    schedule: Annotated[
        Schedule, Setting("gamma = sqrt(K ln K / tau), tau in proportion to the step or the horizon")
    ] = Schedule.ANYTIME
    gamma: Annotated[
        float, Setting("share of uniform draws; 0: from the schedule", at_least=0, at_most=0.5)
    ] = 0.0
    tau_factor: Annotated[float, Setting("tau divided by the step, or by the horizon", above=0)] = math.e / 2
    t_least: Annotated[
        int, Setting("anytime: gamma of step t is that of step max(t, t_least)", at_least=1)
    ] = 1
    half: Annotated[bool, Setting("multiply the gain by 1/2, as in the paper")] = True
    horizon: Annotated[
        int, Setting("fixed: number of steps that gamma is for; 0: those of the run", at_least=0)
    ] = 0


class Now(NamedTuple):
    gamma_scale: float  # K ln K / tau_factor; gamma is sqrt(gamma_scale / number of steps)
    fixed_gamma: float  # gamma of all steps; 0 if it depends on the step
    clock: int = 0  # steps played
    leader: int = 0  # arm of the largest weight, or one that had it
    not_idle: bool = False  # the coming step is known not to be a self-duel of the leader


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    weights: ExponentialWeights


def needs_horizon(params):
    return params.schedule == Schedule.FIXED and params.gamma == 0.0


def init(n_arms, params, rng):
    gamma_scale = n_arms * math.log(n_arms) / params.tau_factor
    fixed_gamma = params.gamma
    if fixed_gamma == 0.0 and params.schedule == Schedule.FIXED:
        fixed_gamma = min(0.5, math.sqrt(gamma_scale / params.horizon))
    return State(
        now=record(Now(gamma_scale=gamma_scale, fixed_gamma=fixed_gamma)),
        weights=equal_weights(n_arms),
    )


@kernel
def select(state, params, rng):
    now, weights = state.now[0], state.weights
    gamma = _exploration_rate(state, params, now.clock + 1)
    if now.not_idle:
        now.not_idle = False
        return _draw_not_idle(state, gamma, rng)
    return draw_from_mixture(weights, gamma, rng), draw_from_mixture(weights, gamma, rng)


@kernel
def update(state, params, first, second, first_won):
    now, weights = state.now[0], state.weights
    now.clock += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    gamma = _exploration_rate(state, params, now.clock)
    gain = gamma * ((0.5 if params.half else 1.0) / len(weights.log_weight))
    up = gain / mixture_probability(weights, winner, gamma)
    down = gain / mixture_probability(weights, loser, gamma)
    add_to_log_weight(weights, winner, up)
    add_to_log_weight(weights, loser, -down)
    if weights.log_weight[winner] > weights.log_weight[now.leader]:
        now.leader = winner
    if not 1.0 / _LARGEST_TOTAL < total_weight(weights) < _LARGEST_TOTAL:
        divide_weights(weights, weights.log_weight[place_of_largest(weights.log_weight)])


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip self-duels of the leader, up to a step that is known to be another pair.

    As gamma never grows, the probability of another pair is largest now. Candidates for the next one come
    after geometric gaps with that probability; each is accepted with the ratio of its own probability to it.
    """
    now, weights = state.now[0], state.weights
    t, leader = now.clock + 1, now.leader
    gamma = _exploration_rate(state, params, t)
    if now.not_idle or mixture_probability(weights, leader, gamma) < _WORTH_SKIPPING:
        return 0
    n, p_other = 0, _other_pair_probability(weights, leader, gamma)
    while n < limit:
        gap = math.log1p(-rng.random()) / math.log1p(-p_other)
        if gap >= limit - n:
            n = limit
            break
        n += int(gap)
        p_then = _other_pair_probability(weights, leader, _exploration_rate(state, params, t + n))
        if rng.random() * p_other < p_then:
            now.not_idle = True
            break
        n, p_other = n + 1, p_then
    self_duels[leader] += n
    now.clock += n
    return n


@kernel
def recommend(state, params):
    return place_of_largest(state.weights.log_weight)


@kernel
def _exploration_rate(state, params, t):
    """Return gamma, the share of uniform draws, of step `t`."""
    now = state.now[0]
    if now.fixed_gamma > 0.0:
        return now.fixed_gamma
    return min(0.5, math.sqrt(now.gamma_scale / max(t, params.t_least)))


@kernel
def _draw_not_idle(state, gamma, rng):
    """Return a pair given that not both arms are the leader.

    With p of the leader, the first is then another arm with probability (1 - p) / (1 - p^2).
    """
    weights, leader = state.weights, state.now[0].leader
    other = _draw_other(weights, leader, gamma, rng)
    if rng.random() * (1.0 + mixture_probability(weights, leader, gamma)) < 1.0:
        return other, draw_from_mixture(weights, gamma, rng)
    return leader, other


@kernel
def _draw_other(weights, leader, gamma, rng):
    """Return an arm drawn from the mixture, given that it is not the leader."""
    n_arms, tree = len(weights.log_weight), weights.tree
    leader_weight = weight(weights, leader)
    total = total_weight(weights)
    set_weight(tree, leader, 0.0)
    by_weight = (1.0 - gamma) * total_weight(weights) / total
    uniform = gamma * (n_arms - 1) / n_arms
    if rng.random() * (by_weight + uniform) < by_weight:
        arm = draw(tree, rng.random())
    else:
        arm = pick(n_arms - 1, rng)
        arm += arm >= leader
    set_weight(tree, leader, leader_weight)
    return arm


@kernel
def _other_pair_probability(weights, leader, gamma):
    """Return the probability that not both arms are the leader: 1 - p^2 without its cancellation."""
    n_arms = len(weights.log_weight)
    total = total_weight(weights)
    p_another = (1.0 - gamma) * ((total - weight(weights, leader)) / total) + gamma * (n_arms - 1) / n_arms
    return p_another * (2.0 - p_another)


POLICY = policy_of(
    __name__,
    source="Gajane, Urvoy, Clerot 2015 (ICML), Algorithm 1",
    assumes="utilities, possibly adversarial",
    variants={
        "paper": {},
        "published": {"schedule": "fixed"},
        "authors": {"schedule": "fixed", "tau_factor": 1.0},
        # As in Li's library, except that the library keeps weights above 1e-100.
        "chang-li": {"tau_factor": 1.0, "t_least": 10_000, "half": False},
    },
)
