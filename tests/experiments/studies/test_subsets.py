"""Subsets with two Copeland winners: the shape, the search against slow twins, and the problem as text."""

import itertools

import numpy as np
import pytest

from experiments.matrix.builtin import MATRICES
from experiments.studies.data import PUBLIC, Shelf, open_problem
from experiments.studies.subsets import DRAWS, clearness, draw_two_winners
from experiments.winners.notions import copeland_scores
from rankduel.base.errors import StudyError
from rankduel.base.streams import stream


def random_matrix(seed, size=8):
    rng = np.random.default_rng(seed)
    margins = np.triu(rng.uniform(-0.4, 0.4, (size, size)), 1)
    return 0.5 + margins - margins.T


def slow_clearness(matrix, arms):
    """In the words of the source: two beat all but one; one beats the other and loses to a suboptimal arm."""
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


def test_clearness_is_that_of_the_slow_twin():
    n_wanted = 0
    for seed, size in itertools.product(range(8), (3, 4, 5, 8)):
        matrix = random_matrix(seed)
        for arms in itertools.combinations(range(8), size):
            slow = slow_clearness(matrix, list(arms))
            assert clearness(matrix, np.array(arms)) == slow
            n_wanted += slow > 0
    assert n_wanted > 50


def test_shapes_by_hand():
    matrix = np.array(MATRICES["two-winners32"].make())
    arms = np.arange(32)
    assert clearness(matrix, arms) == pytest.approx(0.1)
    matrix[0, 31], matrix[31, 0] = 0.53, 0.47  # a duel of a winner, which it still wins
    assert clearness(matrix, arms) == pytest.approx(0.03)
    matrix[20, 21], matrix[21, 20] = 0.51, 0.49  # none of theirs
    assert clearness(matrix, arms) == pytest.approx(0.03)
    assert clearness(matrix, np.delete(arms, 9)) == 0  # nobody beats 0 any more
    matrix[0, 9] = matrix[9, 0] = 0.5  # a tie is no loss
    assert clearness(matrix, arms) == 0
    assert clearness(np.array(MATRICES["mslr5-cycle"].make()), np.arange(5)) == 0  # three winners


def test_a_tie_of_others_does_not_matter():
    """0 beats 1 and 3, 1 beats 2 and 3, and 2 beats 0; 2 and 3 tie, so 2 has lost once and is no winner."""
    matrix = np.array(
        [[0.5, 0.6, 0.3, 0.6], [0.4, 0.5, 0.8, 0.7], [0.7, 0.2, 0.5, 0.5], [0.4, 0.3, 0.5, 0.5]]
    )
    assert clearness(matrix, np.arange(4)) == slow_clearness(matrix, list(range(4))) == pytest.approx(0.1)


@pytest.mark.parametrize("seed", range(3))
def test_the_clearest_of_all_subsets_is_found(seed):
    """Of 56 subsets each is drawn some thousands of times, so the best of all must be among them."""
    matrix = random_matrix(seed)
    subsets = [list(arms) for arms in itertools.combinations(range(8), 5)]
    found = draw_two_winners(matrix, 5, seed=0)
    assert found.arms == max(subsets, key=lambda arms: slow_clearness(matrix, arms))
    # The share is a mean of so many coins: within five standard errors.
    share = np.mean([slow_clearness(matrix, arms) > 0 for arms in subsets])
    assert abs((found.gaps > 0).mean() - share) < 5 * np.sqrt(share * (1 - share) / DRAWS)


def test_draws_are_those_of_the_slow_twin(monkeypatch):
    """With margins so coarse that many subsets are equally clear: the first of them is taken."""
    monkeypatch.setattr("experiments.studies.subsets.DRAWS", 2000)
    matrix = np.where(random_matrix(4, 30) > 0.5, 0.7, 0.3)
    rng, deck = stream(7, "two winners", 6), list(range(30))
    found, gaps, best = draw_two_winners(matrix, 6, seed=7), [], []
    for _ in range(2000):
        for place in range(6):
            other = place + int(rng.random() * (30 - place))
            deck[place], deck[other] = deck[other], deck[place]
        gaps.append(slow_clearness(matrix, deck[:6]))
        if gaps[-1] == max(gaps) > max(gaps[:-1], default=0):
            best = sorted(deck[:6])
    assert found.gaps.tolist() == gaps and found.arms == best
    assert sum(gap > 0 for gap in gaps) > 100


def test_as_a_problem(tmp_path):
    text, shelf = "mslr-informational(two_winners=32,seed=1)", Shelf(None, tmp_path)
    problem = open_problem(text, shelf).problem
    assert problem.notion == "copeland" and len(problem.preferences) == 32
    arms = [int(arm) for arm in problem.settings["matrix"]["arms"].split(",")]
    assert arms == sorted(set(arms)) == draw_two_winners(PUBLIC["mslr-informational"].stand_in(), 32, 1).arms
    assert slow_clearness(problem.preferences.matrix, list(range(32))) > 0
    assert problem.preferences.digest == open_problem(text, shelf).problem.preferences.digest
    other = open_problem(text.replace("seed=1", "seed=2"), shelf).problem
    assert other.preferences.names != problem.preferences.names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mslr-perfect(two_winners=137,seed=1)", "a subset of 137 rankers; there are 136"),
        (
            "mslr-perfect(two_winners=3,seed=1)",
            "200,000 random subsets of 3 rankers, and none has two Copeland",
        ),
        ("mslr-perfect(two_winners=x,seed=1)", "two_winners is 'x'"),
        ("mslr-perfect(two_winners=5)", r"or \(two_winners=K,seed=S\)"),
        ("mslr-perfect(two_winners=5,seed=1,users=all)", r"or \(two_winners=K,seed=S\)"),
    ],
)
def test_problems_that_cannot_be(text, message, tmp_path):
    with pytest.raises(StudyError, match=message):
        open_problem(text, Shelf(None, tmp_path))
