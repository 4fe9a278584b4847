"""Test that prefBest chooses the pairs of its literal twin, and the distribution of its random graphs."""

from collections import Counter

import numpy as np
import pytest
from naive.policies.prefbest import PrefBest
from support.best_item_runs import assert_same_answers_at_once, assert_same_runs
from support.best_items import n_duels
from support.policies import CYCLIC, assert_same_pairs, fast, ladder, with_horizon

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.prefbest import POLICY
from rankduel.bandits.stepper import start
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

CIRCLE = np.where(np.roll(np.eye(3), 1, 1) > 0, 1.0, 0.0) + 0.5 * np.eye(3)  # 0 beats 1 beats 2 beats 0


# Equality with the twin


@pytest.mark.parametrize(
    "settings",
    [{}, {"n": 2, "m": 3}, {"n": 3, "m": 4, "extra": 2}, {"k": 2, "n": 3, "m": 4}, {"k": 5, "extra": 1}],
)
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
    for settings in ({}, {"n": 4, "m": 5}, {"k": 5, "extra": 1}):
        assert_same_runs(PrefBest, configure(POLICY, **settings), ladder(n_arms, 0.01), 400, runs=2)


@pytest.mark.parametrize("settings", [{"n": 2, "m": 3}, {"k": 2, "n": 3, "m": 4, "extra": 2}, {"k": 5}])
@pytest.mark.parametrize("n_arms", [2, 3, 5, 11])
def test_scores_after_every_step_equal_those_of_the_twin(settings, n_arms):
    configured = configure(POLICY, **settings)
    for seed in range(5):
        stepper, users = start(configured, n_arms, seed=seed), np.random.default_rng([seed, 1])
        twin = PrefBest(n_arms, with_horizon(configured, 0), np.random.default_rng(seed))
        while not stepper.finished():
            pair, first_won = stepper.select(), users.random() < 0.6
            assert pair == twin.select()
            stepper.update(first_won)
            twin.update(*pair, first_won)
            assert scores_of(stepper) == twin.scores()
        stepper.select()  # the best item alone from now on
        assert scores_of(stepper) == twin.scores() and stepper.answers() == sorted(twin.answer())


def scores_of(stepper):
    """Return the scores of the arms that have one."""
    return {arm: score for arm, score in enumerate(stepper.scores().tolist()) if not np.isnan(score)}


@pytest.mark.parametrize("settings", [{"n": 2, "m": 3}, {"k": 2, "n": 3, "m": 4}])
def test_agendas_have_the_distribution_of_single_duels(settings):
    configured = configure(POLICY, **settings, extra=2)
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


def judge(stepper, winner_of):
    """Judge all comparisons of a phase; ``winner_of(pair)`` is the better item."""
    for pair in stepper.committed():
        assert stepper.select() == pair
        stepper.update(winner_of(pair) == pair[0])


def around_cycle(pairs):
    """Return the winners by pair if the pairs are a cycle, and every item on it beats the next."""
    left, item, winners = list(pairs), pairs[0][0], {}
    while left:
        pair = next(pair for pair in left if item in pair)
        left.remove(pair)
        winners[pair], item = item, sum(pair) - item
    return winners


def test_fifty_phases_that_prune_no_item_are_followed_by_the_final_one():
    """Two opponents for each of four items make a cycle of four pairs, on which every item can win once."""
    stepper = start(configure(POLICY, n=2, m=3), 4)
    for _ in range(50):
        assert len(stepper.committed()) == 4 and np.isnan(stepper.scores()).all()
        judge(stepper, around_cycle(stepper.committed()).get)
    assert len(stepper.committed()) == 6 and not stepper.finished()
    judge(stepper, min)
    assert stepper.finished() and stepper.answers() == [0] and stepper.scores().tolist() == [3, 2, 1, 0]


# The best k, and scores


def decided(configured, n_items, beats):
    """Return a stepper at the end of the judgments ``beats(i, j)``."""
    stepper = start(configured, n_items)
    while not stepper.finished():
        first, second = stepper.select()
        stepper.update(beats(first, second))
    return stepper


