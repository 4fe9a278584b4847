"""Winners over resampled queries against a plain twin and exact values; the sentences of the verdict."""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import resampling as naive
from scipy import stats
from support import arenas

import rankduel
from rankduel.base.errors import UsageError
from rankduel.base.streams import stream
from rankduel.experiments.matrix.build import build_matrix
from rankduel.experiments.matrix.preferences import Preferences, preferences_of
from rankduel.experiments.winners.certainty import certainty, joint
from rankduel.experiments.winners.resampling import NOTIONS, resampled_leads, resampled_winners
from rankduel.experiments.winners.verdict import resampled_verdict


def by_query_preferences(values, n_rankers, **settings):
    """Return preferences from values by query, (pairs, queries)."""
    values = np.asarray(values, np.float32)
    matrix = np.full((n_rankers, n_rankers), 0.5)
    above = np.triu_indices(n_rankers, 1)
    matrix[above] = values.mean(axis=1, dtype=np.float64)
    matrix.T[above] = 1 - matrix[above]
    names = [f"r{number}" for number in range(n_rankers)]
    made = preferences_of(matrix, names, **settings)
    return Preferences(made.names, made.pairs, made.settings, values)


# --- shares of resamples


# Values are multiples of 1/4, so that ties are frequent and means of few queries are exact.
@settings(max_examples=50, deadline=None)
@given(st.integers(1, 4), st.integers(1, 6), st.randoms(use_true_random=False))
def test_winners_match_the_twin(n_rankers, n_queries, random):
    n_pairs = n_rankers * (n_rankers - 1) // 2
    values = [[random.randint(0, 4) / 4 for _ in range(n_queries)] for _ in range(n_pairs)]
    times = np.random.default_rng(random.randint(0, 99)).multinomial(
        n_queries, np.full(n_queries, 1 / n_queries), 8
    )
    preferences = by_query_preferences(np.reshape(values, (n_pairs, n_queries)), n_rankers)
    drawn = resampled_leads(preferences, times)
    expected = [naive.winners(values, n_rankers, row) for row in times.tolist()]
    for notion, wins in NOTIONS.items():
        found = [set(np.flatnonzero(column).tolist()) for column in wins(drawn).T]
        assert found == [one[notion] for one in expected], notion


def test_shares_are_summed_over_blocks_of_resamples():
    """There are more resamples than fit into a block; the blocks use one random stream."""
    preferences = by_query_preferences(np.random.default_rng(3).uniform(0.2, 0.8, (6, 9)), 4)
    found = resampled_winners(preferences, 250, seed=5)
    rng = stream(5, "resampled queries")
    blocks = [resampled_leads(preferences, rng.multinomial(9, np.full(9, 1 / 9), n)) for n in (100, 100, 50)]
    for notion, wins in NOTIONS.items():
        share = sum(wins(block).sum(axis=1) for block in blocks) / 250
        assert [found.share(f"r{i}", notion) for i in range(4)] == share.tolist()
    assert found.without_condorcet == pytest.approx(1 - found.shares["condorcet"].sum())


def test_the_share_of_a_pair_is_a_binomial_probability():
    """The first ranker wins 6 of 9 queries and loses 3: it leads if it wins at least 5 of 9 drawn queries.

    The share agrees within 5 standard errors of 20,000 resamples.
    """
    found = resampled_winners(by_query_preferences([[1.0] * 6 + [0.0] * 3], 2), 20_000, seed=1)
    expected = stats.binom.sf(4, 9, 6 / 9)
    error = np.sqrt(expected * (1 - expected) / 20_000)
    assert abs(found.share("r0", "condorcet") - expected) < 5 * error
    assert found.without_condorcet == 0 and found.what == "the 9 queries"
    assert found.shares["condorcet"].sum() == pytest.approx(1)


def test_equal_rankers_win_together_and_beat_no_ranker():
    found = resampled_winners(by_query_preferences(np.full((3, 4), 0.5), 3), 50)
    others = [notion for notion in NOTIONS if notion != "condorcet"]
    assert (found.shares[others] == 1).all(axis=None) and found.without_condorcet == 1


