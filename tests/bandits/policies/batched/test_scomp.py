"""Test that SCOMP and SCOMP2 play the duels of their literal twins, and their stages."""

import numpy as np
import pytest
from naive.policies.pcomp import assert_same_duel_by_duel
from naive.policies.scomp import Scomp
from naive.policies.scomp2 import Scomp2
from support.policies import CYCLIC, assert_same_law, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.batched import scomp, scomp2
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

SCOMP, SCOMP2 = scomp.POLICY, scomp2.POLICY
TWINS = pytest.mark.parametrize(
    ("policy", "twin"), [(SCOMP, Scomp), (SCOMP2, Scomp2)], ids=["scomp", "scomp2"]
)
HURRIED = {"horizon": 50}  # errors are allowed: arms are eliminated after a few batches
EVEN = np.full((3, 3), 0.5)


def cycle(n_even):
    """Return certain wins of three arms in a cycle, and `n_even` arms that are equal to all others."""
    prefs = np.full((3 + n_even, 3 + n_even), 0.5)
    prefs[:3, :3] = [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]
    return prefs


# Equality with the twins


@TWINS
@pytest.mark.parametrize("elim", ["kl", "hoeffding"])
@pytest.mark.parametrize("prefs", [ladder(2, 0.3), ladder(3, 0.2), CYCLIC, EVEN, ladder(9)], ids=len)
def test_single_duels_equal_the_twin(policy, twin, prefs, elim):
    assert_same_duel_by_duel(twin, configure(policy, elim=elim, **HURRIED), prefs, 400, runs=6)


@TWINS
@pytest.mark.parametrize("threshold", ["horizon", "arms"])
@pytest.mark.parametrize("prefs", [ladder(3, 0.2), CYCLIC, ladder(9)], ids=len)
def test_single_duels_with_other_thresholds_equal_the_twin(policy, twin, prefs, threshold):
    assert_same_duel_by_duel(twin, configure(policy, threshold=threshold), prefs, 400, runs=6)


def test_thresholds():
    """With T = 10^5 and six arms: ln(36 * 10^5) = 15.10, ln 10^5 = 11.51 and ln 36 = 3.58 nats."""
    for threshold, nats in (("delta", 15.096), ("horizon", 11.513), ("arms", 3.584)):
        params = kernel_params(configure(SCOMP2, threshold=threshold), 10**5)
        state = scomp2.init(6, params, np.random.default_rng(0))
        assert state.rounds.now[0].log_odds == pytest.approx(nats, abs=1e-3)


@TWINS
def test_single_duels_equal_the_twin_if_all_seeds_are_beaten(policy, twin):
    """Three seeds in a cycle: other arms remain, and one of them is the new seed; or all arms are beaten, so
    that none is eliminated; or each seed is beaten, and one with the smallest worst loss is the candidate."""
    quick = {"horizon": 8, "seed_power": 0.4}
    assert_same_duel_by_duel(twin, configure(policy, **quick), cycle(2), 200, runs=60)
    assert_same_duel_by_duel(twin, configure(policy, horizon=8, seed_power=0.0), cycle(0), 200, runs=2)
    uneven = np.array([[0.5, 0.95, 0.15], [0.05, 0.5, 0.95], [0.85, 0.05, 0.5]])
    assert_same_duel_by_duel(twin, configure(policy, horizon=20, seed_power=0.0), uneven, 300, runs=10)


@TWINS
@pytest.mark.parametrize(
    ("settings", "n_steps"),
    [
        ({}, 1000),
        ({"extra": 6}, 1000),
        ({"seed_power": 2 / 3}, 1000),
        ({}, 1),
        ({}, 2),
        ({}, 7),
        ({"batches": 40}, 7),  # more batches than duels
        ({"batches": 40, "horizon": 7}, 300),
        ({"horizon": 1}, 100),
    ],
)
def test_single_duels_equal_the_twin_with_settings(policy, twin, settings, n_steps):
    assert_same_duel_by_duel(twin, configure(policy, **settings), ladder(6, 0.1), n_steps, runs=4)


@TWINS
def test_whole_batches_have_the_distribution_of_the_twin(policy, twin):
    configured = configure(policy, **HURRIED)
    assert_same_law(twin, configured, ladder(4, 0.12), [5, 60, 150, 300], runs=500, slow_runs=400)


# Stages


@pytest.mark.parametrize("power", [0.5, 2 / 3, 1.0])
def test_number_of_seeds(power):
    """Each of 9 arms with probability 9^-power, if there is a seed. 2,000 draws, 4.5 standard errors."""
    params, rng = kernel_params(configure(SCOMP, seed_power=power), 100), np.random.default_rng(2)
    seeds = np.array([SCOMP.init(9, params, rng).seeds for _ in range(2000)])
    chance = 9**-power
    expected = chance / (1 - (1 - chance) ** 9)
    assert seeds.any(axis=1).all()
    assert (np.abs(seeds.mean(axis=0) - expected) < 4.5 * np.sqrt(expected * (1 - expected) / 2000)).all()


def run_with_seeds(policy, seeds, prefs, steps, **settings):
    """Return the trace of a run in which these arms are the seeds."""
    begin = policy.init

    def init(n_arms, params, rng):
        state = begin(n_arms, params, rng)
        state.seeds[:] = state.anchors[:] = np.isin(np.arange(n_arms), seeds)
        return state

    return fast(configure(policy._replace(init=init), **settings), prefs, steps, 0, 0)


