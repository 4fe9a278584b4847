"""Test that PCOMP plays the duels of its literal twin, tests/naive/policies/pcomp.py, and its batch sizes."""

from itertools import combinations

import numpy as np
import pytest
from naive.policies.pcomp import Pcomp, assert_same_duel_by_duel
from scipy import special, stats
from support.policies import CYCLIC, assert_same_law, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_duels import gaps
from rankduel.bandits.parts.geometric_rounds.rounds import batch_size, n_batches
from rankduel.bandits.policies.batched.pcomp import POLICY
from rankduel.bandits.regret import strong_regret
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

HURRIED = {"horizon": 50}  # errors are allowed: arms are eliminated after a few batches
CYCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
EVEN = np.full((3, 3), 0.5)


def sizes(horizon, **settings):
    """Return q_0 to q_B."""
    params = kernel_params(configure(POLICY, **settings), horizon)
    rounds = POLICY.init(2, params, None).rounds
    return [batch_size.py_func(rounds, params, r) for r in range(n_batches(params) + 1)]


# Equality with the twin


@pytest.mark.parametrize("elim", ["kl", "hoeffding"])
@pytest.mark.parametrize("prefs", [ladder(2, 0.3), ladder(3, 0.2), CYCLIC, CYCLE, EVEN, ladder(7)], ids=len)
def test_single_duels_equal_the_twin(prefs, elim):
    assert_same_duel_by_duel(Pcomp, configure(POLICY, elim=elim, **HURRIED), prefs, 500, runs=5)


@pytest.mark.parametrize(
    ("settings", "n_steps"),
    [
        ({}, 1000),
        ({"extra": 6}, 1000),
        ({"batches": 3}, 300),
        ({}, 1),
        ({}, 2),
        ({}, 7),
        ({"batches": 40}, 7),  # more batches than duels
        ({"batches": 40, "horizon": 7}, 300),
        ({"horizon": 1}, 100),
    ],
)
def test_single_duels_equal_the_twin_with_settings(settings, n_steps):
    assert_same_duel_by_duel(Pcomp, configure(POLICY, **settings), ladder(3, 0.25), n_steps, runs=3)


def test_whole_batches_have_the_distribution_of_the_twin():
    configured = configure(POLICY, **HURRIED)
    assert_same_law(Pcomp, configured, ladder(3, 0.15), [5, 60, 150, 300], runs=400, slow_runs=300)


# Eliminations


@pytest.mark.parametrize(("elim", "delta"), [("kl", 1 / 4000), ("hoeffding", 1 / (4000 * 6 * 9))])
def test_probability_of_a_decision_in_each_batch(elim, delta):
    """Two arms, 1,000 duels, p = .7: each batch decides by itself. 2,000 runs, 4.5 standard errors."""
    ends = [end for end in np.cumsum(sizes(1000)[1:]) if end < 1000]
    undecided = [1.0]
    for n in sizes(1000)[1 : len(ends) + 1]:
        share = np.arange(n + 1) / n
        divergence = n * (special.xlogy(share, 2 * share) + special.xlogy(1 - share, 2 - 2 * share))
        lead = np.abs(share - 0.5) - np.sqrt(-np.log(delta) / (2 * n))
        clear = divergence > -np.log(delta) if elim == "kl" else lead > 0
        undecided.append(undecided[-1] * stats.binom.pmf(np.arange(n + 1), n, 0.7)[~clear].sum())
    expected = np.array(undecided[1:])
    assert ((expected > 0.1) & (expected < 0.9)).any()  # otherwise this says nothing
    prefs, configured = np.array([[0.5, 0.7], [0.3, 0.5]]), configure(POLICY, elim=elim)
    found = 1 - np.mean(
        [fast(configured, prefs, [*ends, 1000], 5, run).finished for run in range(2000)], axis=0
    )
    error = np.sqrt(np.clip(expected * (1 - expected), 0, 1) / 2000)
    assert (np.abs(found[:-1] - expected) <= 4.5 * error + 1e-9).all(), (found, expected)


# Batch sizes


@pytest.mark.parametrize(
    ("horizon", "extra", "n", "first_sizes", "q"),
    [
        (10**5, 0, 16, [1, 2, 4, 8, 17, 36, 74, 153, 316, 649, 1333], 2.0535),
        (10**5, 6, 22, [1, 1, 2, 4, 8, 13, 23, 38, 65, 111, 187, 316], 1.6876),
        (10**6, 0, 19, [1, 2, 4, 8, 18, 37, 78, 162, 335, 695, 1438], 2.0691),
        (10**6, 6, 25, [1, 1, 3, 5, 9, 15, 27, 47, 83, 144, 251], 1.7378),
    ],
)
def test_batch_sizes_of_the_papers(horizon, extra, n, first_sizes, q):
    """Agarwal et al. 2022: floor(log T) batches, 16 for 10^5 duels, so the logarithm is to base 2."""
    found = sizes(horizon, extra=extra)
    assert len(found) == n + 1 and found[-1] == horizon and found[: len(first_sizes)] == first_sizes
    assert horizon ** (1 / n) == pytest.approx(q, abs=5e-5)


