"""Random orders."""

from bandits.choices import pick
from bandits.policy import kernel


@kernel
def shuffle(arms, n, rng):
    """Put the first n arms into a random order (Fisher and Yates)."""
    for last in range(n - 1, 0, -1):
        place = pick(last + 1, rng)
        arms[last], arms[place] = arms[place], arms[last]
