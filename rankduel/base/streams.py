"""Independent random streams by name, so that adding a policy or a worker changes no other number."""

from __future__ import annotations

import hashlib
import operator

import numpy as np

from rankduel.base.errors import UsageError

LARGEST_SEED = 2**128 - 1  # the bits that NumPy's SeedSequence mixes; names of files contain the seed


def checked_seed(seed: int) -> int:
    """Return a seed as an int; raise an error if it is not a whole number from 0 to LARGEST_SEED."""
    try:
        number = operator.index(seed)
    except TypeError:
        raise UsageError(f"the seed is {seed}; expected a whole number from 0") from None
    if number < 0:
        raise UsageError(f"the seed is {seed}; expected a whole number from 0")
    if number > LARGEST_SEED:
        found = f"has {number.bit_length():,} bits"
        raise UsageError(f"the seed {found}; expected a whole number from 0 to 2^128 - 1, which has 128")
    return number


def stream(seed: int, *names: object) -> np.random.Generator:
    """Return a generator for one purpose, such as stream(7, "rucb", 3, "users"); equal on all machines."""
    text = "\0".join(str(name) for name in names).encode()
    key = np.frombuffer(hashlib.sha256(text).digest(), np.uint32)
    return np.random.default_rng(
        np.random.SeedSequence(checked_seed(seed), spawn_key=tuple(int(k) for k in key))
    )
