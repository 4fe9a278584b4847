"""Test that RMED1, RMED2 and RMED2FH choose the pairs of their literal twins, and their shared parts.

The twins are tests/naive/policies/rmed1.py, rmed2.py and rmed2fh.py.
"""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from naive.policies.rmed1 import Rmed1
from naive.policies.rmed2 import Rmed2
from naive.policies.rmed2fh import Rmed2fh
from support.policies import CYCLIC, assert_same_choices, fast, generators, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_duels import matrix_duel
from rankduel.bandits.parts.bounds import NEVER
from rankduel.bandits.parts.relative_entropy import divergence
from rankduel.bandits.parts.rmed.divergence import (
    divergences_room,
    likeliest_winner,
    no_divergences,
    record_win,
)
from rankduel.bandits.parts.rmed.log_time import step_when_log_log_exceeds, step_when_log_reaches
from rankduel.bandits.parts.rmed.opponents import cheapest_opponent, rmed1_opponent, rmed2_opponent
from rankduel.bandits.policies.condorcet import rmed1, rmed2, rmed2fh
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

TWINS = {"rmed1": (rmed1, Rmed1), "rmed2": (rmed2, Rmed2), "rmed2fh": (rmed2fh, Rmed2fh)}
STEPS = [1, 2, 3, 10, 30, 100, 400, 700]
EVERY = pytest.mark.parametrize("name", TWINS)


def assert_twins(name, prefs, steps, runs, **settings):
    module, twin = TWINS[name]
    assert_same_choices(twin, configure(module.POLICY, **settings), prefs, steps, runs)


# Equality with the twins


@EVERY
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8)], ids=len)
def test_choices_equal_the_twin(name, prefs):
    assert_twins(name, prefs, STEPS, runs=20)


@EVERY
def test_choices_equal_the_twin_with_many_arms(name):
    # Past the initial 190 pairs of RMED1; past the 1,330 steps of the initial sweeps of the others.
    assert_twins(name, ladder(20, 0.04), [190, 191, 500, 1300, 1500, 2000], runs=2)


@EVERY
@pytest.mark.parametrize("prefs", [np.full((4, 4), 0.5), ladder(4, 1.0)], ids=["even", "certain"])
def test_choices_equal_the_twin_with_extreme_preferences(name, prefs):
    assert_twins(name, prefs, STEPS, runs=5)


SETTINGS = [
    ("rmed1", {"j_after": True}),
    ("rmed1", {"competitor": "hardest"}),
    ("rmed1", {"random_order": True}),
    ("rmed1", {"variant": "chang-li"}),
    ("rmed1", {"f_scale": 0.0}),
    ("rmed1", {"f_scale": 1.0, "f_power": 0.5}),
    ("rmed2", {"j_after": True}),
    ("rmed2", {"alpha": 0.7}),
    ("rmed2", {"alpha": 8.0, "f_scale": 0.0}),
    ("rmed2", {"floor": 0.0}),
    ("rmed2", {"variant": "paper"}),
    ("rmed2fh", {"j_after": True, "f_scale": 0.1}),
    ("rmed2fh", {"alpha": 0.3}),
    ("rmed2fh", {"horizon": 10**9}),
    ("rmed2fh", {"horizon": 2}),
    ("rmed2fh", {"variant": "paper"}),
]


@pytest.mark.parametrize("name, settings", SETTINGS, ids=str)
def test_choices_equal_the_twin_with_settings(name, settings):
    assert_twins(name, CYCLIC, STEPS, runs=8, **settings)
    assert_twins(name, ladder(5, 0.1), STEPS, runs=3, **settings)


@pytest.mark.slow
@EVERY
def test_choices_equal_the_twin_in_long_runs(name):
    for prefs in (ladder(2), ladder(3), CYCLIC, ladder(6, 0.03)):
        assert_twins(name, prefs, [*STEPS, 5000, 12345, 20_000], runs=10)
    assert_twins(name, ladder(20, 0.04), [*STEPS, 5000, 10_000], runs=5)
    for _, settings in (case for case in SETTINGS if case[0] == name):
        assert_twins(name, CYCLIC, [*STEPS, 5000], runs=20, **settings)


@EVERY
@pytest.mark.parametrize("prefs", [ladder(2, 0.2), CYCLIC, ladder(6)], ids=len)
def test_skipping_changes_nothing(name, prefs):
    """Late in the run nearly all steps are skipped, and checkpoints fall among them."""
    configured = configure(TWINS[name][0].POLICY)
    steps = np.unique(np.geomspace(1, 400_000, 200).astype(np.int64))
    for run in range(2):
        skipping, stepping = (fast(configured, prefs, steps, 5, run, forward) for forward in (True, False))
        for one, other in zip(skipping, stepping):
            np.testing.assert_array_equal(one, other)
        assert skipping.selves[-1, 0] > 350_000
        assert skipping.recommended[-1] == 0


@EVERY
def test_run_of_one_step(name):
    trace = fast(configure(TWINS[name][0].POLICY), CYCLIC, [1], 0, 0)
    assert trace.duels.tolist() == [[1, 1, 0, 0]]  # pairs come in order


