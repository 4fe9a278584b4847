"""PPM: pages of candidates from the tops, and scores by preferences between documents."""

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
    chi_square_p,
    shown_pages,
)

from interleave.multileave import multileaved_page, multileaving

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

WAYS = {setting: multileaving("pairwise", considered=setting) for setting in ("last_plus_one", "strict")}
FOUR = ((0, 1, 2, 3, 4), (0, 3, 2, 1, 4), (2, 0, 4, 1, 3), (0, 1, 3, 4, 2))
PATTERNS = tuple(itertools.product((0, 1), repeat=4))


def shown(rankings, docs, setting):
    """Return a page of the package with these documents; it is drawn, since it also holds the candidates."""
    drawn = (multileaved_page(rankings, WAYS[setting], len(docs), seed) for seed in range(1000))
    return next(page for page in drawn if tuple(page.docs) == docs)


def test_the_pages_of_the_running_example():
    expected = ["0123", "0132", "0213", "0231", "1023", "1032", "1203", "1230"]
    assert {page: chance for (page, _), chance in pages(E0, 4, "pairwise").items()} == {
        tuple(map(int, page)): Fraction(1, 8) for page in expected
    }
    page = shown(E0, (0, 1, 2, 3), "strict")
    assert page._shared.choices[1:].tolist() == [2, 2, 2, 1]


@pytest.mark.parametrize(
    "docs, clicks, scores, n_kept",
    [((0, 1, 2, 3), (0, 1, 0, 0), [1, 3], 2), ((1, 0, 2, 3), (0, 1, 0, 1), [1, -5], 3)],
)
def test_the_worked_examples(docs, clicks, scores, n_kept):
    assert pairwise_scores(E0, docs, clicks) == (scores, n_kept)
    page = shown(E0, docs, "last_plus_one")
    np.testing.assert_allclose(page.preferences(clicks), by_difference(scores), rtol=1e-14)
    np.testing.assert_allclose(page._shared.scores, scores, rtol=1e-14)


@pytest.mark.parametrize("rankings, k", [(THREE, 3), (FOUR, 3)])
def test_pages_come_as_often_as_they_should(rankings, k):
    assert chi_square_p(shown_pages(rankings, WAYS["strict"], k, 4000), pages(rankings, k, "pairwise")) > 1e-6


@pytest.mark.parametrize("setting", WAYS)
def test_every_click_pattern_on_many_pages(setting):
    for seed in range(40):
        page = multileaved_page(FOUR, WAYS[setting], 4, seed)
        for clicks in PATTERNS:
            expected = by_difference(pairwise_scores(FOUR, tuple(page.docs), clicks, setting)[0])
            np.testing.assert_allclose(page.preferences(clicks), np.array(expected, float), atol=1e-12)


@pytest.mark.parametrize("setting", WAYS)
def test_it_is_fair_to_random_clicks(setting):
    """One click at a random place, and clicks with chance 1/2 each; the package agrees page by page."""
    totals = [[0, 0], [0, 0]]
    for (docs, _), chance in pages(E0, 4, "pairwise").items():
        page = shown(E0, docs, setting)
        for clicks in PATTERNS:
            scores, _ = pairwise_scores(E0, docs, clicks, setting)
            assert page.preferences(clicks)[0, 1] == pytest.approx(float(scores[0] - scores[1]), abs=1e-12)
            for i, share in enumerate((Fraction(sum(clicks) == 1, 4), Fraction(1, 16))):
                totals[i] = [total + chance * share * score for total, score in zip(totals[i], scores)]
    assert totals == [[0, 0], [0, 0]]


@pytest.mark.parametrize("setting", WAYS)
def test_live_pages_follow_the_exact_law(setting):
    assert_live_is_exact(WAYS[setting], setting)


def test_a_ranker_alone_shows_its_list():
    assert_alone_is_own_list(WAYS["strict"])
