"""Synthetic data are reproducible, and their sizes, grades, ties and correlations are as specified."""

import dataclasses

import naive
import numpy as np
import pytest
from scipy.stats import spearmanr

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import is_constant
from rankduel.letor_data.synthetic import calibrated
from rankduel.letor_data.synthetic.features import BLOCKS, STREAMS
from rankduel.letor_data.synthetic.generate import (
    SHAPES,
    Synthetic,
    blocks,
    docs_per_query,
    shape,
    synthesize,
)

SHARES = np.array([0.52, 0.32, 0.13, 0.02, 0.01])
QUERIES_2000 = Synthetic(queries=2000, p_norel=0.0, n_const=4)  # values in the specification


@pytest.fixture(scope="module")
def standard():
    return synthesize(QUERIES_2000)


def number(block, stream):
    """Return the number of a text feature in MSLR."""
    names = [b.name for b in BLOCKS]
    return 5 * names.index(block) + [s.name for s in STREAMS].index(stream) + 1


def query_of(letor):
    return np.repeat(np.arange(letor.n_queries), letor.docs_per_query)


def assert_same(one, other):
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    for a, b in zip(one.columns, other.columns, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.query_ids, other.query_ids)
    np.testing.assert_array_equal(one.splits, other.splits)
    np.testing.assert_array_equal(one.records, other.records)


def joined(parts):
    parts = list(parts)
    return dataclasses.replace(
        parts[0],
        labels=np.concatenate([p.labels for p in parts]),
        offsets=np.concatenate([[0], np.cumsum(np.concatenate([p.docs_per_query for p in parts]))]),
        columns=tuple(np.concatenate(columns) for columns in zip(*(p.columns for p in parts), strict=True)),
        query_ids=np.concatenate([p.query_ids for p in parts]),
        splits=np.concatenate([p.splits for p in parts]),
        records=np.concatenate([p.records for p in parts]),
    )


def rank_correlation(letor, one, other):
    """Return Spearman's rank correlation of two features within a query, averaged over queries."""
    rhos = []
    for q in range(letor.n_queries):
        rows = slice(letor.offsets[q], letor.offsets[q + 1])
        rhos.append(spearmanr(letor.column(one)[rows], letor.column(other)[rows])[0])
    return np.nanmean(rhos)


@pytest.mark.parametrize("query", [0, 7, 41])
def test_a_query_equals_its_naive_twin(query):
    letor = synthesize(Synthetic(seed=5, queries=query + 1)).take_queries([query])
    grades, columns = naive.synthetic_query(5, query)
    assert letor.labels.tolist() == grades
    for f, expected in enumerate(columns.values(), start=1):
        if f <= 125:
            np.testing.assert_allclose(letor.column(f), expected, rtol=0, atol=1.5e-6)
        else:  # the naive twin stops at the base, of which the value is an increasing function
            assert np.all(np.diff(letor.column(f)[np.argsort(expected)]) >= 0)


@pytest.mark.parametrize("query", [0, 7, 41])
def test_a_calibrated_query_equals_its_naive_twin(query):
    letor = synthesize(shape("mslr-web10k", seed=5, queries=query + 1)).take_queries([query])
    grades, columns = naive.calibrated_query(5, query, calibrated)
    assert letor.labels.tolist() == grades
    for f, expected in enumerate(columns, start=1):
        if f <= 125:
            np.testing.assert_allclose(letor.column(f), expected, rtol=1e-6, atol=1.5e-6)
        else:  # the naive twin stops at the base, of which the value is an increasing function
            assert np.all(np.diff(letor.column(f)[np.argsort(expected)]) >= 0)


@pytest.mark.parametrize("name", SHAPES)
def test_data_do_not_depend_on_blocks_or_threads(name):
    settings = shape(name, queries=11, docs_median=12, seed=3)
    whole = synthesize(settings)
    for size, threads in ((1, 1), (3, 2), (4, 3), (50, 1)):
        assert_same(joined(blocks(settings, queries_per_block=size, threads=threads)), whole)
    assert_same(synthesize(shape(name, queries=30, docs_median=12, seed=3)).take_queries(range(11)), whole)


