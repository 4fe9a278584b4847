"""Winners, orders, cycles, transitivity and shares of subsets, against slow twins and published values."""

import itertools
from math import comb, inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from support.small_matrices import matrices, square

from rankduel.bandits import condorcet_winner
from rankduel.base.errors import UsageError
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import Preferences, preferences_of
from rankduel.experiments.winners import notions
from rankduel.experiments.winners import subsets as shares_module
from rankduel.experiments.winners.certainty import certainty, deciding
from rankduel.experiments.winners.notions import (
    CHAINS,
    best,
    borda_scores,
    copeland_losses,
    copeland_order,
    copeland_scores,
    random_walk,
    ranker_table,
    smith_set,
    von_neumann,
    winner_sets,
)
from rankduel.experiments.winners.subsets import subset_shares, usual_sizes
from rankduel.experiments.winners.transitivity import (
    count_cycles,
    count_ties,
    count_triples,
    total_order,
    transitivity,
    weak_order,
)

pytestmark = pytest.mark.kernel


def random_matrix(size, seed=0):
    return square(np.random.default_rng(seed).random(comb(size, 2)), size)


def some_order(matrix, holds):
    """Return whether an order exists in which `holds` is true for every ranker and all later rankers."""
    return any(
        all(holds(matrix[i, j]) for i, j in itertools.combinations(order, 2))
        for order in itertools.permutations(range(len(matrix)))
    )


# --- scores


@given(matrices())
def test_scores_match_their_definitions(matrix):
    others = [[p for j, p in enumerate(row) if j != i] for i, row in enumerate(matrix)]
    assert copeland_scores(matrix).tolist() == [sum(p > 0.5 for p in row) for row in others]
    assert copeland_losses(matrix).tolist() == [sum(p < 0.5 for p in row) for row in others]
    means = [sum(row) / len(row) if row else 0.5 for row in others]
    np.testing.assert_allclose(borda_scores(matrix), means, atol=1e-15)


@given(matrices())
def test_rankers_are_ordered_by_copeland_then_borda_score(matrix):
    order = copeland_order(matrix)
    keys = [(-copeland_scores(matrix)[i], -round(borda_scores(matrix)[i], 12), i) for i in order]
    assert keys == sorted(keys) and sorted(order) == list(range(len(matrix)))


def test_scores_that_differ_by_rounding_tie():
    assert best(np.array([0.3, 0.1 + 0.2, 0.2])).tolist() == [0, 1]
    assert best(np.array([1, 0, 1])).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("name", "condorcet", "copeland", "borda"),
    [
        ("thesis4", [0], [0], [1]),  # Zoghi 2017, 2.1.2: sums 2.03, 2.39, 1.74, 1.84
        ("tennis", [0], [0], [1]),
        ("arxiv6", [0], [0], [0]),
        ("cycle", [0], [0], [0]),
        ("mslr5-cycle", [], [0, 1, 2], [1]),
        ("case-b", [], [0, 1], [0, 1]),
        ("copeland500", [], [0, 1, 2], [0, 1, 2]),
        ("two-winners32", [], [0, 1], [0, 1]),
    ],
)
def test_published_winners(name, condorcet, copeland, borda):
    found = winner_sets(preferences_of(MATRICES[name].make()))
    assert [int(i) for i in found["condorcet"]] == condorcet
    assert [int(i) for i in found["copeland"]] == copeland
    assert [int(i) for i in found["borda"]] == borda


def test_a_table_of_all_scores():
    preferences = preferences_of(MATRICES["thesis4"].make(), names=["a", "b", "c", "d"])
    table = ranker_table(preferences)
    assert table["ranker"].tolist() == ["a", "b", "d", "c"]
    assert table["beats"].tolist() == [3, 1, 1, 1] and table["loses_to"].tolist() == [0, 2, 2, 2]
    np.testing.assert_allclose(table["borda"] * 3, [1.53, 1.89, 1.34, 1.24])
    np.testing.assert_allclose(table["against_first"], [0.5, 0.49, 0.49, 0.49])
    assert table["von_neumann"].tolist() == [1, 0, 0, 0] and table["random_walk"].sum() == pytest.approx(1)


# --- random walk


