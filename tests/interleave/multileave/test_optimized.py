"""Optimized multileaving: sampled pages, the least unfair distribution over them, and credit."""

import collections
from fractions import Fraction

import naive.multileave as twin
import numpy as np
import pytest
from scipy.optimize import linprog
from support.shared_worlds import (
    E0,
    ON_PAGE,
    QUERIES,
    THREE,
    assert_alone_is_own_list,
    chi_square_p_value,
    shared_world_of,
    shown_pages,
    totals_by,
)

from rankduel.interleave.methods.optimized import solve_fair_page_odds
from rankduel.interleave.multileave import multileaved_page, multileaving
from rankduel.interleave.multileave.fair_odds import solve, workspace_for
from rankduel.interleave.multileave.methods import team_draft
from rankduel.interleave.multileave.methods.optimized import METHOD

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

FOUR = ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 0, 4, 1, 3), (1, 2, 3, 4, 0))
# The published example has rankings [1, 2] and [2, 3]; pages of 2 do not show the third documents.
TWO, TWO_PAGES = ((1, 2, 3), (2, 3, 1)), ((1, 2), (2, 1), (2, 3))
TWO_CHANCES = (Fraction(3, 7), Fraction(13, 35), Fraction(1, 5))


def planned(rankings, k, listed, credit):
    """Return the probabilities that the package gives to the pages `listed`, and their unfairness."""
    worth = [[twin.worth(rankings, k, doc, credit) for doc in page] for page in listed]
    residuals, spreads = programme_of(np.array(worth, float))
    chances = solved(workspace_for(len(listed), residuals.shape[1]), residuals, spreads)
    return chances, float(np.abs(chances @ residuals).sum())


def programme_of(worth):
    """Return (residuals, spreads) of pages with `worth[page, place, ranker]`."""
    down_to = worth.cumsum(axis=1)
    gains = (worth / np.arange(1, worth.shape[1] + 1)[:, None]).sum(axis=1)
    residuals = down_to - down_to.mean(axis=2, keepdims=True)
    return residuals.reshape(len(worth), -1), gains.var(axis=1) * worth.shape[2]


def solved(workspace, residuals, spreads):
    n_pages, n_residuals = residuals.shape
    workspace.table[:n_pages, :n_residuals], workspace.table[:n_pages, n_residuals + 1] = residuals, spreads
    solve(workspace, n_pages, n_residuals)
    return workspace.chances[:n_pages].copy()


@pytest.mark.parametrize(
    "rankings, k, credit, expected",
    [
        (TWO, 2, "inverse", dict(zip(TWO_PAGES, TWO_CHANCES))),
        (E0, 2, "linear", {(0, 1): "1/3", (1, 0): "1/3", (1, 2): "1/3"}),
        (
            E0,
            4,
            "inverse",
            {(0, 1, 2, 3): "2/5", (1, 0, 2, 3): "18/55", (1, 2, 0, 3): "19/110", (1, 2, 3, 0): "1/10"},
        ),
    ],
)
def test_two_rankers_have_the_plan_of_optimized_interleaving(rankings, k, credit, expected):
    """If only one distribution is fair, it is the one of optimized interleaving."""
    listed = twin.allowed_pages(rankings, k)
    assert listed == sorted(expected)
    assert twin.unfairness(rankings, k, listed, [Fraction(expected[page]) for page in listed], credit) == 0
    chances, unfairness = planned(rankings, k, listed, credit)
    np.testing.assert_allclose(chances, [float(Fraction(expected[page])) for page in listed], atol=1e-9)
    assert unfairness == pytest.approx(0, abs=1e-9)


def minimal_spread(rankings, k, listed, credit):
    """Return the smallest spread of a fair distribution, None if none is fair.

    The linear program has the common credit of the rankers at each prefix as a variable.
    """
    rows = []
    for t in range(1, k + 1):
        for x in range(len(rankings)):
            worth = [float(sum(twin.worth(rankings, k, d, credit)[x] for d in page[:t])) for page in listed]
            rows.append(worth + [-1.0 if t == level else 0.0 for level in range(1, k + 1)])
    rows.append([1.0] * len(listed) + [0.0] * k)
    spreads = [float(twin.spread(rankings, k, page, credit)) for page in listed] + [0.0] * k
    bounds = [(0, None)] * len(listed) + [(None, None)] * k
    target = np.append(np.zeros(len(rows) - 1), 1.0)
    found = linprog(spreads, A_eq=np.array(rows), b_eq=target, bounds=bounds)
    return found.fun if found.status == 0 else None


@pytest.mark.parametrize("credit", ["inverse", "linear"])
@pytest.mark.parametrize("rankings, k", [(THREE, 2), (THREE, 3), (FOUR[:2], 3), (FOUR[:3], 2), (FOUR, 3)])
def test_the_plan_is_fair_with_minimal_spread(rankings, k, credit):
    listed = twin.allowed_pages(rankings, k)
    chances, unfairness = planned(rankings, k, listed, credit)
    assert twin.unfairness(rankings, k, listed, chances.tolist(), credit) == pytest.approx(
        unfairness, abs=1e-7
    )
    value = sum(p * twin.spread(rankings, k, page, credit) for p, page in zip(chances.tolist(), listed))
    best = minimal_spread(rankings, k, listed, credit)
    assert (best is not None) == (unfairness < 1e-9)
    if best is not None:
        assert value == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("credit", ["inverse", "linear"])
