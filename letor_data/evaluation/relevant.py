"""Counts of relevant documents, for measures of binary relevance."""

from rankduel.base.compiling import entry


@entry
def n_relevant(grades, first, last, rel):
    """Return the number of grades of at least `rel` in ``grades[first:last]``."""
    found = 0
    for rank in range(first, last):
        found += grades[rank] >= rel
    return found
