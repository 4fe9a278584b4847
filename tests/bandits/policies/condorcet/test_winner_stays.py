"""Test that Winner stays chooses the pairs of its literal twin, tests/naive/policies/winner_stays.py.

The twin searches for the two largest leads in every step; the policy has rounds and iterations.
"""

import math

import numpy as np
import pytest
from naive.policies.winner_stays import WinnerStays
from support.policies import CYCLIC, assert_same_choices, fast, ladder, state_after

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_runs import play_matrix
from rankduel.bandits.parts.picks import NO_ARM
from rankduel.bandits.policies.condorcet.winner_stays import POLICY
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 100, 500, 1500]
PREFERENCES = [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)]


@pytest.mark.parametrize("regret", ["weak", "strong"])
@pytest.mark.parametrize("prefs", PREFERENCES, ids=len)
def test_choices_equal_the_twin(prefs, regret):
    assert_same_choices(WinnerStays, configure(POLICY, regret=regret), prefs, STEPS, runs=12)


@pytest.mark.parametrize("beta", [1.01, 1.5, 2, 50])
def test_choices_equal_the_twin_with_other_beta(beta):
    configured = configure(POLICY, regret="strong", beta=beta)
    assert_same_choices(WinnerStays, configured, CYCLIC, STEPS, runs=12)
    assert_same_choices(WinnerStays, configured, ladder(2), STEPS, runs=12)


@pytest.mark.parametrize(
    "prefs", [np.full((4, 4), 0.5), ladder(4, 0.5), ladder(2, 0.5)], ids=["equal", "certain", "two"]
)
@pytest.mark.parametrize("regret", ["weak", "strong"])
def test_choices_equal_the_twin_with_extreme_preferences(prefs, regret):
    assert_same_choices(WinnerStays, configure(POLICY, regret=regret), prefs, STEPS, runs=8)


@pytest.mark.parametrize("n_arms", [2, 3, 7])
def test_leads_are_those_of_the_rounds(n_arms):
    """At the start of iteration k of round r the incumbent leads by (K - 1)(r - 1) + k - 1, the challenger by
    -(r - 1); arms met in this round by -r; and the pair stays until one of them is at -r."""
    params, rng = kernel_params(configure(POLICY), 1), np.random.default_rng(n_arms)
    prefs, state = ladder(n_arms, 0.04), POLICY.init(n_arms, params, rng)
    now, round_number, iteration, pair = state.now[0], 1, 1, set()
    for _ in range(3000):
        first, second = map(int, POLICY.select.py_func(state, params, rng))
        if not pair:
            pair = {first, second}
            leads = sorted(int(state.lead[arm]) for arm in pair)
            assert leads == sorted([(n_arms - 1) * (round_number - 1) + iteration - 1, -(round_number - 1)])
            others = sorted(int(lead) for arm, lead in enumerate(state.lead) if arm not in pair)
            met, unmet = [-round_number] * (iteration - 1), [1 - round_number] * (n_arms - 1 - iteration)
            assert others == met + unmet
        assert {first, second} == pair
        assert now.round_number == round_number and state.lead[first] >= state.lead[second]
        POLICY.update.py_func(state, params, first, second, rng.random() < prefs[first, second])
        assert state.lead.sum() == 0
        if min(state.lead[first], state.lead[second]) == -round_number:
            loser = min(pair, key=lambda arm: state.lead[arm])
            (winner,) = pair - {loser}
            iteration, pair = iteration + 1, set()
            if iteration == n_arms:
                round_number, iteration = round_number + 1, 1
                assert now.winner == winner == POLICY.recommend.py_func(state, params)
                # The loser of the last iteration is the first challenger of the next round.
                assert set(POLICY.select.py_func(state, params, rng)) == {winner, loser}
    assert round_number > 5


def test_round_r_is_followed_by_the_power_r_of_beta_self_duels():
    """With certain outcomes every round after the first has K - 1 duels, and round r is followed by
    floor(1.7^r) self-duels."""
    n_arms, horizon = 5, 5000
    trace = fast(
        configure(POLICY, regret="strong", beta=1.7), ladder(n_arms, 0.5), range(1, horizon + 1), 3, 0
    )
    self_duels = np.diff(trace.selves[:, 0], prepend=0)
    expected = [0] * int(self_duels.argmax())  # the duels of the first round
    for r in range(1, 20):
        expected += [1] * math.floor(1.7**r) + [0] * (n_arms - 1)
    assert len(expected) > horizon
    np.testing.assert_array_equal(self_duels, expected[:horizon])


