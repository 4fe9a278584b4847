"""Pairwise preference multileaving (PPM): pages, and scores from preferences between documents."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from naive.multileave import by_difference, pages, pairwise_scores
from support.shared_worlds import (
    E0,
    THREE,
    assert_alone_is_own_list,
    assert_live_is_exact,
    chi_square_p_value,
    shown_pages,
)

from rankduel.interleave.multileave import multileaved_page, multileaving

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

BY_SETTING = {
    setting: multileaving("pairwise", considered=setting) for setting in ("last_plus_one", "strict")
}
FOUR = ((0, 1, 2, 3, 4), (0, 3, 2, 1, 4), (2, 0, 4, 1, 3), (0, 1, 3, 4, 2))
PATTERNS = tuple(itertools.product((0, 1), repeat=4))


def shown(rankings, docs, setting):
    """Draw pages until one has the documents `docs`; a drawn page also holds the numbers of candidates."""
    drawn = (multileaved_page(rankings, BY_SETTING[setting], len(docs), seed) for seed in range(1000))
    return next(page for page in drawn if tuple(page.docs) == docs)


def test_the_pages_of_the_running_example():
    expected = ["0123", "0132", "0213", "0231", "1023", "1032", "1203", "1230"]
    assert {page: chance for (page, _), chance in pages(E0, 4, "pairwise").items()} == {
        tuple(map(int, page)): Fraction(1, 8) for page in expected
    }
    page = shown(E0, (0, 1, 2, 3), "strict")
    assert page._shared.choices[1:].tolist() == [2, 2, 2, 1]


@pytest.mark.parametrize(
    "docs, clicks, scores, n_counted",
    [((0, 1, 2, 3), (0, 1, 0, 0), [1, 3], 2), ((1, 0, 2, 3), (0, 1, 0, 1), [1, -5], 3)],
)
def test_the_worked_examples(docs, clicks, scores, n_counted):
    assert pairwise_scores(E0, docs, clicks) == (scores, n_counted)
    page = shown(E0, docs, "last_plus_one")
    np.testing.assert_allclose(page.preferences(clicks), by_difference(scores), rtol=1e-14)
    np.testing.assert_allclose(page._shared.scores, scores, rtol=1e-14)


def divided_scores(rankings, docs, clicks, setting=""):
    """Return the scores of the authors' code: weights of agreeing pairs, by the number of pairs that count.

    The scores here add +w for pairs that agree and -w for the others; w for the former only is half of this
    plus half of the sum of all weights, which no difference of two rankers contains.
    """
    scores, n_counted = pairwise_scores(rankings, docs, clicks, setting)
    return [Fraction(score) / 2 / max(1, n_counted) for score in scores]


@pytest.mark.parametrize(
    "docs, clicks, theirs, times",
    [((0, 1, 2, 3), (0, 1, 0, 0), Fraction(1, 2), 4), ((1, 0, 2, 3), (0, 1, 0, 1), -1, 6)],
)
def test_preferences_are_twice_the_number_of_pairs_times_those_of_the_authors_code(
    docs, clicks, theirs, times
):
    """Worked by hand, for ranker 1 over ranker 0.

    Of [0, 1, 2, 3] with a click on 1, the pairs (1, 0) and (1, 2) count. Document 0 is a candidate from place
    1 on, 1 from 1 and 2 from 2: the weights are 1 and 1 / (1 - 1/2) = 2. Ranker 1 agrees with both and ranker
    0 with the second only: (1 + 2) / 2 - 2 / 2 = 1/2 by their code, (1 + 2) - (2 - 1) = 2 here.
    """
    scores = divided_scores(E0, docs, clicks)
    page = shown(E0, docs, "last_plus_one")
    assert scores[1] - scores[0] == theirs
    assert page.preferences(clicks)[1, 0] == pytest.approx(float(times * theirs), rel=1e-14)


@pytest.mark.parametrize("setting", ["", "strict"])
@pytest.mark.parametrize("rankings", [E0, tuple(ranking[:4] for ranking in FOUR)], ids=str)
def test_sums_are_fair_to_every_place_that_is_clicked_and_quotients_are_not(rankings, setting):
    """Means over all pages, for every set of clicked places."""
    unfair = 0
    for clicks in PATTERNS:
        sums, quotients = [0] * len(rankings), [0] * len(rankings)
        for (docs, _), chance in pages(rankings, 4, "pairwise").items():
            scores, _ = pairwise_scores(rankings, docs, clicks, setting)
            sums = [total + chance * score for total, score in zip(sums, scores)]
            divided = divided_scores(rankings, docs, clicks, setting)
            quotients = [total + chance * score for total, score in zip(quotients, divided)]
        assert sums == [0] * len(rankings)
        unfair += len(set(quotients)) > 1
    assert unfair


@pytest.mark.parametrize("rankings, k", [(THREE, 3), (FOUR, 3)])
def test_page_frequencies_match_enumeration(rankings, k):
    assert (
        chi_square_p_value(
            shown_pages(rankings, BY_SETTING["strict"], k, 4000), pages(rankings, k, "pairwise")
        )
        > 1e-6
    )


@pytest.mark.parametrize("setting", BY_SETTING)
def test_every_click_pattern_on_many_pages(setting):
    for seed in range(40):
        page = multileaved_page(FOUR, BY_SETTING[setting], 4, seed)
        for clicks in PATTERNS:
            expected = by_difference(pairwise_scores(FOUR, tuple(page.docs), clicks, setting)[0])
            np.testing.assert_allclose(page.preferences(clicks), np.array(expected, float), atol=1e-12)


@pytest.mark.parametrize("setting", BY_SETTING)
def test_the_expected_score_under_random_clicks_is_zero(setting):
    """For one click at a random place and for clicks with probability 1/2; the package agrees by page."""
    totals = [[0, 0], [0, 0]]
    for (docs, _), chance in pages(E0, 4, "pairwise").items():
        page = shown(E0, docs, setting)
        for clicks in PATTERNS:
            scores, _ = pairwise_scores(E0, docs, clicks, setting)
            assert page.preferences(clicks)[0, 1] == pytest.approx(float(scores[0] - scores[1]), abs=1e-12)
            for i, share in enumerate((Fraction(sum(clicks) == 1, 4), Fraction(1, 16))):
                totals[i] = [total + chance * share * score for total, score in zip(totals[i], scores)]
    assert totals == [[0, 0], [0, 0]]


@pytest.mark.parametrize("setting", BY_SETTING)
def test_live_pages_follow_the_exact_law(setting):
    assert_live_is_exact(BY_SETTING[setting], setting)


def test_a_ranker_alone_shows_its_list():
    assert_alone_is_own_list(BY_SETTING["strict"])
