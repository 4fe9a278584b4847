"""Subsets with two Copeland winners: their shape, the search against slow twins, and the problem as text."""

import itertools

import numpy as np
import pytest

from rankduel.base.errors import StudyError
from rankduel.base.streams import stream
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.studies.data.judged import DataSource
from rankduel.experiments.studies.data.problems import open_problem
from rankduel.experiments.studies.data.public import PUBLIC
from rankduel.experiments.studies.data.subsets import DRAWS, draw_two_winners, min_winner_gap
from rankduel.experiments.winners.notions import copeland_scores


def random_matrix(seed, size=8):
    rng = np.random.default_rng(seed)
    margins = np.triu(rng.uniform(-0.4, 0.4, (size, size)), 1)
    return 0.5 + margins - margins.T


def slow_min_winner_gap(matrix, arms):
    """Follow the source: two arms beat all but one; one beats the other and loses to a suboptimal arm."""
    part = matrix[np.ix_(arms, arms)]
    scores = copeland_scores(part)
    winners = np.flatnonzero(scores == scores.max())
    if len(winners) != 2 or scores.max() != len(arms) - 2:
        return 0.0
    better, worse = winners if part[winners[0], winners[1]] > 0.5 else winners[::-1]
    beats_it = np.flatnonzero(part[:, better] > 0.5)
    if not part[better, worse] > 0.5 or len(beats_it) != 1 or beats_it[0] in winners:
        return 0.0
    return min(abs(part[w, other] - 0.5) for w in winners for other in range(len(arms)) if other != w)


def test_gaps_are_those_of_the_slow_twin():
    n_wanted = 0
    for seed, size in itertools.product(range(8), (3, 4, 5, 8)):
        matrix = random_matrix(seed)
        for arms in itertools.combinations(range(8), size):
            slow = slow_min_winner_gap(matrix, list(arms))
            assert min_winner_gap(matrix, np.array(arms)) == slow
            n_wanted += slow > 0
    assert n_wanted > 50


def test_gaps_of_changed_matrices():
    matrix = np.array(MATRICES["two-winners32"].make())
    arms = np.arange(32)
    assert min_winner_gap(matrix, arms) == pytest.approx(0.1)
    matrix[0, 31], matrix[31, 0] = 0.53, 0.47  # a smaller gap of a winner
    assert min_winner_gap(matrix, arms) == pytest.approx(0.03)
    matrix[20, 21], matrix[21, 20] = 0.51, 0.49  # a pair without a winner
    assert min_winner_gap(matrix, arms) == pytest.approx(0.03)
    assert min_winner_gap(matrix, np.delete(arms, 9)) == 0  # without arm 9, no arm beats arm 0
    matrix[0, 9] = matrix[9, 0] = 0.5  # a tie is not a loss
    assert min_winner_gap(matrix, arms) == 0
    assert min_winner_gap(np.array(MATRICES["mslr5-cycle"].make()), np.arange(5)) == 0  # three winners


def test_a_tie_without_a_winner_does_not_change_the_gap():
    """Arm 0 beats 1 and 3, arm 1 beats 2 and 3, arm 2 beats 0 only, as 2 and 3 tie: 0 and 1 win."""
    matrix = np.array(
        [[0.5, 0.6, 0.3, 0.6], [0.4, 0.5, 0.8, 0.7], [0.7, 0.2, 0.5, 0.5], [0.4, 0.3, 0.5, 0.5]]
    )
    assert (
        min_winner_gap(matrix, np.arange(4))
        == slow_min_winner_gap(matrix, list(range(4)))
        == pytest.approx(0.1)
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_clearest_of_all_subsets_is_found(seed):
    """Each of the 56 subsets is drawn some thousands of times, so the clearest is among the draws."""
    matrix = random_matrix(seed)
    subsets = [list(arms) for arms in itertools.combinations(range(8), 5)]
    found = draw_two_winners(matrix, 5, seed=0)
    assert found.arms == max(subsets, key=lambda arms: slow_min_winner_gap(matrix, arms))
    # The share is the mean of DRAWS Bernoulli variables: within five standard errors.
    share = np.mean([slow_min_winner_gap(matrix, arms) > 0 for arms in subsets])
    assert abs((found.gaps > 0).mean() - share) < 5 * np.sqrt(share * (1 - share) / DRAWS)


def test_draws_are_those_of_the_slow_twin(monkeypatch):
    """Margins are equal, so that many subsets have the same gap; the first of them is selected."""
    monkeypatch.setattr("rankduel.experiments.studies.data.subsets.DRAWS", 2000)
    matrix = np.where(random_matrix(4, 30) > 0.5, 0.7, 0.3)
    rng, permutation = stream(7, "two winners", 6), list(range(30))
    found, gaps, best = draw_two_winners(matrix, 6, seed=7), [], []
    for _ in range(2000):
        for place in range(6):
            other = place + int(rng.random() * (30 - place))
            permutation[place], permutation[other] = permutation[other], permutation[place]
        gaps.append(slow_min_winner_gap(matrix, permutation[:6]))
        if gaps[-1] == max(gaps) > max(gaps[:-1], default=0):
            best = sorted(permutation[:6])
    assert found.gaps.tolist() == gaps and found.arms == best
    assert sum(gap > 0 for gap in gaps) > 100


def test_a_subset_with_two_winners_as_a_problem(tmp_path):
    text, source = "mslr-informational(two_winners=32,seed=1)", DataSource(None, tmp_path)
    problem = open_problem(text, source).problem
    assert problem.notion == "copeland" and len(problem.preferences) == 32
    arms = [int(arm) for arm in problem.settings["matrix"]["arms"].split(",")]
    assert arms == sorted(set(arms)) == draw_two_winners(PUBLIC["mslr-informational"].stand_in(), 32, 1).arms
    assert slow_min_winner_gap(problem.preferences.matrix, list(range(32))) > 0
    assert problem.preferences.digest == open_problem(text, source).problem.preferences.digest
    other = open_problem(text.replace("seed=1", "seed=2"), source).problem
    assert other.preferences.names != problem.preferences.names


def test_every_fourth_ranker_as_a_problem(tmp_path):
    problem = open_problem("mslr-informational(every=4,first=3,last=127)", DataSource(None, tmp_path)).problem
    assert problem.settings["matrix"]["arms"] == ",".join(str(arm) for arm in range(3, 128, 4))
    assert len(problem.preferences) == 32
    for first, last in ((3, 136), (5, 4)):
        text = f"mslr-informational(every=4,first={first},last={last})"
        with pytest.raises(StudyError, match="expected numbers from 0 to 135, in order"):
            open_problem(text, DataSource(None, tmp_path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mslr-perfect(every=4)", r"or \(every=N,first=I,last=J\)"),
        ("mslr-perfect(two_winners=137,seed=1)", "a subset of 137 rankers; expected 1 to 136"),
        (
            "mslr-perfect(two_winners=3,seed=1)",
            "none of 200,000 random subsets of 3 rankers has two Copeland winners",
        ),
        ("mslr-perfect(two_winners=x,seed=1)", "two_winners is 'x'"),
        ("mslr-perfect(two_winners=5)", r"\(two_winners=K,seed=S\) or"),
        ("mslr-perfect(two_winners=5,seed=1,users=all)", r"\(two_winners=K,seed=S\) or"),
    ],
)
def test_invalid_problems_are_refused(text, message, tmp_path):
    with pytest.raises(StudyError, match=message):
        open_problem(text, DataSource(None, tmp_path))
