"""Test that CCB chooses the pairs of its literal twin, tests/naive/policies/ccb.py, and its parts.

Skipping draws other random numbers if there are several optimistic winners; there the distributions agree.
"""

from itertools import combinations

import numpy as np
import pytest
from naive.policies.ccb import Ccb
from scipy import stats
from support.policies import (
    CYCLIC,
    assert_same_choices,
    assert_same_numbers,
    fast,
    ladder,
    slow,
    state_after,
)

from rankduel.bandits import start
from rankduel.bandits.contract import configure
from rankduel.bandits.matrix_runs import play_matrix
from rankduel.bandits.parts.answers import mark_copeland_leaders
from rankduel.bandits.parts.ucb_challenger import record_rates
from rankduel.bandits.policies.copeland import ccb
from rankduel.bandits.regret import strong_regret
from rankduel.base.settings import kernel_params
from rankduel.experiments.matrix.builtin import MATRICES

pytestmark = pytest.mark.kernel

CCB = configure(ccb.POLICY)
STEPS = [1, 2, 3, 10, 100, 400, 1000]
MULTISOL = MATRICES["multisol"].make()  # three Copeland winners


def tournament(n_arms, rng, edge=0.3):
    """Return preferences of 1/2 plus or minus `edge`, drawn for each pair."""
    upper = np.triu(rng.choice([0.5 - edge, 0.5 + edge], (n_arms, n_arms)), 1)
    return upper + np.tril(1.0 - upper.T, -1) + 0.5 * np.eye(n_arms)


def assert_same_steps(configured, prefs, steps, runs):
    """Assert equal counts at every checkpoint, without skipping."""
    for run in range(runs):
        duels, selves = slow(Ccb, configured, prefs, steps, 0, run)
        trace = fast(configured, prefs, steps, 0, run, fast_forward=False)
        np.testing.assert_array_equal(trace.duels, duels, f"run {run}")
        np.testing.assert_array_equal(trace.selves, selves, f"run {run}")


@pytest.mark.parametrize("prefs", [ladder(2, 0.3), ladder(3, 0.2), CYCLIC, ladder(5), ladder(12)], ids=len)
def test_choices_equal_the_twin(prefs):
    assert_same_steps(CCB, prefs, STEPS, runs=3)


@pytest.mark.parametrize("alpha", [0.1, 0.51])
def test_choices_equal_the_twin_without_a_total_order(alpha):
    """Narrow bounds decide pairs, often wrongly, and pairs are reopened all the time."""
    rng = np.random.default_rng(1)
    for n_arms in (3, 4, 6, 9):
        assert_same_steps(configure(ccb.POLICY, alpha=alpha), tournament(n_arms, rng), [100, 400], runs=5)


def test_choices_equal_the_twin_from_any_state():
    """From random counts, sets and steps, so that rare events of a run, such as an empty B, occur."""
    for case in range(300):
        chance = np.random.default_rng([5, case])
        n_arms, configured = 3 + case % 4, configure(ccb.POLICY, alpha=0.05)
        twin = Ccb(n_arms, configured.params, np.random.default_rng(case))
        stepper = start(configured, n_arms)
        stepper._rng = np.random.default_rng(case)
        _scramble(twin, chance)
        _copy_twin(stepper._state, stepper._params, twin)
        for _ in range(15):
            pair = twin.select()
            assert stepper.select() == pair, case
            won = chance.random() < 0.5
            twin.update(*pair, won)
            stepper.update(won)


def _scramble(twin, chance):
    """Give the twin random counts of up to 40 duels per pair, random sets, and a step up to 500."""
    n_arms = len(twin.w)
    twin.w = chance.binomial(chance.integers(0, 40), chance.random((n_arms, n_arms))).astype(float)
    np.fill_diagonal(twin.w, 0)
    twin.t, twin.lc = int(chance.integers(1, 500)), int(chance.integers(0, n_arms))
    twin.b = set(np.flatnonzero(chance.random(n_arms) < 0.4).tolist()) or {0}
    for i in range(n_arms):
        beaters = [j for j in range(n_arms) if twin.w[j, i] > twin.w[i, j] or chance.random() < 0.03]
        twin.b_of[i] = {j for j in beaters if j != i and chance.random() < 0.5}


