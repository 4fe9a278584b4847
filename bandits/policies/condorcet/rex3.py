"""REX3, relative exponential weighing: one set of weights draws both arms; the winner gains, the loser loses.

Gajane, Urvoy and Clerot, "A Relative Exponential Weighing Algorithm for Adversarial Utility-based Dueling
Bandits", ICML 2015, Algorithm 1.

Arms are drawn from the weights with chance 1 - gamma and uniformly with chance gamma; p is that mixture. The
winner's weight is multiplied by exp(gamma / (2 K p)), the loser's divided likewise. Two weights change per
duel, so they live in a tree of sums (bandits/parts/sum_tree.py), and a step costs a few times log2 K
operations.

Most steps of a long run are the heaviest arm against itself, and nothing is learned from them. The chance p
of this leader grows as gamma falls, so the chance 1 - p^2 of any other pair is largest now: candidates for
the next other pair come after geometric gaps of that chance, and each is accepted with the ratio of its own
chance to it. An accepted one is drawn given that it is not the leader against itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.picks import pick
from bandits.parts.sum_tree import add_up, draw, new_tree, set_weight
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

ANYTIME, FIXED = range(2)
CLOCK, LEADER, NOT_LEADER = range(3)  # entries of State.now
GAMMA, SCALE, T_LEAST, GAIN = range(4)  # entries of State.rates
_WORTH_SKIPPING = 0.5  # chance of the leader above which looking for idle steps pays
_LARGE = 1e200  # when the weights' sum leaves [1 / _LARGE, _LARGE], all are divided by the largest


class State(NamedTuple):
    log_weight: np.ndarray  # (arms,) float64
    weights: np.ndarray  # (2 * leaves,) float64: tree of the sums of exp(log_weight)
    rates: np.ndarray  # (4,) float64: fixed gamma or 0; K ln K / tau_factor; t_least; 1 / (2 K) or 1 / K
    now: np.ndarray  # (3,) int64: steps played; a heavy arm; 1 if the coming pair is not that arm twice


class Params(NamedTuple):
    schedule: str = "anytime"
    gamma: float = 0.0
    tau_factor: float = math.e / 2
    t_least: int = 1
    half: bool = True
    horizon: int = 0


def init(n_arms, params, rng):
    scale = n_arms * math.log(n_arms) / params.tau_factor
    gamma = params.gamma
    if gamma == 0.0 and params.schedule == FIXED:
        gamma = min(0.5, math.sqrt(scale / params.horizon))
    return State(
        log_weight=np.zeros(n_arms),
        weights=new_tree(n_arms),
        rates=np.array([gamma, scale, params.t_least, (0.5 if params.half else 1.0) / n_arms]),
        now=np.zeros(3, np.int64),
    )


@kernel
def select(state, params, rng):
    now, weights, n_arms = state.now, state.weights, len(state.log_weight)
    gamma = _gamma(state.rates, now[CLOCK] + 1)
    if now[NOT_LEADER] == 0:
        return _draw_arm(weights, n_arms, gamma, rng), _draw_arm(weights, n_arms, gamma, rng)
    now[NOT_LEADER] = 0
    leader = now[LEADER]
    other = _draw_other(weights, n_arms, leader, gamma, rng)
    # Given that not both are the leader, the first is another arm with chance (1 - p) / (1 - p^2).
    if rng.random() * (1.0 + _chance(weights, n_arms, leader, gamma)) < 1.0:
        return other, _draw_arm(weights, n_arms, gamma, rng)
    return leader, other


@kernel
def update(state, first, second, first_won):
    now, log_weight, weights = state.now, state.log_weight, state.weights
    now[CLOCK] += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    gamma = _gamma(state.rates, now[CLOCK])
    gain = gamma * state.rates[GAIN]
    up = gain / _chance(weights, len(log_weight), winner, gamma)
    down = gain / _chance(weights, len(log_weight), loser, gamma)
    log_weight[winner] += up
    log_weight[loser] -= down
    set_weight(weights, winner, math.exp(log_weight[winner]))
    set_weight(weights, loser, math.exp(log_weight[loser]))
    if log_weight[winner] > log_weight[now[LEADER]]:
        now[LEADER] = winner
    if not 1.0 / _LARGE < weights[1] < _LARGE:
        _divide_by_largest(log_weight, weights)


@kernel
def idle(state, params, limit, selves, rng):
    """The leader against itself, up to a step that is known to be another pair."""
    now, n_arms = state.now, len(state.log_weight)
    t, leader = now[CLOCK] + 1, now[LEADER]
    gamma = _gamma(state.rates, t)
    if now[NOT_LEADER] == 1 or _chance(state.weights, n_arms, leader, gamma) < _WORTH_SKIPPING:
        return 0
    n, other = 0, _chance_of_others(state.weights, n_arms, leader, gamma)
    while n < limit:
        gap = math.log1p(-rng.random()) / math.log1p(-other)
        if gap >= limit - n:
            n = limit
            break
        n += int(gap)
        then = _chance_of_others(state.weights, n_arms, leader, _gamma(state.rates, t + n))
        if rng.random() * other < then:
            now[NOT_LEADER] = 1
            break
        n, other = n + 1, then
    selves[leader] += n
    now[CLOCK] += n
    return n


@kernel
def recommend(state):
    return _heaviest(state.log_weight)


@kernel
def _gamma(rates, t):
    """The share of uniform draws in step t."""
    return rates[GAMMA] if rates[GAMMA] > 0.0 else min(0.5, math.sqrt(rates[SCALE] / max(t, rates[T_LEAST])))


@kernel
def _chance(weights, n_arms, arm, gamma):
    """The chance of one draw to be this arm."""
    return (1.0 - gamma) * weights[len(weights) // 2 + arm] / weights[1] + gamma / n_arms


@kernel
def _chance_of_others(weights, n_arms, leader, gamma):
    """The chance of a pair to be anything but the leader twice; 1 - p^2 without its cancellation."""
    light = (weights[1] - weights[len(weights) // 2 + leader]) / weights[1]
    another = (1.0 - gamma) * light + gamma * (n_arms - 1) / n_arms
    return another * (2.0 - another)


@kernel
def _draw_arm(weights, n_arms, gamma, rng):
    if rng.random() < gamma:
        return pick(n_arms, rng)
    return draw(weights, rng.random())


@kernel
def _draw_other(weights, n_arms, leader, gamma, rng):
    """The same, given that it is not the leader."""
    weight, total = weights[len(weights) // 2 + leader], weights[1]
    set_weight(weights, leader, 0.0)
    by_weight = (1.0 - gamma) * weights[1] / total
    uniform = gamma * (n_arms - 1) / n_arms
    if rng.random() * (by_weight + uniform) < by_weight:
        arm = draw(weights, rng.random())
    else:
        arm = pick(n_arms - 1, rng)
        arm += arm >= leader
    set_weight(weights, leader, weight)
    return arm


@kernel
def _heaviest(log_weight):
    heaviest = 0
    for arm in range(1, len(log_weight)):
        if log_weight[arm] > log_weight[heaviest]:
            heaviest = arm
    return heaviest


@kernel
def _divide_by_largest(log_weight, weights):
    largest, leaves = log_weight[_heaviest(log_weight)], len(weights) // 2
    for arm in range(len(log_weight)):
        log_weight[arm] -= largest
        weights[leaves + arm] = math.exp(log_weight[arm])
    add_up(weights)


POLICY = Policy(
    "rex3",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    about="Exponential weights draw both arms; the winner gains, the loser loses.",
    source="Gajane, Urvoy, Clerot 2015 (ICML), Algorithm 1",
    assumes="utilities, possibly adversarial",
    settings={
        "schedule": Setting(
            "gamma = sqrt(K ln K / tau), tau in proportion to the step or the horizon",
            choices=("anytime", "fixed"),
        ),
        "gamma": Setting("share of uniform draws; 0: from the schedule", at_least=0, at_most=0.5),
        "tau_factor": Setting("tau per step or per step of the horizon", above=0),
        "t_least": Setting("steps before this one have its gamma, if anytime", at_least=1),
        "half": Setting("the gain has the factor 1/2 of the paper"),
        "horizon": Setting("steps to plan for, if fixed; 0: those of the run", at_least=0),
    },
    variants={
        "paper": {},
        "published": {"schedule": "fixed"},
        "authors": {"schedule": "fixed", "tau_factor": 1.0},
        # Of Li's library, which also keeps weights above 1e-100.
        "chang-li": {"tau_factor": 1.0, "t_least": 10_000, "half": False},
    },
    horizon_when=lambda params: params.schedule == "fixed" and params.gamma == 0.0,
)
