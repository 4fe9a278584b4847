"""Runs of a policy and of its naive twin, and comparisons of their distributions."""

import numpy as np
import pytest
from naive.policies import play_twin
from scipy import stats

from rankduel.bandits import POLICIES
from rankduel.bandits.catalogue import FAMILIES
from rankduel.bandits.loop import run_loop
from rankduel.bandits.matrix_duels import by_matrix, gaps
from rankduel.base.settings import kernel_params

# Compilation takes most of the time of a test. Properties that hardly depend on the policy are tested with
# one policy of each kind in the quick tests, and with all policies in the slow ones.
_SOME = ("rucb", "dts", "savage", "self_sparring", "ccb", "prefbest")
_LESS_USED = ("rts", "sparring", "versatile_db", "doubler", "multi_sbm", "rmed2", "rmed2fh")
_CONDORCET = set(FAMILIES["Condorcet winner"]) - set(_LESS_USED)


DUELING = {name: policy for name, policy in POLICIES.items() if not policy.sets}
FOR_SETS = {name: policy for name, policy in POLICIES.items() if policy.sets}


def policies(quick):
    """Return all policies for duels as parameters of a test; those not in `quick` are for the slow tests."""
    return [
        pytest.param(policy, id=name, marks=[] if name in quick else pytest.mark.compiling)
        for name, policy in DUELING.items()
    ]


MOST_QUICKLY, SOME_QUICKLY = policies([*_CONDORCET, *_SOME]), policies(_SOME)
CYCLIC = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])


def ladder(n_arms, step=0.05):
    """Return the matrix of a total order: p = 1/2 + step times the distance in the order, at most 1."""
    place = np.arange(n_arms)
    return np.clip(0.5 + step * (place[None, :] - place[:, None]), 0.0, 1.0)


def generators(seed, run):
    """Return the generators (rng, users) of one run."""
    return tuple(np.random.default_rng([seed, run, purpose]) for purpose in (0, 1))


def fast(configured, prefs, steps, seed, run, fast_forward=True):
    """Return the trace of one compiled run, without relabelling of arms."""
    n_arms, (rng, users) = len(prefs), generators(seed, run)
    loss = gaps(prefs) if (prefs[0] > 0.5).sum() == n_arms - 1 else np.zeros(n_arms)
    return run_loop(
        configured,
        by_matrix(prefs),
        loss,
        np.arange(n_arms),
        np.asarray(steps),
        rng,
        users,
        fast_forward=fast_forward,
    )


def with_horizon(configured, horizon):
    """Return the parameters for a twin: names instead of enum numbers, and with the horizon."""
    params = type(configured.params)(*(configured.get(name) for name in configured.params._fields))
    return params._replace(horizon=params.horizon or horizon) if "horizon" in params._fields else params


def state_after(configured, wins, horizon=1000):
    """Return (state, params) after ``wins[i][j]`` duels that i won against j, for every pair in order."""
    policy, params = configured.thing, kernel_params(configured, horizon)
    state = policy.init(len(wins), params, np.random.default_rng(0))
    for first, row in enumerate(wins):
        for second, n in enumerate(row):
            for _ in range(n):
                policy.update(state, params, first, second, True)
    return state, params


def slow(twin, configured, prefs, steps, seed, run):
    """Return (duels, selves) of one run of the naive twin with the same generators."""
    rng, users = generators(seed, run)
    made = twin(len(prefs), with_horizon(configured, int(steps[-1])), rng)
    return play_twin(made, prefs, list(steps), users)


def assert_same_choices(twin, configured, prefs, steps, runs, seed=0):
    """Assert that all counts equal those of the twin at every checkpoint, with and without skipping."""
    for run in range(runs):
        duels, selves = slow(twin, configured, prefs, steps, seed, run)
        for fast_forward in (True, False):
            trace = fast(configured, prefs, steps, seed, run, fast_forward)
            np.testing.assert_array_equal(trace.duels, duels, f"run {run}, fast_forward={fast_forward}")
            np.testing.assert_array_equal(trace.selves, selves, f"run {run}, fast_forward={fast_forward}")


def assert_same_numbers(one, other, standard_errors=4.5):
    """Assert that two samples (runs x checkpoints) have the same distribution.

    Means differ by at most `standard_errors`, and p of a Kolmogorov-Smirnov test is above 1e-5. Numbers are
    rounded first, because the last bits of equal regrets may differ.
    """
    one, other = np.round(one, 6), np.round(other, 6)
    spread = np.sqrt(one.var(axis=0, ddof=1) / len(one) + other.var(axis=0, ddof=1) / len(other))
    distance = np.abs(one.mean(axis=0) - other.mean(axis=0))
    assert (distance <= standard_errors * spread + 1e-9).all(), (
        distance / np.maximum(spread, 1e-12)
    ).tolist()
    for column in range(one.shape[1]):
        assert stats.ks_2samp(one[:, column], other[:, column], method="asymp").pvalue > 1e-5, column


def regrets(samples, loss):
    """Return the strong regret (runs x checkpoints) of (duels, selves) pairs."""
    return np.array([(0.5 * duels + selves) @ loss for duels, selves in samples])


def assert_same_law(twin, configured, prefs, steps, runs, slow_runs=None, seed=0):
    """Assert that regret and self-duels have the twin's distribution, with and without skipping."""
    loss = gaps(prefs)
    slow_samples = [slow(twin, configured, prefs, steps, seed, r) for r in range(slow_runs or runs)]
    for fast_forward in (True, False):
        traces = [fast(configured, prefs, steps, seed + 1, r, fast_forward) for r in range(runs)]
        samples = [(trace.duels, trace.selves) for trace in traces]
        assert_same_numbers(regrets(samples, loss), regrets(slow_samples, loss))
        idle_steps = [np.array([selves.sum(axis=1) for _, selves in s]) for s in (samples, slow_samples)]
        assert_same_numbers(*idle_steps)


def assert_same_pairs(count_one, count_other):
    """Assert that two tables of counts have the same distribution: a chi-square test with p above 1e-6."""
    table = np.array([np.ravel(count_one), np.ravel(count_other)], float)
    common = table[:, table.sum(axis=0) >= 10]
    rare = table.sum(axis=1) - common.sum(axis=1)
    table = np.column_stack([common, rare]) if rare.sum() >= 10 else common
    assert stats.chi2_contingency(table).pvalue > 1e-6, table.tolist()
