"""What the three preference-based races (PBR) share: parameters, the radius, and what a duel is a sample of.

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013. The paper samples (i, j) and (j, i) as two quantities; here that is a choice, and
by default a duel is a sample of both.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import kernel
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Setting

LITERAL, TIGHT = range(2)  # choices of `rules`
KAPPA, N_MAX, ORDERED = range(3)  # entries of Samples.limits


class Samples(NamedTuple):
    n: np.ndarray  # (arms, arms) int64: how often the row's arm against the column's was sampled
    wins: np.ndarray  # (arms, arms) int64: how often the row's arm won then
    limits: np.ndarray  # (3,) int64: arms looked for; most samples of a pair; are (i, j) and (j, i) two?


COMMON_SETTINGS = {
    "kappa": Setting("how many arms are looked for, fewer than all", at_least=1),
    "n_max": Setting("most duels of a pair; 0: `horizon`", at_least=0),
    "delta": Setting("chance of an error; 0: one in `horizon`", at_least=0, at_most=1),
    "ordered": Setting("sample (i, j) and (j, i) separately, as the paper does"),
    "horizon": Setting("steps the error bound is made for; 0: those of the run", at_least=0),
}
RULES_SETTING = Setting(
    "select or discard an arm one comparison later than necessary, as the paper does (literal), or not",
    choices=("literal", "tight"),
)


def no_samples(n_arms: int, params: Any) -> Samples:
    if params.kappa >= n_arms:
        raise PolicyError(f"kappa is {params.kappa}; expected fewer than the {n_arms} arms")
    n, wins = np.zeros((2, n_arms, n_arms), np.int64)
    return Samples(n, wins, np.array([params.kappa, params.n_max or params.horizon, params.ordered]))


def log_term(n_arms: int, params: Any) -> float:
    """L = ln(2 K^2 n_max / delta) in the radius sqrt(L / (2 n))."""
    delta = params.delta or 1.0 / params.horizon
    return math.log(2.0 * n_arms**2 * (params.n_max or params.horizon) / delta)


def needs_horizon(params: Any) -> bool:
    return params.n_max == 0 or params.delta == 0.0


@kernel
def note_sample(samples, first, second, first_won):
    samples.n[first, second] += 1
    samples.wins[first, second] += first_won
    if samples.limits[ORDERED] == 0:
        samples.n[second, first] += 1
        samples.wins[second, first] += not first_won


@kernel
def rate(samples, arm, other):
    """The estimated chance that `arm` beats `other`; 1/2 before the first sample."""
    n = samples.n[arm, other]
    return samples.wins[arm, other] / n if n > 0 else 0.5
