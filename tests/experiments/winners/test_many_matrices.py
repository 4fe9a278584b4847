"""Notions of a winner for many matrices: the same as for one, whatever the matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.winners import many_matrices
from experiments.winners.many_matrices import random_walks, unbeaten_support
from experiments.winners.notions import random_walk, von_neumann


def matrices(n, size, seed, spread, whole=0):
    """`n` matrices of leads up to `spread`, in `whole` steps if given."""
    rng = np.random.default_rng(seed)
    leads = rng.uniform(-spread, spread, (n, size, size))
    if whole:
        leads = (leads / spread * whole).round() / whole * spread
    above = np.triu(leads, 1)
    return 0.5 + above - above.swapaxes(1, 2)


# Steps of 1/2 are wins for certain, which a walk leaves only the other way, and ties.
@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 4]))
def test_walks_are_those_of_single_matrices(size, seed, whole):
    given = matrices(7, size, seed, 0.5, whole)
    expected = np.array([random_walk(matrix) for matrix in given])
    np.testing.assert_allclose(random_walks(given), expected, atol=1e-12)


def test_walks_in_several_blocks(monkeypatch):
    given = matrices(10, 6, 0, 0.4)
    whole = random_walks(given)
    monkeypatch.setattr(many_matrices, "_AT_ONCE", 3 * 36)
    assert (random_walks(given) == whole).all()


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 4]))
def test_lotteries_are_those_of_linear_programs(size, seed, whole):
    (matrix,) = matrices(1, size, seed, 0.4, whole)
    assert unbeaten_support(matrix).tolist() == von_neumann(matrix).support.tolist()


@pytest.mark.parametrize("size", [40, 136])
def test_lotteries_of_many_rankers(size):
    for matrix in matrices(3, size, size, 0.05):
        assert unbeaten_support(matrix).tolist() == von_neumann(matrix).support.tolist()


def test_a_wrong_proposal_is_not_taken(monkeypatch):
    """Whatever the simplex method ends at is checked."""
    cycle = np.array([[0.5, 0.7, 0.2], [0.3, 0.5, 0.6], [0.8, 0.4, 0.5]])
    for proposal in (None, np.array([1.0, 0.0, 0.0]), np.array([0.4, 0.3, 0.3])):
        monkeypatch.setattr(many_matrices, "_simplex", lambda edges, made=proposal: made)
        assert unbeaten_support(cycle).tolist() == [0, 1, 2]
