"""Beat the Mean: the fast form is its naive twin, choice by choice."""

import math

import numpy as np
import pytest
from naive.policies.beat_the_mean import BeatTheMean
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from bandits.contract import configure
from bandits.policies.condorcet.beat_the_mean import DECIDED, DUELS, N_LEAST, N_LEFT, POLICY, RADIUS, WINS
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 50, 200, 500]
HURRIED = {"gamma": 1.0, "f": 0.3}  # arms leave after a few duels each
RNG = np.random.default_rng(0)


def begin(n_arms, horizon=100, **settings):
    params = kernel_params(configure(POLICY, **settings), horizon)
    return POLICY.init(n_arms, params, RNG), params


def duel(state, params, first_wins, rng=RNG):
    pair = POLICY.select(state, params, rng)
    POLICY.update(state, *pair, first_wins(*pair))
    return pair


def set_record(state, arm, opponent, n, wins):
    """So many duels of an arm with one opponent, on both accounts."""
    state.against[arm, opponent] += (n, wins)
    state.record[arm] += (n, wins)


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
@pytest.mark.parametrize("opponent", ["include_self", "exclude_self"])
def test_choices_are_the_twins(prefs, opponent):
    hurried = configure(POLICY, opponent=opponent, **HURRIED)
    assert_same_choices(BeatTheMean, hurried, prefs, STEPS, runs=9)


@pytest.mark.parametrize("prefs", [np.full((5, 5), 0.5), ladder(5, 0.5), ladder(3, -0.5)], ids="=<>")
def test_extreme_preferences_are_the_twins(prefs):
    assert_same_choices(BeatTheMean, configure(POLICY, **HURRIED), prefs, STEPS, runs=5)


def test_forgetting_everything_is_the_twins():
    """With a radius of next to nothing, arms leave so early that some are left without a single duel."""
    for opponent in ("include_self", "exclude_self"):
        reckless = configure(POLICY, gamma=1.0, f=0.01, opponent=opponent)
        assert_same_choices(BeatTheMean, reckless, ladder(12), [1, 5, 10, 20, 50, 100], runs=20)


@pytest.mark.parametrize("settings", [{"variant": "komiyama"}, {"f": 0.6, "gamma": 1.1}, {"horizon": 10}])
def test_settings_are_the_twins(settings):
    assert_same_choices(BeatTheMean, configure(POLICY, **settings), ladder(3, 0.4), [1, 400, 1200], runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 20])
def test_many_choices_are_the_twins(n_arms):
    prefs = ladder(n_arms, 0.8 / n_arms)
    for settings in (HURRIED, {"variant": "komiyama", "f": 0.7}):
        assert_same_choices(BeatTheMean, configure(POLICY, **settings), prefs, [300, 1000, 2000], runs=20)


def test_nobody_leaves_before_every_arm_had_its_duels():
    """Rates are at most 1 apart, and 2 c(n) <= 1 needs n >= 4 f^2 gamma^4 ln(2 T K): here 63.3."""
    state, params = begin(3, gamma=1.1, f=1.3, opponent="exclude_self")
    least = 4 * 1.3**2 * 1.1**4 * math.log(2 * 100 * 3)
    assert math.ceil(least) == 64
    while POLICY.survivors(state) == 3:
        duel(state, params, lambda i, j: i != 2)
    assert state.record[:, DUELS].tolist() == [64, 64, 64]
    duel(state, params, lambda i, j: True)
    assert state.now[N_LEFT] == 2 and 2 not in state.left[:2]


def test_every_arm_has_its_turn_before_any_has_a_second():
    state, params = begin(5, opponent="exclude_self")
    for n_rounds in range(1, 20):
        firsts = [duel(state, params, lambda i, j: True)[0] for _ in range(5)]
        assert sorted(firsts) == [0, 1, 2, 3, 4]
        assert (state.record[:, DUELS] == n_rounds).all()
    assert (state.record[:, WINS] == 19).all()  # and no opponent has a loss on its record


def test_a_duel_passed_over_leaves_no_trace():
    """Whoever is drawn again, the one that plays in the end is taken off the list of those to play."""
    state, params = begin(6)
    rng, n = np.random.default_rng(6), 0
    while n < 200:
        pair = POLICY.select(state, params, rng)
        if rng.random() < 0.5:
            POLICY.update(state, *pair, True)
            n += 1
            n_duels = state.record[:, DUELS]
            to_play = np.flatnonzero(n_duels == n_duels.min())
            assert state.least[: state.now[N_LEAST]].tolist() == to_play.tolist()
    assert state.record[:, DUELS].sum() == 200


