"""Test that PBR-CO chooses the pairs of its literal twin, tests/naive/policies/pbr.py, and the edge cases."""

import numpy as np
import pytest
from naive.policies.pbr import Pbr
from support.final_answers import assert_same_answers
from support.policies import CYCLIC, assert_same_choices, fast, ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.copeland.pbr import POLICY, _select_and_discard
from rankduel.bandits.regret import losses_by
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params
from rankduel.experiments.matrix.builtin import MATRICES

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 300, 1000]
HURRIED = {"horizon": 1, "delta": 1.0, "n_max": 20}
TIGHT = {"rules": "tight"}
ORDERED = {"ordered": True}
PUBLISHED = {"n_max": 100, "delta": 0.1}  # with 2 arms, 2 ln(8 * 100 / 0.1) = 17.97


# Equality with the twin


@pytest.mark.parametrize("settings", [{}, TIGHT, ORDERED, {"kappa": 2, **TIGHT, **ORDERED}], ids=str)
@pytest.mark.parametrize("prefs", [ladder(3, 0.2), CYCLIC, MATRICES["multisol"].make(), ladder(8)], ids=len)
def test_choices_equal_the_twin(prefs, settings):
    configured = configure(POLICY, **HURRIED, **settings)
    assert_same_choices(Pbr, configured, prefs, STEPS, runs=5)


@pytest.mark.parametrize("settings", [TIGHT, ORDERED, {"kappa": 2, **TIGHT}, {"kappa": 3}], ids=str)
def test_answers_equal_the_twin(settings):
    """Signs are known after a few rounds; the answers before the end and with ties are included."""
    configured = configure(POLICY, horizon=1, delta=1.0, n_max=300, **settings)
    n = assert_same_answers(Pbr, configured, ladder(5, 0.2), [1, 8, 40, 2000], runs=8)
    assert 4 <= n <= 16


@pytest.mark.parametrize("settings", [{}, {"delta": 0.3}, {"n_max": 30}])
def test_choices_equal_the_twin_with_the_horizon_of_the_run(settings):
    assert_same_choices(Pbr, configure(POLICY, **settings), ladder(4, 0.2), [300, 1000], runs=3)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, TIGHT, ORDERED, {**TIGHT, **ORDERED}], ids=str)
@pytest.mark.parametrize("n_arms", [2, 3, 5, 8, 12])
def test_many_choices_equal_the_twin(n_arms, settings):
    rng = np.random.default_rng(n_arms)
    for kappa in {1, 2, n_arms - 1} - {n_arms}:
        upper = np.triu(rng.random((n_arms, n_arms)), 1)
        prefs = upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
        configured = configure(POLICY, delta=1.0, n_max=100, kappa=kappa, **settings)
        assert_same_choices(Pbr, configured, prefs, [10, 100, 1000, 3000], runs=5)
        assert_same_answers(Pbr, configured, prefs, [10, 100, 1000], runs=5)


# Signs and the end


@pytest.mark.parametrize(("settings", "n"), [({}, 18), (TIGHT, 18), (ORDERED, 36)], ids=str)
def test_sign_of_certain_wins_is_known_after_eighteen_duels(settings, n):
    trace = fast(configure(POLICY, **PUBLISHED, **settings), ladder(2, 0.5), [n - 1, n, 1000], seed=1, run=0)
    assert trace.finished.tolist() == [False, True, True]
    assert trace.duels[-1].tolist() == [n, n] and trace.selves[-1].tolist() == [1000 - n, 0]
    assert trace.answers[-1].tolist() == [True, False]


def test_race_ends_after_the_first_round_with_more_than_n_max_samples():
    trace = fast(configure(POLICY, n_max=4), np.full((3, 3), 0.5), [14, 15, 100], seed=1, run=0)
    assert trace.finished.tolist() == [False, True, True] and trace.most[-1] == 5


def test_random_arm_of_the_answer_duels_itself():
    configured = configure(POLICY, kappa=2, **PUBLISHED)
    traces = [fast(configured, ladder(3, 0.5), [1000], seed=1, run=run) for run in range(20)]
    assert all(trace.answers[-1].tolist() == [True, True, False] for trace in traces)
    assert all(np.count_nonzero(trace.selves[-1]) == 1 for trace in traces)
    assert {int(trace.selves[-1].argmax()) for trace in traces} == {0, 1}
    assert all(trace.recommended[-1] == 0 for trace in traces)


# Selected and discarded arms


def settled(wins, losses, **settings):
    """Return the settled arms, given how many others each arm is known to beat and to lose to."""
    params = kernel_params(configure(POLICY, **settings), 100)
    state = POLICY.init(len(wins), params, np.random.default_rng(0))
    state.known.wins[:], state.known.losses[:] = wins, losses
    _select_and_discard.py_func(state, params)
    return state.race.settled.tolist()


@pytest.mark.parametrize(
    ("kappa", "literal"),
    [
        (1, [0, 0, 0, 1, 1]),
        (2, [0, 0, 0, 0, 1]),
        (3, [1, 0, 0, 0, 0]),
        (4, [1, 1, 0, 0, 0]),
    ],
)
def test_settled_arms_of_a_known_total_order(kappa, literal):
    """Arm i beats 4 - i others. Literally, i is selected if more than 5 - kappa arms j have 5 - j < 4 - i,
    and they are 3 - i; it is discarded if more than kappa have 5 - (4 - j) < i, and they are i - 1.
    """
    wins, losses = [4, 3, 2, 1, 0], [0, 1, 2, 3, 4]
    assert settled(wins, losses, kappa=kappa) == [bool(flag) for flag in literal]
    assert all(settled(wins, losses, kappa=kappa, **TIGHT))


def test_tight_rules_need_no_sign_more_than_necessary():
    """Arm 0 is known to beat two of three others, which each lost two: no other arm can beat two."""
    assert settled([2, 0, 0, 0], [0, 2, 2, 2], **TIGHT) == [True, True, True, True]
    assert settled([2, 0, 0, 0], [0, 2, 2, 1], **TIGHT) == [False, True, True, False]


def test_kappa_of_all_arms_is_an_error():
    with pytest.raises(PolicyError, match="kappa is 4; expected less than 4, the number of arms"):
        POLICY.init(4, kernel_params(configure(POLICY, kappa=4), 100), np.random.default_rng(0))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cyclic", "multisol", "mslr5"])
def test_winners_are_wrong_with_probability_at_most_delta(name):
    """Of 400 races with delta = 0.1, few end wrongly: delta is a union bound over all pairs."""
    prefs = MATRICES[name].make()
    loss = losses_by("copeland", prefs)
    configured = configure(POLICY, delta=0.1, n_max=10_000)
    traces = [fast(configured, prefs, [100_000], seed=1, run=run) for run in range(400)]
    assert all(trace.finished[-1] for trace in traces)
    assert sum(loss[trace.recommended[-1]] > 0 for trace in traces) <= 0.1 * 400