# Empirical divergences, computed by hand


def exact_divergence(won, lost):
    with localcontext() as context:
        context.prec = 60
        n = Decimal(won + lost)
        parts = [count * (count / n).ln() for count in (Decimal(won), Decimal(lost)) if count]
        return float(n * Decimal(2).ln() + sum(parts))


def test_divergence_of_wins_and_losses():
    assert divergence(0, 1) == math.log(2)
    assert divergence(0, 7) == 7 * math.log(2)
    for even_or_ahead in [(0, 0), (4, 4), (2**40, 2**40), (5, 2), (2**40 + 1, 2**40)]:
        assert divergence(*even_or_ahead) == 0.0
    counts = [(1, 2), (1, 1000), (49, 51), (499_999, 500_001), (10**9, 10**9 + 1), (2**40, 2**40 + 2**20)]
    for won, lost in [*counts, (2**31, 2**33)]:
        assert divergence(won, lost) == pytest.approx(exact_divergence(won, lost), rel=1e-14)
    assert divergence(1, 2**40) == pytest.approx(exact_divergence(1, 2**40), rel=1e-12)


def divergences_after(wins):
    """Return the divergences after wins[i][j] duels of every pair (i, j) that i won, in order."""
    divergences = no_divergences(len(wins))
    for winner, loser in np.argwhere(wins):
        for _ in range(wins[winner][loser]):
            record_win(divergences, winner, loser)
    return divergences


def test_divergence_sums_the_pairs_that_an_arm_trails():
    divergences = divergences_after(np.array([[0, 3, 2], [1, 0, 0], [2, 5, 0]]))
    assert divergences.total.tolist() == [0.0, divergence(1, 3) + divergence(0, 5), 0.0]
    assert divergences.now[0].i_star == 0  # the lowest of equals
    assert divergences.rate.tolist() == [[0.5, 0.75, 0.5], [0.25, 0.5, 0.0], [0.5, 1.0, 0.5]]


def test_even_pair_leaves_no_rounding_error():
    """Terms are replaced and never subtracted: after 30 lost and 30 won duels the term is exactly zero."""
    divergences = divergences_after(np.array([[0, 0, 3], [30, 0, 1], [4, 1, 0]]))
    for _ in range(30):
        record_win(divergences, 0, 1)
    assert divergences.total[0] == divergence(3, 4)
    assert divergences.total[1] == 0.0


def test_recommendation_of_equal_divergences_is_the_arm_that_leads_most_others():
    divergences = divergences_after(np.array([[0, 0, 0], [0, 0, 2], [0, 0, 0]]))
    assert (divergences.now[0].i_star, likeliest_winner(divergences, divergences_room(3))) == (0, 1)


# Algorithms 2 and 3


def test_rmed1_opponent():
    rate = np.array([[0.5, 0.6, 0.7, 0.7], [0.4, 0.5, 0.3, 0.9], [0.3, 0.7, 0.5, 0.2], [0.3, 0.1, 0.8, 0.5]])
    assert [rmed1_opponent(rate, arm, 0) for arm in range(4)] == [0, 0, 0, 0]
    assert rmed1_opponent(rate, 1, 3) == 2  # leads 3: the arm that it lost to most
    assert rmed1_opponent(rate, 0, 3) == 3  # leads all arms
    assert rmed1_opponent(rate, 3, 3) == 1
    rate[1, 3] = rate[3, 1] = 0.5
    assert rmed1_opponent(rate, 1, 3) == 3  # an even pair counts as an opponent


def cyclic_divergences():
    """Return the divergences after 100 duels of each pair, with the win rates of CYCLIC."""
    return divergences_after(np.rint(100 * (CYCLIC - 0.5 * np.eye(4))).astype(int))


def test_cheapest_opponent():
    """Arm 1 loses by 0.4 to arm 3, a duel that costs 0.2; to the winner by 0.1, where a duel costs 0.1."""
    divergences = cyclic_divergences()
    assert 0.2 / divergence(10, 90) < 0.1 / divergence(40, 60)
    assert [cheapest_opponent(divergences, arm, 0.01) for arm in range(4)] == [-1, 3, 1, 2]
    assert cheapest_opponent(divergences, 1, 5.0) == 3
    assert cheapest_opponent(divergences_after(np.array([[0, 9, 0], [0, 0, 1], [0, 0, 0]])), 2, 0.01) == 1


def test_with_a_large_floor_all_duels_cost_the_same():
    """The duel of arm 2 with i* costs 0.1, with arm 1 it costs 0.5; the divergences are 0.02 and 0.03."""
    divergences = divergences_after(np.array([[0, 90, 60], [10, 0, 62], [40, 38, 0]]))
    assert cheapest_opponent(divergences, 2, 0.01) == 0
    assert cheapest_opponent(divergences, 2, 0.6) == 1


