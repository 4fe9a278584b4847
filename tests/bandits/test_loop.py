"""Test counts, regrets and checkpoints of the loop, with policies whose choices are fixed."""

import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from support.policies import CYCLIC, DUELING, ladder

from rankduel.bandits import Policy, checkpoints, configure, play_matrix
from rankduel.bandits.feedback import TIED
from rankduel.bandits.loop import Duel, loop_of, run_loop
from rankduel.bandits.matrix_duels import matrix_duel
from rankduel.bandits.regret import (
    informative_steps,
    strong_binary_regret,
    strong_regret,
    weak_regret,
)
from rankduel.bandits.trace import empty_trace
from rankduel.base.compiling import kernel
from rankduel.base.errors import PolicyError, PolicyNotice
from rankduel.base.reached import function_digest
from rankduel.interleave import METHODS, live_duel_by, shown_so_far

pytestmark = pytest.mark.kernel


class State(NamedTuple):
    t: np.ndarray  # (1,) int64: number of updates
    last: np.ndarray  # (3,) int64: first, second, first_won of the last update


class Params(NamedTuple):
    n_idle: int = 0  # number of idle steps after every three steps


def init(n_arms, params, rng):
    return State(np.zeros(1, np.int64), np.full(3, -1))


@kernel
def select(state, params, rng):
    """Return (0, 1), (1, 2), (2, 2) in turn."""
    t = state.t[0]
    return t % 3, min(t % 3 + 1, 2)


@kernel
def update(state, params, first, second, first_won):
    state.t[0] += 1
    state.last[0], state.last[1], state.last[2] = first, second, first_won


@kernel
def skip_idle(state, params, limit, self_duels, rng):
    """Skip self-duels of arm 0 before every third step."""
    n = min(params.n_idle, limit) if state.t[0] % 3 == 0 else 0
    self_duels[0] += n
    return n


@kernel
def answer(state, params):
    return state.t[0] % 3


TURNS = Policy("turns", Params, init, select, update)
IDLING = TURNS._replace(idle=skip_idle, recommend=answer)


def run(policy, steps, labels=(0, 1, 2), duel=matrix_duel, fast_forward=True, **settings):
    rng, users = np.random.default_rng(0), np.random.default_rng(1)
    loss = np.array([0.0, 0.1, 0.3])
    return run_loop(
        configure(policy, **settings),
        Duel(duel, ladder(3, 0.5)),
        loss,
        np.array(labels),
        np.array(steps),
        rng,
        users,
        fast_forward=fast_forward,
    )


def test_counts_at_checkpoints():
    trace = run(TURNS, [1, 2, 3, 7])
    np.testing.assert_array_equal(trace.duels, [[1, 1, 0], [1, 2, 1], [1, 2, 1], [3, 5, 2]])
    np.testing.assert_array_equal(trace.better, [[1, 0, 0], [1, 1, 0], [1, 1, 0], [3, 2, 0]])
    np.testing.assert_array_equal(trace.selves, [[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 2]])
    np.testing.assert_array_equal(trace.recommended, -1)
    np.testing.assert_array_equal(trace.survivors, -1)


def test_labels_rename_arms_everywhere():
    plain, renamed = run(IDLING, [5, 9]), run(IDLING, [5, 9], labels=[2, 0, 1])
    np.testing.assert_array_equal(renamed.duels[:, [2, 0, 1]], plain.duels)
    np.testing.assert_array_equal(renamed.selves[:, [2, 0, 1]], plain.selves)
    np.testing.assert_array_equal(renamed.recommended, np.array([2, 0, 1])[plain.recommended])
    np.testing.assert_array_equal(renamed.better[-1], [6, 0, 0])  # losses are those of the caller's arms
    np.testing.assert_array_equal(plain.better[-1], [3, 3, 0])


def test_idle_steps_end_at_checkpoints_and_at_the_horizon():
    trace = run(IDLING, [4, 5, 6, 20], n_idle=10)
    # `idle` skips again after every checkpoint, since no other step was played in between.
    np.testing.assert_array_equal(trace.selves[:, 0], [4, 5, 6, 17])
    np.testing.assert_array_equal(trace.duels.sum(axis=1), [0, 0, 0, 4])
    assert trace.selves[-1, 2] == 1 and trace.steps[-1] == 20
    assert run(IDLING, [20], n_idle=10, fast_forward=False).selves[-1, 0] == 0


def test_regrets_are_products_of_the_counts():
    trace, loss = run(TURNS, [1, 2, 3, 7]), np.array([0.0, 0.1, 0.3])
    np.testing.assert_allclose(strong_regret(trace, loss), [0.05, 0.25, 0.55, 1.15])
    np.testing.assert_allclose(weak_regret(trace, loss), [0.0, 0.1, 0.4, 0.8])
    np.testing.assert_array_equal(strong_binary_regret(trace, 2), [1, 2, 2, 5])
    np.testing.assert_array_equal(informative_steps(trace), [1, 2, 2, 5])


def test_regret_is_exact_far_beyond_2_to_the_31():
    many = np.array([[2**40, 2**40]])
    trace = empty_trace(np.array([2**41]), 2)._replace(duels=many, better=many, selves=2 * many)
    assert strong_regret(trace, np.array([0.0, 0.25]))[0] == 2**37 + 2**39


@kernel
def _tied(prefs, first, second, users):
    return TIED if first == 0 else 1


def test_tied_duels_count_but_are_not_passed_to_update():
    trace = run(TURNS, [5], duel=_tied)
    np.testing.assert_array_equal(trace.duels[0], [5, 5, 0])  # always (0, 1), since `update` is not called


