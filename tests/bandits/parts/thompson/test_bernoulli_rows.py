"""Test that rows of Bernoulli variables have their probabilities, and are independent."""

import numpy as np
import pytest
from numba import njit

from rankduel.bandits.parts.thompson.bernoulli_rows import (
    RowOdds,
    admit_all,
    even_levels,
    sample_rows,
    seed_bits,
    tournament_room,
    update_levels,
)

pytestmark = pytest.mark.kernel


def row_odds(probability, arms, strength=None):
    """Return odds with these probabilities; 1/2 where neither arm is of `arms`."""
    probability = np.asarray(probability, float)
    level = even_levels(len(probability))
    for one in arms:
        for other in range(len(probability)):
            update_levels(level, probability, one, other)
    return RowOdds(level, probability, probability[0] if strength is None else strength)


def one_against_many(probability):
    """Return odds in which arm 0 beats arm j with probability[j - 1]."""
    n_arms = len(probability) + 1
    matrix = np.full((n_arms, n_arms), 0.5)
    matrix[0, 1:], matrix[1:, 0] = probability, 1 - np.asarray(probability)
    return row_odds(matrix, [0])


def sampled(odds, arms, rng, excluded=(), runs=1):
    """Return (won, lost, score) of `runs` samples of the rows of `arms`, the first axis by run."""
    room = tournament_room(len(odds.strength), keep_rows=True)
    won, lost, score = (np.zeros((runs, *a.shape), a.dtype) for a in (room.won, room.lost, room.score))
    sample_often(odds, room, np.asarray(arms), np.array(excluded, int), won, lost, score, rng)
    return won, lost, score


@njit
def sample_often(odds, room, arms, excluded, won, lost, score, rng):
    for run in range(len(won)):
        seed_bits(room.bits, rng)
        admit_all(room)
        for arm in excluded:
            room.admitted[arm] = 0
        sample_rows(odds, room, arms, len(odds.strength) - 1, -1.0, 0, rng)
        won[run], lost[run], score[run] = room.won, room.lost, room.score


@pytest.mark.slow
def test_each_variable_has_its_probability():
    probability = np.array([0.0, 1.0, 0.5, 0.25, 0.75, 0.1, 0.9, 1 / 3, 0.999, 0.001] * 20)
    odds, runs, total = one_against_many(probability), 0, 0.0
    for seed in range(10):
        won, lost, score = sampled(odds, [0], np.random.default_rng(seed), runs=2000)
        np.testing.assert_array_equal(score[:, 0], won[:, 0].sum(axis=1))
        np.testing.assert_array_equal(lost[:, 1:201], 1 - won[:, 0, 1:201])
        assert not won[:, 0, 0].any() and not lost[:, 201:].any()
        runs, total = runs + len(won), total + won[:, 0, 1:201].sum(axis=0)
    spread = np.sqrt(runs * probability * (1 - probability))
    assert (np.abs(total - runs * probability) <= 4.5 * spread).all()


@pytest.mark.parametrize("rest", [0.25, 0.98])
def test_undecided_variables_are_decided_by_the_remaining_bits(rest):
    # A probability below 2^-15 wins only where all 15 bits are zero: 600 x rest times in 20 million.
    probability, total = np.full(100, rest * 2.0**-15), 0
    odds = one_against_many(probability)
    for seed in range(100):
        won, _, score = sampled(odds, [0], np.random.default_rng(seed), runs=2000)
        np.testing.assert_array_equal(score[:, 0], won[:, 0].sum(axis=1))
        total += score.sum()
    expected = 200_000 * probability.sum()
    assert abs(total - expected) <= 4.5 * np.sqrt(expected)


def test_variables_are_independent():
    """No two variables of a row are correlated, nor those of successive steps."""
    won, _, _ = sampled(one_against_many(np.full(66, 0.5)), [0], np.random.default_rng(3), runs=20_000)
    variables = won[:, 0, 1:67].astype(float)
    correlation = np.corrcoef(np.hstack([variables[1:], variables[:-1]]).T)
    np.fill_diagonal(correlation, 0.0)
    assert np.abs(correlation).max() < 5.5 / np.sqrt(len(variables))  # of some 8,600 numbers


def test_excluded_arms_have_no_duels():
    odds, rng = row_odds(np.full((70, 70), 0.5), []), np.random.default_rng(4)
    (won,), (lost,), (score,) = sampled(odds, [3, 40, 69], rng, excluded=[0, 40, 68])
    assert won[3, [0, 40, 68, 3, 69]].sum() == 0  # the row of 69 came first
    assert lost[[0, 40, 68]].sum() == 0
    assert not won[40].any()
    assert score[69] + (score[3] - lost[3]) + lost.sum() == 65 + 66


def test_equal_generators_give_equal_scores():
    """Whatever was sampled before in the same workspace."""
    odds, room = row_odds(np.full((40, 40), 0.5), []), tournament_room(40, keep_rows=True)
    arms, none = np.arange(40), np.array([], int)
    won, lost, score = (np.zeros((2, *a.shape), a.dtype) for a in (room.won, room.lost, room.score))
    for run, seeds in enumerate(([9, 5], [5])):
        for seed in seeds:
            one = slice(run, run + 1)
            rng = np.random.default_rng(seed)
            sample_often(odds, room, arms, none, won[one], lost[one], score[one], rng)
        room = tournament_room(40, keep_rows=True)
    np.testing.assert_array_equal(*score)


def test_weak_and_beaten_arms_are_not_sampled():
    """Arm 5 beats all but one; arms that are too weak, or lost twice before their turn, are passed over."""
    probability = np.tril(np.ones((6, 6)), -1) + 0.5 * np.eye(6)
    probability[5, 0], probability[0, 5] = 0.0, 1.0
    odds = row_odds(probability, range(6), strength=np.array([1.0, 1.0, 2.0, 3.0, 4.0, 4.0]))
    rng, room = np.random.default_rng(6), tournament_room(6, keep_rows=True)
    seed_bits(room.bits, rng)
    admit_all(room)
    assert sample_rows(odds, room, np.array([3, 4, 5]), 5, 3.5, 0, rng) == 4
    assert room.score.tolist() == [0, 0, 0, -1, 4, 4]
    assert sample_rows(odds, room, np.arange(6), 5, -1.0, 4, rng) == 4
    assert room.score.tolist() == [1, -1, -1, -1, 4, 4]  # 1 to 3 have lost twice, 0 only once
    assert room.turn[[5, 4, 0]].tolist() == [6, 5, 4]
    assert room.admitted[:6].tolist() == [0, 1, 1, 1, 0, 0]
