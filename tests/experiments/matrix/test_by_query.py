"""Values by query of a preference matrix: the odds of each query, or estimates of them, whose mean is p."""

import itertools

import numpy as np
import pytest
from support import arenas

from rankduel.experiments.matrix import rounds
from rankduel.experiments.matrix.build import build_matrix, write_matrix
from rankduel.experiments.matrix.kernels import add_centred
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.interleave import query_odds

pytestmark = pytest.mark.kernel


def by_odds(arena, first, second, users):
    """Return the value of every query from its odds."""
    world = arena.world()
    odds = [
        query_odds(world, arena.interleaving, query, first, second, users)
        for query in range(arena.rankings.n_queries)
    ]
    return np.array([win + tie / 2 for _, tie, win in odds])


def test_exact_values_by_query_are_the_odds_of_each_query(tmp_path):
    chosen = arenas.arena()
    made = write_matrix(chosen, tmp_path / "m.prefs.parquet")
    for row, (first, second) in enumerate(itertools.combinations(range(3), 2)):
        expected = by_odds(chosen, first, second, np.random.default_rng(0))
        np.testing.assert_allclose(made.by_query[row], expected, atol=1e-7)
    found = read_preferences(tmp_path / "m.prefs.parquet")
    np.testing.assert_array_equal(found.by_query, made.by_query)


@pytest.mark.parametrize("how", [{}, {"simulate": True}, {"precision": 0.02}, {"prior": "lerot"}])
@pytest.mark.parametrize("tied_duels", ["coin", "drop"])
def test_drawn_values_by_query_have_the_mean_p(how, tied_duels):
    """They are within 5 standard errors of the odds of each query, too."""
    chosen = arenas.arena("probabilistic", tied_duels=tied_duels)
    duels = {} if "precision" in how else {"duels": 60_000}
    made = build_matrix(chosen, **how, **duels)
    np.testing.assert_allclose(made.by_query.mean(axis=1), made.pairs["p"], atol=1e-6)
    users = np.random.default_rng(1)
    expected = np.mean([by_odds(chosen, 0, 1, users) for _ in range(200)], axis=0)
    row = made.pairs.iloc[0]
    share = 1.0 if tied_duels == "coin" else 1 - row["ties"] / row["n"]
    error = 5 * 0.5 / np.sqrt(row["n"] / 12) / share
    np.testing.assert_allclose(made.by_query[0], 0.5 + (expected - 0.5) / share, atol=error + 5 * 0.5 / 14)


def test_very_many_queries_are_stored_in_groups(monkeypatch):
    chosen = arenas.arena(repeat=4)
    whole = build_matrix(chosen)
    monkeypatch.setattr(rounds, "_MIN_GROUPS", 4)
    monkeypatch.setattr(rounds, "_MAX_STORED_SUMS", 3 * 12 + 2)  # three pairs, so 12 groups of the 48 queries
    grouped = build_matrix(chosen)
    np.testing.assert_allclose(grouped.by_query, whole.by_query.reshape(3, 12, 4).mean(axis=2), atol=1e-6)
    monkeypatch.setattr(
        rounds, "_MAX_STORED_SUMS", 3 * 47
    )  # 24 groups of two, not one group of two and 46 of one
    assert build_matrix(chosen).by_query.shape == (3, 24)
    monkeypatch.setattr(rounds, "_MAX_STORED_SUMS", 3 * 3)  # three groups are too few
    assert build_matrix(chosen).by_query is None
    assert grouped.pairs.equals(whole.pairs)


@pytest.mark.parametrize("groups", [7, 3, 1])
def test_values_are_added_to_their_groups_in_the_order_of_queries(groups):
    """The bits are those of one addition per query; seven queries, of which the block has the last five."""
    draws = np.random.default_rng(groups)
    values, times, rows = draws.random((5, 2)), draws.integers(1, 4, 5), np.array([0, 2])
    found = draws.random((groups, 3))
    expected = found.copy()
    for query in range(5):
        expected[(query + 2) * groups // 7, rows] += values[query] - times[query] / 2
    add_centred(found, np.arange(2, 7) * groups // 7, rows, values, times)
    np.testing.assert_array_equal(found, expected)