def test_a_single_arm_plays_itself_without_calls_of_the_policy():
    trace = play_matrix(configure(TURNS), [[0.5]], 10**12)
    assert trace.selves[-1, 0] == 10**12 and trace.recommended[-1] == 0 and trace.survivors[-1] == 1


def test_plain_python_runs_with_a_notice():
    plain = Policy("plain", Params, init, lambda *a: select.py_func(*a), lambda *a: update.py_func(*a))
    with pytest.warns(PolicyNotice, match="plain.*not decorated with @numba.njit"):
        trace = run(plain, [1, 2, 3, 7])
    for mine, theirs in zip(trace, run(TURNS, [1, 2, 3, 7])):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("horizon", [1, 2, 9, 10, 11, 1000, 12345, 10**12])
def test_checkpoints(horizon):
    steps = checkpoints(horizon)
    assert steps[-1] == horizon and steps[0] == 1 and (np.diff(steps) > 0).all() and len(steps) < 1500
    wanted = {digit * 10**m for m in range(13) for digit in (1, 2, 5)} | {
        -(-horizon * j // 1000) for j in (1, 7, 999)
    }
    assert {step for step in wanted if step <= horizon} <= set(steps.tolist())
    logs = {int(np.ceil(10 ** (k / 20))) for k in range(241)}
    assert {step for step in logs if step <= horizon} <= set(steps.tolist())


def test_streams_depend_on_policy_run_and_seed_only():
    runs = [
        play_matrix(configure(IDLING), CYCLIC[:3, :3], 50, seed=s, run=r) for s, r in ((0, 0), (0, 1), (1, 0))
    ]
    assert len({run.duels.tobytes() + run.recommended.tobytes() for run in runs}) > 1


def test_every_loop_has_a_key_of_its_own():
    """Compiled loops are stored on disk by key; a method that calls Python has no key, and is not stored."""
    methods = [name for name, method in METHODS.items() if not method.calls_python]
    duels = [Duel(matrix_duel, None), *(Duel(live_duel_by(name), None, shown_so_far) for name in methods)]
    loops = [loop_of(policy, duel) for policy in DUELING.values() for duel in duels]
    assert len({function_digest(loop.py_func) for loop in loops}) == len(loops) > 200


COMPILE = """
import sys, numpy as np
from numba.core import event
from rankduel.bandits import play_matrix, policy
compiled = []
class Listener(event.Listener):
    def on_start(self, e): compiled.append(e.data["dispatcher"].py_func.__name__)
    def on_end(self, e): pass
event.register("numba:compile", Listener())
play_matrix(policy("rucb"), 0.5 + 0.05 * (np.arange(4)[None] - np.arange(4)[:, None]), 5)
print("play" in compiled)
"""


def test_the_compiled_loop_is_stored_on_disk(tmp_path):
    """The second process finds what the first compiled."""
    environment = {"RANKDUEL_CACHE": str(tmp_path), "PATH": ""}
    for expected in ("True", "False"):
        result = subprocess.run(
            [sys.executable, "-c", COMPILE], env=environment, capture_output=True, text=True
        )
        assert result.stdout.strip() == expected, result.stderr


# Policies that do something wrong


@kernel
def beyond_the_last(state, params, rng):
    t = state.t[0]
    return 0, 1 if t < 4 else 7


@pytest.mark.filterwarnings("ignore::rankduel.base.errors.PolicyNotice")
def test_message_names_the_step_of_an_illegal_pair():
    for wrong in (beyond_the_last, beyond_the_last.py_func):
        with pytest.raises(
            PolicyError, match=r"turns.*: step 5: select returned \(0, 7\); expected two arms"
        ):
            run(TURNS._replace(select=wrong), [10])


def fail_at_the_third(state, params, rng):
    return (0, 1) if state.t[0] < 2 else (0, 1 // 0)


def half_an_arm(state, params, rng):
    return 0, 0.5


def too_many(state, params, limit, self_duels, rng):
    return limit + 1


def wrong_name(state, params, first, second, first_won):
    state.time[0] += 1


@pytest.mark.filterwarnings("ignore::rankduel.base.errors.PolicyNotice")
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"select": fail_at_the_third},
            r"turns: step 3: select raised ZeroDivisionError: .*\n.*test_loop.py, line \d+, in .*\n.*0\)$",
        ),
        ({"select": half_an_arm}, r"turns: step 1: select returned \(0, 0.5\); expected two arms"),
        ({"idle": too_many}, "turns: step 0: idle returned 11; expected a number from 0 to 10"),
        ({"update": wrong_name}, "turns: step 1: update raised AttributeError: .*'time'"),
    ],
)
def test_message_for_plain_python_names_policy_step_and_value(wrong, message):
    with pytest.raises(PolicyError, match=message):
        run(TURNS._replace(**wrong), [10])


@kernel
def skip_too_many(state, params, limit, self_duels, rng):
    self_duels[0] += limit + 1
    return limit + 1


@kernel
def divide_by_zero(state, params, first, second, first_won):
    state.t[0] += 1 + 0 // (2 - state.t[0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"idle": skip_too_many},
            "turns: 11 steps were counted instead of 10; expected idle to return at most",
        ),
        ({"update": divide_by_zero}, "turns: step 3: ZeroDivisionError"),
    ],
)
def test_message_for_compiled_policies_names_policy_step_and_value(wrong, message):
    with pytest.raises(PolicyError, match=message):
        run(TURNS._replace(**wrong), [10])
