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
    chi_square_p_value,
    put,
    shown_pages,
)

from rankduel.base.errors import InterleaveError
from rankduel.interleave import interleaving
from rankduel.interleave.multileave import multileaved_page, multileaving

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

N_PAGES = 4000
BY_PREFIX = {prefix: multileaving("team_draft", prefix=prefix) for prefix in ("assign", "neutral")}


@pytest.mark.parametrize("k", [2, 3])
def test_all_pages_of_three_cyclic_rankings_are_equally_likely(k):
    chances = {}
    for (page, _), chance in pages(THREE, k, "team_draft").items():
        chances[page] = chances.get(page, 0) + chance
    assert chances == {page: Fraction(1, 6) for page in itertools.permutations(range(3), k)}


@pytest.mark.parametrize("prefix", BY_PREFIX)
@pytest.mark.parametrize("right", [*itertools.permutations(range(4))])
def test_two_rankers_have_the_pages_of_interleaving(right, prefix):
    by_multileaving = pages((E0[0], right), 4, "team_draft", prefix)
    by_interleaving = {}
    for chance, page, teams in naive.team_draft_pages(E0[0], right, 4, prefix == "neutral"):
        by_interleaving[page, teams] = by_interleaving.get((page, teams), 0) + chance
    assert by_multileaving == by_interleaving


@pytest.mark.parametrize("prefix", BY_PREFIX)
@pytest.mark.parametrize(
    "rankings, k", [(THREE, 3), (E0, 3), (((0, 1, 2, 3), (0, 1, 3, 2), (0, 1, 2, 3)), 4)]
)
def test_page_frequencies_match_enumeration(rankings, k, prefix):
    seen = shown_pages(rankings, BY_PREFIX[prefix], k, N_PAGES)
    assert chi_square_p_value(seen, pages(rankings, k, "team_draft", prefix)) > 1e-6


def test_the_chi_square_test_detects_one_order_for_all_rounds():
    """The test has power: pages on which the same ranker picks first in both rounds are rejected."""
    expected = pages(E0, 3, "team_draft")
    seen = {(docs, teams): 2 * p * N_PAGES * (teams[0] == teams[2]) for (docs, teams), p in expected.items()}
    assert chi_square_p_value(seen, expected) < 1e-6


def test_clicks_are_credited_to_the_ranker_that_picked():
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


@pytest.mark.parametrize("prefix", BY_PREFIX)
def test_live_pages_follow_the_exact_law(prefix):
    assert_live_is_exact(BY_PREFIX[prefix], prefix)


@pytest.mark.slow
@pytest.mark.parametrize("prefix", BY_PREFIX)
def test_two_rankers_live_match_interleaving(prefix):
    assert_two_live_as_interleaved(BY_PREFIX[prefix], interleaving("team_draft", prefix=prefix))


def test_a_ranker_alone_shows_its_list():
    assert_alone_is_own_list(BY_PREFIX["assign"])


def test_pages_of_any_documents():
    """Documents may be any values; the page is that of the example in the module's docstring."""
    page = multileaved_page([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], "team_draft", seed=1)
    assert (page.docs, page.teams) == (["b", "c", "a"], [1, 2, 0])
    np.testing.assert_array_equal(page.preferences([0, 1, 0]), [[0, 0, -1], [0, 0, -1], [1, 1, 0]])
    np.testing.assert_array_equal(page.preferences([0, 0, 0]), np.zeros((3, 3)))
    assert len(multileaved_page(THREE, length=2).docs) == 2
    with pytest.raises(InterleaveError, match="2 clicks and non-clicks"):
        page.preferences([0, 1])
