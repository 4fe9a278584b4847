"""Shared worlds of few rankers on few documents, for the tests of multileaving."""

import collections
import functools

import naive
import naive.multileave
import numpy as np
import pytest
from numba import njit
from scipy.stats import chi2

from rankduel.clickmodels import click_model
from rankduel.interleave import make_world, play_duels
from rankduel.interleave.multileave import make_shared_world, multileave_by, multileaved_page
from rankduel.interleave.multileave.impression import page_kernels
from rankduel.interleave.world import DOC, TEAM
from rankduel.letor_data.rankings import Rankings, positions_of
from support.live_duels import TIED, full_size

THREE = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
E0 = ((0, 1, 2, 3), (1, 2, 3, 0))
USER = click_model("navigational", 5)
# (grades, tie groups of documents in order for each of five rankers); rankers 1, 3 and 0 share the page.
QUERIES = (
    (
        (0, 4, 1, 2),
        ([[2], [0, 1, 3]], [[0], [1], [2], [3]], [[3, 2, 1, 0]], [[3, 1], [0, 2]], [[1, 0, 2, 3]]),
    ),
    ((1, 0), ([[0, 1]], [[1], [0]], [[0], [1]], [[0], [1]], [[0, 1]])),
)
ON_PAGE = (1, 3, 0)


def shared_world_of(judged, way, length, **more):
    """Return the shared world of these queries."""
    sizes = [len(grades) for grades, _ in judged]
    rankers = list(zip(*(rankings for _, rankings in judged)))
    order = np.array([[doc for groups in ranker for group in groups for doc in group] for ranker in rankers])
    marks = [[mark(i, group) for groups in r for group in groups for i in range(len(group))] for r in rankers]
    offsets = np.cumsum([0, *sizes])
    names, keys = tuple(map(str, range(len(order)))), np.arange(len(sizes)).astype(np.uint64)
    order, ties = order.astype(np.int16), np.array(marks, np.int16)
    rankings = Rankings(names, offsets, keys, order, positions_of(order, ties, offsets), ties)
    labels = np.array([grade for grades, _ in judged for grade in grades], np.int8)
    return make_shared_world(rankings, labels, USER, way, length, **more)


def mark(i, group):
    """Return the entry of rank i of a tie group, as in rankduel.letor_data.ties."""
    return -i if i else len(group) - 1


@functools.cache
def totals_by(name):
    """Return sums(shared, rankers, pages, users, found, total), which returns
    (clicks, NDCG) of all pages and adds preferences to `total`."""
    impression = multileave_by(name)

    @njit
    def sums(shared, rankers, pages, users, found, total):
        n, clicks, ndcg = len(rankers), 0, 0.0
        for _ in range(pages):
            n_clicks, quality = impression(shared, rankers, n, found, users)
            clicks += n_clicks
            ndcg += quality
            for x in range(n):
                for y in range(n):
                    total[x, y] += found[x, y]
        return clicks, ndcg

    return sums


def assert_live_is_exact(way, setting="", length=3, pages=200_000):
    """Assert that means over impressions equal those by enumeration, within 4.5 standard errors.

    A standard error is at most 0.0023 for a sign, so that a shift of 0.02 is practically always detected.
    """
    sums = totals_by(way.name)
    shared, users = shared_world_of(QUERIES, way, length), np.random.default_rng(3)
    total = np.zeros((len(ON_PAGE), len(ON_PAGE)))
    clicks, ndcg = sums(shared, np.array(ON_PAGE), pages, users, np.empty_like(total), total)
    p_click, p_stop = USER.p_click.tolist(), USER.p_stop.tolist()
    queries = [(grades, [rankers[x] for x in ON_PAGE]) for grades, rankers in QUERIES]
    mean, squares, mean_clicks, mean_ndcg = naive.multileave.expected_impression(
        queries, length, way.name, setting, lambda shown: naive.click_patterns(shown, p_click, p_stop)
    )
    error = np.sqrt(np.maximum(np.array(squares) - np.square(mean), 0.0) / pages)
    assert np.all(np.abs(total / pages - mean) <= 4.5 * error + 1e-9), (total / pages, mean, error)
    assert clicks / pages == np.clip(clicks / pages, *around(mean_clicks, length / 2, pages))
    assert ndcg / pages == np.clip(ndcg / pages, *around(mean_ndcg, 0.5, pages))


