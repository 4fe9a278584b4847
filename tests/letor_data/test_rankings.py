"""Rankings and their ties agree with the naive twins."""

from dataclasses import replace
from itertools import pairwise

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import Ranker, feature, feature_rankers
from rankduel.letor_data.rankings import query_keys, rank, stable_key
from rankduel.letor_data.sorting import rank_scores
from rankduel.letor_data.ties import tie_share, tied_pairs

pytestmark = pytest.mark.kernel

INF = np.inf


def letor_of(sizes, **columns):
    qids = np.repeat([f"q{i}" for i in range(len(sizes))], sizes)
    return Letor.from_pandas(pd.DataFrame({"qid": qids, "label": 0, **columns}))


def assert_ranks(row, scores, sizes):
    """Assert that `row` agrees with the naive twins of these scores, query by query."""
    order, positions, ties = row
    for start, stop in pairwise(np.cumsum([0, *sizes])):
        query = scores[start:stop].tolist()
        assert order[start:stop].tolist() == naive.ranking(query)
        assert positions[start:stop].tolist() == naive.positions(query)
        assert ties[start:stop].tolist() == naive.tie_marks(query)


class TestRankScores:
    @pytest.mark.parametrize("width", [32, 64])
    @given(data=st.data())
    def test_naive_equals_fast(self, width, data):
        score = st.sampled_from([0.0, -0.0, INF, -INF, 1.0, -1.0]) | st.floats(allow_nan=False, width=width)
        queries = data.draw(st.lists(st.lists(score, max_size=9), min_size=1, max_size=5))
        scores = np.array([score for query in queries for score in query], f"f{width // 8}")
        sizes = [len(query) for query in queries]
        assert_ranks(rank_scores(scores, np.cumsum([0, *sizes])), scores, sizes)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("levels", [1, 3, 30, 10_000_000])
    def test_naive_equals_fast_around_and_beyond_the_short_sort(self, dtype, levels):
        rng = np.random.default_rng(levels)
        sizes = [39, 40, 41, 1, 257, 0, 1000, 2]
        scores = ((rng.integers(0, levels, sum(sizes)) - levels // 2) / 3).astype(dtype)
        scores[rng.random(len(scores)) < 0.1] = -INF
        assert_ranks(rank_scores(scores, np.cumsum([0, *sizes])), scores, sizes)

    def test_float64_values_that_float32_would_tie(self):
        scores = 1 + np.arange(100)[::-1] * 1e-12
        order, _, ties = rank_scores(scores, np.array([0, 100]))
        assert order.tolist() == list(range(100))
        assert not ties.any()

    def test_a_row_of_integers_is_ranked_too(self):
        assert rank_scores(np.array([1, 3, 2]), np.array([0, 3]))[0].tolist() == [1, 2, 0]

    @pytest.mark.parametrize(("size", "dtype"), [(32767, np.int16), (32768, np.int32), (40000, np.int32)])
    def test_a_query_too_long_for_16_bits(self, size, dtype):
        scores = np.random.default_rng(1).integers(0, 500, size + 3).astype(float)
        row = rank_scores(scores, np.array([0, 3, size + 3]))
        assert {part.dtype for part in row} == {np.dtype(dtype)}
        assert_ranks(row, scores, [3, size])

    def test_refused(self):
        with pytest.raises(DataError, match="row 1 is NaN"):
            rank_scores(np.array([1.0, np.nan]), np.array([0, 2]))
        with pytest.raises(DataError, match="2 documents"):
            rank_scores(np.array([1.0, 2.0, 3.0]), np.array([0, 2]))


class TestRank:
    def test_every_ranker_has_its_row(self):
        rng = np.random.default_rng(2)
        sizes = [5, 60, 1, 130]
        letor = letor_of(sizes, x=rng.normal(size=196), y=rng.integers(0, 4, 196), z=np.full(196, np.nan))
        rankings = rank(letor, feature_rankers(letor))
        assert rankings.names == ("x", "y", "z")
        assert (rankings.n_rankers, rankings.n_queries, rankings.n_docs) == (3, 4, 196)
        for k, ranker in enumerate(feature_rankers(letor)):
            row = rankings.order[k], rankings.positions[k], rankings.ties[k]
            assert_ranks(row, ranker.score(letor), sizes)

    def test_jobs_change_nothing(self):
        rng = np.random.default_rng(3)
        letor = letor_of([80] * 5, **{f"f{i}": rng.integers(0, 20, 400) for i in range(9)})
        one, three = (rank(letor, feature_rankers(letor), jobs) for jobs in (1, 3))
        for field in ("order", "positions", "ties", "query_keys"):
            assert np.array_equal(getattr(one, field), getattr(three, field))

    def test_one_ranker_and_queries_of_one_document(self):
        rankings = rank(letor_of([1, 1, 1], x=[3, 1, 2]), [feature("x")])
        assert rankings.order.tolist() == rankings.positions.tolist() == rankings.ties.tolist() == [[0, 0, 0]]

    @pytest.mark.parametrize("value", [0, 7.5, np.nan], ids=["zero", "constant", "missing"])
    def test_a_constant_ranker_ties_everything_in_file_order(self, value):
        rankings = rank(letor_of([3, 2], x=[value] * 5), [feature("x")])
        assert rankings.order.tolist() == [[0, 1, 2, 0, 1]]
        assert rankings.ties.tolist() == [[2, -1, -2, 1, -1]]

    def test_missing_documents_are_tied_below_the_others(self):
        rankings = rank(letor_of([4], x=[np.nan, -5, np.nan, 2]), [feature("x")])
        assert rankings.order.tolist() == [[3, 1, 0, 2]]
        assert rankings.ties.tolist() == [[0, 0, 1, -1]]

    def test_progress_hears_of_every_ranker(self):
        letor, heard = letor_of([2], x=[1, 2], y=[1, 2]), []
        rank(letor, feature_rankers(letor), progress=heard.append)
        assert heard == [1, 1]

    def test_arrays_cannot_be_written_to(self):
        letor = letor_of([2], x=[1, 2])
        rankings = rank(letor, feature_rankers(letor))
        with pytest.raises(ValueError, match="read-only"):
            rankings.order[0, 0] = 1
        assert letor.offsets.flags.writeable

    @pytest.mark.parametrize(
        ("rankers", "message"),
        [
            ([], "no rankers"),
            ([feature("x"), feature("x")], "two rankers are named 'x'"),
            ([Ranker("short", lambda letor: letor.columns[0][:1])], "ranker 'short': 2 documents"),
            ([Ranker("nan", lambda letor: letor.columns[0] * np.nan)], "ranker 'nan': .* NaN"),
            ([feature("y")], "ranker 'y': no feature 'y'"),
        ],
    )
    def test_refused(self, rankers, message):
        with pytest.raises(DataError, match=message):
            rank(letor_of([2], x=[1, 2]), rankers)


class TestTieShare:
    @given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=8), min_size=1, max_size=4))
    def test_naive_equals_fast(self, queries):
        offsets = np.cumsum([0, *map(len, queries)])
        _, _, ties = rank_scores(np.array([score for query in queries for score in query], float), offsets)
        tied = sum(naive.tied_pairs(query) for query in queries)
        pairs = sum(len(query) * (len(query) - 1) // 2 for query in queries)
        assert tied_pairs(ties) == tied
        assert tie_share(ties, offsets) == (tied / pairs if pairs else 0)

    def test_long_groups_do_not_overflow(self):
        offsets = np.array([0, 30_000])
        _, _, ties = rank_scores(np.zeros(30_000), offsets)
        assert tied_pairs(ties) == 30_000 * 29_999 // 2
        assert tie_share(ties, offsets) == 1


@given(
    st.lists(st.lists(st.sampled_from([-INF, 0.0, 1.0, 2.0]), min_size=1, max_size=6), min_size=1, max_size=4)
)
def test_lists_of_trec_runs_end(queries):
    """Documents with a score are ranked as usual; the others follow in file order, untied."""
    scores, sizes = np.concatenate(queries), [len(query) for query in queries]
    letor = replace(letor_of(sizes), profile="trec")
    found = rank(letor, [Ranker("mine", lambda letor: scores)])
    listed = [[score for score in query if score > -INF] for query in queries]
    if listed == queries:
        assert found.lengths is None
        return
    assert found.lengths.tolist() == [[len(query) for query in listed]]
    for (start, stop), query, top in zip(pairwise(np.cumsum([0, *sizes])), queries, listed):
        rest = [doc for doc, score in enumerate(query) if score == -INF]
        order = found.order[0, start:stop].tolist()
        assert order == naive.ranking(query)[: len(top)] + rest
        assert found.ties[0, start:stop].tolist() == naive.tie_marks(top) + [0] * len(rest)
        assert [found.positions[0, start + doc] for doc in rest] == list(range(len(top), len(query)))
        for doc in set(range(len(query))) - set(rest):
            assert found.positions[0, start + doc] == naive.positions(query)[doc]


def test_the_key_of_a_query_is_the_hash_of_its_id():
    ids = ["1", "", "a query", "\u00e9", "\U0001f600"]
    letor = Letor.from_pandas(pd.DataFrame({"qid": ids, "label": 0, "f": 1.0}))
    keys = query_keys(letor)
    assert keys.dtype == np.uint64
    assert keys.tolist() == [int(stable_key(query)) for query in ids]
    assert keys[0] == 0x7637BA9F0342FCF6
