"""Exponential weights, mixed with uniform draws, of EXP3 and REX3.

An arm is drawn in proportion to its weight with probability 1 - gamma, and uniformly with probability gamma.
The weights are the leaves of a tree of sums (bandits/parts/sum_tree.py), so a draw and a change cost log2 K
operations. The logarithms of the weights are stored as well, because weights may underflow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.picks import pick
from rankduel.bandits.parts.sum_tree import add_up, draw, new_tree, set_weight
from rankduel.base.compiling import kernel


class ExponentialWeights(NamedTuple):
    log_weight: np.ndarray  # (arms,) float64
    tree: np.ndarray  # (2 * leaves,) float64: sums of exp(log_weight)


def equal_weights(n_arms: int) -> ExponentialWeights:
    """Return weights that are all 1."""
    return ExponentialWeights(np.zeros(n_arms), new_tree(n_arms))


@kernel
def draw_from_mixture(weights, gamma, rng):
    """Draw an arm uniformly with probability `gamma`, otherwise in proportion to its weight."""
    if rng.random() < gamma:
        return pick(len(weights.log_weight), rng)
    return draw(weights.tree, rng.random())


@kernel
def mixture_probability(weights, arm, gamma):
    """Return the probability that `draw_from_mixture` returns `arm`."""
    return (1.0 - gamma) * weight(weights, arm) / total_weight(weights) + gamma / len(weights.log_weight)


@kernel
def weight(weights, arm):
    return weights.tree[len(weights.tree) // 2 + arm]


@kernel
def total_weight(weights):
    return weights.tree[1]


@kernel
def add_to_log_weight(weights, arm, gain):
    weights.log_weight[arm] += gain
    set_weight(weights.tree, arm, math.exp(weights.log_weight[arm]))


@kernel
def divide_weights(weights, log_divisor):
    """Divide all weights by exp(log_divisor), which changes no probability."""
    log_weight, leaves = weights.log_weight, len(weights.tree) // 2
    for arm in range(len(log_weight)):
        log_weight[arm] -= log_divisor
        weights.tree[leaves + arm] = math.exp(log_weight[arm])
    add_up(weights.tree)
