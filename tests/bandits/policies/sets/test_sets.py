"""Test that policies for sets of arms equal their literal twins, and that the loop counts shares.

MDB chooses the sets of its twin; self-sparring has the distribution of its twin.
"""

import numpy as np
import pytest
from naive.policies.mdb import Mdb
from naive.policies.multi_self_sparring import SelfSparring
from naive.policies.sets import play_sets_twin
from support import anchors
from support.policies import (
    CYCLIC,
    FOR_SETS,
    assert_same_numbers,
    fast,
    generators,
    ladder,
    with_horizon,
)

from rankduel.bandits import POLICIES, configure, gaps
from rankduel.bandits.policies.sets import mdb, multi_self_sparring
from rankduel.bandits.regret import strong_regret
from rankduel.bandits.sets_loop import pages_by_matrix, run_sets
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params
from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.specs import parse_policy

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]
STEPS = [1, 2, 3, 10, 100, 300, 1000]


def run(configured, prefs, steps=STEPS, seed=0, number=0, labels=None, fast_forward=True):
    """Return the trace of one compiled run."""
    labels = np.arange(len(prefs)) if labels is None else np.array(labels)
    rng, users = generators(seed, number)
    return run_sets(
        configured, pages_by_matrix(prefs), labels, np.array(steps), rng, users, fast_forward=fast_forward
    )


def shares(twin, configured, prefs, steps, seed, number):
    """Return the shares of all arms in one run of the twin, from the same generators."""
    rng, users = generators(seed, number)
    made = twin(len(prefs), with_horizon(configured, steps[-1]), rng)
    return play_sets_twin(made, prefs, steps, users)


@pytest.mark.parametrize(
    "prefs", [ladder(2, 0.3), CYCLIC, ladder(6, 0.1), np.full((4, 4), 0.5), np.clip(ladder(5, 9), 0, 1)]
)
@pytest.mark.parametrize(
    "settings",
    [{}, {"beta": 1.0}, {"max_set": 3, "alpha": 0.2}, {"add_c": True, "alpha": 0.9}, {"draws": 4}],
    ids=str,
)
def test_sets_of_mdb_equal_the_twin(prefs, settings):
    configured = configure(mdb.POLICY, **settings)
    for number in range(5):
        expected = shares(Mdb, configured, prefs, STEPS, 1, number)
        for fast_forward in (True, False):
            trace = run(configured, prefs, seed=1, number=number, fast_forward=fast_forward)
            np.testing.assert_allclose(trace.shares, expected, atol=1e-9)


def test_head_start_of_mdb_beyond_all_numbers_equals_the_twin():
    """ln C = 50 ln(1.04 * 9 / .02 * 4000) is 722.1: after n > 2.04 * 722.1 = 1473.1 pages arm 0 is alone."""
    configured = configure(mdb.POLICY, variant="merge-dts-paper", horizon=4000)
    prefs, steps = np.clip(ladder(3, 9), 0, 1), [1, 1474, 1475, 2000]
    trace = run(configured, prefs, steps)
    np.testing.assert_allclose(trace.shares, shares(Mdb, configured, prefs, steps, 0, 0), atol=1e-9)
    assert trace.alone[:, 0].tolist() == [0, 0, 1, 526]


def test_head_start_of_mdb_needs_a_large_alpha():
    with pytest.raises(PolicyError, match=r"mdb: alpha is 0.4; expected more than 1/2 for C\(epsilon\)"):
        run(configure(mdb.POLICY, add_c=True, alpha=0.4), CYCLIC)


def test_program_of_li_draws_a_hundred_arms_for_every_page():
    """The number of different arms of 136 is that of 100 draws, 71.0 on average (within 5 s.e. of .11)."""
    trace = run(configure(mdb.POLICY, variant="chang-li"), ladder(136, 0.001), [1000])
    assert trace.compared[0] / 1000 == pytest.approx(136 * (1 - (135 / 136) ** 100), abs=0.55)
    assert trace.pages[0] == 1000


