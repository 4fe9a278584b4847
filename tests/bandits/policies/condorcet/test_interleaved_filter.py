"""Test that Interleaved Filter chooses the pairs of its literal twin.

The twin is tests/naive/policies/interleaved_filter.py.
"""

import math

import numpy as np
import pytest
from naive.policies.interleaved_filter import InterleavedFilter
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_duels import gaps
from rankduel.bandits.matrix_runs import play_matrix
from rankduel.bandits.parts.picks import NO_ARM
from rankduel.bandits.policies.condorcet.interleaved_filter import POLICY
from rankduel.bandits.regret import strong_regret
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 100, 400, 1000, 2000]
SHORT_ROUNDS = {"horizon": 1}  # a loose error bound: rounds have tens of sweeps instead of hundreds
RNG = np.random.default_rng(0)


def begin(n_arms, horizon=100, candidate=0, **settings):
    """Return (state, params) before the first duel, with this arm as first candidate."""
    params = kernel_params(configure(POLICY, **settings), horizon)
    state = POLICY.init(n_arms, params, RNG)
    state.better[:] = np.arange(n_arms) == candidate
    state.now[0].n_better = 1
    return state, params


def set_round(state, candidate, opponents, lead, n_sweeps):
    """Set the candidate, its opponents and its lead over each of them, after `n_sweeps` sweeps."""
    now, n = state.now[0], len(opponents)
    now.candidate, now.n_opponents, now.n_sweeps = candidate, n, n_sweeps
    state.opponents[:n], state.lead[:n] = opponents, lead


def opponents_of(state):
    return state.opponents[: state.now[0].n_opponents].tolist()


def sweep(state, params, candidate_wins):
    """Play one sweep, in which candidate_wins[k] is the outcome against opponent k; return the pairs."""
    pairs = []
    for won in candidate_wins:
        pairs.append(POLICY.select(state, params, RNG))
        POLICY.update(state, params, *pairs[-1], won)
    return pairs


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
@pytest.mark.parametrize("version", [1, 2])
def test_choices_equal_the_twin(prefs, version):
    configured = configure(POLICY, version=version, **SHORT_ROUNDS)
    assert_same_choices(InterleavedFilter, configured, prefs, STEPS, runs=10)


@pytest.mark.parametrize("prefs", [np.full((5, 5), 0.5), ladder(5, 0.5), ladder(3, -0.5)], ids="=<>")
def test_choices_equal_the_twin_with_extreme_preferences(prefs):
    assert_same_choices(InterleavedFilter, configure(POLICY, **SHORT_ROUNDS), prefs, STEPS, runs=10)


def test_choices_equal_the_twin_with_the_horizon_of_the_run():
    assert_same_choices(InterleavedFilter, configure(POLICY), ladder(5, 0.2), [500, 1000, 3000], runs=10)
    assert_same_choices(InterleavedFilter, configure(POLICY), ladder(5, 0.2), [1], runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 20])
def test_choices_equal_the_twin_in_many_runs(version, n_arms):
    prefs = ladder(n_arms, 0.8 / n_arms)
    assert_same_choices(InterleavedFilter, configure(POLICY, version=version), prefs, [1000, 10_000], runs=5)
    configured = configure(POLICY, version=version, **SHORT_ROUNDS)
    assert_same_choices(InterleavedFilter, configured, prefs, [300, 1000, 3000], runs=50)


@pytest.mark.parametrize("candidate_wins", [True, False])
def test_no_arm_is_removed_before_the_lead_can_reach_the_threshold(candidate_wins):
    """The lead is at most n, and n^2 > 16 n ln(T K^2) needs n > 16 ln(T K^2), here 118.04."""
    state, params = begin(4)
    last = 16 * math.log(100 * 4**2)
    for _ in range(math.floor(last)):
        assert POLICY.survivors(state, params) == 4
        sweep(state, params, [candidate_wins] * 3)
    assert POLICY.survivors(state, params) == 4 and POLICY.recommend(state, params) == 0
    sweep(state, params, [candidate_wins] * 3)
    assert POLICY.survivors(state, params) == (1 if candidate_wins else 3)
    assert (POLICY.recommend(state, params) == 0) == candidate_wins


def test_sweep_has_every_opponent_once_in_order():
    state, params = begin(4, candidate=2)
    assert sweep(state, params, [True, False, True]) == [(2, 0), (2, 1), (2, 3)]
    assert state.lead[:3].tolist() == [1, -1, 1]