def _copy_twin(state, params, twin):
    """Copy the counts and sets of the twin into a first state, in which all pairs are open; record bounds."""
    n_arms, now, shortlists = len(twin.w), state.now[0], state.shortlists
    state.wins[:] = twin.w
    for i in range(n_arms):
        shortlists.potential_best[i] = i in twin.b
        shortlists.formidable[i] = [j in twin.b_of[i] for j in range(n_arms)]
    shortlists.n_formidable[:] = shortlists.n_open[:] = shortlists.formidable.sum(axis=1)
    now.clock, now.l_c, now.n_open = twin.t, twin.lc, shortlists.formidable.sum()
    for i, j in combinations(range(n_arms), 2):
        if state.wins[i, j] + state.wins[j, i] > 0:
            record_rates.py_func(state.challengers, state.wins, i, j)
            ccb._record_bound.py_func(state, params, i, j)
            ccb._record_bound.py_func(state, params, j, i)


@pytest.mark.parametrize("prefs", [np.full((5, 5), 0.5), ladder(6, 0.5)], ids="=<")
def test_choices_equal_the_twin_with_extreme_preferences(prefs):
    assert_same_steps(configure(ccb.POLICY, alpha=0.2), prefs, STEPS, runs=3)


def test_choices_equal_the_twin_with_skipping_if_there_is_one_optimistic_winner():
    """Then skipping draws no random number."""
    assert_same_choices(Ccb, CCB, ladder(2, 0.4), STEPS, runs=3)
    assert_same_choices(Ccb, CCB, ladder(6, 0.5), STEPS, runs=3)


def test_skipping_keeps_the_distribution():
    """Of self-duels per arm, and of duels: three Copeland winners, and pairs that are reopened."""
    samples = []
    for fast_forward in (True, False):
        runs = [
            fast(
                configure(ccb.POLICY, alpha=0.3),
                MULTISOL,
                [200, 1000, 5000],
                7,
                run + 400 * fast_forward,
                fast_forward,
            )
            for run in range(400)
        ]
        samples.append([np.hstack([r.selves[:, :3].ravel(), r.duels.sum(axis=1)]) for r in runs])
    assert_same_numbers(*map(np.array, samples))