def test_weak_regret_stops_growing():
    """50 arms in a total order, each beating all later ones with probability 0.8: steps without the best arm,
    by an independent program. With 400 runs one standard error is 1.0 to 2.1 %; four are allowed."""
    prefs = np.where(np.triu(np.ones((50, 50)), 1) > 0, 0.8, 0.2)
    np.fill_diagonal(prefs, 0.5)
    steps = np.array([100, 300, 500, 1000, 2000])
    traces = [play_matrix(configure(POLICY), prefs, 2000, run=run, steps=steps) for run in range(400)]
    regret = np.array([trace.steps - trace.duels[:, 0] - trace.selves[:, 0] for trace in traces])
    error = regret.std(axis=0, ddof=1) / np.sqrt(len(regret))
    assert (np.abs(regret.mean(axis=0) - [66.4, 101.1, 107.4, 107.8, 107.8]) < 4 * error + 0.05).all()
    assert sum(trace.recommended[-1] == 0 for trace in traces) >= 396


def test_skip_ends_at_the_limit_and_at_the_last_self_duel():
    rng, self_duels = np.random.default_rng(0), np.zeros(2, np.int64)
    state, params = state_after(configure(POLICY, regret="strong", beta=3), np.zeros((2, 2), int))
    assert POLICY.idle(state, params, 10, self_duels, rng) == 0
    assert POLICY.recommend(state, params) == NO_ARM
    first, second = POLICY.select(state, params, rng)
    POLICY.update(state, params, first, second, False)  # a round of two arms, before 3 self-duels
    assert POLICY.recommend(state, params) == second
    assert POLICY.idle(state, params, 2, self_duels, rng) == 2
    assert POLICY.select(state, params, rng) == (second, second)
    assert POLICY.idle(state, params, 2, self_duels, rng) == 1
    assert POLICY.idle(state, params, 2, self_duels, rng) == 0
    assert self_duels[second] == 3 and self_duels[first] == 0
    assert set(POLICY.select(state, params, rng)) == {0, 1}


def test_recommends_the_winner_of_the_last_round_for_strong_regret_and_the_leader_for_weak():
    for regret in ("weak", "strong"):
        rng = np.random.default_rng(0)
        state, params = state_after(configure(POLICY, regret=regret), np.zeros((2, 2), int))
        first, second = map(int, POLICY.select(state, params, rng))
        POLICY.update(state, params, first, second, True)
        n_skipped = POLICY.idle(state, params, 10, np.zeros(2, np.int64), rng)
        assert n_skipped == (1 if regret == "strong" else 0)  # floor(beta) self-duels
        assert POLICY.recommend(state, params) == first
        for _ in range(2):  # leads 1, -1; 0, 0; -1, 1: the other arm leads, and none is at -2 yet
            pair = POLICY.select(state, params, rng)
            POLICY.update(state, params, *pair, bool(pair[0] == second))
        assert state.lead[second] == 1
        assert POLICY.recommend(state, params) == (first if regret == "strong" else second)


def test_number_of_self_duels_does_not_overflow_in_late_rounds():
    params = kernel_params(configure(POLICY, regret="strong", beta=10), 1)
    state, r = POLICY.init(2, params, None), 2**40
    now, state.lead[:] = state.now[0], [r - 1, 1 - r]
    now.first, now.second, now.round_number, now.n_unmet = 0, 1, r, 0
    POLICY.update(state, params, 0, 1, True)
    assert state.lead.tolist() == [r, -r]
    assert now.round_number == r + 1 and now.first == now.winner == 0
    assert now.n_self_duels == 2**60
    self_duels = np.zeros(2, np.int64)
    assert POLICY.idle(state, params, 10**12, self_duels, np.random.default_rng(0)) == 10**12
    assert self_duels.tolist() == [10**12, 0]
