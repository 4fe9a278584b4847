"""Random numbers of a run: the labels of its arms, and the generators of the policy and of the users."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.settings import Configured
from rankduel.base.streams import stream

PROXY, LIVE = "proxy", "live"  # duels drawn from a matrix, or decided by pages and clicks


class Draws(NamedTuple):
    labels: np.ndarray  # (arms,) int64: a random permutation, so that ties do not favour an arm
    rng: np.random.Generator
    users: np.random.Generator


def draws_of(configured: Configured, n_arms: int, *, mode: str, seed: int, run: int) -> Draws:
    """Return labels and generators of run number `run` of a policy; they depend on the arguments only."""
    names = (mode, str(configured), run)
    return Draws(
        labels=stream(seed, *names, "labels").permutation(n_arms),
        rng=stream(seed, *names, "policy"),
        users=stream(seed, *names, "users"),
    )
