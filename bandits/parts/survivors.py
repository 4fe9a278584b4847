"""Who is still in: arms in ascending order, in the first entries of an array.

The number of entries is kept beside it, with the policy's other counters: every array of a state costs time
in each call.
"""

from rankduel.base.compiling import kernel


@kernel
def remove_at(arms, n, place):
    """Take arms[place] out of the first n; those behind it move up. Returns how many are left."""
    tail = arms[place:]  # indices from 0: the compiler then moves the block in one go
    for index in range(n - 1 - place):
        tail[index] = tail[index + 1]
    return n - 1


@kernel
def last_one_plays_on(arms, n, limit, selves):
    """If one arm is left, it plays itself `limit` times; returns how many steps that were."""
    return plays_on(arms[0], limit, selves) if n <= 1 else 0


@kernel
def plays_on(arm, limit, selves):
    """The arm plays itself `limit` times; returns how many steps that were."""
    selves[arm] += limit
    return limit