def test_pair_without_an_outcome_is_chosen_again():
    state, params = begin(3)
    for opponent in (1, 2, 1):
        assert POLICY.select(state, params, RNG) == (0, opponent)
        assert sweep(state, params, [True]) == [(0, opponent)]


@pytest.mark.parametrize("version, after", [(1, [1, 3, 5]), (2, [1])])
def test_confidently_better_arm_becomes_the_candidate(version, after):
    """Candidate 2 is confidently better than 0 and worse than 4; it leads 3 and 5, and 1 leads it."""
    state, params = begin(6, version=version)
    set_round(state, candidate=2, opponents=[0, 1, 3, 4, 5], lead=[200, -3, 1, -200, 3], n_sweeps=199)
    sweep(state, params, [True, False, True, False, True])
    assert POLICY.survivors(state, params) == 4 and POLICY.recommend(state, params) == 4
    assert POLICY.select(state, params, RNG) == (4, after[0])
    assert opponents_of(state) == after
    assert state.now[0].n_sweeps == 0 and not state.lead.any()
    assert POLICY.survivors(state, params) == len(after) + 1 and POLICY.recommend(state, params) == 4


def test_arm_level_with_the_old_candidate_is_not_removed():
    state, params = begin(4)
    set_round(state, candidate=0, opponents=[1, 2, 3], lead=[-1, -299, 0], n_sweeps=299)
    sweep(state, params, [True, False, True])
    POLICY.select(state, params, RNG)
    assert opponents_of(state) == [1]


def test_new_candidate_is_drawn_uniformly_from_the_better_arms():
    """Three arms are better than the candidate: each is drawn 300 times of 900, up to 4.5 standard errors."""
    rng, chosen = np.random.default_rng(5), np.zeros(5, int)
    for _ in range(900):
        state, params = begin(5)
        set_round(state, candidate=NO_ARM, opponents=[1, 2, 3, 4], lead=[0, 0, 0, 0], n_sweeps=0)
        state.now[0].n_better, state.better[:4] = 3, [True, False, True, True]
        chosen[POLICY.select(state, params, rng)[0]] += 1
    assert chosen[[0, 2]].sum() == 0
    assert np.abs(chosen[[1, 3, 4]] - 300).max() < 4.5 * math.sqrt(900 * 2 / 9)


def test_all_steps_are_skipped_after_one_arm_remains():
    trace = fast(configure(POLICY), ladder(2, 0.5), [100, 10**12], seed=1, run=0)
    n_sweeps = math.floor(16 * math.log(10**12 * 2**2)) + 1
    assert trace.duels[-1].tolist() == [n_sweeps, n_sweeps]
    assert trace.selves[-1].tolist() == [10**12 - n_sweeps, 0]
    assert trace.survivors.tolist() == [2, 1] and trace.recommended[-1] == 0


def test_large_counts_are_compared_exactly():
    """After 2^40 sweeps the threshold is sqrt(16 * 2^40 * ln(1600)) = 11,392,581.2."""
    for lead, n_opponents in ((11_392_580, 1), (11_392_581, 0)):
        state, params = begin(2, horizon=400)
        set_round(state, candidate=0, opponents=[1], lead=[lead], n_sweeps=2**40 - 1)
        sweep(state, params, [True])
        assert state.now[0].n_opponents == n_opponents


def test_other_versions_than_1_and_2_are_refused():
    for version in (0, 3, 1.5):
        with pytest.raises(PolicyError, match="version"):
            configure(POLICY, version=version)


@pytest.mark.slow
@pytest.mark.parametrize(
    "utility, published",
    [
        ([0.8, 0.2, 0.2, 0.2, 0.2, 0.2], [508, 1900, 1900]),
        ([0.8, 0.7, 0.575, 0.45, 0.325, 0.2], [288, 1915, 3922]),
    ],
    ids=["1good", "arith"],
)
def test_regret_with_a_linear_link(utility, published):
    """The settings of Ailon, Karnin and Joachims 2014, at 1000, 8000 and 32,000 steps.

    Regret of utilities is twice the strong regret. The expected numbers are means of 200 runs, as here.
    """
    utility = np.array(utility)
    prefs = (1 + utility[:, None] - utility) / 2
    steps = np.array([1000, 8000, 32_000])
    runs = [play_matrix(configure(POLICY), prefs, steps[-1], run=run, steps=steps) for run in range(200)]
    regret = np.array([2 * strong_regret(trace, gaps(prefs)) for trace in runs])
    error = np.sqrt(2 * regret.var(axis=0, ddof=1) / len(regret))
    assert (np.abs(regret.mean(axis=0) - published) < 4 * error + 0.5).all(), (regret.mean(axis=0), error)