def distribution_of_long_walk(matrix, chain, damping=1.0, steps=4000):
    """Return the distribution of a lazy random walk, which stays with probability 1/2, after many steps."""
    size = len(matrix)
    moves = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            if i != j or chain == "self":
                moves[i, j] = matrix[j, i]
        if chain == "rank_centrality":
            moves[i] /= size
            moves[i, i] = 1 - moves[i].sum()
        if moves[i].sum() == 0:
            moves[i, i] = 1
        moves[i] = damping * moves[i] / moves[i].sum() + (1 - damping) / size
    at = np.full(size, 1 / size)
    for _ in range(steps):
        at = (at + at @ moves) / 2
    return at


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("damping", [1.0, 0.98])
@settings(max_examples=25)
@given(matrix=matrices())
def test_the_stationary_distribution_matches_a_long_walk(chain, damping, matrix):
    found = random_walk(matrix, chain, damping)
    np.testing.assert_allclose(found, distribution_of_long_walk(matrix, chain, damping), atol=1e-9)


def test_rank_centrality_recovers_the_strengths_of_bradley_terry_luce():
    strengths = np.array([5.0, 3.0, 1.0, 0.5, 0.1])
    matrix = strengths[:, None] / (strengths[:, None] + strengths)
    np.testing.assert_allclose(random_walk(matrix, "rank_centrality"), strengths / strengths.sum())


@given(matrices(entries=st.integers(1, 15)))
def test_the_three_chains_differ_by_the_probability_of_leaving(matrix):
    leaving = {"self": matrix.sum(axis=0), "no_self": matrix.sum(axis=0) - 0.5, "rank_centrality": 1.0}
    ratios = []
    for chain, weight in leaving.items():
        ratio = random_walk(matrix, chain) / (weight if len(matrix) > 1 else 1.0)
        ratios.append(ratio / ratio.sum())
    np.testing.assert_allclose(ratios[0], ratios[1])
    np.testing.assert_allclose(ratios[0], ratios[2])


def test_the_walk_stays_at_a_ranker_that_never_loses():
    np.testing.assert_allclose(random_walk(square([1] * 6, 4)), [1, 0, 0, 0], atol=1e-15)


def test_an_unknown_chain_is_refused():
    with pytest.raises(UsageError, match="no random walk named 'selfs'; did you mean 'self'"):
        random_walk(np.full((2, 2), 0.5), "selfs")


# --- Smith set and von Neumann winner


@given(matrices())
def test_the_smith_set_is_the_smallest_that_beats_the_rest(matrix):
    rankers = range(len(matrix))
    smallest = next(
        group
        for size in range(1, len(matrix) + 1)
        for group in itertools.combinations(rankers, size)
        if all(matrix[i, j] > 0.5 for i in group for j in rankers if j not in group)
    )
    assert smith_set(matrix).tolist() == list(smallest)


def largest_weights(matrix):
    """Return the largest weight of each ranker in an unbeaten distribution, by one linear program each."""
    size = len(matrix)
    weights = []
    for i in range(size):
        solution = linprog(
            -np.eye(size)[i],
            A_ub=-(matrix.T - 0.5),
            b_ub=np.zeros(size),
            A_eq=np.ones((1, size)),
            b_eq=[1],
            method="highs-ipm",
        )
        weights.append(-solution.fun)
    return np.array(weights)


