"""Settings, samples and stopping of the three preference-based races, PBR-CO, PBR-SE and PBR-RW.

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013. The paper samples (i, j) and (j, i) separately. Here this is the setting `ordered`,
and by default a duel is a sample of both.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankduel.bandits.parts.racing.race import begin_round, remove_pairs
from rankduel.bandits.parts.racing.radius import LogTerm, error_probability
from rankduel.base.compiling import kernel
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Setting


class Rules(IntEnum):
    """Number of comparisons with other arms that select or discard an arm: as printed, or as necessary."""

    LITERAL = 0
    TIGHT = 1


Kappa = Annotated[int, Setting("number of best arms to find, less than the number of arms", at_least=1)]
MostSamples = Annotated[int, Setting("maximum number of duels of a pair; 0: `horizon`", at_least=0)]
Ordered = Annotated[bool, Setting("sample (i, j) and (j, i) separately, as in the paper")]
RulesSwitch = Annotated[
    Rules,
    Setting(
        "select or discard an arm one comparison later than necessary (literal, the paper), or not (tight)"
    ),
]


class Samples(NamedTuple):
    n: np.ndarray  # (arms, arms) int64: number of samples of (i, j)
    wins: np.ndarray  # (arms, arms) int64: number of these that i won


def no_samples(n_arms: int, params: Any) -> Samples:
    if params.kappa >= n_arms:
        raise PolicyError(f"kappa is {params.kappa}; expected less than {n_arms}, the number of arms")
    n, wins = np.zeros((2, n_arms, n_arms), np.int64)
    return Samples(n, wins)


def pbr_log_term(n_arms: int, params: Any) -> LogTerm:
    """Return L = ln(2 K^2 n_max / delta) of the radius sqrt(L / (2 n))."""
    n_max = params.n_max or params.horizon
    return LogTerm(math.log(2.0 * n_arms**2 * n_max / error_probability(params)))


def pbr_uses_horizon(params: Any) -> bool:
    """Return whether n_max or delta is computed from the horizon."""
    return bool(params.n_max == 0 or params.delta == 0.0)


@kernel
def record_sample(samples, params, first, second, first_won):
    """Record a duel as a sample of (first, second) and, unless `ordered`, of (second, first)."""
    samples.n[first, second] += 1
    samples.wins[first, second] += first_won
    if not params.ordered:
        samples.n[second, first] += 1
        samples.wins[second, first] += not first_won


@kernel
def win_rate(samples, arm, other):
    """Return the estimated probability that `arm` beats `other`; 1/2 before the first sample."""
    n = samples.n[arm, other]
    return samples.wins[arm, other] / n if n > 0 else 0.5


@kernel
def exceeds_maximum(params, n):
    """Return whether a pair with `n` samples has more than n_max."""
    return n > (params.n_max if params.n_max > 0 else params.horizon)


@kernel
def end_round(race, params):
    """Remove the pairs that need no more duels, or all pairs after n_max rounds; begin the next round."""
    remove_pairs(race)
    if exceeds_maximum(params, race.now[0].round_number):
        race.now[0].n_open = 0
    begin_round(race)


@kernel
def extra_comparisons(params):
    """Return how many more comparisons than necessary the rules require to select or discard an arm."""
    return 1 if params.rules == Rules.LITERAL else 0