@pytest.mark.parametrize(
    "settings",
    [
        {"m": 3},
        pytest.param({"m": 4, "self_feedback": "none"}, marks=pytest.mark.slow),
        pytest.param({"eta": 0.5}, marks=pytest.mark.slow),
    ],
)
def test_distribution_of_self_sparring_equals_that_of_the_twin(settings):
    """400 runs, and 120 of the twin: regret within 4.5 standard errors, and a small KS distance."""
    configured, prefs, steps = (
        configure(multi_self_sparring.POLICY, **settings),
        ladder(5, 0.1),
        [10, 100, 400],
    )
    loss = gaps(prefs)
    regret = np.array([run(configured, prefs, steps, 2, k).shares @ loss for k in range(400)])
    regret_of_twin = [shares(SelfSparring, configured, prefs, steps, 3, k) @ loss for k in range(120)]
    assert_same_numbers(regret, np.array(regret_of_twin))


def test_self_sparring_with_two_arms_has_the_distribution_of_duels():
    """400 runs each of the policy for sets with m = 2 and of that for duels: 4.5 standard errors."""
    prefs, steps = ladder(5, 0.1), [10, 100, 400]
    loss, two = gaps(prefs), configure(multi_self_sparring.POLICY, m=2)
    sets = np.array([run(two, prefs, steps, 4, k).shares @ loss for k in range(400)])
    duel = configure(POLICIES["self_sparring"])
    duels = np.array([strong_regret(fast(duel, prefs, steps, 5, k), loss) for k in range(400)])
    assert_same_numbers(sets, duels)


@pytest.mark.parametrize("policy", FOR_SETS.values(), ids=FOR_SETS)
@pytest.mark.parametrize("n_arms", [1, 2, 3, 17])
def test_counts_are_consistent_with_any_number_of_arms(policy, n_arms):
    trace = run(configure(policy), ladder(n_arms, 0.02))
    np.testing.assert_allclose(trace.shares.sum(axis=1), STEPS)
    np.testing.assert_array_equal(trace.pages + trace.alone.sum(axis=1), STEPS)
    assert (trace.compared >= 2 * trace.pages).all() and (trace.compared <= n_arms * trace.pages).all()
    assert ((trace.recommended >= 0) & (trace.recommended < n_arms)).all()


def test_labels_rename_the_arms():
    plain, renamed = (run(configure(mdb.POLICY), prefs, labels=labels) for prefs, labels in _same_problem())
    np.testing.assert_allclose(renamed.shares[:, [2, 0, 1]], plain.shares)
    np.testing.assert_array_equal(renamed.recommended, np.array([2, 0, 1])[plain.recommended])


def _same_problem():
    prefs, names = ladder(3, 0.2), [2, 0, 1]
    other = np.empty_like(prefs)
    other[np.ix_(names, names)] = prefs
    return (prefs, [0, 1, 2]), (other, names)


def test_winner_only_records_that_the_best_arm_of_a_page_beat_all_others():
    """Arm 0 won both of its duels: it has two successes, and each other arm one failure."""
    params = kernel_params(configure(multi_self_sparring.POLICY, m=3, feedback="winner_only"), 1)
    state = multi_self_sparring.init(3, params, np.random.default_rng(0))
    won = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    multi_self_sparring.update(state, params, np.arange(3), np.int64(3), won)
    np.testing.assert_array_equal(state.posteriors.counts[0], [[3, 1], [1, 2], [1, 2]])


ANCHORS = {
    "mdb": [(9.8, 0.7), (103.7, 1.9), (122.0, 1.9), (115.0, 2.5)],
    "mdb(beta=1)": [(84.7, 1.5), (118.6, 1.7), (176.3, 2.7), (115.0, 2.4)],
    "multi_self_sparring": [(13.5, 0.5), (24.0, 0.7), (35.0, 1.2), (17.8, 0.6)],
}


@pytest.mark.slow
@pytest.mark.parametrize("spec", ANCHORS)
@pytest.mark.parametrize("name", anchors.NAMES)
def test_regret_after_1e5_pages(spec, name):
    """The mean of 60 runs is within 4 combined standard errors of that of independent programs."""
    prefs, configured = MATRICES[name].make(), parse_policy(spec)
    regret = np.array([run(configured, prefs, [100_000], 6, k).shares[-1] @ gaps(prefs) for k in range(60)])
    mean, error = ANCHORS[spec][anchors.NAMES.index(name)]
    mine, mine_error, apart = anchors.distance(regret, mean, error)
    assert abs(apart) < 4, f"{mine:.1f} ± {mine_error:.1f}, expected {mean} ± {error}"
