"""Uniform random choices and orders.

A choice among two or more candidates takes one random number, and a choice among one candidate takes none.
The naive twins draw in the same way, so that they choose the same arms.
"""

from __future__ import annotations

from rankduel.base.compiling import kernel

NO_ARM = -1


@kernel
def pick(n, rng):
    """Return a uniform random integer below `n`."""
    return int(rng.random() * n) if n > 1 else 0


@kernel
def pick_flagged(flags, n, rng):
    """Return the index of a uniformly drawn true entry of `flags`, which has `n` true entries."""
    left = pick(n, rng)
    for index in range(len(flags)):
        if flags[index]:
            if left == 0:
                return index
            left -= 1
    return NO_ARM


@kernel
def n_flagged(flags):
    """Return the number of true entries."""
    n = 0
    for flag in flags:
        n += flag
    return n


@kernel
def pick_largest(values, skipped, rng):
    """Return the index of the largest value, ties at random; index `skipped` is excluded.

    The maximum and the number of ties take a pass each. A single pass with a branch for every new maximum is
    slower, because the processor cannot predict the branch.
    """
    largest = -1e308
    for index in range(len(values)):
        if index != skipped:
            largest = max(largest, values[index])
    n_tied = 0
    for index in range(len(values)):
        n_tied += (index != skipped) & (values[index] == largest)
    left = pick(n_tied, rng)
    for index in range(len(values)):
        if index != skipped and values[index] == largest:
            if left == 0:
                return index
            left -= 1
    return NO_ARM


@kernel
def shuffle(arms, n, rng):
    """Shuffle the first `n` arms in place (Fisher-Yates)."""
    for last in range(n - 1, 0, -1):
        place = pick(last + 1, rng)
        arms[last], arms[place] = arms[place], arms[last]
