"""Probabilistic multileaving: pages, assignments, and probabilistic interleaving for two rankers."""

import itertools
from fractions import Fraction

import naive
import numpy as np
import pytest
from naive.multileave import by_difference, contributions, expected_clicks, expected_signs, pages
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

from rankduel.interleave import interleaving
from rankduel.interleave.multileave import multileaved_page, multileaving

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

PROBABILISTIC = multileaving("probabilistic")
FOUR = ((0, 1, 2, 3, 4, 5), (5, 3, 2, 1, 0, 4), (2, 0, 4, 1, 5, 3), (2, 0, 1, 4, 5, 3))


def test_the_worked_example():
    shares = [[Fraction(a, 251) for a in (27, 216, 8)], [Fraction(a, 1643) for a in (1215, 288, 140)]]
    shares.append([Fraction(1, 3)] * 3)
    assert contributions(THREE, (1, 0, 2)) == shares
    degrees = {(0, 1): -48447, (0, 2): 269357, (1, 2): 317804}
    twin = expected_signs(shares, (1, 1, 0))
    page = put(multileaved_page(THREE, PROBABILISTIC), (1, 0, 2))
    found = page.preferences((1, 1, 0))
    for (x, y), numerator in degrees.items():
        assert twin[x][y] == -twin[y][x] == Fraction(numerator, 412393)
        assert found[x, y] == -found[y, x] == pytest.approx(numerator / 412393, abs=1e-14)
    page.preferences((1, 1, 1))
    np.testing.assert_allclose(page._shared.shares, np.array(shares, float), rtol=1e-13)
    assert (
        page._shared.shares[2].tolist() == [1 / 3] * 3
    )  # exactly, as the last document has the same posterior for all rankers


def test_two_rankers_have_the_pages_of_interleaving():
    by_interleaving = {(page, assignments): p for p, page, assignments in naive.probabilistic_pages(*E0, 4)}
    assert pages(E0, 4, "probabilistic") == by_interleaving


def test_two_rankers_have_the_marginal_outcome():
    page = multileaved_page(E0, PROBABILISTIC)
    for docs, (_, assignments) in naive.assignments_by_page(naive.probabilistic_pages(*E0, 4)).items():
        for clicks in itertools.product((0, 1), repeat=4):
            loss, _, win = naive.marginal_odds(assignments, clicks)
            found = put(page, docs).preferences(clicks)
            assert found[0, 1] == -found[1, 0] == pytest.approx(float(win - loss), abs=1e-13)
            assert (found[0, 1] == 0) == (win == loss)


@pytest.mark.parametrize("choice", ["iid", "rounds"])
def test_page_frequencies_match_enumeration(choice):
    configured = multileaving("probabilistic", ranker=choice)
    for rankings, k in ((THREE, 3), (E0, 3)):
        expected = pages(rankings, k, "probabilistic", choice)
        assert chi_square_p_value(shown_pages(rankings, configured, k, 4000), expected) > 1e-6


def random_pages(n, seed):
    rng = np.random.default_rng(seed)
    return [(tuple(rng.permutation(6).tolist()), tuple(rng.integers(0, 2, 6).tolist())) for _ in range(n)]


def test_degrees_match_enumeration_of_assignments():
    page = multileaved_page(FOUR, PROBABILISTIC)
    for docs, clicks in random_pages(12, seed=1):
        expected = expected_signs(contributions(FOUR, docs, 3, 1.0), clicks)
        np.testing.assert_allclose(put(page, docs).preferences(clicks), expected, atol=1e-12)


@pytest.mark.parametrize("n_clicks", range(1, 7))
def test_degrees_by_number_of_clicks(n_clicks):
    """One click and two clicks have closed forms."""
    page, rng = multileaved_page(FOUR, PROBABILISTIC), np.random.default_rng(n_clicks)
    for docs, _ in random_pages(5, seed=n_clicks):
        clicks = rng.permutation([1] * n_clicks + [0] * (6 - n_clicks)).tolist()
        found = put(page, docs).preferences(clicks)
        expected = expected_signs(contributions(FOUR, docs, 3, 1.0), clicks)
        np.testing.assert_allclose(found, expected, atol=1e-12)
        np.testing.assert_array_equal(found, -found.T)


def test_expected_clicks():
    page = multileaved_page(FOUR, multileaving("probabilistic", credit="expected"))
    for docs, clicks in random_pages(12, seed=2):
        expected = by_difference(expected_clicks(contributions(FOUR, docs, 3, 1.0), clicks))
        np.testing.assert_allclose(put(page, docs).preferences(clicks), expected, atol=1e-12)


def test_sampled_degrees_approach_the_exact_ones():
    """A sign has a standard deviation of at most 1, so 4 standard errors are 0.02."""
    page = multileaved_page(FOUR, multileaving("probabilistic", credit="sampled", n_samples=40_000), seed=1)
    for docs, clicks in random_pages(6, seed=3):
        expected = expected_signs(contributions(FOUR, docs, 3, 1.0), clicks)
        found = put(page, docs).preferences(clicks)
        np.testing.assert_array_equal(found, -found.T)
        assert np.abs(found - expected).max() <= 4 / 40_000**0.5


@pytest.mark.parametrize("choice", ["iid", "rounds"])
def test_live_pages_follow_the_exact_law(choice):
    assert_live_is_exact(multileaving("probabilistic", ranker=choice), choice)


@pytest.mark.slow
def test_two_rankers_live_match_interleaving():
    """The marginal outcome is the mean of the outcome over assignments."""
    assert_two_live_as_interleaved(PROBABILISTIC, interleaving("probabilistic", credit="assignment"))


def test_a_ranker_alone_shows_its_list():
    assert_alone_is_own_list(PROBABILISTIC)