def test_the_seed_decides_everything():
    one, same, other = (synthesize(Synthetic(seed=seed, queries=5)) for seed in (1, 1, 2))
    assert_same(one, same)
    assert one.digest == same.digest != other.digest
    assert not np.array_equal(one.docs_per_query, other.docs_per_query)


def test_options_leave_the_rest_as_it_was():
    plain = synthesize(Synthetic(queries=5))
    assert_same(synthesize(Synthetic(queries=5, n_const=3)).only_features(range(1, 137)), plain)
    noisy = synthesize(Synthetic(queries=5, label_noise=0.5))
    assert_same(dataclasses.replace(noisy, labels=plain.labels), plain)
    holes = synthesize(Synthetic(queries=5, p_missing=0.3))
    for hole, whole in zip(holes.columns, plain.columns, strict=True):
        np.testing.assert_array_equal(hole[~np.isnan(hole)], whole[~np.isnan(hole)])


def test_progress_is_told_of_every_document():
    told = []
    letor = synthesize(Synthetic(queries=250), progress=told.append)
    assert len(told) == 3 and sum(told) == letor.n_docs == docs_per_query(Synthetic(queries=250)).sum()


def test_grade_shares_are_as_asked(standard):
    """Documents of a query are correlated, so the standard error is computed over queries."""
    by_query = np.split(standard.labels, standard.offsets[1:-1])
    counts = np.array([np.bincount(grades, minlength=5) for grades in by_query])
    sizes = standard.docs_per_query
    share = counts.sum(axis=0) / sizes.sum()
    residual = counts - sizes[:, None] * share
    error = np.sqrt((residual**2).sum(axis=0)) / sizes.sum()
    assert np.all(np.abs(share - SHARES) < 4 * error)
    assert np.all(error < 0.006)


def test_sizes_are_as_specified(standard):
    """Reference: mean 121.6, median 104, min 15, max 827 over 2,000 queries."""
    sizes = standard.docs_per_query
    mean = 105 * np.exp(0.55**2 / 2)
    assert abs(sizes.mean() - mean) < 4 * sizes.std() / 2000**0.5
    assert abs(np.median(sizes) - 105) < 4 * 1.2533 * 105 * 0.55 / 2000**0.5
    assert 8 <= sizes.min() <= 30 and 400 <= sizes.max() <= 1251


def test_relevant_documents_are_nearly_everywhere(standard):
    """Reference, without irrelevant queries: 0 % lack grade 1 or better, 2 % lack grade 2 or better."""
    top = np.maximum.reduceat(standard.labels, standard.offsets[:-1])
    assert np.mean(top < 1) < 0.002
    assert abs(np.mean(top < 2) - 0.02) < 4 * (0.02 * 0.98 / 2000) ** 0.5


@pytest.mark.slow
def test_ties_are_as_common_as_specified(standard):
    """Distinct values per document: at most .05 for 18, at most .5 for 56 and more for 66 of 140 features.

    The ten features with five values are near the limit of the first two groups (5 / 105 documents).
    """
    query = query_of(standard)
    ratios = []
    for column in standard.columns:
        order = np.lexsort((column, query))
        new = (np.diff(column[order]) != 0) | (np.diff(query[order]) != 0)
        distinct = np.bincount(query[order], weights=np.r_[True, new])
        ratios.append(np.mean(distinct / standard.docs_per_query))
    ratios = np.array(ratios)
    edge = ratios[:10]
    assert np.all(np.abs(edge - 0.05) < 0.006)
    assert np.sum(ratios[10:] <= 0.05) == 14  # IDF, boolean, constants
    assert np.sum((ratios[10:] > 0.05) & (ratios[10:] <= 0.5)) == 50
    assert np.sum(ratios > 0.5) == 66