def test_stages_of_scomp():
    """T = 10^5, K = 4, certain wins: ln(16 10^5) = 14.3 nats take 20.6 duels, so batch 5 of 36 decides.

    Seed 2: arms 0 and 1 beat it in 3 (2 + 4 + 8 + 17 + 36) = 201 duels and have another batch of 36.
    Seed 0: the others lose to it.
    """
    trace = run_with_seeds(SCOMP, [2], ladder(4, 0.5), [200, 201, 236, 237, 10**5])
    assert trace.survivors.tolist() == [4, 2, 2, 1, 1] and trace.rounds.tolist() == [5, 5, 6, 6, 6]
    assert trace.duels[-1].tolist() == [67 + 36, 67 + 36, 3 * 67, 67]
    assert trace.finished.tolist() == [False] * 3 + [True] * 2
    trace = run_with_seeds(SCOMP, [0], ladder(4, 0.5), [200, 201, 10**5])
    assert trace.survivors.tolist() == [4, 1, 1] and trace.rounds.tolist() == [5, 5, 5]
    # Among themselves seeds are compared once: pairs 01, 12, 13, 02, 03 of seeds 0 and 1 are 5.
    trace = run_with_seeds(SCOMP, [0, 1], ladder(4, 0.5), [10], horizon=10**5)
    assert trace.duels[0].tolist() == [6, 6, 4, 4] and trace.rounds[0] == 1


def test_stages_of_scomp2():
    """Seeds 1 and 2 of 4 arms: one pair and three pairs by turns, 268 duels in five rounds.

    Seed 2 loses all duels with 1, but is not clearly beaten before 36: either can be the candidate. In round
    5 only 1 can; 0 beats it and is the only active arm.
    """
    ends = np.cumsum([n * m for n in (2, 4, 8, 17, 36) for m in (1, 3)])
    trace = run_with_seeds(SCOMP2, [1, 2], ladder(4, 0.5), [*ends, 10**5])
    assert trace.rounds.tolist() == [*range(1, 11), 10]
    assert trace.survivors.tolist() == [4] * 9 + [1, 1] and trace.recommended[-1] == 0
    in_round_5 = trace.duels[9] - trace.duels[8]
    assert in_round_5.tolist() == [36, 108, 36, 36]
    # A single seed has no batch of its own.
    trace = run_with_seeds(SCOMP2, [3], ladder(4, 0.5), [6, 201, 10**5])
    assert trace.duels[0].tolist() == [2, 2, 2, 6] and trace.rounds.tolist() == [1, 5, 6]


@pytest.mark.parametrize(("policy", "radii"), [(SCOMP, 3), (SCOMP2, 5)], ids=["scomp", "scomp2"])
def test_arms_are_eliminated_by_the_radii_of_the_analysis(policy, radii):
    """Certain wins: 1/2 > radii sqrt(ln(6 T K^2 B) / 2n) if n > 2 radii^2 ln(6 10^5 16 16), 37.7 radii^2."""
    sizes = [2, 4, 8, 17, 36, 74, 153, 316, 649, 1333]
    decides = next(r for r, n in enumerate(sizes) if n > 2 * radii**2 * np.log(6e5 * 16 * 16))
    n = 3 * sum(sizes[: decides + 1])
    trace = run_with_seeds(policy, [0], ladder(4, 0.5), [n - 1, n, 10**5], variant="theory")
    assert trace.survivors.tolist() == [4, 1, 1]


def three_arms(chance):
    """Return preferences in which arm 0 nearly always beats arm 2, and arm 1 does with this probability."""
    return np.array([[0.5, 0.8, 0.98], [0.2, 0.5, chance], [0.02, 1 - chance, 0.5]])


@pytest.mark.parametrize(
    ("policy", "n", "chance", "n_left"),
    [(SCOMP, 862, 0.68, 2), (SCOMP, 862, 0.55, 1), (SCOMP2, 1862, 0.83, 2), (SCOMP2, 1862, 0.68, 1)],
)
def test_arms_go_on_to_pcomp_by_the_radii_of_the_analysis(policy, n, chance, n_left):
    """With T = 1,000 the radius is 0.121 in the batch of 464 that decides for SCOMP, where one radius is
    required, and 0.083 in that of 1,000 for SCOMP2, which requires three."""
    steps = [2 * n - 1, 2 * n]
    trace = run_with_seeds(policy, [2], three_arms(chance), steps, variant="theory", horizon=1000)
    assert trace.survivors.tolist() == [3, n_left]


@TWINS
def test_single_duels_equal_the_twin_in_the_long_batches_of_the_analysis(policy, twin):
    configured = configure(policy, variant="theory", horizon=1000)
    assert_same_duel_by_duel(twin, configured, three_arms(0.7), 6000, runs=6)


@TWINS
def test_number_of_batches(policy, twin):
    """Equal arms: at most B + 1 batches, and 2 B + 1 for SCOMP2."""
    for run in range(20):
        trace = fast(configure(policy), EVEN, [10**5], 1, run)
        assert trace.rounds[0] <= (2 * 16 + 1 if policy is SCOMP2 else 16 + 1)


@pytest.mark.slow
@TWINS
@pytest.mark.parametrize("elim", ["kl", "hoeffding"])
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 20])
def test_many_single_duels_equal_the_twin(policy, twin, n_arms, elim):
    prefs = ladder(n_arms, 0.8 / n_arms)
    assert_same_duel_by_duel(twin, configure(policy, elim=elim), prefs, 10_000, runs=2)
    assert_same_duel_by_duel(twin, configure(policy, elim=elim, **HURRIED), prefs, 3000, runs=20)
