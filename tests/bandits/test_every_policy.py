"""Test the properties that all policies share; a new policy in POLICIES is tested here without an edit."""

import numpy as np
import pytest
from support.policies import CYCLIC, MOST_QUICKLY, SOME_QUICKLY, generators, ladder

from rankduel.bandits import configure, play_matrix, start
from rankduel.bandits.loop import run_loop
from rankduel.bandits.matrix_duels import by_matrix, matrix_duel
from rankduel.bandits.regret import strong_regret, weak_regret
from rankduel.base.settings import kernel_params, settings_of

pytestmark = pytest.mark.kernel

STEPS = np.array([1, 2, 3, 10, 100, 300])
# Largest regret of a policy, as a share of that of random play; 0.5 if not named.
SHARES = {
    "random_pair": 1.02,
    "beat_the_mean": 1.02,  # its radius is too wide for a run this short
    "multisort": 1.02,  # sorts until the horizon
    "parwis": 1.2,  # compares the best arm with all others until the horizon
    "prefbest": 1.02,  # ends after six judgments, often with another arm
    "pbr_walk": 1.2,  # prefers the comparisons of losers, and does not end in a run this short
}
MOST_ARMS = {"cw_rmed": 16}


@pytest.fixture(params=MOST_QUICKLY, scope="module")
def policy(request):
    return request.param


def run(policy, prefs, steps=STEPS, fast_forward=True, seed=0, **settings):
    """Return the trace of one run in which the policy and the matrix number the arms alike."""
    rng, users = generators(seed, 0)
    n_arms = len(prefs)
    return run_loop(
        configure(policy, **settings),
        by_matrix(prefs),
        np.arange(n_arms) / 10.0,
        np.arange(n_arms),
        np.asarray(steps),
        rng,
        users,
        fast_forward=fast_forward,
    )


def assert_counts_add_up(trace):
    """Assert that every step is a duel of two arms or of an arm against itself, at every checkpoint."""
    np.testing.assert_array_equal(trace.duels.sum(axis=1) % 2, 0)
    np.testing.assert_array_equal(trace.duels.sum(axis=1) // 2 + trace.selves.sum(axis=1), trace.steps)
    np.testing.assert_array_equal(trace.better.sum(axis=1), trace.duels.sum(axis=1) // 2)
    assert (trace.better <= trace.duels).all()
    for counts in (trace.duels, trace.better, trace.selves):
        assert (np.diff(counts, axis=0) >= 0).all() and (counts >= 0).all()


def test_description_and_settings_are_complete(policy):
    assert policy.about.endswith(".") and policy.source and policy.assumes and policy.recommend
    assert all(setting.about for setting in settings_of(policy).values())
    assert len(policy.about) < 110 and policy.about[0].isupper()
    for variant in policy.variants:
        configure(policy, variant=variant)


@pytest.mark.parametrize("n_arms", [1, 2, 3, 5, 17])
def test_any_number_of_arms(policy, n_arms):
    n_arms = min(n_arms, MOST_ARMS.get(policy.name, n_arms))
    trace = run(policy, ladder(n_arms, 0.02))
    assert_counts_add_up(trace)
    assert ((trace.recommended >= 0) & (trace.recommended < n_arms)).all()
    if policy.survivors or n_arms == 1:
        assert ((trace.survivors >= 1) & (trace.survivors <= n_arms)).all()
        assert (np.diff(trace.survivors) <= 0).all()
    else:
        assert (trace.survivors == -1).all()


@pytest.mark.parametrize(
    "prefs",
    [
        pytest.param(np.full((4, 4), 0.5), id="all even"),
        pytest.param(np.clip(ladder(4, 10.0), 0, 1), id="certain"),
        pytest.param(np.where(np.roll(np.eye(3), 1, 1) > 0, 1.0, 0.0) + 0.5 * np.eye(3), id="certain circle"),
        pytest.param(CYCLIC, id="cyclic"),
    ],
)
def test_hard_preferences(policy, prefs):
    assert_counts_add_up(run(policy, prefs, np.array([1, 50, 3000])))


@pytest.mark.parametrize("horizon", [1, 2, 7])
def test_short_horizons(policy, horizon):
    trace = play_matrix(configure(policy), ladder(5), horizon)
    assert_counts_add_up(trace)
    assert trace.steps[-1] == horizon


def test_checkpoints_do_not_change_the_choices_without_skipping(policy):
    few, many = (run(policy, ladder(5), steps, fast_forward=False) for steps in ([300], range(1, 301)))
    np.testing.assert_array_equal(few.duels[-1], many.duels[-1])
    np.testing.assert_array_equal(few.selves[-1], many.selves[-1])


@pytest.mark.parametrize("policy", SOME_QUICKLY)
def test_stepping_in_python_is_the_compiled_loop(policy):
    prefs = ladder(5)
    rng, users = generators(3, 0)
    stepper = start(configure(policy), 5, horizon=300)
    stepper._rng = rng
    stepper._state = policy.init(5, kernel_params(configure(policy), 300), rng)
    duels, selves = np.zeros(5, np.int64), np.zeros(5, np.int64)
    for _ in range(300):
        first, second = stepper.select()
        if first == second:
            selves[first] += 1
            stepper.update(True)
        else:
            duels[[first, second]] += 1
            stepper.update(matrix_duel.py_func(prefs, first, second, users))
    trace = run(policy, prefs, [300], fast_forward=False, seed=3)
    np.testing.assert_array_equal(trace.duels[-1], duels)
    np.testing.assert_array_equal(trace.selves[-1], selves)
    assert trace.recommended[-1] == stepper.recommend()


def test_same_seed_same_numbers(policy):
    one, same, other = (play_matrix(configure(policy), ladder(5), 500, seed=s) for s in (1, 1, 2))
    for a, b in zip(one, same):
        np.testing.assert_array_equal(a, b)
    assert (one.duels != other.duels).any()


@pytest.mark.parametrize("policy", SOME_QUICKLY)
def test_tied_duels_may_be_passed_over(policy):
    """The policy continues with legal pairs if half of the duels are tied."""
    stepper, users = start(configure(policy), 4, horizon=300), np.random.default_rng(5)
    for _ in range(300):
        first, second = stepper.select()
        assert 0 <= first < 4 and 0 <= second < 4
        if first == second:
            stepper.update(True)
        elif users.random() < 0.5:
            stepper.pass_over()
        else:
            stepper.update(users.random() < ladder(4)[first, second])
    assert 0 <= stepper.recommend() < 4


def test_regret_stays_below_that_of_random_play(policy):
    """After 30,000 duels on an easy ladder, over four runs; random play loses 0.225 per duel."""
    loss = ladder(4, 0.15)[0] - 0.5
    traces = [play_matrix(configure(policy), ladder(4, 0.15), 30_000, seed=run) for run in range(4)]
    if policy.name == "winner_stays":
        assert np.mean([weak_regret(trace, loss)[-1] for trace in traces]) < 100
        return
    regret = np.mean([strong_regret(trace, loss)[-1] for trace in traces])
    assert regret < SHARES.get(policy.name, 0.5) * 30_000 * loss.mean()
