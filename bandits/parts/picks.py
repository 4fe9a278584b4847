"""Uniform choices. One random number for two or more candidates, none for one: twins count on it.

And random orders.
"""

from __future__ import annotations

from rankduel.base.compiling import kernel

NO_ARM = -1


@kernel
def pick(n, rng):
    """A uniform number below n."""
    return int(rng.random() * n) if n > 1 else 0


@kernel
def pick_flagged(flags, n, rng):
    """A uniform index among the n true entries of `flags`."""
    left = pick(n, rng)
    for index in range(len(flags)):
        if flags[index]:
            if left == 0:
                return index
            left -= 1
    return NO_ARM


@kernel
def n_flagged(flags):
    """How many entries are true."""
    n = 0
    for flag in flags:
        n += flag
    return n


@kernel
def pick_largest(values, skipped, rng):
    """Return a uniform index among the largest values, index `skipped` left out.

    The maximum and its count take a pass each: a single pass with a branch for every new maximum is slower,
    because the processor cannot predict that branch.
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
    """Put the first n arms into a random order (Fisher and Yates)."""
    for last in range(n - 1, 0, -1):
        place = pick(last + 1, rng)
        arms[last], arms[place] = arms[place], arms[last]
