"""EXP3 inside a dueling policy: exponential weights for rewards that need not follow any law.

Auer, Cesa-Bianchi, Freund and Schapire, "The Nonstochastic Multiarmed Bandit Problem", SIAM J. Comput. 2002.
An arm is drawn from the weights, or uniformly with chance gamma; a reward multiplies its weight by
exp(gamma / (K p)), with p its chance in that draw. Weights live in a tree of sums: a step costs log2 K.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.parts.picks import pick
from bandits.parts.sum_tree import add_up, draw, new_tree, set_weight
from rankduel.base.compiling import kernel

_LARGE = 200.0  # a log-weight above this, and all are taken relative to it


class Exp3Bandits(NamedTuple):
    log_weight: np.ndarray  # (bandits, arms) float64
    weights: np.ndarray  # (bandits, 2 * leaves) float64: trees of the sums of exp(log_weight)
    gain: np.ndarray  # (bandits,) float64: what a reward will add to the log-weight of the arm drawn last


def new_bandits(n_bandits: int, n_arms: int) -> Exp3Bandits:
    trees = np.array([new_tree(n_arms) for _ in range(n_bandits)])
    return Exp3Bandits(np.zeros((n_bandits, n_arms)), trees, np.zeros(n_bandits))


@kernel
def exploring(n_arms, time):
    """The share of uniform draws that suits so many steps."""
    return min(1.0, math.sqrt(n_arms * math.log(n_arms) / ((math.e - 1.0) * time)))


@kernel
def advance(bandits, bandit, gamma, rng):
    """The arm this bandit plays now."""
    weights, n_arms = bandits.weights[bandit], bandits.log_weight.shape[1]
    arm = pick(n_arms, rng) if rng.random() < gamma else draw(weights, rng.random())
    chance = (1.0 - gamma) * weights[len(weights) // 2 + arm] / weights[1] + gamma / n_arms
    bandits.gain[bandit] = gamma / (n_arms * chance)
    return arm


@kernel
def feedback(bandits, bandit, arm, reward):
    if not reward:
        return
    log_weight, weights = bandits.log_weight[bandit], bandits.weights[bandit]
    log_weight[arm] += bandits.gain[bandit]
    if log_weight[arm] <= _LARGE:
        set_weight(weights, arm, math.exp(log_weight[arm]))
        return
    largest = log_weight[arm]
    for other in range(len(log_weight)):
        log_weight[other] -= largest
        weights[len(weights) // 2 + other] = math.exp(log_weight[other])
    add_up(weights)


@kernel
def share(bandits, bandit, arm):
    """The arm's share of all weight."""
    weights = bandits.weights[bandit]
    return weights[len(weights) // 2 + arm] / weights[1]