def test_opponents_are_uniform():
    """4 000 first duels of four arms: each pair 250 (or 333 of distinct ones) +- 4.5 s.e."""
    for opponent, with_self in (("include_self", True), ("exclude_self", False)):
        state, params = begin(4, opponent=opponent)
        rng, count = np.random.default_rng(2), np.zeros((4, 4))
        for _ in range(4000):
            count[POLICY.select(state, params, rng)] += 1
        share = np.full((4, 4), 1 / 16) if with_self else (1 - np.eye(4)) / 12
        assert (np.abs(count - 4000 * share) <= 4.5 * np.sqrt(4000 * share * (1 - share))).all()


def test_an_arm_against_itself_flips_a_coin():
    """The outcome that the loop names is ignored; half of some 500 coins fall on either side."""
    state, params = begin(2, f=30.0)
    while state.against[0, 0, DUELS] < 500:
        duel(state, params, lambda i, j: True)
    n, wins = state.against[0, 0]
    assert abs(wins - n / 2) < 4.5 * math.sqrt(n) / 2
    assert state.record[0].tolist() == (state.against[0, 0] + state.against[0, 1]).tolist()


def test_what_was_won_against_the_leaver_is_forgotten():
    """Arm 3 is worst; 0 won all its duels with it and 1 lost them, and neither counts any more."""
    state, params = begin(4, gamma=1.0, f=0.5, opponent="exclude_self")
    for arm, opponent, n, wins in [
        (0, 1, 60, 30), (0, 3, 40, 40), (1, 0, 60, 40), (1, 3, 41, 0), (2, 1, 100, 50), (3, 0, 100, 0)
    ]:  # fmt: skip
        set_record(state, arm, opponent, n, wins)
    state.now[DECIDED], state.spread[:2] = True, (0.0, 0.7)
    first, _ = POLICY.select(state, params, RNG)
    assert state.left[: state.now[N_LEFT]].tolist() == [0, 1, 2]
    assert state.record[:3].tolist() == [[60, 30], [60, 40], [100, 50]]
    assert first in (0, 1)  # now the ones with the fewest duels
    radius = 0.5 * math.sqrt(math.log(2 * 100 * 4))
    assert state.spread.tolist() == pytest.approx([0.5, 2 / 3, radius / math.sqrt(60), radius])
    assert POLICY.recommend(state) == 1 and POLICY.survivors(state) == 3


def test_an_arm_without_duels_is_thought_average():
    state, _ = begin(3)
    assert POLICY.recommend(state) == 0
    set_record(state, 0, 1, 1, 0)
    assert POLICY.recommend(state) == 1
    set_record(state, 2, 1, 3, 2)
    assert POLICY.recommend(state) == 2


def test_one_of_several_worst_leaves_at_random():
    """Arms 1 and 3 have the lowest rate: each leaves in half of 600 trials, 4.5 s.e."""
    rng, stayed = np.random.default_rng(4), np.zeros(4, int)
    for _ in range(600):
        state, params = begin(4)
        for arm, wins in enumerate((50, 20, 60, 20)):
            set_record(state, arm, arm, 100, wins)
        state.now[DECIDED], state.spread[:2] = True, (0.2, 0.6)
        POLICY.select(state, params, rng)
        stayed[state.left[: state.now[N_LEFT]]] += 1
    assert stayed[[0, 2]].tolist() == [600, 600]
    assert stayed[1] + stayed[3] == 600 and abs(stayed[1] - 300) < 4.5 * math.sqrt(150)


def test_the_rest_is_one_block():
    """One of two arms always wins, so it is over at the first number of duels at which it can be."""
    trace = fast(configure(POLICY, variant="komiyama"), ladder(2, 0.5), [10, 10**12], seed=1, run=0)
    n = math.ceil(4 * 1.2**4 * math.log(4e12))
    assert trace.duels[-1].tolist() == [2 * n, 2 * n]
    assert trace.selves[-1].tolist() == [10**12 - 2 * n, 0]
    assert trace.survivors.tolist() == [2, 1] and trace.recommended[-1] == 0


def test_counts_beyond_32_bits():
    """At 2^40 duels each, arms apart by just under and just over twice the radius."""
    n = 2**40
    for factor, n_left in ((0.999999, 2), (1.000001, 1)):
        state, params = begin(2, opponent="exclude_self")
        apart = 2 * state.spread[RADIUS] / math.sqrt(n) * factor
        set_record(state, 0, 1, n - 1, n // 2 + int(apart * n))
        set_record(state, 1, 0, n - 1, n // 2)
        duel(state, params, lambda i, j: True)
        duel(state, params, lambda i, j: True)
        assert POLICY.survivors(state) == n_left and POLICY.recommend(state) == 0


def test_the_radius_of_the_paper():
    """c(n) = 3 gamma^2 sqrt(ln(2 T K) / n), and 2 470 duels per arm at least for 10^8 steps and 136 arms."""
    state, _ = begin(136, horizon=10**8)
    assert state.spread[RADIUS] == pytest.approx(3 * 1.69 * math.sqrt(math.log(2 * 1e8 * 136)))
    assert math.ceil(4 * state.spread[RADIUS] ** 2) == 2471
