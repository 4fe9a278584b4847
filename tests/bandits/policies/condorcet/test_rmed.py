"""RMED1, RMED2, RMED2FH: the fast forms are their naive twins, choice by choice; exact values by hand."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from naive.policies.rmed1 import Rmed1
from naive.policies.rmed2 import Rmed2
from naive.policies.rmed2fh import Rmed2fh
from support.policies import CYCLIC, assert_same_choices, fast, generators, ladder

from bandits.contract import configure
from bandits.matrix_duels import matrix_duel
from bandits.parts.bounds import NEVER
from bandits.parts.relative_entropy import divergence
from bandits.parts.rmed.candidate_rounds import CLOCK, FEWEST, LENGTH, admitted_from, tour_from
from bandits.parts.rmed.divergence import (
    cheapest_opponent,
    likely_opponent,
    most_plausible,
    no_divergences,
    note_win,
    refuting_opponent,
)
from bandits.policies.condorcet import rmed1, rmed2, rmed2fh
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

TWINS = {"rmed1": (rmed1, Rmed1), "rmed2": (rmed2, Rmed2), "rmed2fh": (rmed2fh, Rmed2fh)}
STEPS = [1, 2, 3, 10, 30, 100, 400, 700]
EVERY = pytest.mark.parametrize("name", TWINS)


def assert_twins(name, prefs, steps, runs, **settings):
    module, twin = TWINS[name]
    assert_same_choices(twin, configure(module.POLICY, **settings), prefs, steps, runs)


@EVERY
@pytest.mark.parametrize("prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8)], ids=len)
def test_choices_are_the_twins(name, prefs):
    assert_twins(name, prefs, STEPS, runs=20)


@EVERY
def test_choices_among_many_arms_are_the_twins(name):
    # Past the initial 190 pairs of RMED1; past the 1,330 steps of the first tours of the others.
    assert_twins(name, ladder(20, 0.04), [190, 191, 500, 1300, 1500, 2000], runs=2)


@EVERY
@pytest.mark.parametrize("prefs", [np.full((4, 4), 0.5), ladder(4, 1.0)], ids=["even", "certain"])
def test_extreme_preferences_are_the_twins(name, prefs):
    assert_twins(name, prefs, STEPS, runs=5)


SWITCHES = [
    ("rmed1", {"j_after": True}),
    ("rmed1", {"competitor": "hardest"}),
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


@pytest.mark.parametrize("name, settings", SWITCHES, ids=str)
def test_switches_are_the_twins(name, settings):
    assert_twins(name, CYCLIC, STEPS, runs=8, **settings)
    assert_twins(name, ladder(5, 0.1), STEPS, runs=3, **settings)


@pytest.mark.slow
@EVERY
def test_long_runs_are_the_twins(name):
    for prefs in (ladder(2), ladder(3), CYCLIC, ladder(6, 0.03)):
        assert_twins(name, prefs, [*STEPS, 5000, 12345, 20_000], runs=10)
    assert_twins(name, ladder(20, 0.04), [*STEPS, 5000, 10_000], runs=5)
    for _, settings in (switch for switch in SWITCHES if switch[0] == name):
        assert_twins(name, CYCLIC, [*STEPS, 5000], runs=20, **settings)


@EVERY
@pytest.mark.parametrize("prefs", [ladder(2, 0.2), CYCLIC, ladder(6)], ids=len)
def test_skipped_stretches_are_the_steps(name, prefs):
    """After so many steps nearly all are skipped, and checkpoints fall inside of stretches."""
    configured = configure(TWINS[name][0].POLICY)
    steps = np.unique(np.geomspace(1, 400_000, 200).astype(np.int64))
    for run in range(2):
        skipping, stepping = (fast(configured, prefs, steps, 5, run, forward) for forward in (True, False))
        for one, other in zip(skipping, stepping):
            np.testing.assert_array_equal(one, other)
        assert skipping.selves[-1, 0] > 350_000
        assert skipping.recommended[-1] == 0


@EVERY
def test_a_run_of_one_step(name):
    trace = fast(configure(TWINS[name][0].POLICY), CYCLIC, [1], 0, 0)
    assert trace.duels.tolist() == [[1, 1, 0, 0]]  # pairs come in order


# The pieces, by hand.


def exact_divergence(won, lost):
    with localcontext() as context:
        context.prec = 60
        n = Decimal(won + lost)
        parts = [count * (count / n).ln() for count in (Decimal(won), Decimal(lost)) if count]
        return float(n * Decimal(2).ln() + sum(parts))


def test_divergence_of_a_record():
    assert divergence(0, 1) == math.log(2)
    assert divergence(0, 7) == 7 * math.log(2)
    for level_or_ahead in [(0, 0), (4, 4), (2**40, 2**40), (5, 2), (2**40 + 1, 2**40)]:
        assert divergence(*level_or_ahead) == 0.0
    records = [(1, 2), (1, 1000), (49, 51), (499_999, 500_001), (10**9, 10**9 + 1), (2**40, 2**40 + 2**20)]
    for won, lost in [*records, (2**31, 2**33)]:
        assert divergence(won, lost) == pytest.approx(exact_divergence(won, lost), rel=1e-14)
    assert divergence(1, 2**40) == pytest.approx(exact_divergence(1, 2**40), rel=1e-12)


def table_of(wins):
    """Divergences after these duels, in the order of the pairs."""
    table = no_divergences(len(wins))
    for winner, loser in np.argwhere(wins):
        for _ in range(wins[winner][loser]):
            note_win(table, winner, loser)
    return table


def test_totals_add_up_the_lost_pairs():
    table = table_of(np.array([[0, 3, 2], [1, 0, 0], [2, 5, 0]]))
    assert table.total.tolist() == [0.0, divergence(1, 3) + divergence(0, 5), 0.0]
    assert table.best[0] == 0  # the lowest of equals
    assert table.rate.tolist() == [[0.5, 0.75, 0.5], [0.25, 0.5, 0.0], [0.5, 1.0, 0.5]]


def test_a_level_pair_leaves_no_trace_in_the_total():
    """Terms are replaced and never subtracted: after 30 lost and 30 won duels the total is zero again."""
    table = table_of(np.array([[0, 0, 3], [30, 0, 1], [4, 1, 0]]))
    for _ in range(30):
        note_win(table, 0, 1)
    assert table.total[0] == divergence(3, 4)
    assert table.total[1] == 0.0


def test_ties_of_the_recommendation_go_to_who_leads_more():
    table = table_of(np.array([[0, 0, 0], [0, 0, 2], [0, 0, 0]]))
    assert (table.best[0], most_plausible(table)) == (0, 1)


def test_likely_opponent():
    rate = np.array([[0.5, 0.6, 0.7, 0.7], [0.4, 0.5, 0.3, 0.9], [0.3, 0.7, 0.5, 0.2], [0.3, 0.1, 0.8, 0.5]])
    assert [likely_opponent(rate, arm, 0) for arm in range(4)] == [0, 0, 0, 0]
    assert likely_opponent(rate, 1, 3) == 2  # has beaten 3: who beat it most
    assert likely_opponent(rate, 0, 3) == 3  # nobody beat it
    assert likely_opponent(rate, 3, 3) == 1
    rate[1, 3] = rate[3, 1] = 0.5
    assert likely_opponent(rate, 1, 3) == 3  # level is not ahead


def cyclic_table():
    """100 duels of each pair, as CYCLIC has it."""
    return table_of(np.rint(100 * (CYCLIC - 0.5 * np.eye(4))).astype(int))


def test_cheapest_opponent():
    """Arm 1 loses by 0.4 to arm 3, a duel that costs 0.2; to the winner by 0.1, where a duel costs 0.1."""
    table = cyclic_table()
    assert 0.2 / divergence(10, 90) < 0.1 / divergence(40, 60)
    assert [cheapest_opponent(table, arm, 0.01) for arm in range(4)] == [-1, 3, 1, 2]
    assert cheapest_opponent(table, 1, 5.0) == 3
    assert cheapest_opponent(table_of(np.array([[0, 9, 0], [0, 0, 1], [0, 0, 0]])), 2, 0.01) == 1


def test_a_floor_makes_all_pairs_cost_the_same():
    """By cost alone arm 2 would meet the winner (0.1 per duel), not arm 1 (0.5); divergences: 0.02, 0.03."""
    wins = np.array([[0, 90, 60], [10, 0, 62], [40, 38, 0]])
    table = table_of(wins)
    assert cheapest_opponent(table, 2, 0.01) == 0
    assert cheapest_opponent(table, 2, 0.6) == 1


def test_the_cheapest_opponent_waits_for_the_winner():
    table = cyclic_table()
    for _ in range(100):
        note_win(table, 3, 1)
    assert refuting_opponent(table, 1, 3, 2.0) == 3  # 100 >= 200 / 2
    assert refuting_opponent(table, 1, 3, 1.99) == 0
    assert refuting_opponent(table, 1, 3, 0.0) == 3  # too early to ask
    assert refuting_opponent(table, 1, 2, 2.0) == 0  # arm 1 leads arm 2
    assert refuting_opponent(table, 0, -1, 2.0) == 0
    table.best[0] = 1
    assert refuting_opponent(table, 1, 3, 0.01) == 3  # the winner itself need not wait


def test_admission_step_is_the_first():
    for distance in np.linspace(-3, 8, 300):
        for slack in (0.0, 0.3, 42.854):
            t = admitted_from(distance + slack, slack)
            assert distance + slack <= math.log(t) + slack
            assert t == 1 or distance + slack > math.log(t - 1) + slack
    assert admitted_from(math.log(10.0**12), 0.0) == 10**12
    assert admitted_from(math.inf, 1.0) == NEVER


def test_tour_steps():
    """alpha ln ln t passes 1, 2, ..., 8 for alpha = 3 after t = 4.0, 7.0, 15.2, 44.4, 199.2, ..."""
    first = [5, 8, 16, 45, 200, 1619, 30_100, 1_779_631]
    assert [tour_from(fewest, 3.0) for fewest in range(1, 9)] == first
    assert tour_from(0, 3.0) == 3  # ln ln t is positive from t = 3
    assert tour_from(11, 3.0) == NEVER
    assert tour_from(2**40, 0.5) == NEVER


def started(name, n_arms, horizon=10**13):
    """(policy, state, params, rng) before the first step."""
    configured = configure(TWINS[name][0].POLICY)
    params, rng = kernel_params(configured, horizon), np.random.default_rng(0)
    return configured.thing, configured.thing.init(n_arms, params, rng), params, rng


@EVERY
def test_a_duel_passed_over_changes_nothing(name):
    """The same pair is chosen until it is decided, and the run goes on as if it had been at once."""
    states = []
    for repeats in (1, 3):
        policy, state, params, rng = started(name, 4, horizon=400)
        users = generators(0, 0)[1]
        for _ in range(400):
            pairs = {policy.select(state, params, rng) for _ in range(repeats)}
            ((first, second),) = pairs
            policy.update(state, first, second, first == second or matrix_duel(CYCLIC, first, second, users))
        states.append(state)
    for one, other in zip(*([*state.table, *state.rounds] for state in states)):
        np.testing.assert_array_equal(one, other)


@EVERY
def test_first_tours_go_in_order(name):
    policy, state, params, rng = started(name, 4, horizon=10**4)
    pairs = []
    for _ in range(43):
        pairs.append(tuple(map(int, policy.select(state, params, rng))))
        policy.update(state, *pairs[-1], True)
    once = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    n_first = 6
    if name == "rmed2":  # each pair up to 3 ln ln t, which passes 2 before t = 8 and 3 before t = 16
        once += [pair for pair, times in zip(once, [2, 2, 2, 2, 3, 3]) for _ in range(times)]
        n_first = 20
    if name == "rmed2fh":  # ceil(3 ln ln 10^4) = 7 tours
        once *= 7
        n_first = 42
    assert pairs[:n_first] == once
    assert pairs[n_first][0] == np.random.default_rng(0).permutation(4)[0]


@EVERY
def test_long_stretches_and_large_counts(name):
    """An arm that leads by 2^33 duels plays itself through 10^12 steps, and then stays exact."""
    policy, state, params, rng = started(name, 3)
    table, rounds = state[0], state[1]
    table.wins[:] = [[0, 2**33, 2**33], [2**32, 0, 2**33], [2**32, 2**33 - 1, 0]]
    for winner, loser in [(0, 1), (0, 2), (1, 2)]:
        note_win(table, winner, loser)
    rounds.order[0], rounds.now[LENGTH] = 0, 1
    rounds.tour[FEWEST] = 2**33
    selves = np.zeros(3, np.int64)
    assert policy.idle(state, params, 10**12, selves, rng) == 10**12
    assert (selves.tolist(), rounds.now[CLOCK]) == ([10**12, 0, 0], 10**12)
    assert policy.select(state, params, rng) == (0, 0)
    policy.update(state, 0, 0, True)
    assert (rounds.now[CLOCK], rounds.now[LENGTH], rounds.order[0]) == (10**12 + 1, 1, 0)
    assert table.total[2] == pytest.approx(
        exact_divergence(2**32, 2**33 + 1) + exact_divergence(2**33 - 1, 2**33 + 1), rel=1e-12
    )
    assert policy.recommend(state) == 0
