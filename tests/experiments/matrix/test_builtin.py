"""Built-in matrices against the properties stated in their sources."""

import numpy as np
import pytest

from rankduel.bandits import checked_prefs, condorcet_winner
from rankduel.experiments.matrix.builtin import MATRICES


def copeland(prefs):
    """Return the number of arms that each arm beats."""
    return (prefs > 0.5).sum(axis=1).tolist()


def borda(prefs):
    """Return the mean probability of beating another arm."""
    return (prefs.sum(axis=1) - 0.5) / (len(prefs) - 1)


@pytest.mark.parametrize("name", MATRICES)
def test_every_matrix_is_valid_and_described(name):
    prefs = MATRICES[name].make()
    np.testing.assert_allclose(checked_prefs(prefs), prefs, atol=1e-15)
    assert str(len(prefs)) in MATRICES[name].about or name.startswith("mslr5")
    assert MATRICES[name].source


@pytest.mark.parametrize(
    ("name", "winner", "scores"),
    [
        ("cyclic", 0, [3, 1, 1, 1]),
        ("arithmetic", 0, [7, 6, 5, 4, 3, 2, 1, 0]),
        ("arxiv6", 0, [5, 4, 3, 1, 1, 0]),
        ("mslr5", 0, [4, 3, 2, 1, 0]),
        ("mslr5-cycle", -1, [3, 3, 3, 1, 0]),
        ("cycle", 0, [19] + [9] * 19),
        ("cycle2", 0, [19] + [9] * 19),
        ("thesis4", 0, [3, 1, 1, 1]),
        ("tennis", 0, [3, 2, 0, 0]),
        ("gap", -1, [3, 2, 2, 1, 2]),
        ("multisol", -1, [3, 3, 3, 1, 0]),
        ("case-a", 0, list(range(99, -1, -1))),
        ("case-b", -1, [98, 98] + [0] * 98),
        ("copeland500", -1, [498, 498, 498, *range(496, -1, -1)]),
        ("two-winners32", -1, [30, *range(30, 22, -1), 23, *range(21, -1, -1)]),
    ],
)
def test_winners_and_copeland_scores(name, winner, scores):
    prefs = MATRICES[name].make()
    assert condorcet_winner(prefs) == winner
    assert copeland(prefs) == scores


@pytest.mark.parametrize(
    ("name", "first", "others"), [("cycle", 9.69, 9.49), ("cycle2", 11.40, 9.40), ("cyclic", 1.8, 1.4)]
)
def test_borda_scores(name, first, others):
    prefs = MATRICES[name].make()
    np.testing.assert_allclose(borda(prefs) * (len(prefs) - 1), [first] + [others] * (len(prefs) - 1))


def test_borda_winners_that_are_not_condorcet():
    np.testing.assert_allclose(MATRICES["thesis4"].make().sum(axis=1), [2.03, 2.39, 1.74, 1.84])
    np.testing.assert_allclose(MATRICES["tennis"].make().sum(axis=1), [2.15, 2.45, 1.7, 1.7])
    np.testing.assert_allclose(borda(MATRICES["case-a"].make())[:2], [0.75, 0.74495], atol=1e-5)
    np.testing.assert_allclose(
        borda(MATRICES["case-b"].make())[[0, 1, 2]], [0.74747, 0.74747, 0.49495], atol=1e-5
    )
