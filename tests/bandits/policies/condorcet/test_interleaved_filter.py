"""Interleaved Filter: the fast form is its naive twin, choice by choice."""

import math

import numpy as np
import pytest
from naive.policies.interleaved_filter import InterleavedFilter
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from bandits.contract import configure
from bandits.matrix_duels import gaps, play_matrix
from bandits.parts.picks import NO_ARM
from bandits.policies.condorcet.interleaved_filter import (
    CANDIDATE,
    N_HEIRS,
    N_OPPONENTS,
    N_SWEEPS,
    POLICY,
)
from bandits.regret import strong_regret
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params

pytestmark = pytest.mark.kernel

STEPS = [1, 2, 3, 10, 100, 400, 1000, 2000]
HURRIED = {"horizon": 1}  # errors are cheap: rounds end after tens of sweeps instead of hundreds
RNG = np.random.default_rng(0)


def begin(n_arms, horizon=100, candidate=0, **settings):
    """State and parameters, with this arm as first candidate."""
    params = kernel_params(configure(POLICY, **settings), horizon)
    state = POLICY.init(n_arms, params, RNG)
    state.heir[:] = np.arange(n_arms) == candidate
    state.now[N_HEIRS] = 1
    return state, params


def sweep(state, params, candidate_wins):
    """One sweep; candidate_wins[k] is the outcome against the k-th opponent. Returns the pairs."""
    pairs = []
    for won in candidate_wins:
        pairs.append(POLICY.select(state, params, RNG))
        POLICY.update(state, *pairs[-1], won)
    return pairs


@pytest.mark.parametrize(
    "prefs", [ladder(2), ladder(3), CYCLIC, ladder(5), ladder(8), ladder(20, 0.02)], ids=len
)
@pytest.mark.parametrize("version", [1, 2])
def test_choices_are_the_twins(prefs, version):
    hurried = configure(POLICY, version=version, **HURRIED)
    assert_same_choices(InterleavedFilter, hurried, prefs, STEPS, runs=10)


@pytest.mark.parametrize("prefs", [np.full((5, 5), 0.5), ladder(5, 0.5), ladder(3, -0.5)], ids="=<>")
def test_extreme_preferences_are_the_twins(prefs):
    assert_same_choices(InterleavedFilter, configure(POLICY, **HURRIED), prefs, STEPS, runs=10)


def test_the_runs_own_horizon_is_the_twins():
    assert_same_choices(InterleavedFilter, configure(POLICY), ladder(5, 0.2), [500, 1000, 3000], runs=10)
    assert_same_choices(InterleavedFilter, configure(POLICY), ladder(5, 0.2), [1], runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 20])
def test_many_choices_are_the_twins(version, n_arms):
    prefs = ladder(n_arms, 0.8 / n_arms)
    assert_same_choices(InterleavedFilter, configure(POLICY, version=version), prefs, [1000, 10_000], runs=5)
    hurried = configure(POLICY, version=version, **HURRIED)
    assert_same_choices(InterleavedFilter, hurried, prefs, [300, 1000, 3000], runs=50)


@pytest.mark.parametrize("candidate_wins", [True, False])
def test_nobody_leaves_before_sixteen_logarithms_of_sweeps(candidate_wins):
    """The lead is at most n, and n^2 > 16 n ln(T K^2) needs n > 16 ln(T K^2): here 118.04."""
    state, params = begin(4)
    last = 16 * math.log(100 * 4**2)
    for _ in range(math.floor(last)):
        assert POLICY.survivors(state) == 4
        sweep(state, params, [candidate_wins] * 3)
    assert POLICY.survivors(state) == 4 and POLICY.recommend(state) == 0
    sweep(state, params, [candidate_wins] * 3)
    assert POLICY.survivors(state) == (1 if candidate_wins else 3)
    assert (POLICY.recommend(state) == 0) == candidate_wins


def test_a_sweep_meets_every_opponent_once_in_order():
    state, params = begin(4, candidate=2)
    assert sweep(state, params, [True, False, True]) == [(2, 0), (2, 1), (2, 3)]
    assert state.lead[:3].tolist() == [1, -1, 1]