def test_both_methods_for_linear_programs_find_the_same_winner(monkeypatch):
    """The unique von Neumann winner of a random matrix, by the simplex and by the interior-point method."""
    upper = np.triu(np.random.default_rng(4).random((60, 60)), 1)
    matrix = upper + np.tril(1.0 - upper.T, -1) + np.eye(60) / 2
    by_simplex = von_neumann(matrix)
    monkeypatch.setattr(notions, "_SIMPLEX_VARIABLES", 0)
    by_interior_points = von_neumann(matrix)
    assert by_simplex.unique and by_interior_points.unique and len(by_simplex.support) > 10
    assert by_simplex.support.tolist() == by_interior_points.support.tolist()
    np.testing.assert_allclose(by_simplex.weights, by_interior_points.weights, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(matrices())
def test_no_ranker_beats_the_von_neumann_winner(matrix):
    mixture = von_neumann(matrix)
    assert mixture.weights.min() >= 0 and mixture.weights.sum() == pytest.approx(1, abs=1e-12)
    assert (mixture.weights @ matrix).min() >= 0.5 - 1e-9
    assert set(np.flatnonzero(mixture.weights)) <= set(mixture.support) <= set(smith_set(matrix))
    largest = largest_weights(matrix)
    assert mixture.support.tolist() == np.flatnonzero(largest > 1e-6).tolist()
    # The distribution is unique if the largest weight of every ranker is its weight in it.
    assert mixture.unique == np.allclose(largest, mixture.weights, atol=1e-6)


def test_the_weight_in_a_cycle_is_the_lead_between_the_other_two():
    mixture = von_neumann(square([0.7, 0.4, 0.55], 3))  # 0 beats 1 by .2, 2 beats 0 by .1, 1 beats 2 by .05
    np.testing.assert_allclose(mixture.weights * 7, [1, 2, 4], atol=1e-14)
    assert mixture.unique and mixture.support.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("name", "support", "unique"),
    [
        ("arxiv6", [0], True),
        ("gap", [0, 1, 4], True),
        ("multisol", [0, 1, 2], True),
        ("copeland500", [0, 1, 2], True),
        ("case-b", [0, 1], False),
    ],
)
def test_support_of_known_matrices(name, support, unique):
    mixture = von_neumann(MATRICES[name].make())
    assert (mixture.support.tolist(), mixture.unique) == (support, unique)
    assert mixture.guarantee(MATRICES[name].make()) == pytest.approx(0.5, abs=1e-12)


def test_equal_rankers_and_a_single_ranker():
    equal = von_neumann(np.full((40, 40), 0.5))
    assert not equal.unique and equal.support.tolist() == list(range(40))
    single = von_neumann(np.full((1, 1), 0.5))
    assert single.unique and single.weights.tolist() == [1.0]


def test_a_large_lottery_is_exact_to_the_last_digits():
    matrix = random_matrix(120)
    mixture = von_neumann(matrix)
    assert len(mixture.support) > 40 and mixture.guarantee(matrix) == pytest.approx(0.5, abs=1e-13)


# --- orders and cycles


@given(matrices(5))
def test_orders(matrix):
    strict, weak = total_order(matrix), weak_order(matrix)
    assert (strict is not None) == some_order(matrix, lambda p: p > 0.5)
    assert (weak is not None) == some_order(matrix, lambda p: p >= 0.5)
    for order, least in ((strict, 0.5 + 1e-9), (weak, 0.5)):
        if order is not None:
            assert sorted(order) == list(range(len(matrix)))
            assert all(matrix[i, j] >= least for i, j in itertools.combinations(order, 2))


@given(matrices(), st.sampled_from([0, 1 / 16, 0.2]))
def test_cycles(matrix, margin):
    least = 0.5 + margin
    cycles = sum(
        (matrix[i, j] > least and matrix[j, k] > least and matrix[k, i] > least)
        or (matrix[i, k] > least and matrix[k, j] > least and matrix[j, i] > least)
        for i, j, k in itertools.combinations(range(len(matrix)), 3)
    )
    assert count_cycles(matrix, margin) == cycles
    assert count_ties(matrix) == sum(
        matrix[i, j] == 0.5 for i, j in itertools.combinations(range(len(matrix)), 2)
    )


def test_cycles_without_ties_are_computed_from_the_scores():
    matrix = random_matrix(150)
    transitive = sum(comb(int(wins), 2) for wins in copeland_scores(matrix))
    assert count_cycles(matrix) == count_triples(matrix) - transitive > 100_000


# --- transitivity


def naive_transitivity(matrix):
    """Return (violations, worst) by property, the number of triples, and gamma."""
    amounts, triples, gamma = {name: [] for name in ("SST", "MST", "WST", "STI")}, 0, 1.0
    for i, j, k in itertools.permutations(range(len(matrix)), 3):
        left, right, across = matrix[i, j] - 0.5, matrix[j, k] - 0.5, matrix[i, k] - 0.5
        if left < 0 or right < 0:
            continue
        triples += 1
        amounts["SST"].append(max(left, right) - across)
        amounts["MST"].append(min(left, right) - across)
        amounts["WST"].append(-across)
        amounts["STI"].append(across - left - right)
        if across > 0:
            gamma = max(gamma, left / across, right / across)
        elif max(left, right) > across:
            gamma = inf
    found = {name: [amount for amount in values if amount > 0] for name, values in amounts.items()}
    return {name: (len(values), max(values, default=0)) for name, values in found.items()}, triples, gamma


