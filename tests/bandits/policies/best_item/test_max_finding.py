"""Test the number of comparisons and the errors of policies that find a maximum by sequential tests.

The model of Falahatgar et al. 2017: every arm beats all later arms with probability .6; epsilon = .05 and
delta = .1. KNOWN holds the mean number of comparisons of an independent program for 15 and 100 arms, from 100
runs; the numbers in the paper's figures, for Knockout and MallowsMPI, agree with them.
"""

import math

import numpy as np
import pytest
from support.best_items import equal_margins, n_duels

from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_runs import play_matrix
from rankduel.bandits.policies.best_item import (
    knockout,
    mallows_mpi,
    opt_max,
    plpac,
    seebs,
    seq_eliminate,
    soft_seq_eliminate,
    tournament_k,
)

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

DELTA = 0.1
KNOWN = {
    knockout: (1.04e4, 7.48e4),
    seq_eliminate: (1.10e4, 7.21e4),
    soft_seq_eliminate: (1.73e4, 1.11e5),
    tournament_k: (1.32e4, 9.30e4),
    plpac: (1.9e4, 1.76e5),
    mallows_mpi: (1.39e4, 1.08e5),
}


def found(module, prefs, runs, seed=0, **settings):
    """Return the numbers of duels and the answers of runs, all of which must finish."""
    configured = configure(module.POLICY, **settings)
    steps = np.array([10**8])
    traces = [play_matrix(configured, prefs, 1e8, run=run, steps=steps, seed=seed) for run in range(runs)]
    assert all(trace.finished[-1] for trace in traces)
    return np.array([n_duels(trace) for trace in traces]), np.array([t.recommended[-1] for t in traces])


def assert_rarely_wrong(wrong, delta=DELTA):
    """Assert that at most a share delta of the runs is wrong, + 4 standard errors."""
    assert wrong.mean() <= delta + 4 * math.sqrt(delta * (1 - delta) / len(wrong)), wrong.mean()


@pytest.mark.parametrize("module", KNOWN, ids=lambda module: module.POLICY.name)
@pytest.mark.parametrize("size", [0, 1], ids=["15 arms", "100 arms"])
def test_numbers_of_comparisons_are_known(module, size):
    """Within 4 standard errors, those of KNOWN taken as large as ours, and half a unit of its last digit."""
    n_arms, runs, known = (15, 100)[size], (400, 50)[size], KNOWN[module][size]
    duels, answers = found(module, equal_margins(n_arms), runs, delta=DELTA)
    error = duels.std(ddof=1) * math.sqrt(1 / runs + 1 / 100)
    rounding = 0.005 * 10 ** math.floor(math.log10(known))
    assert abs(duels.mean() - known) < 4 * error + rounding, (duels.mean(), error)
    assert_rarely_wrong(answers != 0)


@pytest.mark.parametrize("delta", [0.1, 0.3, 0.5])
def test_opt_max_is_rarely_wrong(delta):
    """Low and high deltas for 60 arms, of which only the first is good enough."""
    _, answers = found(opt_max, equal_margins(60), 100, delta=delta)
    assert_rarely_wrong(answers != 0, delta)


@pytest.mark.parametrize("module", [soft_seq_eliminate, opt_max], ids=["soft", "opt"])
def test_answers_need_only_moderate_transitivity(module):
    """Falahatgar et al. 2018: p_ij - 1/2 is random, and at least min(p_ik - 1/2, p_kj - 1/2) for k between.

    An arm is a correct answer if no other arm is better by more than epsilon.
    """
    n_arms, rng = 30, np.random.default_rng(1)
    edge = np.zeros((n_arms, n_arms))
    for gap in range(1, n_arms):
        for i in range(n_arms - gap):
            j = i + gap
            least = max((min(edge[i, k], edge[k, j]) for k in range(i + 1, j)), default=0.0)
            edge[i, j] = max(least, rng.choice([0.01, 0.08, 0.2]))
            edge[j, i] = -edge[i, j]
    correct = np.flatnonzero(edge.max(axis=0) <= 0.05)
    _, answers = found(module, 0.5 + edge, 100, delta=DELTA)
    assert 0 in correct and len(correct) < n_arms / 2
    assert_rarely_wrong(~np.isin(answers, correct))


def test_opt_max_takes_more_comparisons_than_soft_seq_elim():
    """As in figures 1 to 3 of the paper; 40 runs of each."""
    (soft, _), (opt, _) = (found(module, equal_margins(100), 40) for module in (soft_seq_eliminate, opt_max))
    assert opt.mean() > soft.mean() + 4 * math.hypot(soft.std(), opt.std()) / math.sqrt(40)


@pytest.mark.parametrize("k", [3, 10])
def test_tournament_finds_the_best_k(k):
    """In 50 runs with 40 arms."""
    configured = configure(tournament_k.POLICY, k=k)
    traces = [
        play_matrix(configured, equal_margins(40), 1e8, run=run, steps=np.array([10**8])) for run in range(50)
    ]
    assert all(trace.finished[-1] for trace in traces)
    assert_rarely_wrong(np.array([not trace.answers[-1, :k].all() for trace in traces]))


def test_plpac_is_rarely_wrong_where_its_model_holds():
    """Ten Plackett-Luce strengths from 4 to 1: the first two are within .05 of the best."""
    strength = np.array([4.0, 3.6, 3.0, 2.5, 2.0, 1.8, 1.5, 1.3, 1.1, 1.0])
    prefs = strength[:, None] / (strength[:, None] + strength)
    _, answers = found(plpac, prefs, 100, delta=DELTA)
    assert_rarely_wrong(prefs[0, answers] - 0.5 > 0.05)


def test_seebs_is_rarely_wrong_with_a_close_second():
    """In 100 runs with 20 arms, the best of which beats the second with probability .52."""
    prefs = equal_margins(20)
    prefs[0, 1], prefs[1, 0] = 0.52, 0.48
    duels, answers = found(seebs, prefs, 100, delta=DELTA)
    assert_rarely_wrong(answers != 0)
    assert duels.mean() > 2 / 0.02**2
