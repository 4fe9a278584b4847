"""EXP3 as the bandit inside a dueling policy.

Auer, Cesa-Bianchi, Freund and Schapire, "The Nonstochastic Multiarmed Bandit Problem", SIAM J. Comput. 2002.
Rewards need not follow any distribution. An arm is drawn from exponential weights, mixed with uniform draws
(bandits/parts/exponential_weights.py). A reward multiplies the weight of the arm by exp(gamma / (K p)), where
p is the probability with which the arm was drawn.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

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
from rankduel.base.compiling import kernel

_LARGEST_LOG_WEIGHT = 200.0  # all weights are divided by a weight that exceeds this


class Exp3Bandits(NamedTuple):
    log_weight: np.ndarray  # (bandits, arms) float64
    tree: np.ndarray  # (bandits, 2 * leaves) float64: see bandits/parts/exponential_weights.py
    gain: np.ndarray  # (bandits,) float64: what a reward adds to the log-weight of the arm drawn last


def new_bandits(n_bandits: int, n_arms: int) -> Exp3Bandits:
    """Return bandits in which every arm has weight 1."""
    equal = equal_weights(n_arms)
    return Exp3Bandits(
        log_weight=np.tile(equal.log_weight, (n_bandits, 1)),
        tree=np.tile(equal.tree, (n_bandits, 1)),
        gain=np.zeros(n_bandits),
    )


@kernel
def exploration_rate(n_arms, n_steps):
    """Return gamma, the share of uniform draws, for a run of `n_steps` steps."""
    return min(1.0, math.sqrt(n_arms * math.log(n_arms) / ((math.e - 1.0) * n_steps)))


@kernel
def advance(bandits, bandit, gamma, rng):
    """Draw the arm that bandit number `bandit` plays, and store the gain that a reward for it brings."""
    weights = _weights_of(bandits, bandit)
    arm = draw_from_mixture(weights, gamma, rng)
    bandits.gain[bandit] = gamma / (len(weights.log_weight) * mixture_probability(weights, arm, gamma))
    return arm


@kernel
def feedback(bandits, bandit, arm, reward):
    """Give bandit number `bandit` the reward, 1 or 0, for `arm`, the arm that it played last."""
    if not reward:
        return
    weights, gain = _weights_of(bandits, bandit), bandits.gain[bandit]
    log_weight = weights.log_weight[arm] + gain
    if log_weight <= _LARGEST_LOG_WEIGHT:
        add_to_log_weight(weights, arm, gain)
    else:
        weights.log_weight[arm] = log_weight
        divide_weights(weights, log_weight)


@kernel
def weight_share(bandits, bandit, arm):
    """Return the share of the arm in the sum of all weights."""
    weights = _weights_of(bandits, bandit)
    return weight(weights, arm) / total_weight(weights)


@kernel
def _weights_of(bandits, bandit):
    return ExponentialWeights(bandits.log_weight[bandit], bandits.tree[bandit])