@pytest.mark.parametrize("horizon", [1, 2, 3, 7, 100, 1000, 4096, 3**9, 10**8])
@pytest.mark.parametrize("batches", [0, 1, 2, 3, 8, 24])
def test_sizes_are_rounded_down_exactly(horizon, batches):
    """n is floor(T^(r / B)) if n^B <= T^r < (n + 1)^B, in whole numbers; T = 10^8 has exact powers."""
    found = sizes(horizon, batches=batches)
    n = len(found) - 1
    assert n == (batches or max(1, horizon.bit_length() - 1))
    for r, size in enumerate(found):
        assert size**n <= horizon**r < (size + 1) ** n


@pytest.mark.parametrize(("variant", "odds"), [("published", 1e5 * 4**2), ("theory", 6 * 1e5 * 4**2 * 16)])
def test_probability_of_an_error(variant, odds):
    """1 / delta is T K^2 in the experiments and 6 T K^2 B in the analysis."""
    params = kernel_params(configure(POLICY, variant=variant), 10**5)
    assert np.exp(POLICY.init(4, params, None).rounds.now[0].log_odds) == pytest.approx(odds)


@pytest.mark.parametrize("fast_forward", [True, False])
def test_regret_inside_a_batch(fast_forward):
    """At offset x of a batch of m pairs: floor(x / m) sweeps, and the first x mod m pairs of the next."""
    prefs, steps = ladder(4), np.arange(1, 400)
    loss, pairs = gaps(prefs), list(combinations(range(4), 2))
    cost = [(loss[i] + loss[j]) / 2 for i, j in pairs]
    trace = fast(configure(POLICY, horizon=10**5), prefs, steps, 3, 0, fast_forward)
    assert (trace.survivors == 4).all()
    expected, ends = [], np.cumsum([6 * n for n in sizes(10**5)[1:]])
    for t in steps:
        batch = np.searchsorted(ends, t)
        before = ends[batch - 1] if batch else 0
        sweeps, part = divmod(t - before, len(pairs))
        expected.append(sum(cost) * (before / 6 + sweeps) + sum(cost[:part]))
    np.testing.assert_allclose(strong_regret(trace, loss), expected, rtol=1e-12)
    np.testing.assert_array_equal(trace.rounds, np.searchsorted(ends, steps) + 1)


def test_last_batch_is_cut_at_the_horizon():
    """Three equal arms, none of which is eliminated: the first 15 batches have 3 (2 + ... + 23,713) duels."""
    trace = fast(configure(POLICY), EVEN, [10**5], 1, 0)
    ends = 3 * np.cumsum(sizes(10**5)[1:])
    assert trace.survivors[0] == 3 and trace.rounds[0] == np.searchsorted(ends, 10**5) + 1 == 14 <= 16
    assert trace.duels[0].tolist() == [66667, 66667, 66666]


def test_arms_that_lost_all_duels_are_eliminated_by_the_first_batch_of_21_or_more():
    """ln(10^5 x 16) = 14.3 nats are 20.6 certain duels: batch 5 of 36 is the first that decides."""
    trace = fast(configure(POLICY), ladder(4, 0.5), [6 * (2 + 4 + 8 + 17 + 36) - 1, 402, 10**5], 0, 0)
    assert trace.survivors.tolist() == [4, 1, 1] and trace.finished.tolist() == [False, True, True]
    assert trace.rounds.tolist() == [5, 5, 5] and trace.selves[-1].tolist() == [10**5 - 402, 0, 0, 0]


def test_no_arm_of_a_cycle_is_eliminated():
    trace = fast(configure(POLICY), CYCLE, [1000, 10**5], 0, 0)
    assert trace.survivors.tolist() == [3, 3] and not trace.finished.any() and not trace.selves.any()


def test_longest_horizon_is_counted_exactly():
    prefs = np.full((200, 200), 0.5)
    trace = fast(configure(POLICY), prefs, [10**12, 10**15], 0, 0)
    assert (trace.duels.sum(axis=1) == 2 * trace.steps).all() and trace.rounds[-1] <= 49


@pytest.mark.slow
@pytest.mark.parametrize("elim", ["kl", "hoeffding"])
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 20])
def test_many_single_duels_equal_the_twin(n_arms, elim):
    prefs = ladder(n_arms, 0.8 / n_arms)
    assert_same_duel_by_duel(Pcomp, configure(POLICY, elim=elim), prefs, 10_000, runs=2)
    assert_same_duel_by_duel(Pcomp, configure(POLICY, elim=elim, **HURRIED), prefs, 3000, runs=20)