def assert_alone_is_own_list(way):
    """Assert that the page of a single ranker is its ranking, and that there are no preferences."""
    ranker, sums = 2, totals_by(way.name)
    untied = [
        (grades, [[[doc] for group in r for doc in group] for r in rankers]) for grades, rankers in QUERIES
    ]
    shared, users = shared_world_of(untied, way, 3, queries="cycle"), np.random.default_rng(0)
    found, total = np.ones((1, 1)), np.zeros((1, 1))
    _, ndcg = sums(shared, np.array([ranker]), 20, users, found, total)
    expected = [own_ndcg(grades, [doc for [doc] in rankers[ranker]], 3) for grades, rankers in untied]
    assert ndcg / 20 == pytest.approx(np.mean(expected), abs=1e-12)
    assert total == 0


def own_ndcg(grades, ranking, k):
    shown, best = [grades[doc] for doc in ranking[:k]], sorted(grades, reverse=True)[:k]
    return naive.multileave.dcg(shown) / naive.multileave.dcg(best)


def assert_two_live_as_interleaved(way, duels, pages=200_000):
    """Assert that the mean degree is wins minus losses, within 4.5 standard errors (0.014), with ties."""
    labels, rankings = full_size()
    world = make_world(rankings, labels, USER, duels)
    losses, _, wins = play_duels(world, duels, *TIED, pages, np.random.default_rng(1))
    found, total = np.empty((2, 2)), np.zeros((2, 2))
    shared, users = make_shared_world(rankings, labels, USER, way), np.random.default_rng(2)
    totals_by(way.name)(shared, np.array(TIED), pages, users, found, total)
    assert abs(total[0, 1] - (wins - losses)) / pages <= 4.5 * (2 / pages) ** 0.5


def around(mean, largest_deviation, n):
    """Return an interval of 4.5 standard errors for n numbers with at most this standard deviation."""
    error = 4.5 * largest_deviation / n**0.5
    return mean - error, mean + error


def shown_pages(rankings, way, k, n, seed=0):
    """Return the number of occurrences of each (page, teams) in n pages."""
    page, users = multileaved_page(rankings, way, k), np.random.default_rng(seed)
    show, seen = page_kernels(way.name)[0], collections.Counter()
    for _ in range(n):
        show(page._shared, page._group, len(page.docs), users)
        docs, teams = page._shared.world.page[[DOC, TEAM], : len(page.docs)].tolist()
        seen[tuple(docs), tuple(None if team < 0 else team for team in teams)] += 1
    return seen


def chi_square_p_value(seen, expected):
    """Return the p-value of a chi-square test, with rare pages combined; assert that pages are possible."""
    assert set(seen) <= set(expected)
    n = sum(seen.values())
    rows = [(seen[key], float(p * n)) for key, p in expected.items() if p * n >= 5]
    rare = n - sum(mean for _, mean in rows)
    if rare > 1e-6 * n:
        rows.append((n - sum(count for count, _ in rows), max(rare, 1.0)))
    return chi2.sf(sum((count - mean) ** 2 / mean for count, mean in rows), max(1, len(rows) - 1))


def put(page, docs, teams=None):
    """Replace the documents of a page, and return it."""
    page._shared.world.page[DOC, : len(docs)] = docs
    if teams is not None:
        page._shared.world.page[TEAM, : len(docs)] = [-1 if team is None else team for team in teams]
    return page
