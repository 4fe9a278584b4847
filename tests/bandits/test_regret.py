"""Test the losses against Copeland scores and Borda means of small published matrices."""

import numpy as np
import pytest
from support.policies import CYCLIC, ladder

from rankduel.bandits.regret import NOTIONS, losses_by, usual_notion, winners_by
from rankduel.base.errors import RankduelError
from rankduel.experiments.matrix.builtin import MATRICES

SCORES = {
    "cyclic": [3, 1, 1, 1],
    "gap": [3, 2, 2, 1, 2],
    "multisol": [3, 3, 3, 1, 0],
    "mslr5": [4, 3, 2, 1, 0],
    "mslr5-cycle": [3, 3, 3, 1, 0],
    "arxiv6": [5, 4, 3, 1, 1, 0],
}


@pytest.mark.parametrize("name", SCORES)
def test_copeland_losses_are_missing_wins(name):
    prefs, scores = MATRICES[name].make(), np.array(SCORES[name])
    others, lacking = len(scores) - 1, max(scores) - scores
    np.testing.assert_allclose(losses_by("copeland", prefs), lacking / others)
    np.testing.assert_allclose(losses_by("copeland-sum", prefs), 2 * lacking / others)
    np.testing.assert_allclose(losses_by("copeland-per-arm", prefs), 2 * lacking / len(scores))
    np.testing.assert_array_equal(winners_by("copeland", prefs), scores == max(scores))


def test_a_tie_is_no_loss():
    """ArXiv: arms 3 and 5 tie, so the number of losses of both is one less than that of missing wins."""
    prefs = MATRICES["arxiv6"].make()
    np.testing.assert_allclose(losses_by("copeland-losses", prefs) * 5, [0, 1, 2, 3, 4, 4])
    np.testing.assert_allclose(losses_by("copeland", prefs) * 5, [0, 1, 2, 4, 4, 5])
    for name in ("cyclic", "gap", "multisol"):
        prefs = MATRICES[name].make()
        np.testing.assert_allclose(losses_by("copeland-losses", prefs), losses_by("copeland", prefs))


def test_borda_losses_are_differences_of_means():
    prefs = MATRICES["thesis4"].make()
    means = np.array([0.51, (0.49 + 1 + 0.4) / 3, (0.49 + 0 + 0.75) / 3, (0.49 + 0.6 + 0.25) / 3])
    np.testing.assert_allclose(losses_by("borda", prefs), means.max() - means)
    np.testing.assert_array_equal(winners_by("borda", prefs), [False, True, False, False])
    np.testing.assert_array_equal(winners_by("condorcet", prefs), [True, False, False, False])


def test_the_usual_notion_is_condorcet_where_that_has_a_winner():
    assert usual_notion(CYCLIC) == "condorcet" and usual_notion(MATRICES["gap"].make()) == "copeland"
    np.testing.assert_allclose(losses_by("condorcet", ladder(3)), [0, 0.05, 0.1])


@pytest.mark.parametrize("notion", NOTIONS)
def test_one_arm_loses_nothing(notion):
    np.testing.assert_array_equal(losses_by(notion, np.array([[0.5]])), [0.0])


def test_unknown_notions_and_missing_winners_are_refused():
    with pytest.raises(RankduelError, match="no notion of regret named 'copland'; did you mean 'copeland'"):
        losses_by("copland", CYCLIC)
    with pytest.raises(RankduelError, match="no Condorcet winner"):
        losses_by("condorcet", MATRICES["gap"].make())
