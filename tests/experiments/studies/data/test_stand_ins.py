"""Stand-ins: gaps of their user, cyclic triples as in the public matrices, and a lost Condorcet winner."""

import numpy as np
import pytest

from rankduel.bandits import condorcet_winner
from rankduel.experiments.studies.data.judged import DataSource
from rankduel.experiments.studies.data.problems import open_problem
from rankduel.experiments.studies.data.public import PUBLIC
from rankduel.experiments.studies.data.stand_ins import FITS, RIVAL, with_gaps_of, with_rival
from rankduel.experiments.winners.notions import copeland_scores

# Fifth smallest gap, 10 % and median of the gaps of the Condorcet winner in the public MSLR matrices.
MEASURED = {
    "perfect": (0.0227, 0.0353, 0.0893),
    "navigational": (0.0157, 0.0277, 0.0756),
    "informational": (0.0102, 0.0204, 0.0804),
}
CYCLES = {"perfect": 447, "navigational": 377, "informational": 336}


def mslr_like(user):
    return PUBLIC[f"mslr-{user}" + ("-cdc" if user == "informational" else "")].stand_in()


def gaps_of_winner(prefs):
    best = condorcet_winner(prefs)
    return np.sort(np.delete(prefs[best], best) - 0.5)


def n_cycles(prefs):
    """Return the number of triples in which each arm beats one other."""
    beats = (prefs > 0.5).astype(float)
    return round(np.trace(beats @ beats @ beats) / 3)


@pytest.mark.parametrize("user", MEASURED)
def test_gaps_are_those_of_the_user(user):
    prefs = mslr_like(user)
    assert len(prefs) == (135 if user == "informational" else 136)
    gaps = gaps_of_winner(prefs)
    found = (gaps[4], np.quantile(gaps, 0.1), np.median(gaps))
    assert found == pytest.approx(MEASURED[user], abs=2e-4)
    assert n_cycles(prefs) == pytest.approx(CYCLES[user], rel=0.25)


@pytest.mark.parametrize("data", ["mslr", "istella"])
def test_informational_users_are_the_hardest_and_perfect_users_the_easiest(data):
    """By the duels that elimination of all other arms takes, which grow with the sum of 1 / gap^2."""
    hard = []
    for user in FITS:
        name = f"{data}-{user}" + ("-cdc" if (data, user) == ("mslr", "informational") else "")
        hard.append((gaps_of_winner(PUBLIC[name].stand_in()) ** -2.0).sum())
    assert hard == sorted(hard) and hard[2] > 1.5 * hard[0]


def test_a_rival_takes_the_condorcet_winner_away():
    prefs = with_gaps_of("informational", 20, "test")
    whole = with_rival(prefs)
    np.testing.assert_allclose(whole + whole.T, 1.0)
    np.testing.assert_array_equal(whole[:20, :20], prefs)  # the new arm is the last of so few
    assert condorcet_winner(whole) < 0
    assert np.flatnonzero(whole[:, 0] > 0.5).tolist() == [20]
    assert np.flatnonzero(whole[:, 20] > 0.5).tolist() == [1, 2]
    assert whole[20, 0] - 0.5 == pytest.approx(RIVAL[0])
    assert copeland_scores(whole)[0] == copeland_scores(whole).max()


def test_the_best_rankers_have_the_numbers_of_the_public_matrices():
    """Ranker 109 is the best with perfect and navigational users; it beats the informational best."""
    for user in ("perfect", "navigational"):
        assert condorcet_winner(PUBLIC[f"mslr-{user}"].stand_in()) == 109
    whole, part = (PUBLIC[f"mslr-informational{end}"].stand_in() for end in ("", "-cdc"))
    np.testing.assert_array_equal(np.delete(np.delete(whole, 109, 0), 109, 1), part)
    assert condorcet_winner(part) == 113
    assert copeland_scores(whole).argmax() == 114 and np.flatnonzero(whole[:, 114] > 0.5).tolist() == [109]


FIRST = [(10, "105", 0.048), (20, "109", 0.0175), (30, "109", 0.0066), (40, "109", 0.0066)]


@pytest.mark.parametrize(("size", "best", "least"), FIRST)
def test_first_rankers_in_text_order_have_about_the_gaps_of_the_public_matrix(size, best, least, tmp_path):
    source = DataSource(None, tmp_path)
    chosen = open_problem(f"mslr-perfect(lex={size},base=1)", source).problem.preferences
    assert chosen.names[condorcet_winner(chosen.matrix)] == best
    assert gaps_of_winner(chosen.matrix)[0] == pytest.approx(least, rel=0.05)