def test_features_are_constant_where_they_should_be(standard):
    assert standard.n_features == 140
    assert [is_constant(column) for column in standard.columns] == [False] * 136 + [True] * 4
    for stream in STREAMS:
        idf = standard.column(number("idf", stream.name))
        assert np.all(idf == idf[standard.offsets[query_of(standard)]])


def test_ratio_ranks_as_covered(standard):
    for stream in STREAMS:
        covered, ratio = (standard.column(number(block, stream.name)) for block in ("covered", "ratio"))
        np.testing.assert_array_equal(covered, 4 * ratio)


def test_features_of_one_stream_resemble_each_other(standard):
    few = standard.take_queries(range(100))
    for stream, other in (("body", "title"), ("title", "url"), ("url", "body")):
        near = rank_correlation(few, number("tf-idf sum", stream), number("tf-idf max", stream))
        far = rank_correlation(few, number("tf-idf sum", stream), number("tf-idf sum", other))
        assert near > 0.8
        assert far < 0.4


def test_dup_sets_how_alike(standard):
    apart = synthesize(Synthetic(queries=100, p_norel=0.0, dup=0.9))
    pair = number("tf-idf sum", "body"), number("tf-idf max", "body")
    assert rank_correlation(apart, *pair) < rank_correlation(standard.take_queries(range(100)), *pair)


def test_empty_streams_are_as_common_as_asked(standard):
    anchor = standard.column(number("bm25", "anchor")) == 0
    n = standard.n_docs
    assert abs(anchor.mean() - 0.55) < 4 * (0.55 * 0.45 / n) ** 0.5
    np.testing.assert_array_equal(standard.column(number("lmir.abs", "anchor")) == -30, anchor)
    assert not np.any(standard.column(number("bm25", "body")) == 0)


def test_the_designated_feature_follows_relevance_most(standard):
    query = query_of(standard)
    sums = np.bincount(query, weights=standard.labels)
    relevance = standard.labels - (sums / standard.docs_per_query)[query]
    strength = [abs(np.corrcoef(column, relevance)[0, 1]) for column in standard.columns[:136]]
    assert np.argmax(strength) == number("bm25", "whole") - 1


def test_some_queries_have_nothing_relevant():
    letor = synthesize(Synthetic(queries=1000, p_norel=0.3, docs_median=20))
    top = np.maximum.reduceat(letor.labels, letor.offsets[:-1])
    bare = synthesize(Synthetic(queries=1000, p_norel=0.0, docs_median=20))
    without = np.maximum.reduceat(bare.labels, bare.offsets[:-1]) == 0
    forced = np.mean(top[~without] == 0)
    assert abs(forced - 0.3) < 4 * (0.21 / np.sum(~without)) ** 0.5


def test_label_noise_replaces_a_share_of_the_grades():
    settings = Synthetic(queries=300, p_norel=0.0)
    before = synthesize(settings).labels
    after = synthesize(dataclasses.replace(settings, label_noise=0.4)).labels
    changed = 0.4 * (1 - SHARES[before].mean())  # a redrawn grade may be equal to the old one
    assert abs(np.mean(before != after) - changed) < 4 * (changed * (1 - changed) / len(before)) ** 0.5


def test_fewer_decimals_make_ties():
    bm25 = number("bm25", "body")
    coarse, fine = (synthesize(Synthetic(queries=3, decimals=d)).column(bm25) for d in (1, 6))
    np.testing.assert_array_equal(coarse, np.round(coarse, 1))
    assert len(np.unique(coarse)) < len(np.unique(fine)) / 5


def test_each_of_the_cycles_rankers_leads_in_its_segment():
    letor = synthesize(Synthetic(queries=90, cycle=True, n_const=2, p_norel=0.0))
    assert letor.n_features == 136 + 2 + 3
    latent = np.array([[_grade_agreement(letor, 139 + k, segment) for segment in range(3)] for k in range(3)])
    ranked = np.argsort(-latent, axis=0)  # per third of the queries: the best ranker first
    assert ranked.T.tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]


