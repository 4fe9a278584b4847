"""The arms that are not eliminated: the first entries of an array, in ascending order.

Their number is a field of the policy's `Now`, because every further array of a state costs time in each call.
"""

from rankduel.base.compiling import kernel


@kernel
def remove_at(arms, n, place):
    """Remove arms[place] from the first `n` entries, and close the gap; return the new number of entries."""
    tail = arms[place:]  # with indices from 0, the compiler replaces the loop by one move of memory
    for index in range(n - 1 - place):
        tail[index] = tail[index + 1]
    return n - 1


@kernel
def skip_if_one_left(arms, n, limit, self_duels):
    """Skip `limit` self-duels of the last arm if one arm is left, else none; return the number of steps."""
    return skip_all(arms[0], limit, self_duels) if n <= 1 else 0


@kernel
def skip_all(arm, limit, self_duels):
    """Skip `limit` self-duels of `arm`; return `limit`."""
    self_duels[arm] += limit
    return limit