def test_optimistic_winners_share_the_skipped_steps_evenly():
    """Each of three winners has a third of the steps, within 4.5 standard errors of a binomial share."""
    trace = fast(CCB, MULTISOL, [10_000, 300_000], 3, 0)
    n_real = np.diff(trace.duels.sum(axis=1) // 2)[0]
    shares = np.diff(trace.selves, axis=0)[0]
    assert n_real < 1000 and shares[3:].sum() == 0
    assert (abs(shares[:3] - shares.sum() / 3) < 4.5 * np.sqrt(shares.sum() * 2 / 9) + n_real).all()


def test_part_c_shortens_a_shortlist_to_a_uniform_subset():
    """Three of the arms 1 to 5, of which 1 and 2 have open pairs: ten subsets, a chi-square test."""
    params, rng, counts = kernel_params(CCB, 1), np.random.default_rng(2), {}
    for _ in range(4000):
        state = ccb.init(6, params, rng)
        now, shortlists = state.now[0], state.shortlists
        shortlists.formidable[0, 1:] = True
        shortlists.n_formidable[0], shortlists.n_open[0], now.n_open = 5, 2, 2
        state.scores.beaten_until[0, 3:] = 100
        ccb._limit_shortlist(state, 0, 3, rng)
        subset = tuple(np.flatnonzero(shortlists.formidable[0]).tolist())
        counts[subset] = counts.get(subset, 0) + 1
        assert shortlists.n_formidable[0] == 3
        assert shortlists.n_open[0] == now.n_open == (1 in subset) + (2 in subset)
    assert set(counts) == set(combinations(range(1, 6), 3))
    assert stats.chisquare(list(counts.values())).pvalue > 1e-5


def test_copeland_leaders_lead_the_most_others():
    rng = np.random.default_rng(4)
    for n_arms in (1, 2, 3, 7):
        for _ in range(30):
            wins = rng.integers(0, 4, (n_arms, n_arms))
            score = [sum(wins[i, j] > wins[j, i] for j in range(n_arms)) for i in range(n_arms)]
            chosen = rng.random(n_arms) < 0.5
            mark_copeland_leaders(wins, chosen)
            assert chosen.tolist() == [s == max(score) for s in score]


def test_answers_are_all_copeland_winners():
    """After many steps the recommended arm is one of three; in a circle all arms are the answer."""
    for run in range(10):
        trace = play_matrix(CCB, MULTISOL, 30_000, run=run, loss=np.zeros(5), steps=[30_000])
        assert trace.recommended[-1] < 3
    state, params = state_after(CCB, [[0, 5, 2], [1, 0, 5], [3, 1, 0]])
    chosen = np.zeros(3, np.bool_)
    ccb.answers(state, params, chosen)
    assert chosen.tolist() == [True, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cyclic", "multisol", "gap", "mslr5", "mslr5-cycle", "arxiv6"])
def test_choices_equal_the_twin_in_long_runs(name):
    for alpha in (0.05, 0.51):
        assert_same_steps(configure(ccb.POLICY, alpha=alpha), MATRICES[name].make(), [1000, 20_000], runs=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mean", "error", "runs"),
    [
        ("cyclic", 795, 16, 100),
        ("multisol", 152, 4, 200),
        ("gap", 17_550, 1_040, 100),
        ("mslr5", 1_230, 35, 200),
        ("mslr5-cycle", 99_200, 1_600, 60),
    ],
)
def test_regret_as_in_the_ecw_rmed_paper(name, mean, error, runs):
    """Copeland regret at 10^6, as read off the figures of Komiyama et al. 2016 to within some percent.

    Compared with independent runs of another program, within 4 standard errors of the difference.
    """
    regret = _final_regret(name, runs, lambda prefs: -(prefs > 0.5).sum(axis=1))
    print(f"{name}: {regret.mean():.0f} ± {regret.std() / runs**0.5:.0f}, expected {mean} ± {error}")
    assert abs(regret.mean() - mean) < 4 * np.hypot(error, regret.std() / runs**0.5)


@pytest.mark.slow
def test_regret_with_a_tie_as_in_the_ecw_rmed_paper():
    """On ArXiv by losses instead of missing wins; rare runs fail, so medians are compared.

    About 5,200 in the figure of Komiyama et al. 2016; another program's mean was 5,237 ± 147. The median's
    standard error is 1.25 times the mean's; and 5 % for reading a plot.
    """
    regret = _final_regret("arxiv6", 200, lambda prefs: (prefs < 0.5).sum(axis=1))
    spread = stats.median_abs_deviation(regret, scale="normal")
    assert abs(np.median(regret) - 5_200) < 4 * 1.25 * spread / 200**0.5 + 0.05 * 5_200


def _final_regret(name, runs, losses):
    """Return the regret of each run after 10^6 steps; the loss of an arm is relative to the fewest losses."""
    prefs, steps = MATRICES[name].make(), np.array([10**6])
    loss = (losses(prefs) - losses(prefs).min()) / (len(prefs) - 1)
    traces = (play_matrix(CCB, prefs, 10**6, run=run, loss=loss, steps=steps) for run in range(runs))
    return np.array([strong_regret(trace, loss)[-1] for trace in traces])