def _grade_agreement(letor, feature, segment):
    queries = np.arange(segment, letor.n_queries, 3)
    rhos = []
    for q in queries:
        rows = slice(letor.offsets[q], letor.offsets[q + 1])
        rhos.append(spearmanr(letor.column(feature)[rows], letor.labels[rows])[0])
    return np.nanmean(rhos)


@pytest.mark.parametrize(
    ("name", "queries", "documents", "features"),
    [
        ("mslr-web30k", 31_531, 3_771_125, 136),
        ("mslr-web10k", 10_000, 1_200_192, 136),
        ("yahoo", 29_921, 709_877, 700),
        ("istella", 33_018, 10_454_629, 220),
        ("letor-agg", 1692, 69_623, 21),
    ],
)
def test_shapes_have_the_size_of_their_models(name, queries, documents, features):
    assert SHAPES[name].queries == queries
    sizes = docs_per_query(shape(name, queries=2000))
    assert abs(sizes.mean() - documents / queries) < 4 * sizes.std() / 2000**0.5 + 0.01 * documents / queries
    assert synthesize(shape(name, queries=2)).n_features == features


def test_yahoo_is_sparse_and_between_zero_and_one():
    letor = synthesize(shape("yahoo", queries=40))
    values = letor.features
    assert values.min() == 0 and values.max() <= 1
    constant = [is_constant(column) for column in letor.columns]
    assert sum(constant) == 181 and all(constant[519:])
    assert np.mean(values == 0) > 0.3


def test_unit_range_keeps_the_order():
    """The order is kept up to ties: six decimals distinguish fewer values in a smaller interval."""
    squeezed, plain = (synthesize(Synthetic(queries=2, unit_range=unit)) for unit in (True, False))
    for one, other in zip(squeezed.columns, plain.columns, strict=True):
        assert np.all(np.diff(one[np.argsort(other)]) >= 0)


def test_istella_misses_its_share():
    letor = synthesize(shape("istella", queries=30))
    missing = np.isnan(letor.features)
    covered, ratio, idf = slice(0, 8), slice(8, 16), slice(24, 32)  # blocks of eight streams
    np.testing.assert_array_equal(missing[:, ratio], missing[:, covered])
    assert not missing[:, idf].any()
    others = missing[:, 32:]
    assert abs(others.mean() - 0.05) < 4 * (0.05 * 0.95 / others.size) ** 0.5
    assert len(np.unique(others.T, axis=0)) == 188 - 24  # three means are as their sums, on 8 streams


def test_aggregated_lists_are_positions():
    letor = synthesize(shape("letor-agg", queries=300))
    for column in letor.columns:
        for q in range(letor.n_queries):
            listed = np.sort(column[letor.offsets[q] : letor.offsets[q + 1]])
            listed = listed[~np.isnan(listed)]
            np.testing.assert_array_equal(listed, np.arange(1, len(listed) + 1))
    absent = np.isnan(letor.features)
    assert abs(absent.mean() - 0.348) < 0.02
    grades = np.repeat(letor.labels[:, None], 21, axis=1)
    assert grades[absent].mean() < grades[~absent].mean() - 0.1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queries": 0}, "positive"),
        ({"grade_shares": (0.5, 0.4)}, "add up to 1"),
        ({"p_norel": 1.5}, "p_norel"),
        ({"cw_gap": 0.9}, "within -1..1"),
        ({"cycle": True, "cycle_levels": (1.2, 0.5, 0.0)}, "1.2"),
    ],
)
def test_impossible_settings_are_refused(changes, message):
    with pytest.raises(DataError, match=message):
        synthesize(Synthetic(**changes))


def test_an_unknown_shape_gets_a_suggestion():
    with pytest.raises(DataError, match="did you mean 'mslr-web30k'"):
        shape("mslr-web3k")
