"""Stand-ins: gaps of their user, cyclic triples as in the public matrices, and a lost Condorcet winner."""

import numpy as np
import pytest

from bandits import condorcet_winner
from experiments.studies.data import PUBLIC
from experiments.studies.stand_ins import FITS, RIVAL, with_gaps_of, with_rival
from experiments.winners.notions import copeland_scores

# Fifth smallest gap, 10 % and median of the gaps of the Condorcet winner in the public MSLR matrices.
MEASURED = {
    "perfect": (0.0227, 0.0353, 0.0893),
    "navigational": (0.0157, 0.0277, 0.0756),
    "informational": (0.0102, 0.0204, 0.0804),
}
CYCLES = {"perfect": 447, "navigational": 377, "informational": 336}


def mslr_like(user):
    return PUBLIC[f"mslr-{user}" + ("-cdc" if user == "informational" else "")].stand_in()


def n_cycles(prefs):
    """Return the number of triples in which each arm beats one other."""
    beats = (prefs > 0.5).astype(float)
    return round(np.trace(beats @ beats @ beats) / 3)


@pytest.mark.parametrize("user", MEASURED)
def test_gaps_are_those_of_the_user(user):
    prefs = mslr_like(user)
    assert len(prefs) == (135 if user == "informational" else 136)
    gaps = np.sort(np.delete(prefs[condorcet_winner(prefs)], 0) - 0.5)
    found = (gaps[4], np.quantile(gaps, 0.1), np.median(gaps))
    assert found == pytest.approx(MEASURED[user], abs=2e-4)
    assert n_cycles(prefs) == pytest.approx(CYCLES[user], rel=0.25)


@pytest.mark.parametrize("data", ["mslr", "istella"])
def test_informational_users_are_the_hardest_and_perfect_users_the_easiest(data):
    """By the duels that elimination of all other arms takes, which grow with the sum of 1 / gap^2."""
    hard = []
    for user in FITS:
        name = f"{data}-{user}" + ("-cdc" if (data, user) == ("mslr", "informational") else "")
        gaps = PUBLIC[name].stand_in()[0, 1:] - 0.5
        hard.append((gaps**-2.0).sum())
    assert hard == sorted(hard) and hard[2] > 1.5 * hard[0]


def test_a_rival_takes_the_condorcet_winner_away():
    prefs = with_gaps_of("informational", 20, "test")
    whole = with_rival(prefs)
    np.testing.assert_allclose(whole + whole.T, 1.0)
    np.testing.assert_array_equal(np.delete(np.delete(whole, 1, 0), 1, 1), prefs)
    assert condorcet_winner(whole) < 0
    assert np.flatnonzero(whole[:, 0] > 0.5).tolist() == [1]
    assert np.flatnonzero(whole[:, 1] > 0.5).tolist() == [2, 3]
    assert whole[1, 0] - 0.5 == pytest.approx(RIVAL[0])
    assert copeland_scores(whole)[0] == copeland_scores(whole).max()
