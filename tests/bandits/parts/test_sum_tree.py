"""Test that draws from a tree of sums equal draws from cumulative sums, after any changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.bandits.parts.sum_tree import add_up, draw, new_tree, set_weight

pytestmark = pytest.mark.kernel

weights = st.one_of(st.just(0.0), st.floats(1e-3, 1e3))


@given(
    st.lists(weights, min_size=2, max_size=40).filter(any),
    st.lists(st.tuples(st.integers(0, 39), st.floats(1e-3, 1e3)), max_size=20),
    st.floats(0, 1, exclude_max=True),
)
def test_draw_equals_that_of_the_cumulative_sums(weights, changes, number):
    tree = new_tree(len(weights))
    leaves = len(tree) // 2
    assert leaves >= len(weights)
    tree[leaves : leaves + len(weights)] = weights
    add_up(tree)
    for arm, weight in changes:
        weights[arm % len(weights)] = weight
        set_weight(tree, arm % len(weights), weight)
    assert tree[1] == pytest.approx(sum(weights), rel=1e-14)
    arm = draw(tree, number)
    assert weights[arm] > 0
    ends = np.cumsum(weights) / sum(weights)
    assert ends[arm] - weights[arm] / sum(weights) - 1e-12 <= number <= ends[arm] + 1e-12


def test_new_weights_are_equal():
    for n_arms in (2, 3, 4, 5, 8, 9):
        tree = new_tree(n_arms)
        assert tree[1] == n_arms
        assert [draw(tree, (arm + 0.5) / n_arms) for arm in range(n_arms)] == list(range(n_arms))


def test_large_weight_leaves_no_rounding_error():
    """Differences of sums would retain the rounding error of the large weight: here all small weights."""
    tree = new_tree(3)
    set_weight(tree, 0, 1e30)
    set_weight(tree, 0, 0.0)
    assert tree[1] == 2.0
    assert [draw(tree, number) for number in (0.0, 0.49, 0.51)] == [1, 1, 2]


def test_rounding_never_draws_an_arm_of_weight_zero():
    """For the largest number below 1, number * 1 - .3 is rounded to .7."""
    tree = new_tree(4)
    for arm, weight in enumerate([0.3, 0.0, 0.7, 0.0]):
        set_weight(tree, arm, weight)
    number = np.nextafter(1.0, 0.0)
    assert number * tree[1] - 0.3 >= 0.7
    assert draw(tree, number) == 2
