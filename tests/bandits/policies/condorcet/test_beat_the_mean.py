"""Test that Beat the Mean chooses the pairs of its literal twin, tests/naive/policies/beat_the_mean.py."""

import math

import numpy as np
import pytest
from naive.policies.beat_the_mean import BeatTheMean
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.condorcet.beat_the_mean import POLICY
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 50, 200, 500]
SMALL_RADIUS = {"gamma": 1.0, "f": 0.3}  # arms are removed after a few duels each
RNG = np.random.default_rng(0)


def begin(n_arms, horizon=100, **settings):
    """Return (state, params) before the first duel."""
    params = kernel_params(configure(POLICY, **settings), horizon)
    return POLICY.init(n_arms, params, RNG), params


def duel(state, params, first_wins, rng=RNG):
    """Play one duel with the outcome first_wins(first, second); return the pair."""
    pair = POLICY.select(state, params, rng)
    POLICY.update(state, params, *pair, first_wins(*pair))
    return pair


def add_duels(state, arm, opponent, n, wins):
    """Add n duels of an arm against one opponent, of which it won `wins`."""
    state.pair_duels[arm, opponent] += n
    state.pair_wins[arm, opponent] += wins
    state.duels[arm] += n
    state.wins[arm] += wins


def remove_at_next_step(state, lowest, highest):
    """Set the state so that the next `select` removes an arm with the lowest win rate."""
    now = state.now[0]
    now.remove_one, now.lowest, now.highest = True, lowest, highest


def working_set(state):
    return state.working[: state.now[0].n_working].tolist()


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
@pytest.mark.parametrize("opponent", ["include_self", "exclude_self"])
def test_choices_equal_the_twin(prefs, opponent):
    configured = configure(POLICY, opponent=opponent, **SMALL_RADIUS)
    assert_same_choices(BeatTheMean, configured, prefs, STEPS, runs=9)


@pytest.mark.parametrize("prefs", [np.full((5, 5), 0.5), ladder(5, 0.5), ladder(3, -0.5)], ids="=<>")
def test_choices_equal_the_twin_with_extreme_preferences(prefs):
    assert_same_choices(BeatTheMean, configure(POLICY, **SMALL_RADIUS), prefs, STEPS, runs=5)


def test_choices_equal_the_twin_if_all_duels_of_an_arm_are_removed():
    """With a tiny radius, arms are removed so early that some of the others have no duels."""
    for opponent in ("include_self", "exclude_self"):
        configured = configure(POLICY, gamma=1.0, f=0.01, opponent=opponent)
        assert_same_choices(BeatTheMean, configured, ladder(12), [1, 5, 10, 20, 50, 100], runs=20)


@pytest.mark.parametrize("settings", [{"variant": "komiyama"}, {"f": 0.6, "gamma": 1.1}, {"horizon": 10}])
def test_choices_equal_the_twin_with_settings(settings):
    assert_same_choices(BeatTheMean, configure(POLICY, **settings), ladder(3, 0.4), [1, 400, 1200], runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 20])
def test_choices_equal_the_twin_in_many_runs(n_arms):
    prefs = ladder(n_arms, 0.8 / n_arms)
    for settings in (SMALL_RADIUS, {"variant": "komiyama", "f": 0.7}):
        assert_same_choices(BeatTheMean, configure(POLICY, **settings), prefs, [300, 1000, 2000], runs=20)


def test_no_arm_is_removed_before_all_have_enough_duels():
    """Win rates differ by at most 1, and 2 c(n) <= 1 needs n >= 4 f^2 gamma^4 ln(2 T K), here 63.3."""
    state, params = begin(3, gamma=1.1, f=1.3, opponent="exclude_self")
    least = 4 * 1.3**2 * 1.1**4 * math.log(2 * 100 * 3)
    assert math.ceil(least) == 64
    while POLICY.survivors(state, params) == 3:
        duel(state, params, lambda i, j: i != 2)
    assert state.duels.tolist() == [64, 64, 64]
    duel(state, params, lambda i, j: True)
    assert working_set(state) == [0, 1]


def test_arm_with_the_fewest_duels_is_first():
    state, params = begin(5, opponent="exclude_self")
    for n_rounds in range(1, 20):
        firsts = [duel(state, params, lambda i, j: True)[0] for _ in range(5)]
        assert sorted(firsts) == [0, 1, 2, 3, 4]
        assert (state.duels == n_rounds).all()
    assert (state.wins == 19).all()  # a duel does not count for the opponent


def test_pair_without_an_outcome_changes_nothing():
    """The list of arms with the fewest duels stays exact if half of the pairs have no outcome."""
    state, params = begin(6)
    rng, n = np.random.default_rng(6), 0
    while n < 200:
        pair = POLICY.select(state, params, rng)
        if rng.random() < 0.5:
            POLICY.update(state, params, *pair, True)
            n += 1
            fewest = np.flatnonzero(state.duels == state.duels.min())
            assert state.fewest[: state.now[0].n_fewest].tolist() == fewest.tolist()
    assert state.duels.sum() == 200


