"""Rows of coins come up as often as they should, and independently."""

import numpy as np
import pytest
from numba import njit

from bandits.parts.thompson.bernoulli_rows import (
    Tournament,
    all_present,
    even_rows,
    new_rows,
    new_step,
    note_chance,
    toss_rows,
)

pytestmark = pytest.mark.kernel


class Table:
    """Coins for these chances; but of one half where neither arm is of `arms`."""

    def __init__(self, chance, arms):
        self.chance, self.coins = np.asarray(chance, float), even_rows(len(chance))
        for one in arms:
            for other in range(len(chance)):
                note_chance(self.coins.level, self.chance, one, other)

    def toss(self, arms, rng, absent=(), runs=1):
        """The turns of these arms, `runs` times: won[run, i, j], lost[run, j], score[run, i]."""
        n_arms = len(self.chance)
        rows = new_rows(n_arms, True)
        won, lost = (np.zeros((runs, *room.shape), room.dtype) for room in (rows.won, rows.lost))
        score = np.zeros((runs, n_arms), np.int64)
        _toss(self.coins, self.chance, rows, np.asarray(arms), np.array(absent, int), won, lost, score, rng)
        return won, lost, score


@njit
def _toss(coins, chance, rows, arms, absent, won, lost, score, rng):
    for run in range(len(won)):
        new_step(coins, rng)
        all_present(rows)
        for arm in absent:
            rows.present[arm] = 0
        toss_rows(Tournament(coins, chance, chance[0], rows), arms, len(chance) - 1, -1.0, 0, rng)
        won[run], lost[run], score[run] = rows.won, rows.lost, rows.score


def one_against_many(chance):
    """A table in which arm 0 beats arm j with chance[j - 1]."""
    table = np.full((len(chance) + 1, len(chance) + 1), 0.5)
    table[0, 1:], table[1:, 0] = chance, 1 - np.asarray(chance)
    return Table(table, [0])


@pytest.mark.slow
def test_each_coin_has_its_chance():
    chance = np.array([0.0, 1.0, 0.5, 0.25, 0.75, 0.1, 0.9, 1 / 3, 0.999, 0.001] * 20)
    table, runs, total = one_against_many(chance), 0, 0.0
    for seed in range(10):
        won, lost, score = table.toss([0], np.random.default_rng(seed), runs=2000)
        np.testing.assert_array_equal(score[:, 0], won[:, 0].sum(axis=1))
        np.testing.assert_array_equal(lost[:, 1:201], 1 - won[:, 0, 1:201])
        assert not won[:, 0, 0].any() and not lost[:, 201:].any()
        runs, total = runs + len(won), total + won[:, 0, 1:201].sum(axis=0)
    spread = np.sqrt(runs * chance * (1 - chance))
    assert (np.abs(total - runs * chance) <= 4.5 * spread).all()


@pytest.mark.parametrize("rest", [0.25, 0.98])
def test_undecided_coins_are_decided_by_the_rest(rest):
    # A chance below 2^-15 comes up only where all 15 bits are zero: 600 x rest times in 20 million coins.
    chance, total = np.full(100, rest * 2.0**-15), 0
    table = one_against_many(chance)
    for seed in range(100):
        won, _, score = table.toss([0], np.random.default_rng(seed), runs=2000)
        np.testing.assert_array_equal(score[:, 0], won[:, 0].sum(axis=1))
        total += score.sum()
    expected = 200_000 * chance.sum()
    assert abs(total - expected) <= 4.5 * np.sqrt(expected)


def test_coins_are_independent():
    """No two coins of a row go together, nor those of successive steps."""
    won, _, _ = one_against_many(np.full(66, 0.5)).toss([0], np.random.default_rng(3), runs=20_000)
    coins = won[:, 0, 1:67].astype(float)
    together = np.corrcoef(np.hstack([coins[1:], coins[:-1]]).T)
    np.fill_diagonal(together, 0.0)
    assert np.abs(together).max() < 5.5 / np.sqrt(len(coins))  # of some 8,600 numbers


def test_absent_arms_take_no_part():
    table = Table(np.full((70, 70), 0.5), [])
    (won,), (lost,), (score,) = table.toss([3, 40, 69], np.random.default_rng(4), absent=[0, 40, 68])
    assert won[3, [0, 40, 68, 3, 69]].sum() == 0  # 69 came first
    assert lost[[0, 40, 68]].sum() == 0
    assert not won[40].any()
    assert score[69] + (score[3] - lost[3]) + lost.sum() == 65 + 66


def test_same_generator_same_coins():
    one, other = (Table(np.full((40, 40), 0.5), []) for _ in range(2))
    one.toss(np.arange(40), np.random.default_rng(9))  # what was tossed before does not matter
    scores = [table.toss(np.arange(40), np.random.default_rng(5))[2] for table in (one, other)]
    np.testing.assert_array_equal(*scores)


def test_weak_and_beaten_arms_have_no_turn():
    """Arm 5 beats all but one; who lost twice before its turn, or is too weak, need not be tossed for."""
    chance = np.tril(np.ones((6, 6)), -1) + 0.5 * np.eye(6)
    chance[5, 0], chance[0, 5] = 0.0, 1.0
    rng, rows, coins = np.random.default_rng(6), new_rows(6, True), even_rows(6)
    for one in range(6):
        for other in range(one):
            note_chance(coins.level, chance, one, other)
    new_step(coins, rng)
    all_present(rows)
    tournament = Tournament(coins, chance, np.array([1.0, 1.0, 2.0, 3.0, 4.0, 4.0]), rows)
    assert toss_rows(tournament, np.array([3, 4, 5]), 5, 3.5, 0, rng) == 4
    assert rows.score.tolist() == [0, 0, 0, -1, 4, 4]
    assert toss_rows(tournament, np.arange(6), 5, -1.0, 4, rng) == 4
    assert rows.score.tolist() == [1, -1, -1, -1, 4, 4]  # 1 to 3 have lost twice, 0 only once
    assert rows.turn[[5, 4, 0]].tolist() == [6, 5, 4]
    assert rows.present[:6].tolist() == [0, 1, 1, 1, 0, 0]
