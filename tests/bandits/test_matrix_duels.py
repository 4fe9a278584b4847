"""Test which preference matrices are scaled or refused, and the constants that follow from a matrix."""

import numpy as np
import pytest
from support.policies import CYCLIC, ladder

from rankduel.bandits import checked_prefs, condorcet_winner, gaps, lower_bound, play_matrix, policy
from rankduel.bandits.matrix_duels import matrix_duel
from rankduel.base.errors import RankduelError
from rankduel.experiments.matrix.builtin import MATRICES


def test_rounded_entries_are_scaled():
    clean = checked_prefs([[0.5, 0.6004], [0.4, 0.5]])
    assert clean[0, 1] == 0.6004 / 1.0004 and clean[0, 1] + clean[1, 0] == 1.0


def test_the_diagonal_is_not_used():
    np.testing.assert_array_equal(checked_prefs([[0.0, 0.7], [0.3, 1.0]]), [[0.5, 0.7], [0.3, 0.5]])


@pytest.mark.parametrize(
    ("prefs", "message"),
    [
        ([[0.5, 0.5]], "expected a square matrix, found 1 x 2"),
        ([0.5, 0.5], "expected a square matrix, found 2"),
        (0.5, "a single number"),
        (np.empty((0, 0)), "found 0 x 0"),
        ([["a", "b"], ["c", "d"]], "square table of probabilities"),
        (
            [[0.5, 1.5], [-0.5, 0.5]],
            "entry (0, 1) is 1.5 (its mirror is -0.5); expected a probability from 0 to 1",
        ),
        ([[0.5, np.nan], [0.4, 0.5]], "entry (0, 1) is nan"),
        ([[np.nan, 0.6], [0.4, 0.5]], "entry (0, 0) is nan"),
        (
            [[0.5, 0.6], [0.6, 0.5]],
            "entry (0, 1) is 0.6 (its mirror is 0.6); it and its mirror entry must add up to 1",
        ),
        ([[0.5, 0.602], [0.4, 0.5]], "must add up to 1 (within 0.001). 2 such entries"),
    ],
)
def test_what_is_refused(prefs, message):
    with pytest.raises(RankduelError) as refused:
        play_matrix(policy("rucb"), prefs, 10)
    assert message in str(refused.value)


@pytest.mark.parametrize("horizon", [0, -1, 2.5, np.inf, np.nan, 1e16, "many"])
def test_other_values_than_numbers_of_steps_are_refused(horizon):
    with pytest.raises(RankduelError, match="expected a whole number of duels from 1"):
        play_matrix(policy("rucb"), CYCLIC, horizon)


def test_condorcet_winner():
    assert condorcet_winner(CYCLIC) == 0 and condorcet_winner(CYCLIC[::-1, ::-1]) == 3
    assert condorcet_winner(CYCLIC[1:, 1:]) == -1
    assert condorcet_winner(np.full((2, 2), 0.5)) == -1  # to beat an arm needs more than 1/2
    assert condorcet_winner(np.array([[0.5]])) == 0


def test_gaps_without_a_winner_are_refused():
    with pytest.raises(RankduelError, match="no Condorcet winner"):
        gaps(CYCLIC[1:, 1:])


# Minimal gap, mean gap over all arms, C1 and C*, as published for these matrices or derived from them.
CONSTANTS = {
    "cyclic": (0.1, 0.075, 7.449524, 0.815075),
    "arithmetic": (0.05, 0.175, 12.712159, 12.712159),
    "arxiv6": (0.04, 0.06, 20.734982, 20.734982),
    "mslr5": (0.03519466, 0.13404449, 11.120018, 11.120018),
    "cycle": (0.01, 0.0095, 474.96833, 0.274112),
    "cycle2": (0.1, 0.095, 47.180321, 47.180321),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_lower_bound_constants(name):
    prefs = checked_prefs(MATRICES[name].make())
    smallest, mean, c1, c_star = CONSTANTS[name]
    assert condorcet_winner(prefs) == 0
    assert np.sort(gaps(prefs))[1] == pytest.approx(smallest, abs=1e-9)
    assert gaps(prefs).mean() == pytest.approx(mean, abs=1e-8)
    assert lower_bound(prefs) == pytest.approx((c_star, c1), rel=1e-6)


def test_lower_bound_with_certain_wins_is_finite():
    star, one = lower_bound(ladder(3, 0.5))
    assert star == pytest.approx(one) == pytest.approx((0.5 + 0.5) / (2 * np.log(2)))


@pytest.mark.kernel
def test_duels_have_the_probability_of_the_matrix():
    """Within 4.5 standard errors of 0.9 over 20,000 duels (a swapped pair would be off by 377)."""
    users = np.random.default_rng(0)
    won = sum(matrix_duel(CYCLIC, 1, 2, users) for _ in range(20_000))
    assert abs(won - 18_000) < 4.5 * (20_000 * 0.9 * 0.1) ** 0.5
