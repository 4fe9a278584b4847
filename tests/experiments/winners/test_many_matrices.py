"""Random walks and lotteries of many matrices equal those of single matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankduel.experiments.winners import many_matrices
from rankduel.experiments.winners.many_matrices import random_walks, unbeaten_support
from rankduel.experiments.winners.notions import random_walk, von_neumann


def matrices(n, size, seed, spread, n_steps=0):
    """Return `n` matrices with leads up to `spread`, in multiples of `spread / n_steps` if given."""
    rng = np.random.default_rng(seed)
    leads = rng.uniform(-spread, spread, (n, size, size))
    if n_steps:
        leads = (leads / spread * n_steps).round() / n_steps * spread
    above = np.triu(leads, 1)
    return 0.5 + above - above.swapaxes(1, 2)


# One step gives ties and certain wins, for which a walk moves in one direction only.
@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 4]))
def test_walks_match_those_of_single_matrices(size, seed, n_steps):
    given = matrices(7, size, seed, 0.5, n_steps)
    expected = np.array([random_walk(matrix) for matrix in given])
    np.testing.assert_allclose(random_walks(given), expected, atol=1e-12)


def test_walks_of_many_rankers():
    """In the second matrix each ranker beats the next sixty of a circle: the steps have no error bound."""
    given = matrices(4, 121, 3, 0.4)
    ahead = np.subtract.outer(-np.arange(121), -np.arange(121)) % 121
    given[1] = np.where(ahead == 0, 0.5, ahead <= 60)
    given[1, 0, 1], given[1, 1, 0] = 0.0, 1.0  # the walk does not start at its stationary distribution
    expected = np.array([random_walk(matrix) for matrix in given])
    np.testing.assert_allclose(random_walks(given), expected, atol=1e-12)
    moves = given.swapaxes(1, 2) / given.sum(axis=1)[:, :, None]
    for i, is_accurate in enumerate((True, False, True, True)):
        visits, accurate = many_matrices._iterated(moves[i : i + 1])
        assert accurate == [is_accurate]
        assert not is_accurate or np.abs(visits[0] - expected[i]).sum() < 1e-12


def test_walks_in_several_blocks(monkeypatch):
    given = matrices(10, 6, 0, 0.4)
    in_one_block = random_walks(given)
    monkeypatch.setattr(many_matrices, "_BLOCK_ENTRIES", 3 * 36)
    assert (random_walks(given) == in_one_block).all()


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 4]))
def test_supports_match_those_of_linear_programs(size, seed, n_steps):
    (matrix,) = matrices(1, size, seed, 0.4, n_steps)
    assert unbeaten_support(matrix).tolist() == von_neumann(matrix).support.tolist()


@pytest.mark.parametrize("size", [40, 136])
def test_supports_of_many_rankers(size):
    for matrix in matrices(3, size, size, 0.05):
        assert unbeaten_support(matrix).tolist() == von_neumann(matrix).support.tolist()


def test_supports_are_within_the_smith_set():
    """Rankers 20 to 24, five in a cycle, beat all others."""
    (matrix,) = matrices(1, 60, 1, 0.4)
    top = np.arange(20, 25)
    matrix[top], matrix[:, top] = 0.6, 0.4
    matrix[np.ix_(top, top)] = 0.5
    for winner, loser in zip(top, np.roll(top, 1)):
        matrix[winner, loser], matrix[loser, winner] = 0.7, 0.3
    assert unbeaten_support(matrix).tolist() == von_neumann(matrix).support.tolist() == top.tolist()


def test_a_wrong_lottery_of_the_simplex_method_is_rejected(monkeypatch):
    """The result of the simplex method is checked; `von_neumann` decides if it is wrong."""
    cycle = np.array([[0.5, 0.7, 0.2], [0.3, 0.5, 0.6], [0.8, 0.4, 0.5]])
    for proposal in (None, np.array([1.0, 0.0, 0.0]), np.array([0.4, 0.3, 0.3])):
        monkeypatch.setattr(many_matrices, "_simplex", lambda edges, made=proposal: made)
        assert unbeaten_support(cycle).tolist() == [0, 1, 2]