def naive_gamma_best(matrix, first):
    others = [i for i in range(len(matrix)) if i != first]
    gap = matrix[first] - 0.5
    return max(
        [1.0]
        + [
            max(gap[j], matrix[j, k] - 0.5) / gap[k]
            for j, k in itertools.permutations(others, 2)
            if matrix[j, k] > 0.5
        ]
    )


@given(matrices())
def test_transitivity(matrix):
    found = transitivity(matrix)
    expected, triples, gamma = naive_transitivity(matrix)
    assert found.gamma == pytest.approx(gamma)
    for check in found.checks.to_dict("records"):
        assert (check["violations"], check["worst"]) == expected[check["property"]]
        assert check["triples"] == triples
        if check["violations"]:
            i, j, k = check["i"], check["j"], check["k"]
            left, right, across = matrix[i, j] - 0.5, matrix[j, k] - 0.5, matrix[i, k] - 0.5
            bound = {"SST": max(left, right), "MST": min(left, right), "WST": 0, "STI": left + right}
            assert check["worst"] == abs(bound[check["property"]] - across) and min(left, right) >= 0
    first = condorcet_winner(matrix)
    if first < 0:
        assert np.isnan(found.gamma_best)
    else:
        assert found.gamma_best == pytest.approx(naive_gamma_best(matrix, first))


def test_published_transitivity():
    arxiv = transitivity(MATRICES["arxiv6"].make())
    # Yue and Joachims 2011 give 1.25; over all triples, the tie of arms 3 and 5 makes gamma infinite.
    assert arxiv.gamma_best == pytest.approx(1.25) and arxiv.gamma == inf
    ladder = transitivity(MATRICES["arithmetic"].make())
    assert ladder.gamma == ladder.gamma_best == 1 and not ladder.checks["violations"].any()
    equal_steps = transitivity(MATRICES["case-a"].make())
    assert equal_steps.gamma == 1 and not equal_steps.checks["violations"].any()
    assert transitivity(MATRICES["cycle2"].make()).gamma == inf


def test_rounding_is_no_violation():
    strengths = np.random.default_rng(3).random(40) * 0.9
    found = transitivity(0.5 + 0.5 * (strengths[:, None] - strengths))
    assert not found.checks["violations"].any() and found.gamma == pytest.approx(1)


# --- subsets


def naive_shares(matrix, size):
    subsets = [matrix[np.ix_(c, c)] for c in itertools.combinations(range(len(matrix)), size)]
    winners = sum(condorcet_winner(sub) >= 0 for sub in subsets)
    return winners / len(subsets), sum(some_order(sub, lambda p: p > 0.5) for sub in subsets) / len(subsets)


@settings(max_examples=30)
@given(matrices())
def test_shares_of_few_rankers_are_exact(matrix):
    table = subset_shares(matrix, range(1, len(matrix) + 1), samples=10)
    assert table["exact"].all() and not table["standard_error"].any()
    for row in table.to_dict("records"):
        expected = naive_shares(matrix, row["size"])
        assert (row["condorcet"], row["total_order"]) == pytest.approx(expected, abs=1e-15)
        assert row["subsets"] == comb(len(matrix), row["size"])


def test_drawn_shares_agree_with_exact_ones(monkeypatch):
    strengths = np.linspace(0, 1, 14)
    noise = np.random.default_rng(5).normal(0, 0.25, (14, 14))
    matrix = square([0.5 + 0.1 * np.tanh(strengths[i] - strengths[j] + noise[i, j])
                     for i, j in itertools.combinations(range(14), 2)], 14)  # fmt: skip
    matrix[2, 7] = matrix[7, 2] = 0.5
    exact = subset_shares(matrix, range(1, 15))
    monkeypatch.setattr(shares_module, "_MAX_WORK", 0)
    drawn = subset_shares(matrix, range(1, 15), samples=400_000)
    assert exact["exact"].all() and not drawn["exact"].any() and (drawn["subsets"] == 400_000).all()
    assert drawn["condorcet"].equals(exact["condorcet"])
    share = exact["total_order"]
    error = np.sqrt(share * (1 - share) / 400_000)
    assert 0.1 < share[5] < 0.9 and share.iloc[-1] == 0
    assert ((drawn["total_order"] - share).abs() <= 4.5 * error + 1e-12).all()  # 4.5 standard errors
    assert drawn["standard_error"].to_numpy() == pytest.approx(error.to_numpy(), rel=0.1, abs=1e-5)
    assert drawn["total_order"].is_monotonic_decreasing


