"""Random streams, one per purpose, from names: adding a policy or a worker changes no other number."""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, *names: object) -> np.random.Generator:
    """A generator for one purpose, e.g. stream(7, "rucb", 3, "users"); the same on every machine."""
    text = "\0".join(str(name) for name in names).encode()
    key = np.frombuffer(hashlib.sha256(text).digest(), np.uint32)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(int(k) for k in key)))
