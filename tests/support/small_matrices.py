"""Small preference matrices."""

import itertools
from math import comb

import numpy as np
from hypothesis import strategies as st

# Sums and differences of sixteenths are exact, and ties and certain wins are frequent.
SIXTEENTHS = st.sampled_from([0, 4, 7, 8, 8, 9, 10, 12, 16])


def square(upper, size):
    """Return the matrix with these entries above its diagonal, row by row."""
    matrix = np.full((size, size), 0.5)
    for (i, j), p in zip(itertools.combinations(range(size), 2), upper):
        matrix[i, j], matrix[j, i] = p, 1.0 - p
    return matrix


@st.composite
def matrices(draw, largest=6, entries=SIXTEENTHS):
    size = draw(st.integers(1, largest))
    n_pairs = comb(size, 2)
    upper = draw(st.lists(entries, min_size=n_pairs, max_size=n_pairs))
    return square([entry / 16 for entry in upper], size)
