"""Wins of each arm in agendas, complete or not, and the arms with the largest values."""

from rankduel.bandits.agenda import is_over, times_compared
from rankduel.base.compiling import kernel


@kernel
def add_wins(agenda, won):
    """Add the wins of each arm in the agenda so far to won[arm]."""
    for index in range(agenda.now[0].n_pairs):
        first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
        if first != second:
            won[first] += agenda.wins[index]
            won[second] += times_compared(agenda, index) - agenda.wins[index]


@kernel
def wins_so_far(agenda, won, out):
    """Write the wins of each arm to `out`: `won` of complete agendas, and those of the current agenda."""
    for arm in range(len(won)):
        out[arm] = won[arm]
    if not is_over(agenda):
        add_wins(agenda, out)


@kernel
def first_with_most(values, arms):
    """Return the arm of `arms` with the largest values[arm]; the first of equals."""
    best = arms[0]
    for arm in arms:
        if values[arm] > values[best]:
            best = arm
    return best


@kernel
def mark_all_with_most(values, arms, chosen):
    """Mark in `chosen` the arms of `arms` with the largest values[arm]."""
    largest = values[first_with_most(values, arms)]
    for arm in arms:
        chosen[arm] = values[arm] == largest


@kernel
def place_of_largest(values):
    """Return the index of the largest value; the first of equals."""
    best = 0
    for place in range(len(values)):
        if values[place] > values[best]:
            best = place
    return best
