"""Winner stays: rounds and iterations are the paper's search for the largest lead, choice by choice."""

import math

import numpy as np
import pytest
from naive.policies.winner_stays import WinnerStays
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from bandits.contract import configure
from bandits.matrix_duels import play_matrix
from bandits.parts.picks import NO_ARM
from bandits.policies.condorcet.winner_stays import BEST, FIRST, POLICY, RESTING, ROUND
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 100, 500, 1500]
WORLDS = [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)]


@pytest.mark.parametrize("regret", ["weak", "strong"])
@pytest.mark.parametrize("prefs", WORLDS, ids=len)
def test_choices_are_the_twins(prefs, regret):
    assert_same_choices(WinnerStays, configure(POLICY, regret=regret), prefs, STEPS, runs=12)


@pytest.mark.parametrize("beta", [1.01, 1.5, 2, 50])
def test_choices_are_the_twins_at_other_growths(beta):
    configured = configure(POLICY, regret="strong", beta=beta)
    assert_same_choices(WinnerStays, configured, CYCLIC, STEPS, runs=12)
    assert_same_choices(WinnerStays, configured, ladder(2), STEPS, runs=12)


@pytest.mark.parametrize(
    "prefs", [np.full((4, 4), 0.5), ladder(4, 0.5), ladder(2, 0.5)], ids=["ties", "sure", "two"]
)
@pytest.mark.parametrize("regret", ["weak", "strong"])
def test_choices_are_the_twins_in_extreme_worlds(prefs, regret):
    assert_same_choices(WinnerStays, configure(POLICY, regret=regret), prefs, STEPS, runs=8)


@pytest.mark.parametrize("n_arms", [2, 3, 7])
def test_leads_are_those_of_the_rounds(n_arms):
    """At the start of iteration k of round r the incumbent leads by (K - 1)(r - 1) + k - 1, the challenger by
    -(r - 1); arms met in this round by -r; and the pair stays until one of them is at -r."""
    params, rng = kernel_params(configure(POLICY), 1), np.random.default_rng(n_arms)
    prefs, state = ladder(n_arms, 0.04), POLICY.init(n_arms, kernel_params(configure(POLICY), 1), rng)
    round_, iteration, pair = 1, 1, ()
    for _ in range(3000):
        chosen = POLICY.select.py_func(state, params, rng)
        first, second = map(int, chosen)
        if not pair:
            pair = {first, second}
            leads = sorted(int(state.lead[arm]) for arm in pair)
            assert leads == sorted([(n_arms - 1) * (round_ - 1) + iteration - 1, -(round_ - 1)])
            others = sorted(int(lead) for arm, lead in enumerate(state.lead) if arm not in pair)
            assert others == [-round_] * (iteration - 1) + [-(round_ - 1)] * (n_arms - 1 - iteration)
        assert {first, second} == pair
        assert state.now[ROUND] == round_ and state.lead[first] >= state.lead[second]
        POLICY.update.py_func(state, first, second, rng.random() < prefs[first, second])
        assert state.lead.sum() == 0
        if min(state.lead[first], state.lead[second]) == -round_:
            loser = min(pair, key=lambda arm: state.lead[arm])
            kept = pair - {loser}
            iteration, pair = iteration + 1, set()
            if iteration == n_arms:
                round_, iteration = round_ + 1, 1
                assert state.now[BEST] in kept and POLICY.recommend.py_func(state) in kept
                # The loser of the last iteration is the first challenger of the next round.
                assert set(POLICY.select.py_func(state, params, rng)) == kept | {loser}
    assert round_ > 5


