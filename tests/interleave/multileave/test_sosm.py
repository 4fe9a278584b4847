"""Sample-only scored multileaving (SOSM): scores from the order of the shown documents."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from naive.multileave import by_sign, pages, sosm_scores
from support.shared_worlds import (
    E0,
    QUERIES,
    THREE,
    assert_alone_is_own_list,
    assert_live_is_exact,
    chi_square_p_value,
    put,
    shared_world_of,
    shown_pages,
    totals_by,
)

from rankduel.interleave.multileave import for_another_thread, multileaved_page, multileaving

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

SOSM = multileaving("sosm")
FOUR = ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 0, 4, 1, 3), (1, 2, 3, 4, 0))


def test_the_worked_example():
    scores = [Fraction(28, 27), Fraction(35, 216), Fraction(9, 8)]
    assert sosm_scores(THREE, (1, 0, 2), (0, 1, 1)) == scores
    page = put(multileaved_page(THREE, SOSM), (1, 0, 2))
    np.testing.assert_array_equal(page.preferences((0, 1, 1)), [[0, 1, -1], [-1, 0, -1], [1, 1, 0]])
    np.testing.assert_allclose(page._shared.scores, np.array(scores, float), rtol=1e-15)


def test_pages_are_team_drafts():
    assert chi_square_p_value(shown_pages(THREE, SOSM, 3, 4000), pages(THREE, 3, "team_draft")) > 1e-6


@pytest.mark.parametrize("tau", [3, 1])
def test_every_page_and_click_pattern(tau):
    page = multileaved_page(FOUR, multileaving("sosm", tau=tau), 4)
    for docs in itertools.permutations(range(5), 4):
        for clicks in itertools.product((0, 1), repeat=4):
            expected = by_sign(sosm_scores(FOUR, docs, clicks, tau))
            np.testing.assert_array_equal(put(page, docs).preferences(clicks), expected)


def test_the_expected_score_under_random_clicks_is_not_zero():
    """For the running example: -1/2 for one click at a random place, 0 for clicks with probability 1/2."""
    page, single, halves = multileaved_page(E0, SOSM), 0, 0
    for (docs, _), chance in pages(E0, 4, "sosm").items():
        for clicks in itertools.product((0, 1), repeat=4):
            lead = int(put(page, docs).preferences(clicks)[0, 1])
            single += chance * lead * Fraction(sum(clicks) == 1, 4)
            halves += chance * lead * Fraction(1, 16)
    assert (single, halves) == (Fraction(-1, 2), 0)


def test_live_pages_follow_the_exact_law():
    assert_live_is_exact(SOSM)


def test_a_ranker_alone_shows_its_list():
    assert_alone_is_own_list(SOSM)


def test_the_same_seed_gives_the_same_bytes_after_other_pages():
    used = shared_world_of(QUERIES, SOSM, 3)
    totals = []
    for shared in (used, for_another_thread(used), used):
        found, total = np.empty((5, 5)), np.zeros((5, 5))
        sides = np.array([4, 2, 0, 3, 1])
        numbers = totals_by("sosm")(shared, sides, 200, np.random.default_rng(8), found, total)
        totals.append((numbers, found.tobytes(), total.tobytes()))
    assert totals[0] == totals[1] == totals[2]
