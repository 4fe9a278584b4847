"""Test that prefBest chooses the pairs of its literal twin, and the distribution of its random graphs."""

from collections import Counter

import numpy as np
import pytest
from naive.policies.prefbest import PrefBest
from support.best_item_runs import assert_same_answers_at_once, assert_same_runs
from support.best_items import n_duels
from support.policies import CYCLIC, assert_same_pairs, fast, ladder

from bandits.contract import configure
from bandits.policies.best_item.prefbest import POLICY
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

CIRCLE = np.where(np.roll(np.eye(3), 1, 1) > 0, 1.0, 0.0) + 0.5 * np.eye(3)  # 0 beats 1 beats 2 beats 0


# Equality with the twin


@pytest.mark.parametrize("settings", [{}, {"n": 2, "m": 2}, {"n": 3, "m": 4, "extra": 2}, {"n": 1, "m": 1}])
def test_every_step_equals_the_twin(settings):
    """The answer at every step included: a budget may end anywhere."""
    for prefs in (
        ladder(2),
        ladder(3),
        CYCLIC,
        ladder(9),
        ladder(10),
        ladder(13, 0.02),
        np.full((6, 6), 0.5),
    ):
        assert_same_runs(PrefBest, configure(POLICY, **settings), prefs, 100, runs=4)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [20, 33, 50])
def test_every_step_of_large_pools_equals_the_twin(n_arms):
    for settings in ({}, {"n": 4, "m": 3}, {"extra": 1}):
        assert_same_runs(PrefBest, configure(POLICY, **settings), ladder(n_arms, 0.01), 400, runs=2)


def test_agendas_have_the_distribution_of_single_duels():
    configured = configure(POLICY, n=2, m=3, extra=2)
    assert_same_answers_at_once(configured, ladder(7, 0.1), [1, 4, 7, 9, 12, 15, 60], runs=1500)


# prune and finalize


def test_the_last_items_are_compared_once_and_extra_times():
    for n_arms in (2, 5, 9):
        for extra in (0, 1, 2):
            trace = fast(configure(POLICY, extra=extra), ladder(n_arms), [1000], 0, 0)
            assert n_duels(trace) == (1 + extra) * n_arms * (n_arms - 1) // 2
            assert trace.finished[-1] and trace.most[-1] == 1 + extra


def test_an_item_that_always_wins_is_the_answer_and_ties_are_returned():
    trace = fast(configure(POLICY), np.clip(ladder(40, 1.0), 0, 1), [1000], 0, 0)
    assert np.flatnonzero(trace.answers[-1]).tolist() == [0] and trace.survivors[-1] == 1
    trace = fast(configure(POLICY), CIRCLE, [1, 1000], 0, 0)
    assert trace.answers[-1].all() and trace.survivors[-1] == 3


def test_fifty_phases_that_prune_no_item_are_followed_by_the_final_one():
    trace = fast(configure(POLICY, n=2, m=2), CIRCLE, [152, 1000], 0, 0)
    assert trace.finished.tolist() == [False, True] and n_duels(trace) == 3 * 51
    assert trace.answers[-1].all()


# randomPairings


def draw(n_arms, n, runs, seed=0):
    """Yield the pairs of a first phase, in their order, `runs` times."""
    params, rng = kernel_params(configure(POLICY, n=n, m=1), 100), np.random.default_rng(seed)
    state = POLICY.init(n_arms, params, rng)
    for _ in range(runs):
        POLICY.plan(state, params, rng)
        yield [tuple(sorted(pair)) for pair in state.agenda.pairs[: state.agenda.now[0].n_pairs].tolist()]


def brute_force(n_arms, n, rng):
    """Repeatedly shuffle, sort by number of opponents, and take the first new pair, as the authors' code."""
    degree, edges = np.zeros(n_arms, int), set()
    while degree.min() < n:
        order = rng.permutation(n_arms)
        order = order[np.argsort(degree[order], kind="stable")]
        pairs = ((i, j) for place, i in enumerate(order) for j in order[place + 1 :])
        i, j = next(pair for pair in pairs if tuple(sorted(pair)) not in edges)
        edges.add(tuple(sorted((int(i), int(j)))))
        degree[[i, j]] += 1
    return edges


@pytest.mark.parametrize(
    ("n_arms", "n"), [(2, 7), (3, 1), (5, 2), (8, 7), (10, 7), (11, 7), (40, 7), (99, 7)]
)
def test_every_item_has_n_opponents_and_few_have_more(n_arms, n):
    wanted = min(n, n_arms - 1)
    for pairs in draw(n_arms, n, 100):
        assert len(set(pairs)) == len(pairs) and all(i < j for i, j in pairs)
        degree = np.bincount(np.ravel(pairs), minlength=n_arms)
        assert degree.min() == wanted and degree.max() <= wanted + 2
        assert 0 <= len(pairs) - -(-n_arms * wanted // 2) <= 2


@pytest.mark.parametrize(("n_arms", "n"), [(5, 2), (6, 3), (5, 3)])
def test_graphs_have_the_distribution_of_the_authors_code(n_arms, n):
    """Up to 70 graphs and a few irregular ones; 4,000 each, chi-square with p above 1e-6."""
    rng = np.random.default_rng(1)
    drawn = Counter(frozenset(pairs) for pairs in draw(n_arms, n, 4000))
    forced = Counter(frozenset(brute_force(n_arms, n, rng)) for _ in range(4000))
    keys = list(drawn.keys() | forced.keys())
    assert_same_pairs([drawn[key] for key in keys], [forced[key] for key in keys])


def test_pairs_are_in_random_order():
    """In the order of drawing, the first two pairs of 20 items have no item in common; in random order, about
    2 / 19 of the graphs with 2 opponents per item have such pairs."""
    shared = [len(set(pairs[0]) & set(pairs[1])) for pairs in draw(20, 2, 4000)]
    assert abs(np.mean(shared) - 2 / 19) < 5 * np.sqrt(2 / 19 * 17 / 19 / 4000)