def test_a_tie_in_single_precision_is_a_tie():
    """0.6 and 0.4 are rounded up, so that their mean is slightly above one half."""
    drawn = resampled_leads(by_query_preferences([[0.6, 0.4]], 2), np.array([[1, 1]]))
    assert not NOTIONS["condorcet"](drawn).any()
    assert all(wins(drawn).all() for notion, wins in NOTIONS.items() if notion != "condorcet")


def test_the_seed_decides_the_shares():
    values = np.random.default_rng(3).uniform(0.3, 0.7, (10, 30))
    preferences = by_query_preferences(values, 5)
    first, again, other = (resampled_winners(preferences, 150, seed=seed).shares for seed in (0, 0, 1))
    assert first.equals(again) and not first.equals(other)
    assert list(first.columns) == ["ranker", *NOTIONS]
    assert first["condorcet"].is_monotonic_decreasing


def test_the_number_of_threads_does_not_matter():
    """The number of threads may change the order of sums in matrix products."""
    source = (
        "import numpy as np\n"
        "from rankduel.experiments.matrix.preferences import Preferences, preferences_of\n"
        "from rankduel.experiments.winners.resampling import resampled_winners\n"
        "values = np.random.default_rng(0).uniform(0.4, 0.6, (1225, 90)).astype(np.float32)\n"
        "matrix = np.full((50, 50), 0.5)\n"
        "made = preferences_of(matrix)\n"
        "print(resampled_winners(Preferences(made.names, made.pairs, {}, values), 300).shares.to_csv())\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", source],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "3")
    }
    assert len(printed) == 1


@pytest.mark.parametrize("resamples", [0, -1, 1.5])
def test_a_wrong_number_of_resamples_is_refused(resamples):
    with pytest.raises(UsageError, match="resamples is"):
        resampled_winners(by_query_preferences([[1.0]], 2), resamples)


def test_only_the_given_notions_are_computed():
    preferences = by_query_preferences(np.random.default_rng(3).uniform(0.3, 0.7, (10, 30)), 5)
    every = resampled_winners(preferences, 150)
    some = resampled_winners(preferences, 150, notions=["copeland"])
    assert list(some.shares) == ["ranker", "copeland"] and some.without_condorcet == every.without_condorcet
    assert all(some.share(f"r{i}", "copeland") == every.share(f"r{i}", "copeland") for i in range(5))


def test_without_values_by_query_the_result_is_none():
    assert resampled_winners(preferences_of(np.array([[0.5, 0.6], [0.4, 0.5]]))) is None


# --- simultaneous intervals


def test_joint_intervals_use_the_bonferroni_correction():
    made = preferences_of(np.array([[0.5, 0.6, 0.99], [0.4, 0.5, 0.7], [0.01, 0.3, 0.5]]), alpha=0.1)
    pairs = made.pairs.assign(
        lo=[0.55, 0.97, 0.7], hi=[0.65, 1.0, 0.7]
    )  # the last is exact, the second is clipped
    found = joint(dataclasses.replace(made, pairs=pairs))
    widening = stats.norm.ppf(1 - 0.05 / 2) / stats.norm.ppf(1 - 0.05)
    assert found.level == 0.9
    np.testing.assert_allclose(
        found.preferences.pairs["lo"], [0.6 - 0.05 * widening, 0.99 - 0.02 * widening, 0.7]
    )
    np.testing.assert_allclose(found.preferences.pairs["hi"], [0.6 + 0.05 * widening, 1.0, 0.7])


@pytest.mark.parametrize(
    "settings_of_matrix", [{"decide": 0.05, "alpha": 0.2}, {"alpha": "often"}, {"alpha": 7.0}, {}]
)
def test_intervals_by_decide_or_of_unknown_level_are_unchanged(settings_of_matrix):
    made = preferences_of(np.array([[0.5, 0.6], [0.4, 0.5]]), **settings_of_matrix)
    wide = dataclasses.replace(made, pairs=made.pairs.assign(lo=0.4, hi=0.8))
    found = joint(wide)
    assert found.preferences is wide and found.level == (0.95 if "decide" in settings_of_matrix else None)