def test_a_duel_passed_over_comes_again():
    state, params = begin(3)
    for opponent in (1, 2, 1):
        assert POLICY.select(state, params, RNG) == (0, opponent)
        assert sweep(state, params, [True]) == [(0, opponent)]


@pytest.mark.parametrize("version, after", [(1, [1, 3, 5]), (2, [1])])
def test_a_new_candidate_takes_over(version, after):
    """Candidate 2 clearly beats 0 and loses to 4, leads 3 and 5, and is behind 1."""
    state, params = begin(6, version=version)
    state.opponents[:5], state.lead[:5] = [0, 1, 3, 4, 5], [200, -3, 1, -200, 3]
    state.now[[CANDIDATE, N_OPPONENTS, N_SWEEPS]] = 2, 5, 199
    sweep(state, params, [True, False, True, False, True])
    assert POLICY.survivors(state) == 4 and POLICY.recommend(state) == 4
    assert POLICY.select(state, params, RNG) == (4, after[0])
    assert state.opponents[: state.now[N_OPPONENTS]].tolist() == after
    assert state.now[N_SWEEPS] == 0 and not state.lead.any()
    assert POLICY.survivors(state) == len(after) + 1 and POLICY.recommend(state) == 4


def test_an_arm_level_with_the_old_candidate_stays():
    state, params = begin(4)
    state.opponents[:3], state.lead[:3] = [1, 2, 3], [-1, -299, 0]
    state.now[[CANDIDATE, N_OPPONENTS, N_SWEEPS]] = 0, 3, 299
    sweep(state, params, [True, False, True])
    POLICY.select(state, params, RNG)
    assert state.opponents[: state.now[N_OPPONENTS]].tolist() == [1]


def test_heirs_are_equally_likely():
    """Three arms are clearly better than the candidate; in 900 takeovers each has 300 +- 4.5 s.e."""
    rng, chosen = np.random.default_rng(5), np.zeros(5, int)
    for _ in range(900):
        state, params = begin(5)
        state.now[[CANDIDATE, N_HEIRS]] = NO_ARM, 3
        state.opponents[:4], state.heir[:4] = [1, 2, 3, 4], [True, False, True, True]
        state.now[N_OPPONENTS] = 4
        chosen[POLICY.select(state, params, rng)[0]] += 1
    assert chosen[[0, 2]].sum() == 0
    assert np.abs(chosen[[1, 3, 4]] - 300).max() < 4.5 * math.sqrt(900 * 2 / 9)


def test_the_rest_is_one_block():
    trace = fast(configure(POLICY), ladder(2, 0.5), [100, 10**12], seed=1, run=0)
    n_sweeps = math.floor(16 * math.log(10**12 * 2**2)) + 1
    assert trace.duels[-1].tolist() == [n_sweeps, n_sweeps]
    assert trace.selves[-1].tolist() == [10**12 - n_sweeps, 0]
    assert trace.survivors.tolist() == [2, 1] and trace.recommended[-1] == 0


def test_counts_beyond_32_bits():
    """After 2^40 sweeps the barrier is at sqrt(16 * 2^40 * ln(1600)) = 11 392 581.2."""
    for lead, stay in ((11_392_580, 1), (11_392_581, 0)):
        state, params = begin(2, horizon=400)
        state.opponents[0], state.lead[0] = 1, lead
        state.now[[CANDIDATE, N_OPPONENTS, N_SWEEPS]] = 0, 1, 2**40 - 1
        sweep(state, params, [True])
        assert state.now[N_OPPONENTS] == stay


def test_versions_are_one_and_two():
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
    """The settings of Ailon, Karnin and Joachims 2014, at 1 000, 8 000 and 32 000 steps.

    Their regret of utilities is twice ours. The numbers to compare with are means of 200 runs, as here.
    """
    utility = np.array(utility)
    prefs = (1 + utility[:, None] - utility) / 2
    steps = np.array([1000, 8000, 32_000])
    runs = [play_matrix(configure(POLICY), prefs, steps[-1], run=run, steps=steps) for run in range(200)]
    regret = np.array([2 * strong_regret(trace, gaps(prefs)) for trace in runs])
    error = np.sqrt(2 * regret.var(axis=0, ddof=1) / len(regret))
    assert (np.abs(regret.mean(axis=0) - published) < 4 * error + 0.5).all(), (regret.mean(axis=0), error)