def test_drawn_shares_depend_on_the_seed_only():
    matrix = random_matrix(300)
    table = subset_shares(matrix, [4, 5], samples=3000, seed=1)
    assert not table["exact"].any()
    pd.testing.assert_frame_equal(table, subset_shares(matrix, [4, 5], samples=3000, seed=1))
    for place, size in enumerate((4, 5)):
        single = subset_shares(matrix, [size], samples=3000, seed=1)
        pd.testing.assert_frame_equal(table.iloc[[place]].reset_index(drop=True), single)
    assert not table.equals(subset_shares(matrix, [4, 5], samples=3000, seed=2))


def test_a_total_order_keeps_its_order_and_winner_in_every_subset():
    table = subset_shares(MATRICES["case-a"].make(), samples=200)
    assert (table["condorcet"] == 1).all() and (table["total_order"] == 1).all()


@pytest.mark.parametrize("size", [1, 2, 5, 10, 136, 700])
def test_usual_sizes_end_with_all_rankers(size):
    sizes = usual_sizes(size)
    assert sizes[-1] == size and sizes == sorted(set(sizes)) and len(sizes) < 30


@pytest.mark.parametrize(
    ("sizes", "samples", "message"),
    [([0], 10, "subset size is 0; expected a whole number from 1 to 4"), ([5], 10, "from 1 to 4"),
     ([2.5], 10, "subset size is 2.5"), ([2], 0, "the number of samples is 0; expected a whole number")],
)  # fmt: skip
def test_invalid_subsets_are_refused(sizes, samples, message):
    with pytest.raises(UsageError, match=message):
        subset_shares(MATRICES["thesis4"].make(), sizes, samples)


# --- certainty

ENDS = st.sampled_from([(4, 4), (12, 12), (8, 8), (6, 10), (4, 8), (8, 12), (10, 12), (2, 6)])


@st.composite
def intervals(draw, largest=4):
    size = draw(st.integers(2, largest))
    n_pairs = comb(size, 2)
    ends = draw(st.lists(ENDS, min_size=n_pairs, max_size=n_pairs))
    preferences = preferences_of(square([(lo + hi) / 32 for lo, hi in ends], size))
    pairs = preferences.pairs.assign(lo=[lo / 16 for lo, _ in ends], hi=[hi / 16 for _, hi in ends])
    return Preferences(preferences.names, pairs, {})


@settings(max_examples=60)
@given(intervals())
def test_certainty_means_true_for_every_matrix_within_the_intervals(preferences):
    ends = list(zip(preferences.pairs["lo"], preferences.pairs["hi"]))
    values = [{lo, 0.5, hi} if lo <= 0.5 <= hi else {(lo + hi) / 2} for lo, hi in ends]
    possible = [square(upper, len(preferences)) for upper in itertools.product(*values)]
    certain = certainty(preferences)

    condorcets = {condorcet_winner(matrix) for matrix in possible}
    assert certain.condorcet.tolist() == sorted(condorcets - {-1})
    assert certain.condorcet_certain == (len(condorcets) == 1)

    copelands = {tuple(best(copeland_scores(matrix))) for matrix in possible}
    assert certain.copeland.tolist() == sorted(set(itertools.chain(*copelands)))
    assert certain.copeland_certain == (len(copelands) == 1)

    orders = {some_order(matrix, lambda p: p > 0.5) for matrix in possible}
    assert certain.total_order == (orders.pop() if len(orders) == 1 else None)
    assert certain.cycles <= min(count_cycles(matrix) for matrix in possible)

    undecided = [lo < hi and lo <= 0.5 <= hi for lo, hi in ends]
    pairs = np.array(list(itertools.combinations(range(len(preferences)), 2)))
    assert certain.undecided.tolist() == pairs[undecided].tolist()
    assert deciding(certain, np.array([0])) == sum(i == 0 for i, _ in certain.undecided)