def test_rmed2_opponent_is_the_cheapest_if_i_star_has_enough_duels():
    divergences = cyclic_divergences()
    for _ in range(100):
        record_win(divergences, 3, 1)
    assert rmed2_opponent(divergences, 1, 3, 2.0) == 3  # 100 >= 200 / 2
    assert rmed2_opponent(divergences, 1, 3, 1.99) == 0
    assert rmed2_opponent(divergences, 1, 3, 0.0) == 3  # ln ln t is not positive yet
    assert rmed2_opponent(divergences, 1, 2, 2.0) == 0  # arm 1 leads arm 2
    assert rmed2_opponent(divergences, 0, -1, 2.0) == 0
    divergences.now[0].i_star = 1
    assert rmed2_opponent(divergences, 1, 3, 0.01) == 3  # i* has no duels with itself


# Steps that are known in advance


def test_step_when_log_reaches_a_level_is_the_first():
    for distance in np.linspace(-3, 8, 300):
        for offset in (0.0, 0.3, 42.854):
            t = step_when_log_reaches(distance + offset, offset)
            assert distance + offset <= math.log(t) + offset
            assert t == 1 or distance + offset > math.log(t - 1) + offset
    assert step_when_log_reaches(math.log(10.0**12), 0.0) == 10**12
    assert step_when_log_reaches(math.inf, 1.0) == NEVER


def test_steps_of_the_sweeps():
    """alpha ln ln t exceeds 1, 2, ..., 8 for alpha = 3 after t = 4.0, 7.0, 15.2, 44.4, 199.2, ..."""
    first = [5, 8, 16, 45, 200, 1619, 30_100, 1_779_631]
    assert [step_when_log_log_exceeds(fewest, 3.0) for fewest in range(1, 9)] == first
    assert step_when_log_log_exceeds(0, 3.0) == 3  # ln ln t is positive from t = 3
    assert step_when_log_log_exceeds(11, 3.0) == NEVER
    assert step_when_log_log_exceeds(2**40, 0.5) == NEVER


# The loops of Algorithm 1


def started(name, n_arms, horizon=10**13):
    """Return (policy, state, params, rng) before the first step."""
    configured = configure(TWINS[name][0].POLICY)
    params, rng = kernel_params(configured, horizon), np.random.default_rng(0)
    return configured.thing, configured.thing.init(n_arms, params, rng), params, rng


@EVERY
def test_tied_duel_changes_nothing(name):
    """The same pair is chosen until it is decided, and the run continues as without ties."""
    states = []
    for repeats in (1, 3):
        policy, state, params, rng = started(name, 4, horizon=400)
        users = generators(0, 0)[1]
        for _ in range(400):
            pairs = {policy.select(state, params, rng) for _ in range(repeats)}
            ((first, second),) = pairs
            first_won = first == second or matrix_duel(CYCLIC, first, second, users)
            policy.update(state, params, first, second, first_won)
        states.append(state)
    for one, other in zip(*([state.sweep, *state.lists, *state.divergences] for state in states)):
        np.testing.assert_array_equal(one, other)


@EVERY
def test_initial_sweeps_are_in_order(name):
    policy, state, params, rng = started(name, 4, horizon=10**4)
    pairs = []
    for _ in range(43):
        pairs.append(tuple(map(int, policy.select(state, params, rng))))
        policy.update(state, params, *pairs[-1], True)
    once = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    n_first = 6
    if name == "rmed2":  # each pair up to 3 ln ln t, which passes 2 before t = 8 and 3 before t = 16
        once += [pair for pair, times in zip(once, [2, 2, 2, 2, 3, 3]) for _ in range(times)]
        n_first = 20
    if name == "rmed2fh":  # ceil(3 ln ln 10^4) = 7 sweeps
        once *= 7
        n_first = 42
    assert pairs[:n_first] == once
    assert pairs[n_first][0] == np.random.default_rng(0).permutation(4)[0]


@EVERY
def test_trillion_steps_and_large_counts(name):
    """An arm that leads by 2^33 duels duels itself for 10^12 steps, and the divergences are exact after."""
    policy, state, params, rng = started(name, 3)
    divergences, now = state.divergences, state.lists.now[0]
    divergences.wins[:] = [[0, 2**33, 2**33], [2**32, 0, 2**33], [2**32, 2**33 - 1, 0]]
    for winner, loser in [(0, 1), (0, 2), (1, 2)]:
        record_win(divergences, winner, loser)
    state.lists.current[0], now.n_current, state.sweep[0].fewest = 0, 1, 2**33
    self_duels = np.zeros(3, np.int64)
    assert policy.idle(state, params, 10**12, self_duels, rng) == 10**12
    assert (self_duels.tolist(), now.clock) == ([10**12, 0, 0], 10**12)
    assert policy.select(state, params, rng) == (0, 0)
    policy.update(state, params, 0, 0, True)
    assert (now.clock, now.n_current, state.lists.current[0]) == (10**12 + 1, 1, 0)
    assert divergences.total[2] == pytest.approx(
        exact_divergence(2**32, 2**33 + 1) + exact_divergence(2**33 - 1, 2**33 + 1), rel=1e-12
    )
    assert policy.recommend(state, params) == 0
