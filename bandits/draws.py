"""What is drawn for a run: how its arms are labelled, and the generators of the policy and of its users."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.settings import Configured
from rankduel.base.streams import stream

PROXY, LIVE = "proxy", "live"  # duels by a known matrix, or by pages and clicks


class Draws(NamedTuple):
    labels: np.ndarray  # (arms,) int64: random, so that no number of an arm is favoured
    rng: np.random.Generator
    users: np.random.Generator


def draws_of(configured: Configured, n_arms: int, *, mode: str, seed: int, run: int) -> Draws:
    """Return the draws of run number `run` of a policy; they depend on nothing but the arguments."""
    names = (mode, str(configured), run)
    return Draws(
        labels=stream(seed, *names, "labels").permutation(n_arms),
        rng=stream(seed, *names, "policy"),
        users=stream(seed, *names, "users"),
    )