def test_the_best_five_of_six_in_a_total_order():
    """In the order b a d c f e; e wins nothing and is left out, also if it would be the fifth."""
    place = {1: 0, 0: 1, 3: 2, 2: 3, 5: 4, 4: 5}
    for extra in (0, 2):
        stepper = decided(configure(POLICY, k=5, extra=extra), 6, lambda i, j: place[i] < place[j])
        assert stepper.scores().tolist() == [(1 + extra) * (5 - place[item]) for item in range(6)]
        assert stepper.answers() == [0, 1, 2, 3, 5] and stepper.recommend() == 1
        assert stepper.select() == (1, 1)
    of_four = decided(configure(POLICY, k=5), 4, lambda i, j: i < j)
    assert of_four.answers() == [0, 1, 2] and of_four.scores().tolist() == [3, 2, 1, 0]


def test_the_best_five_with_a_cycle_on_top():
    """a, b and c beat each other in a cycle, all above d, d above e, and e above f."""
    stepper = decided(configure(POLICY, k=5), 6, lambda i, j: (j - i) % 3 == 1 if max(i, j) < 3 else i < j)
    assert stepper.scores().tolist() == [4, 4, 4, 2, 1, 0] and stepper.answers() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("k", "best"), [(1, 3), (2, 3), (3, 3), (4, 6), (5, 6)])
def test_items_tied_with_the_last_are_included(k, best):
    """Two cycles of three, the first above the second: wins 4, 4, 4, 1, 1, 1."""
    stepper = decided(configure(POLICY, k=k), 6, lambda i, j: (j - i) % 3 == 1 if i // 3 == j // 3 else i < j)
    assert stepper.answers() == list(range(best)) and stepper.scores().tolist() == [4, 4, 4, 1, 1, 1]


def test_an_item_that_pruning_leaves_alone_has_score_one():
    """Of five items with three opponents, one has four. It wins all, the others one of three each."""
    stepper = start(configure(POLICY, k=2, n=3, m=4), 5)
    degree = np.bincount(np.ravel(stepper.committed()))
    most = int(degree.argmax())
    assert sorted(degree) == [3, 3, 3, 3, 4]
    others = around_cycle([pair for pair in stepper.committed() if most not in pair])
    judge(stepper, lambda pair: most if most in pair else others[pair])
    assert stepper.finished() and stepper.answers() == [most] and scores_of(stepper) == {most: 1}


def test_one_item_has_score_one():
    assert start(configure(POLICY, k=5), 1).scores().tolist() == [1]


def test_scores_count_the_wins_of_the_final_phase_only():
    stepper = decided(configure(POLICY, k=5), 40, lambda i, j: i < j)
    finalists = sorted(scores_of(stepper))
    assert len(finalists) <= 9 and 0 in finalists
    assert scores_of(stepper) == {item: len(finalists) - 1 - place for place, item in enumerate(finalists)}


@pytest.mark.parametrize(("k", "n", "m"), [(7, 7, 9), (8, 7, 9), (1, 9, 9), (1, 10, 9), (1, 1, 9)])
def test_k_is_less_than_n_and_n_less_than_m(k, n, m):
    with pytest.raises(PolicyError, match=f"prefbest: k is {k}, n is {n} and m is {m}; expected k < n < m"):
        start(configure(POLICY, k=k, n=n, m=m), 20)


# randomPairings


def draw(n_arms, n, runs, seed=0):
    """Yield the pairs of a first phase, in their order, `runs` times."""
    params, rng = kernel_params(configure(POLICY, n=n, m=n + 1), 100), np.random.default_rng(seed)
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
    ("n_arms", "n"), [(4, 2), (5, 2), (5, 3), (9, 7), (10, 7), (11, 7), (40, 7), (99, 7)]
)
def test_every_item_has_n_opponents_and_few_have_more(n_arms, n):
    for pairs in draw(n_arms, n, 100):
        assert len(set(pairs)) == len(pairs) and all(i < j for i, j in pairs)
        degree = np.bincount(np.ravel(pairs), minlength=n_arms)
        assert degree.min() == n and degree.max() <= n + 2
        assert 0 <= len(pairs) - -(-n_arms * n // 2) <= 2


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
