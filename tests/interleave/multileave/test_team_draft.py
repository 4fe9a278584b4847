"""Team-draft multileaving: pages, credit, and team-draft interleaving for two rankers."""

import itertools
from fractions import Fraction

import naive
import numpy as np
import pytest
from naive.multileave import by_sign, pages, team_scores
from support.shared_worlds import (
    E0,
    THREE,
    assert_alone_is_own_list,
    assert_live_is_exact,
    assert_two_live_as_interleaved,
    chi_square_p,
    put,
    shown_pages,
)

from interleave import interleaving
from interleave.multileave import multileaved_page, multileaving
from rankduel.base.errors import InterleaveError

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

N_PAGES = 4000
WAYS = {prefix: multileaving("team_draft", prefix=prefix) for prefix in ("assign", "neutral")}


@pytest.mark.parametrize("k", [2, 3])
def test_all_pages_of_three_cyclic_rankings_are_equally_likely(k):
    chances = {}
    for (page, _), chance in pages(THREE, k, "team_draft").items():
        chances[page] = chances.get(page, 0) + chance
    assert chances == {page: Fraction(1, 6) for page in itertools.permutations(range(3), k)}


@pytest.mark.parametrize("prefix", WAYS)
@pytest.mark.parametrize("right", [*itertools.permutations(range(4))])
def test_two_rankers_are_interleaved(right, prefix):
    ours = pages((E0[0], right), 4, "team_draft", prefix)
    theirs = {}
    for chance, page, teams in naive.team_draft_pages(E0[0], right, 4, prefix == "neutral"):
        theirs[page, teams] = theirs.get((page, teams), 0) + chance
    assert ours == theirs


@pytest.mark.parametrize("prefix", WAYS)
@pytest.mark.parametrize(
    "rankings, k", [(THREE, 3), (E0, 3), (((0, 1, 2, 3), (0, 1, 3, 2), (0, 1, 2, 3)), 4)]
)
def test_pages_come_as_often_as_they_should(rankings, k, prefix):
    seen = shown_pages(rankings, WAYS[prefix], k, N_PAGES)
    assert chi_square_p(seen, pages(rankings, k, "team_draft", prefix)) > 1e-6


def test_the_chi_square_test_would_notice_one_order_for_all_rounds():
    """The power of the test: the same ranker picks first in both rounds."""
    expected = pages(E0, 3, "team_draft")
    seen = {(docs, teams): 2 * p * N_PAGES * (teams[0] == teams[2]) for (docs, teams), p in expected.items()}
    assert chi_square_p(seen, expected) < 1e-6


def test_clicks_count_for_who_picked():
    page = multileaved_page(THREE, "team_draft", 3)
    for (docs, teams), clicks in itertools.product(
        pages(THREE, 3, "team_draft"), itertools.product((0, 1), repeat=3)
    ):
        expected = by_sign(team_scores(3, teams, clicks))
        np.testing.assert_array_equal(put(page, docs, teams).preferences(clicks), expected)


def test_two_rankers_have_the_sign_of_team_draft():
    page = multileaved_page(E0, "team_draft", 4)
    for (_, docs, teams), clicks in itertools.product(
        naive.team_draft_pages(*E0, 4), itertools.product((0, 1), repeat=4)
    ):
        sign = np.sign(float(naive.team_credit(teams, clicks)))
        found = put(page, docs, teams).preferences(clicks)
        np.testing.assert_array_equal(found, [[0, sign], [-sign, 0]])


@pytest.mark.parametrize("prefix", WAYS)
def test_live_pages_follow_the_exact_law(prefix):
    assert_live_is_exact(WAYS[prefix], prefix)


@pytest.mark.slow
@pytest.mark.parametrize("prefix", WAYS)
def test_two_rankers_live(prefix):
    assert_two_live_as_interleaved(WAYS[prefix], interleaving("team_draft", prefix=prefix))


def test_a_ranker_alone_shows_its_list():
    assert_alone_is_own_list(WAYS["assign"])


def test_pages_of_any_documents():
    """As the module's own example."""
    page = multileaved_page([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], "team_draft", seed=1)
    assert (page.docs, page.teams) == (["b", "c", "a"], [1, 2, 0])
    np.testing.assert_array_equal(page.preferences([0, 1, 0]), [[0, 0, -1], [0, 0, -1], [1, 1, 0]])
    np.testing.assert_array_equal(page.preferences([0, 0, 0]), np.zeros((3, 3)))
    assert len(multileaved_page(THREE, length=2).docs) == 2
    with pytest.raises(InterleaveError, match="2 clicks and non-clicks"):
        page.preferences([0, 1])
