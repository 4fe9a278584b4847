"""Blocks agree with the naive twins for every query and every width of an entry."""

import gc
import weakref
from dataclasses import replace
from itertools import pairwise

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.letor_data.blocks import DOCS, LINE, RANKS, TIED_WITH, entry_of, length_of, n_untied
from rankduel.letor_data.rankings import Rankings
from rankduel.letor_data.sorting import rank_scores

pytestmark = pytest.mark.kernel


def rankings_of(scores, sizes):
    """Return rankings by rows of scores."""
    offsets = np.cumsum([0, *sizes])
    rows = zip(*(rank_scores(np.array(row, float), offsets) for row in scores))
    names = tuple(f"ranker {k}" for k in range(len(scores)))
    return Rankings(names, offsets, np.zeros(len(sizes), np.uint64), *map(np.array, rows))


def assert_blocks(scores, sizes):
    """Assert that every block agrees with the naive twins of the scores of its ranker and query."""
    data, starts = rankings_of(scores, sizes).blocks
    assert data.ctypes.data % LINE == 0 and not (starts % LINE).any()
    for k, row in enumerate(scores):
        for query, (start, stop) in enumerate(pairwise(np.cumsum([0, *sizes]))):
            block = k * starts[-1] + starts[query]
            assert_block(data, block, row[start:stop])


def assert_block(data, block, scores):
    n_docs, groups = len(scores), naive.tie_groups(scores)
    parts = {
        DOCS: naive.ranking(scores),
        RANKS: [sum(other > score for other in scores) for score in scores],
        TIED_WITH: [len(group) - 1 for group in groups for _ in group],
    }
    for part, expected in parts.items():
        assert [entry_of(data, block, n_docs, part, i) for i in range(n_docs)] == expected
    untied = next((rank for rank, others in enumerate(parts[TIED_WITH]) if others), n_docs)
    assert n_untied(data, block) == (min(untied, 255) if n_docs <= 256 else 0)


@given(st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=1, max_size=4))
def test_blocks_are_the_naive_rankings(queries):
    scores = [score for query in queries for score in query]
    assert_blocks([scores, scores[::-1]], [len(query) for query in queries])


@pytest.mark.parametrize("levels", [2, 100_000])
def test_entries_of_one_and_of_two_bytes(levels):
    sizes = [255, 1, 256, 257, 700]
    scores = np.random.default_rng(levels).integers(0, levels, (2, sum(sizes)))
    assert_blocks(scores.tolist(), sizes)


@pytest.mark.parametrize("n_docs", [256, 257, 1 << 16, (1 << 16) + 1])
def test_entries_hold_the_largest_numbers(n_docs):
    """Widths change at powers of 256; one of the two rankings is one large tie group."""
    data, starts = rankings_of([range(n_docs), [0] * n_docs], [n_docs]).blocks
    last, tied = n_docs - 1, starts[-1]
    assert entry_of(data, 0, n_docs, DOCS, 0) == entry_of(data, 0, n_docs, RANKS, 0) == last
    assert entry_of(data, 0, n_docs, TIED_WITH, last) == entry_of(data, tied, n_docs, RANKS, last) == 0
    assert entry_of(data, tied, n_docs, TIED_WITH, 0) == entry_of(data, tied, n_docs, TIED_WITH, last) == last


def test_blocks_are_made_once_and_go_with_their_rankings():
    rankings = rankings_of([[1, 2, 3]], [3])
    assert rankings.blocks is rankings.blocks
    data = weakref.ref(rankings.blocks.data)
    del rankings
    gc.collect()
    assert data() is None


def test_mslr_sized_queries_take_three_bytes_a_document_and_a_few():
    sizes = np.random.default_rng(0).integers(60, 180, 50).tolist()
    data, _ = rankings_of([np.zeros(sum(sizes))], sizes).blocks
    assert len(data) <= 3 * sum(sizes) + 65 * len(sizes)


@pytest.mark.parametrize("n_docs", [1, 20, 21, 256, 257, 70_000])
def test_blocks_hold_the_lengths_of_lists_that_end(n_docs):
    sizes, lengths = [n_docs, 3], np.array([[n_docs - 1, 3], [0, 2]], np.int32)
    scores = np.random.default_rng(0).permutation(n_docs + 3)
    rankings = replace(rankings_of([scores, scores], sizes), lengths=lengths)
    data, starts = rankings.blocks
    for k in (0, 1):
        for query, n in enumerate(sizes):
            block = k * starts[-1] + starts[query]
            if n < 1000:  # the naive twin is slow
                assert_block(data, block, scores[:n_docs] if query == 0 else scores[n_docs:])
            assert length_of(data, block, n) == lengths[k, query]
