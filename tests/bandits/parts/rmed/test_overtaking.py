"""Test that sorting finds the smallest sum over all sets of pairs that let an arm overtake a candidate."""

import numpy as np
import pytest
from naive.policies.cw_rmed import Preferences
from support.necessary_duels import counts_like, random_wins
from support.policies import CYCLIC, ladder

from rankduel.bandits.parts.rmed.overtaking import least_to_overtake, mark_overtaking, opponents_room

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]


def least(wins, values, candidate):
    """Return (smallest sum, pairs i > j that have it)."""
    wins, room = np.asarray(wins), opponents_room(len(wins))
    marked = np.zeros(len(wins) * (len(wins) - 1) // 2, np.bool_)
    losses = (wins < wins.T).sum(axis=1)
    found = least_to_overtake(wins, losses, values, candidate, room)
    if found[0] < np.inf:
        mark_overtaking(wins, values, candidate, found, room, marked)
    pairs = [(i, j) for i in range(len(wins)) for j in range(i)]
    return found[0], frozenset(pair for pair, mark in zip(pairs, marked) if mark)


def test_smallest_sum_equals_that_of_all_sets():
    """With negative values too, which plans may have before the simplex method ends."""
    rng = np.random.default_rng(1)
    n_safe = 0
    for _ in range(150):
        n_arms = int(rng.integers(2, 7))
        wins, values = random_wins(n_arms, rng), rng.normal(0.5, 1.0, (n_arms, n_arms))
        values = np.tril(values, -1) + np.tril(values, -1).T
        seen = Preferences(wins.tolist())
        for candidate in seen.candidates:
            ways = seen.conditions(candidate)
            total, pairs = least(wins, values, candidate)
            if not ways:
                n_safe += 1
                assert total == np.inf
                continue
            sums = {way: sum(values[pair] for pair in way) for way in ways}
            assert total == pytest.approx(min(sums.values()), abs=1e-12)
            assert pairs in ways and sums[pairs] == pytest.approx(total, abs=1e-12)
    assert n_safe > 5


def test_sets_of_the_cyclic_matrix():
    """Arm 0 comes to have one loss and a rival none, or arm 0 two and a rival at most one.

    The rivals lose to arm 0 and to one another; the rival itself may come to beat arm 0.
    """
    wins, values = counts_like(CYCLIC, 10), np.full((4, 4), 9.0)
    ways = [{(1, 0), (3, 1)}, {(1, 0), (2, 0)}, {(2, 0), (3, 0)}]
    for cost, way in zip((8.0, 7.0, 6.0), ways):
        for i, j in way:
            values[i, j] = values[j, i] = cost / 2
        assert least(wins, values, 0) == (cost, frozenset(way))


def test_in_a_total_order_one_reversed_pair_suffices():
    values = np.arange(16.0).reshape(4, 4)
    values = np.tril(values, -1) + np.tril(values, -1).T
    assert least(counts_like(ladder(4, 0.1), 10), values, 0) == (4.0, frozenset({(1, 0)}))


def test_without_duels_no_arm_can_overtake():
    assert least(np.zeros((5, 5), int), np.ones((5, 5)), 2) == (np.inf, frozenset())