@pytest.mark.parametrize("rankings, k", [(E0, 3), (THREE, 3), (FOUR[:2], 4), (FOUR[:3], 3), (FOUR, 2)])
@pytest.mark.parametrize("order", [1, -1])
def test_among_several_optima_the_first_pages_are_most_likely(rankings, k, credit, order):
    listed = twin.allowed_pages(rankings, k)[::order]
    chances, _ = planned(rankings, k, listed, credit)
    np.testing.assert_allclose(chances, twin.fairest_chances(rankings, k, listed, credit), atol=1e-6)


def test_some_programmes_have_several_optima():
    """The order of the pages decides between optima here, so the test above is not vacuous."""
    listed = twin.allowed_pages(THREE, 3)
    forwards, _ = planned(THREE, 3, listed, "inverse")
    backwards, _ = planned(THREE, 3, listed[::-1], "inverse")
    assert np.abs(forwards - backwards[::-1]).max() > 0.3


def random_programmes(n):
    """Yield programmes of random worths, many of them equal, so that most vertices are degenerate."""
    rng = np.random.default_rng(5)
    for _ in range(n):
        n_pages, length, m = rng.integers(1, 13), rng.integers(1, 7), rng.integers(2, 9)
        yield programme_of(1.0 / rng.integers(1, length + 2, (n_pages, length, m)))


def test_the_solver_matches_highs():
    """Unfairness and spread of 150 programmes that share a workspace equal those by HiGHS."""
    workspace = workspace_for(12, 48)
    for residuals, spreads in random_programmes(150):
        chances = solved(workspace, residuals, spreads)
        assert chances.min() >= 0 and chances.sum() == pytest.approx(1)
        by_highs, _ = solve_fair_page_odds(residuals, -spreads)
        assert unfair(chances, residuals) == pytest.approx(unfair(by_highs, residuals), abs=1e-7)
        assert chances @ spreads == pytest.approx(by_highs @ spreads, abs=1e-6)


def unfair(chances, residuals):
    return np.abs(chances @ residuals).sum()


def test_the_solver_matches_highs_on_many_pages():
    """A programme of 60 pages of 10 documents for 40 rankers takes hundreds of steps."""
    rng = np.random.default_rng(6)
    residuals, spreads = programme_of(1.0 / rng.integers(1, 12, (60, 10, 40)))
    chances = solved(workspace_for(60, 400), residuals, spreads)
    by_highs, _ = solve_fair_page_odds(residuals, -spreads)
    np.testing.assert_allclose(chances, by_highs, atol=1e-6)


def test_page_kernels_are_cached_on_disk():
    """Only functions decorated with `kernel` are cached; plain Numba functions compile in every process."""
    assert type(METHOD.make_page) is type(team_draft.METHOD.make_page)


def test_few_pages_get_the_least_unfair_distribution():
    """With two pages the distribution is one number; no value on a fine grid is fairer."""
    listed = ((0, 1, 2), (4, 2, 0))
    chances, unfairness = planned(FOUR, 3, listed, "inverse")
    assert unfairness > 0
    grid = [twin.unfairness(FOUR, 3, listed, (p / 200, 1 - p / 200), "inverse") for p in range(201)]
    assert min(grid) >= unfairness - 1e-9
    assert twin.unfairness(FOUR, 3, listed, chances.tolist(), "inverse") == pytest.approx(
        unfairness, abs=1e-7
    )


def test_page_frequencies_match_the_plan():
    """The test has power: equal probabilities are rejected, with a chi-square of 45 on 2 degrees."""
    seen = shown_pages(TWO, multileaving("optimized"), 2, 400)
    number = {1: 0, 2: 1, 3: 2}  # the package numbers documents from 0, in the order of the first ranking
    expected = {(tuple(number[d] for d in page), (None, None)): p for page, p in zip(TWO_PAGES, TWO_CHANCES)}
    assert chi_square_p_value(seen, expected) > 1e-6
    equal = collections.Counter(dict.fromkeys(expected, 133))
    assert chi_square_p_value(equal, expected) < 1e-6


@pytest.mark.parametrize("credit", ["inverse", "linear"])
def test_a_click_earns_the_worth_of_its_document(credit):
    configured = multileaving("optimized", credit=credit, n_lists=3)
    for seed in range(8):
        page = multileaved_page(FOUR, configured, 3, seed)
        assert tuple(page.docs) in twin.allowed_pages(FOUR, 3)
        for clicks in ((0, 1, 0), (1, 0, 1), (1, 1, 1), (0, 0, 0)):
            gains = [twin.worth(FOUR, 3, doc, credit) for doc, click in zip(page.docs, clicks) if click]
            scores = [sum(gain[x] for gain in gains) for x in range(4)]
            expected = np.array(twin.by_difference(scores), float)
            np.testing.assert_allclose(page.preferences(clicks), expected, atol=1e-12)


def test_live_pages_give_antisymmetric_preferences():
    configured, users = multileaving("optimized"), np.random.default_rng(0)
    found, total = np.empty((3, 3)), np.zeros((3, 3))
    clicks, ndcg = totals_by("optimized")(
        shared_world_of(QUERIES, configured, 3), np.array(ON_PAGE), 60, users, found, total
    )
    assert clicks > 0 and 0 < ndcg < 60
    assert np.any(total)
    np.testing.assert_allclose(total, -total.T, atol=1e-12)


def test_a_ranker_alone_shows_its_list():
    assert_alone_is_own_list(multileaving("optimized"))
