"""Counting the relevant documents of ranks, for measures that know relevant and not relevant only."""

from rankduel.base.compiling import entry


@entry
def n_relevant(grades, first, last, rel):
    """Return how many documents at ranks from `first` to before `last` have a grade of `rel` or more."""
    found = 0
    for rank in range(first, last):
        found += grades[rank] >= rel
    return found