def test_opponents_are_drawn_uniformly():
    """4000 first pairs of four arms: 250 of each (333 if distinct), within 4.5 standard errors."""
    for opponent, with_self in (("include_self", True), ("exclude_self", False)):
        state, params = begin(4, opponent=opponent)
        rng, count = np.random.default_rng(2), np.zeros((4, 4))
        for _ in range(4000):
            count[POLICY.select(state, params, rng)] += 1
        share = np.full((4, 4), 1 / 16) if with_self else (1 - np.eye(4)) / 12
        assert (np.abs(count - 4000 * share) <= 4.5 * np.sqrt(4000 * share * (1 - share))).all()


def test_self_duel_has_a_random_outcome():
    """The outcome that `update` receives is not used; about half of 500 self-duels are won."""
    state, params = begin(2, f=30.0)
    while state.pair_duels[0, 0] < 500:
        duel(state, params, lambda i, j: True)
    assert abs(state.pair_wins[0, 0] - 250) < 4.5 * math.sqrt(500) / 2
    assert state.duels[0] == state.pair_duels[0].sum()
    assert state.wins[0] == state.pair_wins[0].sum()


def test_duels_against_the_removed_arm_are_removed():
    """Arm 3 is the worst; arm 0 won all duels against it and arm 1 lost all."""
    state, params = begin(4, gamma=1.0, f=0.5, opponent="exclude_self")
    for arm, opponent, n, wins in [
        (0, 1, 60, 30), (0, 3, 40, 40), (1, 0, 60, 40), (1, 3, 41, 0), (2, 1, 100, 50), (3, 0, 100, 0)
    ]:  # fmt: skip
        add_duels(state, arm, opponent, n, wins)
    remove_at_next_step(state, lowest=0.0, highest=0.7)
    first, _ = POLICY.select(state, params, RNG)
    assert working_set(state) == [0, 1, 2]
    assert state.duels[:3].tolist() == [60, 60, 100]
    assert state.wins[:3].tolist() == [30, 40, 50]
    assert first in (0, 1)  # the arms with the fewest duels now
    now, radius = state.now[0], 0.5 * math.sqrt(math.log(2 * 100 * 4))
    assert (now.lowest, now.highest) == pytest.approx((0.5, 2 / 3))
    assert (now.radius, now.radius_factor) == pytest.approx((radius / math.sqrt(60), radius))
    assert POLICY.recommend(state, params) == 1 and POLICY.survivors(state, params) == 3


def test_arm_without_duels_has_win_rate_one_half():
    state, params = begin(3)
    assert POLICY.recommend(state, params) == 0
    add_duels(state, 0, 1, 1, 0)
    assert POLICY.recommend(state, params) == 1
    add_duels(state, 2, 1, 3, 2)
    assert POLICY.recommend(state, params) == 2


def test_one_of_several_worst_arms_is_removed_at_random():
    """Arms 1 and 3 have the lowest rate: each is removed in 300 of 600 trials, up to 4.5 standard errors."""
    rng, n_remaining = np.random.default_rng(4), np.zeros(4, int)
    for _ in range(600):
        state, params = begin(4)
        for arm, wins in enumerate((50, 20, 60, 20)):
            add_duels(state, arm, arm, 100, wins)
        remove_at_next_step(state, lowest=0.2, highest=0.6)
        POLICY.select(state, params, rng)
        n_remaining[working_set(state)] += 1
    assert n_remaining[[0, 2]].tolist() == [600, 600]
    assert n_remaining[1] + n_remaining[3] == 600 and abs(n_remaining[1] - 300) < 4.5 * math.sqrt(150)


def test_all_steps_are_skipped_after_one_arm_remains():
    """One of two arms always wins, so the other is removed after the fewest possible duels."""
    trace = fast(configure(POLICY, variant="komiyama"), ladder(2, 0.5), [10, 10**12], seed=1, run=0)
    n = math.ceil(4 * 1.2**4 * math.log(4e12))
    assert trace.duels[-1].tolist() == [2 * n, 2 * n]
    assert trace.selves[-1].tolist() == [10**12 - 2 * n, 0]
    assert trace.survivors.tolist() == [2, 1] and trace.recommended[-1] == 0


def test_large_counts_are_compared_exactly():
    """With 2^40 duels each, win rates that differ by just under and just over twice the radius."""
    n = 2**40
    for factor, n_working in ((0.999999, 2), (1.000001, 1)):
        state, params = begin(2, opponent="exclude_self")
        difference = 2 * state.now[0].radius_factor / math.sqrt(n) * factor
        add_duels(state, 0, 1, n - 1, n // 2 + int(difference * n))
        add_duels(state, 1, 0, n - 1, n // 2)
        duel(state, params, lambda i, j: True)
        duel(state, params, lambda i, j: True)
        assert POLICY.survivors(state, params) == n_working and POLICY.recommend(state, params) == 0


def test_radius_is_that_of_the_paper():
    """c(n) = 3 gamma^2 sqrt(ln(2 T K) / n): at least 2471 duels per arm for 10^8 steps and 136 arms."""
    state, _ = begin(136, horizon=10**8)
    factor = state.now[0].radius_factor
    assert factor == pytest.approx(3 * 1.69 * math.sqrt(math.log(2 * 1e8 * 136)))
    assert math.ceil(4 * factor**2) == 2471
