"""Who is ahead, in the middle of an agenda too: wins per arm, and the arms with the most of something."""

from bandits.agenda import N_PAIRS, is_over, times_compared
from rankduel.base.compiling import kernel


@kernel
def add_wins(agenda, won):
    """Add to won[arm] what each arm won of the agenda so far."""
    for index in range(agenda.now[N_PAIRS]):
        first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
        if first != second:
            won[first] += agenda.wins[index]
            won[second] += times_compared(agenda, index) - agenda.wins[index]


@kernel
def wins_so_far(agenda, won, out):
    """Wins of each arm: `won` in agendas that are over, and those of the current one."""
    for arm in range(len(won)):
        out[arm] = won[arm]
    if not is_over(agenda):
        add_wins(agenda, out)


@kernel
def first_with_most(values, arms):
    """Of these arms the one with the largest value; the first of equals."""
    best = arms[0]
    for arm in arms:
        if values[arm] > values[best]:
            best = arm
    return best


@kernel
def mark_all_with_most(values, arms, chosen):
    """The same with all equals."""
    largest = values[first_with_most(values, arms)]
    for arm in arms:
        chosen[arm] = values[arm] == largest


@kernel
def place_of_largest(values):
    """The first of equals."""
    best = 0
    for place in range(len(values)):
        if values[place] > values[best]:
            best = place
    return best
