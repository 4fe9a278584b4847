"""Test that SELECT and TOP choose the pairs of their literal twins, and the results of SELECT in numbers."""

from itertools import permutations

import numpy as np
import pytest
from naive.policies.mohajer_select import Select
from naive.policies.mohajer_top_k import TopK
from scipy import stats
from support.best_item_runs import assert_same_answers_at_once, assert_same_runs
from support.best_items import n_duels
from support.policies import CYCLIC, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.mohajer_select import POLICY as SELECT
from rankduel.bandits.policies.best_item.mohajer_top_k import POLICY as TOP_K

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

CERTAIN = np.clip(ladder(12, 1.0), 0, 1)


def uniform_order(n_arms, chance=0.75):
    """Return preferences in which every arm beats all later arms with the same probability."""
    place = np.arange(n_arms)
    return 0.5 + (chance - 0.5) * np.sign(place[None, :] - place[:, None])


def match_chance(p, m):
    """Return the probability that the first slot wins a match, at least half of m comparisons."""
    return stats.binom.sf(np.ceil(m / 2) - 1, m, p)


def bracket_chances(slots, prefs, m):
    """Return each arm's probability of winning the tournament with these slots, layer by layer."""
    chances = [{arm: 1.0} for arm in slots]
    while len(chances) > 1:
        layer = []
        for one, other in zip(chances[::2], chances[1::2]):
            winner = dict.fromkeys([*one, *other], 0.0)
            for i, here in one.items():
                for j, there in other.items():
                    wins = match_chance(prefs[i, j], m)
                    winner[i] += here * there * wins
                    winner[j] += here * there * (1 - wins)
            layer.append(winner)
        chances = layer + chances[len(chances) - len(chances) % 2 :]
    return np.array([chances[0][arm] for arm in range(len(slots))])


# Equality with the twins


@pytest.mark.parametrize("m", [1, 2, 3])
def test_every_step_of_select_equals_the_twin(m):
    for prefs in (ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(13, 0.02), np.full((7, 7), 0.5)):
        assert_same_runs(Select, configure(SELECT, m=m), prefs, 45, runs=5)


@pytest.mark.parametrize(
    "settings",
    [{}, {"k": 1}, {"k": 3, "m": 1, "final_refill": True}, {"k": 4, "m": 2}, {"k": 20, "m": 1}],
)
def test_every_step_of_top_equals_the_twin(settings):
    for prefs in (ladder(2), ladder(3), CYCLIC, ladder(5), ladder(13, 0.02), np.full((7, 7), 0.5)):
        assert_same_runs(TopK, configure(TOP_K, **settings), prefs, 120, runs=4)


@pytest.mark.slow
def test_every_step_with_large_heaps_equals_the_twin():
    for k in (5, 7, 12, 29, 30):
        for refill in (False, True):
            configured = configure(TOP_K, k=k, m=2, final_refill=refill)
            assert_same_runs(TopK, configured, ladder(30, 0.05), 600, runs=3)


def test_agendas_have_the_distribution_of_single_duels():
    assert_same_answers_at_once(configure(SELECT, m=4), ladder(6, 0.1), [1, 7, 12, 14, 20], runs=1500)
    assert_same_answers_at_once(configure(TOP_K, m=3), ladder(5, 0.1), [2, 5, 9, 14, 60], runs=1500)


# SELECT, Algorithm 1


@pytest.mark.parametrize(("n_arms", "m"), [(2, 4), (3, 2), (5, 3)])
def test_each_arm_wins_select_as_often_as_computed(n_arms, m):
    """The mean over all placements; 2,000 runs, 4.5 standard errors for each of up to five arms."""
    prefs = ladder(n_arms, 0.1)
    exact = np.mean([bracket_chances(slots, prefs, m) for slots in permutations(range(n_arms))], axis=0)
    won = np.bincount(
        [fast(configure(SELECT, m=m), prefs, [100], 3, run).recommended[-1] for run in range(2000)],
        minlength=n_arms,
    )
    assert (np.abs(won / 2000 - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 2000)).all()


def test_select_finds_the_best_of_a_hundred_as_often_as_computed():
    """The slot of the best arm decides in how many matches it is first, second, or has no opponent.

    The mean over the slots is .7201 (published: 715 of 1,000 runs). 2,000 runs, 4.5 standard errors.
    """
    as_first, as_second = match_chance(0.75, 10), 1 - match_chance(0.25, 10)

    def chance(slot, n):
        if n == 1:
            return 1.0
        advances = 1.0 if slot == n - 1 and n % 2 == 1 else (as_second if slot % 2 else as_first)
        return advances * chance(slot // 2, n - n // 2)

    exact = np.mean([chance(slot, 100) for slot in range(100)])
    assert round(exact, 4) == 0.7201
    prefs = uniform_order(100)
    found = np.mean(
        [fast(configure(SELECT), prefs, [990], 0, run).recommended[-1] == 0 for run in range(2000)]
    )
    assert abs(found - exact) < 4.5 * np.sqrt(exact * (1 - exact) / 2000)


def test_select_takes_m_comparisons_for_every_arm_but_one():
    for n_arms in (2, 3, 7, 8, 9, 100):
        total = 5 * (n_arms - 1)
        trace = fast(configure(SELECT, m=5), ladder(n_arms, 0.001), [total - 1, total, 2 * total], 0, 0)
        assert trace.finished.tolist() == [False, True, True] and n_duels(trace) == total
        assert trace.survivors.tolist() == [2, 1, 1]


# TOP, Algorithm 2


def test_the_best_two_of_a_hundred_take_740_comparisons():
    """49 + 49 matches in the groups, 1 in the heap, 48 + 1 after the first output. The final refill adds 47
    or 48 matches, if the second arm is from the same group or the other, and 1 in the heap."""
    prefs = uniform_order(100)
    assert {n_duels(fast(configure(TOP_K), prefs, [1000], 0, run)) for run in range(20)} == {740}
    runs = [fast(configure(TOP_K, variant="paper"), prefs, [1000], 0, run) for run in range(20)]
    assert {n_duels(trace) for trace in runs} == {980, 985} and all(trace.finished[-1] for trace in runs)


@pytest.mark.parametrize("final_refill", [False, True])
def test_top_finds_the_best_k_if_outcomes_are_certain(final_refill):
    for k in (1, 2, 3, 5, 8, 11, 12, 13):
        configured = configure(TOP_K, k=k, m=1, final_refill=final_refill)
        for run in range(3):
            trace = fast(configured, CERTAIN, [500], 0, run)
            assert np.flatnonzero(trace.answers[-1]).tolist() == list(range(min(k, 12)))
            assert trace.finished[-1] and trace.recommended[-1] == 0