def test_a_sure_winner_needs_one_duel_per_arm_and_rests_in_between():
    """With sure outcomes every round after the first takes K - 1 duels, and round r is followed by
    floor(1.7^r) steps of rest."""
    n_arms, horizon = 5, 5000
    trace = fast(
        configure(POLICY, regret="strong", beta=1.7), ladder(n_arms, 0.5), range(1, horizon + 1), 3, 0
    )
    rests = np.diff(trace.selves[:, 0], prepend=0)
    expected = [0] * int(rests.argmax())  # the duels of the first round
    for r in range(1, 20):
        expected += [1] * math.floor(1.7**r) + [0] * (n_arms - 1)
    assert len(expected) > horizon
    np.testing.assert_array_equal(rests, expected[:horizon])


def test_weak_regret_stops_growing():
    """50 arms in a total order, each beating all later ones with chance .8: steps without the best arm, as
    computed independently. With 400 runs one standard error is 1.0 to 2.1 per cent; four are allowed."""
    prefs = np.where(np.triu(np.ones((50, 50)), 1) > 0, 0.8, 0.2)
    np.fill_diagonal(prefs, 0.5)
    steps = np.array([100, 300, 500, 1000, 2000])
    traces = [play_matrix(configure(POLICY), prefs, 2000, run=run, steps=steps) for run in range(400)]
    regret = np.array([trace.steps - trace.duels[:, 0] - trace.selves[:, 0] for trace in traces])
    error = regret.std(axis=0, ddof=1) / np.sqrt(len(regret))
    assert (np.abs(regret.mean(axis=0) - [66.4, 101.1, 107.4, 107.8, 107.8]) < 4 * error + 0.05).all()
    assert sum(trace.recommended[-1] == 0 for trace in traces) >= 396


def test_idle_stops_at_the_limit_and_where_the_rest_ends():
    params = kernel_params(configure(POLICY, regret="strong", beta=3), 1)
    rng, selves = np.random.default_rng(0), np.zeros(2, np.int64)
    state = POLICY.init(2, params, rng)
    assert POLICY.idle(state, params, 10, selves, rng) == 0
    assert POLICY.recommend(state) == NO_ARM
    first, second = POLICY.select(state, params, rng)
    POLICY.update(state, first, second, False)  # one duel is a round of two arms; then 3 steps of rest
    assert POLICY.recommend(state) == second
    assert POLICY.idle(state, params, 2, selves, rng) == 2
    assert POLICY.select(state, params, rng) == (second, second)
    assert POLICY.idle(state, params, 2, selves, rng) == 1
    assert POLICY.idle(state, params, 2, selves, rng) == 0
    assert selves[second] == 3 and selves[first] == 0
    assert set(POLICY.select(state, params, rng)) == {0, 1}


def test_strong_answers_the_winner_of_the_last_round_and_weak_the_leader():
    for regret in ("weak", "strong"):
        params = kernel_params(configure(POLICY, regret=regret), 1)
        rng = np.random.default_rng(0)
        state = POLICY.init(2, params, rng)
        first, second = map(int, POLICY.select(state, params, rng))
        POLICY.update(state, first, second, True)
        state.now[RESTING] = 0
        assert POLICY.recommend(state) == first
        for _ in range(2):  # leads 1, -1; 0, 0; -1, 1: the other is ahead, and nobody at -2 yet
            pair = POLICY.select(state, params, rng)
            POLICY.update(state, *pair, bool(pair[0] == second))
        assert state.lead[second] == 1
        assert POLICY.recommend(state) == (first if regret == "strong" else second)


def test_late_rounds_overflow_nothing():
    params = kernel_params(configure(POLICY, regret="strong", beta=10), 1)
    state = POLICY.init(2, params, None)
    r = 2**40
    state.lead[:], state.now[:4] = [r - 1, 1 - r], [0, 1, r, 0]
    POLICY.update(state, 0, 1, True)
    assert state.lead.tolist() == [r, -r]
    assert state.now[ROUND] == r + 1 and state.now[FIRST] == 0
    assert state.now[RESTING] == 2**60
    selves = np.zeros(2, np.int64)
    assert POLICY.idle(state, params, 10**12, selves, np.random.default_rng(0)) == 10**12 == selves[0]
