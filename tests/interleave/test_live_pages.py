"""What live duels show: ties settled piece by piece, soft draws, and whole pages with their metrics."""

import itertools
import math

import numpy as np
import pytest
from live_duels import TIED, UNTIED, USERS, full_size, shares, tiny
from numba import njit
from scipy.stats import chisquare
from small_worlds import NAVIGATIONAL, small_world

from interleave import METHODS, interleaving, make_world
from interleave.duel import impression_by
from interleave.probabilistic import POSTERIOR, next_document, posteriors
from interleave.world import CLICKED, DOC, RANK, Pair, document_at, forget_ties, rank_of
from letor_data.metrics import clicks_at, ideal_dcg, ndcg

pytestmark = pytest.mark.kernel

LEAST_P = 1e-4  # a chi-square test fails below; the seeds are fixed
ONE_GROUP = [3, -1, -2, -3]


def assert_counts(counts, chances):
    """Counts follow these chances; the rarest are taken together, as the test asks."""
    counts, expected = np.asarray(counts, float), np.asarray(chances, float) * np.sum(counts)
    rare = expected < 10
    if rare.any():
        counts, expected = (np.append(x[~rare], x[rare].sum()) for x in (counts, expected))
    assert chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > LEAST_P
    assert expected.sum() == pytest.approx(counts.sum())


# --- ties


@njit
def settled_orders(world, pair, asks, n, users):
    """(n, 2, n_docs): both sides' orders as they come out when ranks and documents (~doc) are asked for."""
    orders = np.full((n, 2, pair.n_docs), -1)
    for i in range(n):
        forget_ties(world)
        for ask in asks:
            for side in range(2):
                if ask >= 0:
                    orders[i, side, ask] = document_at(world, pair, side, ask, users)
                else:
                    orders[i, side, rank_of(world, pair, side, ~ask, users)] = ~ask
    return orders


def assert_settled_uniformly(ties, asks, allowed):
    """All `allowed` orders are equally likely, and the two sides have nothing to do with each other."""
    docs = list(range(len(ties)))
    world = small_world(
        docs, docs, [0] * len(docs), NAVIGATIONAL, interleaving("team_draft"), groups=(ties, ties)
    )
    orders = settled_orders(world, Pair(0, 1, 0, len(docs)), np.array(asks), 30_000, np.random.default_rng(0))
    number = {order: i for i, order in enumerate(allowed)}
    first, second = ([number[tuple(order)] for order in orders[:, side].tolist()] for side in (0, 1))
    n = len(allowed)
    assert_counts(np.bincount(first, minlength=n), np.full(n, 1 / n))
    both = np.bincount(np.array(first) * n + second, minlength=n * n)
    assert_counts(both, np.full(n * n, 1 / n**2))


@pytest.mark.parametrize(
    "asks",
    [
        (0, 1, 2, 3),
        (3, 1, 0, 2),
        (~0, ~1, ~2, ~3),
        (2, ~3, 0, ~1, ~0, ~2, 1, 3),
        (~1, 0, 0, ~1, 3, ~0, ~2, ~3),
    ],
    ids=str,
)
def test_a_group_is_a_uniform_shuffle_however_it_is_revealed(asks):
    assert_settled_uniformly(ONE_GROUP, asks, list(itertools.permutations(range(4))))


def test_groups_do_not_mix():
    allowed = [(0, *a, 3, *b) for a in ((1, 2), (2, 1)) for b in itertools.permutations((4, 5, 6))]
    asks = (0, ~4, 5, ~2, 3, 4, 6, 2, 1)
    assert_settled_uniformly([0, 1, -1, 0, 2, -1, -2], asks, allowed)


@njit
def looks_agree(world, pair, n, users):
    """Is whatever was settled found again, from either end?"""
    for _ in range(n):
        forget_ties(world)
        for _ in range(6):
            side, rank = int(users.random() * 2), int(users.random() * pair.n_docs)
            doc = document_at(world, pair, side, rank, users)
            if (
                rank_of(world, pair, side, doc, users) != rank
                or document_at(world, pair, side, rank, users) != doc
            ):
                return False
            rank = rank_of(world, pair, side, rank, users)
            if rank_of(world, pair, side, document_at(world, pair, side, rank, users), users) != rank:
                return False
    return True


@pytest.mark.parametrize("pair", [UNTIED, TIED, (3, 4)])
def test_settled_ties_stay_settled(pair):
    labels, rankings = full_size()
    world = make_world(rankings, labels, USERS["perfect"], interleaving("team_draft"))
    start, stop = rankings.offsets[:2].tolist()
    assert looks_agree(world, Pair(*pair, start, stop - start), 2000, np.random.default_rng(1))


# --- the soft draw


@njit
def drawn_pages(world, pair, length, n, users):
    pages = np.empty((n, length), np.int64)
    for i in range(n):
        forget_ties(world)
        for at in range(length):
            pages[i, at] = next_document(world, pair, at, users)
    return pages


def page_counts(pages, n_docs):
    length = pages.shape[1]
    keys = pages @ (n_docs ** np.arange(length))
    return [
        np.count_nonzero(keys == np.dot(page, n_docs ** np.arange(length)))
        for page in itertools.permutations(range(n_docs), length)
    ]


def page_chances(left, right, length):
    """P(page) of every page, in the order of itertools.permutations: spec 2.4."""
    chances = []
    for page in itertools.permutations(range(len(left)), length):
        chance = 1.0
        for at, doc in enumerate(page):
            soft = [
                (ranking.index(doc) + 1) ** -3
                / sum((ranking.index(d) + 1) ** -3 for d in left if d not in page[:at])
                for ranking in (left, right)
            ]
            chance *= sum(soft) / 2
        chances.append(chance)
    return chances


