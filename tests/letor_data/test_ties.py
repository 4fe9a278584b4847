"""All orders of tied documents are equally frequent over impressions, and fixed within a run."""

from collections import Counter
from itertools import pairwise

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import Ranker, feature_rankers
from rankduel.letor_data.rankings import rank
from rankduel.letor_data.sorting import rank_scores
from rankduel.letor_data.ties import TIE_MODES, shuffle_ties

pytestmark = pytest.mark.kernel

RUN_MODES = ["random_run", "random_run_shared"]


@njit
def many_impressions(order, ties, users, pages):
    for i in range(len(pages)):
        shuffle_ties(order, ties, pages.shape[1], users, pages[i])


def impressions(scores, top, n, seed):
    order, _, ties = rank_scores(np.array(scores, float), np.array([0, len(scores)]))
    users, pages = np.random.default_rng(seed), np.empty((n, top), np.int16)
    many_impressions(order, ties, users, pages)
    return pages, users


def assert_uniform(found, expected):
    """Assert that every outcome has its expected frequency within 5 standard errors, and no other occurs."""
    n, total = sum(found.values()), sum(expected.values())
    assert found.keys() <= expected.keys()
    for outcome, share in expected.items():
        p = share / total
        assert abs(found[outcome] - n * p) <= 5 * (n * p * (1 - p)) ** 0.5 + 1e-9, outcome


class TestShuffleTies:
    # The rarest outcome has probability 1/48 (about 1250 of 60000, s.e. 35), so a share wrong by a seventh
    # is caught; swapping with any of all places instead of those left makes shares wrong by a third or more.
    @pytest.mark.parametrize(
        "scores",
        [[5, 5, 5], [3, 1, 1, 1, 1, 0, 0], [2, 1, 2, 1, 2, 0], [-np.inf, 4, -np.inf, -np.inf]],
        ids=["one group", "middle and end", "two groups apart in the file", "missing"],
    )
    def test_every_tie_break_is_equally_likely(self, scores):
        for top in range(1, len(scores) + 1):
            pages, _ = impressions(scores, top, 20_000, seed=top)
            expected = Counter(tuple(order[:top]) for order in naive.tie_breaks(scores))
            assert_uniform(Counter(map(tuple, pages.tolist())), expected)

    @given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(0, 2**32), st.data())
    def test_a_part_is_the_beginning_of_the_whole(self, scores, seed, data):
        top = data.draw(st.integers(1, len(scores)))
        whole, _ = impressions(scores, len(scores), 1, seed)
        part, _ = impressions(scores, top, 1, seed)
        assert part[0].tolist() == whole[0, :top].tolist()

    @pytest.mark.parametrize(
        ("scores", "top", "draws"),
        [
            ([3, 2, 1], 3, 0),
            ([3, 2, 1, 0, 0, 0], 3, 0),
            ([7, 7, 7], 3, 2),
            ([7, 7, 7], 2, 2),
            ([7, 7, 7, 7, 7], 1, 1),
            ([9, 8, 8, 7, 7, 7, 7, 6, 6], 5, 3),
            ([5], 1, 0),
        ],
    )
    def test_only_the_needed_numbers_are_drawn(self, scores, top, draws):
        _, users = impressions(scores, top, 1, seed=6)
        expected = np.random.default_rng(6)
        expected.random(draws)
        assert users.bit_generator.state == expected.bit_generator.state

    def test_a_long_group(self):
        whole, _ = impressions([1] * 1000, 1000, 1, seed=7)
        part, _ = impressions([1] * 1000, 999, 1, seed=7)
        assert sorted(whole[0]) == list(range(1000))
        assert part[0].tolist() == whole[0, :999].tolist()


def letor_of(sizes, **columns):
    qids = np.repeat([f"q{i}" for i in range(len(sizes))], sizes)
    return Letor.from_pandas(pd.DataFrame({"qid": qids, "label": 0, **columns}))