@pytest.mark.kernel
def test_joint_intervals_cover_all_pairs_at_once():
    """300 matrices of 6 pairs: misses at most 5 standard errors above 5 %; single intervals miss more."""
    arena = arenas.arena(tied=True)
    truth = arenas.exact_preferences(arena, draws=200).pairs["p"]
    n_missed = {"single": 0, "joint": 0}
    for seed in range(300):
        made = build_matrix(arena, duels=600, simulate=True, seed=seed, jobs=1)
        for kind, pairs in (("single", made.pairs), ("joint", joint(made).preferences.pairs)):
            n_missed[kind] += bool(((truth < pairs["lo"]) | (pairs["hi"] < truth)).any())
    assert n_missed["joint"] <= 300 * 0.05 + 5 * np.sqrt(300 * 0.05 * 0.95) < n_missed["single"]


# --- sentences


def test_sentences_on_a_clear_winner():
    values = np.full((3, 8), 0.75)
    found = resampled_verdict(by_query_preferences(values, 3), 100)
    assert found.winners == ("r0",) and found.notion == "condorcet" and found.share == 1
    assert found.sentences == [
        "r0 wins: it beats both others",
        "over queries like these it wins in 100% of 100 resamples of the 8 queries",
    ]


def test_rivals_are_named_with_their_shares():
    rng = np.random.default_rng(0)
    found = resampled_verdict(by_query_preferences(rng.uniform(0.2, 0.85, (6, 12)), 4, n_queries=600), 400)
    assert " of 400 resamples of 12 groups of the 600 queries (r" in found.others
    assert 0 < found.share < 1 and f"in at least {found.share:.0%} of 400" in found.others


def test_a_cycle_has_copeland_winners():
    values = np.array([[0.75], [0.25], [0.75]]).repeat(5, axis=1)
    found = resampled_verdict(by_query_preferences(values, 3), 10)
    assert found.notion == "copeland" and found.winners == ("r0", "r1", "r2")
    assert found.sentences == [
        "no ranker beats all others; r0, r1, r2 each beat most: 1 of 2, losing to 1",
        "over queries like these each of them wins in at least 100% of 10 resamples of the 5 queries",
    ]


@pytest.mark.parametrize(
    ("lo", "sentence"),
    [
        (0.55, "over these queries this holds despite simulation error, 95% confidence for all pairs "
               "together"),
        (0.45, "over these queries it depends on 1 undecided pair, 95% confidence for all pairs together; "
               "possible: r0, r1"),
    ],
)  # fmt: skip
def test_sentences_on_these_queries(lo, sentence):
    made = by_query_preferences([[0.6, 0.6]], 2, alpha=0.05)
    simulated = made.pairs.assign(lo=lo, hi=0.65, method="simulated", n=10, wins=6.0, ties=0.0, losses=4.0)
    assert resampled_verdict(dataclasses.replace(made, pairs=simulated), 10).these == sentence
    exact = dataclasses.replace(made, pairs=made.pairs.assign(method="exact"))
    assert resampled_verdict(exact, 10).these == "over these queries this is exact"


@pytest.mark.parametrize(
    ("matrix", "won"),
    [
        ([[0.5]], "r0 is the only ranker"),
        ([[0.5, 0.6], [0.4, 0.5]], "r0 wins: it beats the other"),
        ([[0.5, 0.5], [0.5, 0.5]], "no ranker beats another"),
    ],
)
def test_sentences_on_few_rankers(matrix, won):
    made = preferences_of(np.array(matrix), [f"r{i}" for i in range(len(matrix))])
    assert resampled_verdict(made).sentences == [won]


def test_names_that_are_not_unicode_are_escaped():
    made = by_query_preferences([[0.6, 0.7]], 2)
    odd = dataclasses.replace(made, names=("bm25\udcff", "tf"))
    found = rankduel.winners(odd, resamples=10)
    assert found.verdict.winners == ("bm25\\xff",)
    assert found.verdict.won == "bm25\\xff wins: it beats the other"
    assert found.rankers["ranker"].tolist() == found.resampled["ranker"].tolist() == ["bm25\\xff", "tf"]


def test_a_winner_over_these_queries_may_lose_over_others():
    """The winner is certain with respect to simulation error, but loses on four of the nine queries."""
    values = np.array([[0.9, 0.9, 0.05, 0.9, 0.05, 0.9, 0.05, 0.9, 0.05]])
    made = by_query_preferences(values, 2)
    assert certainty(made).condorcet_certain
    assert 0.05 < 1 - resampled_verdict(made, 2000).share < 0.5