@pytest.mark.parametrize(
    "left, right, length",
    [([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5], 3), ([0, 1, 2, 3], [1, 2, 3, 0], 4), ([2, 0, 1], [0, 1, 2], 2)],
    ids=["triples of 6", "E0", "two of 3"],
)
def test_pages_are_drawn_by_their_chances(left, right, length):
    world = small_world(left, right, [0] * len(left), NAVIGATIONAL, interleaving("probabilistic"))
    pair, users = Pair(0, 1, 0, len(left)), np.random.default_rng(2)
    pages = drawn_pages(world, pair, length, 400_000, users)
    assert_counts(page_counts(pages, len(left)), page_chances(left, right, length))


@pytest.mark.parametrize(
    "tau, n", [(3, 1000), (3, 64), (3, 63), (0, 200), (1, 130), (30, 20), (50, 40), (3, 1)]
)
def test_the_last_of_all_documents_is_anybodys(tau, n):
    """However little mass rounding leaves: every document is drawn once, the last with chance 1 by both."""
    rng = np.random.default_rng(3)
    left, right = rng.permutation(n).tolist(), rng.permutation(n).tolist()
    way = interleaving("probabilistic", tau=tau)
    world = small_world(left, right, [0] * n, NAVIGATIONAL, way, length=n)
    pair = Pair(0, 1, 0, n)
    for seed in range(5):
        pages = drawn_pages(world, pair, n, 1, np.random.default_rng(seed))
        assert sorted(pages[0].tolist()) == list(range(n))
        for side, ranking in enumerate((left, right)):
            assert world.page[RANK + side, :n].tolist() == [ranking.index(doc) for doc in pages[0].tolist()]
        posteriors(world, pair, n, 0.5)
        assert world.chances[POSTERIOR, n - 1] == 0.5
        assert np.all((0 <= world.chances[POSTERIOR, :n]) & (world.chances[POSTERIOR, :n] <= 1))


def test_deep_ranks_are_drawn_too():
    """With tau = 0 every document is as likely, also below the ranks that are kept in bits."""
    n = 150
    world = small_world(range(n), range(n), [0] * n, NAVIGATIONAL, interleaving("probabilistic", tau=0))
    pages = drawn_pages(world, Pair(0, 1, 0, n), 4, 60_000, np.random.default_rng(4))
    for at in range(4):
        assert_counts(np.bincount(pages[:, at], minlength=n), np.full(n, 1 / n))
    assert all(len(set(page)) == 4 for page in pages[:5000].tolist())


# --- whole impressions


QUICK = ("document_constraints", "probabilistic")  # the two whose credit could mind a completed page
METHOD_NAMES = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in METHODS]


def worlds_to_see(method):
    for (labels, rankings), length in ((full_size(), 6), (tiny(), 4)):
        for ties in ("random_impression", "random_impression_redraw"):
            yield make_world(rankings, labels, USERS["navigational"], interleaving(method), length, ties)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_an_impression_tells_clicks_and_ndcg_of_its_page(method):
    impression, users = impression_by(method), np.random.default_rng(5)
    for world in worlds_to_see(method):
        length = world.user.shape[1]
        for query in range(len(world.offsets) - 1):
            start, stop = world.offsets[query : query + 2].tolist()
            only = world._replace(turns=np.array([float(query)]))
            ideal = ideal_dcg(world.labels, world.offsets, length)
            lead, n_clicks, value = impression(only, *TIED, ideal, users)
            docs = only.page[DOC, : min(length, stop - start)]
            assert len(set(docs.tolist())) == len(docs) and 0 <= docs.min() <= docs.max() < stop - start
            assert n_clicks == clicks_at(only.page[CLICKED, : len(docs)], length)
            grades = world.labels[start:stop]
            assert math.isclose(value, ndcg(grades[docs], grades, length), rel_tol=1e-12)


@njit
def count_impressions(impression, world, first, second, ideal, n, users):
    counts = np.zeros(3, np.int64)
    for _ in range(n):
        lead, _, _ = impression(world, first, second, ideal, users)
        counts[1 + (lead > 0) - (lead < 0)] += 1
    return counts


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_an_impression_is_a_duel(method):
    n, way = 4000 if METHODS[method].calls_python else 100_000, interleaving(method)
    for world in worlds_to_see(method):
        if METHODS[method].calls_python and len(world.labels) > 100:
            continue  # a plan for every way to break ties would take minutes
        ideal = ideal_dcg(world.labels, world.offsets, world.user.shape[1])
        found = count_impressions(impression_by(method), world, *TIED, ideal, n, np.random.default_rng(6)) / n
        expected = shares(world, way, TIED, n)
        assert np.all(np.abs(found - expected) <= 4 * np.sqrt(2 * expected * (1 - expected) / n) + 1e-9)


def test_completed_pages_have_the_law_of_pages():
    """Where the user leaves does not show in what stands below."""
    left, right = [0, 1, 2, 3], [1, 2, 3, 0]
    world = small_world(left, right, [1, 0, 0, 1], NAVIGATIONAL, interleaving("probabilistic"))
    pages = completed_pages(impression_by("probabilistic"), world, 100_000, np.random.default_rng(7))
    assert_counts(page_counts(pages, 4), page_chances(left, right, 4))


@njit
def completed_pages(impression, world, n, users):
    pages, ideal = np.empty((n, 4), np.int64), np.ones(1)
    for i in range(n):
        impression(world, 0, 1, ideal, users)
        pages[i] = world.page[DOC, :4]
    return pages