def tied_letor():
    """Return short and long queries (insertion and radix sort), with no, some and only ties."""
    rng, sizes = np.random.default_rng(8), [1, 2, 39, 41, 300, 7]
    n = sum(sizes)
    return letor_of(sizes, a=rng.integers(0, 5, n), b=np.zeros(n), c=np.zeros(n), d=rng.normal(size=n))


class TestResolve:
    @pytest.mark.parametrize("mode", RUN_MODES)
    def test_naive_equals_fast(self, mode):
        letor = tied_letor()
        resolved = rank(letor, feature_rankers(letor)).resolve(mode, seed=9)
        for k, name in enumerate(letor.feature_names):
            ranker = ("9", name) if mode == "random_run" else ("9",)
            for q, (start, stop) in enumerate(pairwise(letor.offsets)):
                scores = letor.columns[k][start:stop].tolist()
                expected = naive.run_order(scores, *ranker, query=f"q{q}")
                assert resolved.order[k, start:stop].tolist() == expected
                ranks = resolved.positions[k, start:stop][expected]
                assert ranks.tolist() == list(range(stop - start))
        assert not resolved.ties.any()

    def test_stable_keeps_the_order_of_the_file(self):
        letor = tied_letor()
        rankings = rank(letor, feature_rankers(letor))
        resolved = rankings.resolve("stable")
        assert np.array_equal(resolved.order, rankings.order)
        for ranks, order in zip(resolved.positions, resolved.order):
            for start, stop in pairwise(letor.offsets):
                assert ranks[start:stop][order[start:stop]].tolist() == list(range(stop - start))
        assert not resolved.ties.any()

    @pytest.mark.parametrize("mode", ["random_impression", "random_impression_redraw"])
    def test_impression_modes_leave_ties_to_the_impression(self, mode):
        letor = tied_letor()
        rankings = rank(letor, feature_rankers(letor))
        assert rankings.resolve(mode, seed=3) is rankings

    @pytest.mark.parametrize("mode", RUN_MODES)
    def test_other_rankers_queries_and_jobs_change_nothing(self, mode):
        letor = tied_letor()
        everything = rank(letor, feature_rankers(letor)).resolve(mode, 4, jobs=3)
        some = letor.take_queries([4, 2])
        alone = rank(some, feature_rankers(some)[1:2]).resolve(mode, 4, jobs=1)
        starts = letor.offsets
        expected = [everything.order[1, starts[q] : starts[q + 1]] for q in (4, 2)]
        assert np.array_equal(alone.order[0], np.concatenate(expected))

    def test_constant_rankers_agree_only_when_the_keys_are_shared(self):
        letor = tied_letor()
        rankings = rank(letor, feature_rankers(letor))
        shared, own = (rankings.resolve(mode, 5).order for mode in ("random_run_shared", "random_run"))
        assert np.array_equal(shared[1], shared[2])
        assert not np.array_equal(own[1], own[2])

    def test_seeds_differ(self):
        letor = tied_letor()
        rankings = rank(letor, feature_rankers(letor))
        assert not np.array_equal(*(rankings.resolve("random_run", seed).order for seed in (1, 2)))

    def test_tie_breaks_are_uniform_and_rankers_independent(self):
        # All 36 pairs of orders of three documents, over 72000 queries: 2000 each, s.e. 44.
        letor = letor_of([3] * 72_000, x=np.zeros(216_000))
        rankers = [Ranker(name, lambda letor: letor.columns[0]) for name in ("one", "two")]
        first, second = rank(letor, rankers).resolve("random_run", 6).order.reshape(2, -1, 3).tolist()
        breaks = [tuple(order) for order in naive.tie_breaks([0, 0, 0])]
        found = Counter((tuple(a), tuple(b)) for a, b in zip(first, second))
        assert_uniform(found, Counter((a, b) for a in breaks for b in breaks))

    def test_modes(self):
        assert list(TIE_MODES) == [
            "random_impression",
            "random_impression_redraw",
            "random_run",
            "random_run_shared",
            "stable",
        ]
        letor = tied_letor()
        with pytest.raises(DataError, match="did you mean 'random_run'"):
            rank(letor, feature_rankers(letor)).resolve("random_runs")
