"""Test policies in files of users, compiled and as plain Python."""

import sys
import warnings

import numpy as np
import pytest
from support.policies import ladder

from rankduel import cli
from rankduel.bandits import configure, load_policy, play_matrix, restore, start
from rankduel.base.errors import PolicyError, PolicyNotice
from rankduel.experiments.specs import parse_policy

PLAIN = '''"""Duel the same two arms in every step."""
from typing import NamedTuple
import numpy as np
{imports}

class Params(NamedTuple):
    second: int = 1

class State(NamedTuple):
    wins: np.ndarray

def init(n_arms, params, rng):
    return State(np.zeros(n_arms, np.int64))

{decorator}
def select(state, params, rng):
    return 0, params.second

{decorator}
def update(state, params, first, second, first_won):
    state.wins[first if first_won else second] += 1

{decorator}
def recommend(state, params):
    return np.argmax(state.wins)
'''
JITTED = {"imports": "from numba import njit", "decorator": "@njit"}
UNCOMPILED = {"imports": "", "decorator": ""}
both_styles = pytest.mark.parametrize(
    "style",
    [
        pytest.param(JITTED, id="jitted", marks=pytest.mark.compiling),
        pytest.param(UNCOMPILED, id="plain"),
    ],
)


@pytest.fixture
def mine(tmp_path):
    def write(text):
        path = tmp_path / "mine.py"
        path.write_text(text)
        return path

    return write


def test_jitted_and_plain_are_the_same_run(mine):
    jitted = play_matrix(configure(load_policy(mine(PLAIN.format(**JITTED)))), ladder(3), 200)
    with pytest.warns(PolicyNotice, match="runs as plain Python"):
        plain = play_matrix(configure(load_policy(mine(PLAIN.format(**UNCOMPILED)))), ladder(3), 200)
    for a, b in zip(jitted, plain):
        np.testing.assert_array_equal(a, b)
    assert jitted.duels[-1].sum() == 400


def test_an_edited_file_is_noticed(mine):
    text = PLAIN.format(**JITTED)
    play_matrix(configure(load_policy(mine(text))), ladder(3), 5)
    changed = play_matrix(configure(load_policy(mine(text.replace("return 0,", "return 2,")))), ladder(3), 5)
    assert (changed.duels[-1] > 0).sum() == 2 and changed.duels[-1].sum() == 10


def test_code_numba_cannot_compile_runs_as_python(mine):
    text = PLAIN.format(**JITTED).replace(
        "return 0, params.second", "return 0, {'b': params.second}.get('b', [])"
    )
    with pytest.warns(PolicyNotice, match="mine.py: Numba could not compile it"):
        trace = play_matrix(configure(load_policy(mine(text))), ladder(3), 50)
    assert trace.duels[-1].sum() == 100


def test_its_text_names_the_same_policy(mine):
    path = mine(PLAIN.format(**JITTED))
    configured = parse_policy(f"{path}(second=2)", trust=True)
    assert configured.params.second == 2 and str(configured) == f"{path}(second=2)"
    again = parse_policy(str(configured), trust=True)
    assert str(again) == str(configured) and again.params == configured.params
    with pytest.raises(PolicyError, match="no setting of .*mine.py named 'secnd'; did you mean 'second'"):
        parse_policy(f"{path}(secnd=2)", trust=True)
    with pytest.raises(PolicyError, match="no setting of .*mine.py named 'policy'"):
        parse_policy(f"{path}(policy=2)", trust=True)


def test_a_file_may_hold_a_whole_policy(mine):
    text = (
        PLAIN.format(**JITTED)
        + "from rankduel.bandits.contract import policy_of\nPOLICY = policy_of(__name__, assumes='nothing')\n"
    )
    policy = load_policy(mine(text))
    assert policy.name.endswith("mine.py") and policy.recommend and policy.assumes == "nothing"
    assert policy.about == "Duel the same two arms in every step."


OPTIONAL = """
{decorator}
def answers(state, params, chosen):
    chosen[0] = chosen[2] = True

{decorator}
def scores(state, params, out):
    for arm in range(2):
        out[arm] = state.wins[arm]

{decorator}
def finished(state, params):
    return state.wins.sum() > 3

{decorator}
def survivors(state, params):
    return 2

{decorator}
def idle(state, params, limit, self_duels, rng):
    n = min(limit, 2) if state.wins.sum() > 3 else 0
    self_duels[0] += n
    return n

def needs_horizon(params):
    return False
"""


@pytest.mark.filterwarnings("ignore::rankduel.base.errors.PolicyNotice")
@both_styles
def test_every_optional_function_is_used(mine, style):
    policy = load_policy(mine((PLAIN + OPTIONAL).format(**style)))
    trace = play_matrix(configure(policy, second=2), ladder(3), 20, steps=np.array([3, 20]))
    assert trace.answers[-1].sum() == 2 and trace.finished.tolist() == [False, True]
    # After four duels, two steps are skipped before every other step, and one at the end.
    assert trace.survivors.tolist() == [2, 2] and trace.selves[-1].sum() == 11
    assert not configure(policy).needs_horizon
    stepper = start(configure(policy), 3)
    stepper.select()
    stepper.update(first_won=True)
    np.testing.assert_array_equal(stepper.scores(), [1, 0, np.nan])


ALLOCATING = """
{decorator}
def answers(state, params, chosen):
    above = state.wins * 2 - 1
    chosen[:] = above == above.max()
"""


def test_a_compiled_policy_may_allocate_arrays(mine):
    policy = load_policy(mine((PLAIN + ALLOCATING).format(**JITTED)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace = play_matrix(configure(policy), ladder(3), 50)
    assert trace.answers[-1].sum() >= 1


AGENDA = '''"""Mine: compare arms 0 and 1 three times in a round."""
from typing import NamedTuple
import numpy as np
from rankduel.bandits.agenda import Agenda, add, clear, empty_agenda
{imports}

class Params(NamedTuple):
    pass

class State(NamedTuple):
    agenda: Agenda
    wins: np.ndarray

def init(n_arms, params, rng):
    return State(empty_agenda(2), np.zeros(1, np.int64))

{decorator}
def plan(state, params, rng):
    clear(state.agenda, 3)
    add(state.agenda, 0, 1)

{decorator}
def learn(state, params):
    state.wins[0] += state.agenda.wins[0]
'''


@pytest.mark.filterwarnings("ignore::rankduel.base.errors.PolicyNotice")
@both_styles
def test_plan_and_learn_are_enough(mine, style):
    policy = load_policy(mine(AGENDA.format(**style)))
    trace = play_matrix(configure(policy), ladder(3), 30, steps=np.array([7, 30]))
    assert trace.rounds.tolist() == [3, 10] and trace.duels[-1].sum() == 60


def test_an_imported_function_does_not_count(mine):
    text = PLAIN.format(**UNCOMPILED) + "\nfrom rankduel.bandits.policies.condorcet.rucb import idle\n"
    assert load_policy(mine(text)).idle is None


@pytest.mark.filterwarnings("ignore::rankduel.base.errors.PolicyNotice")
@both_styles
@pytest.mark.parametrize("n_duels", [1, 2100])
def test_stepped_saved_and_restored(mine, tmp_path, style, n_duels):
    path = mine(PLAIN.format(**style))
    stepper = start(configure(load_policy(path), second=2), 3)
    for _ in range(n_duels):
        assert stepper.select() == (0, 2)
        stepper.update(True)
    stepper.save(tmp_path / "saved.json")
    again = restore(tmp_path / "saved.json", policy=path)
    assert again.recommend() == 0 and again.select() == (0, 2) and again.n_steps == n_duels


def test_a_saved_file_does_not_choose_the_code_that_is_run(mine, tmp_path, monkeypatch):
    """A saved file runs neither the file that it names, nor a file of the same name elsewhere."""
    ran = tmp_path / "ran"
    path = mine(PLAIN.format(**UNCOMPILED) + f"\nfrom pathlib import Path\nPath({str(ran)!r}).touch()\n")
    stepper = start(configure(load_policy(path)), 3)
    stepper.save(tmp_path / "saved.json")
    ran.unlink()
    with pytest.raises(PolicyError, match="mine.py', which is code that would be run. If you trust it"):
        restore(tmp_path / "saved.json")
    with pytest.raises(PolicyError, match="mine.py', not rucb"):
        restore(tmp_path / "saved.json", policy="rucb")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text(PLAIN.format(**UNCOMPILED))
    monkeypatch.chdir(elsewhere)
    assert restore(tmp_path / "saved.json", policy="mine.py").select() == (0, 1)
    assert not ran.exists()
    assert restore(tmp_path / "saved.json", policy=path).select() == (0, 1) and ran.exists()


def test_a_policy_file_is_not_run_for_a_state_of_another_policy(tmp_path):
    start("rucb", 3).save(tmp_path / "saved.json")
    with pytest.raises(PolicyError, match="saved with the policy rucb, not mine.py"):
        restore(tmp_path / "saved.json", policy="mine.py")
    assert restore(tmp_path / "saved.json", policy="rucb").n_steps == 0


@both_styles
def test_a_stepped_policy_that_chooses_no_arm_is_refused(mine, style):
    stepper = start(configure(load_policy(mine(PLAIN.format(**style))), second=7), 3)
    with pytest.raises(PolicyError, match=r"step 1: select returned \(0, 7\); expected two arms from 0 to 2"):
        stepper.select()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "def init(): pass",
            "no Params, select, update in this file; expected Params, init, select, update, optionally",
        ),
        ("x = 1\ny = x +", "mine.py:2: this policy file does not run: SyntaxError"),
        ("x = 1\ny = x / 0", "mine.py:2: this policy file does not run: ZeroDivisionError"),
        ("import no_such_thing", "mine.py:1: this policy file does not run: ModuleNotFoundError"),
        (PLAIN.format(**JITTED).replace("second: int = 1", "second: int"), "every field has a default"),
        (
            PLAIN.format(**JITTED).replace("update(state, params, first", "update(state, first"),
            "mine.py: update(state, first, second, first_won); "
            "expected update(state, params, first, second, first_won)",
        ),
    ],
)
def test_files_without_a_policy_are_refused(mine, text, message):
    with pytest.raises(PolicyError) as refused:
        load_policy(mine(text))
    assert message in str(refused.value)


def test_an_absent_file():
    with pytest.raises(PolicyError, match="nowhere/mine.py: there is no such policy file"):
        parse_policy("nowhere/mine.py", trust=True)


WRONG = """
from typing import NamedTuple
import numpy as np
{imports}

class Params(NamedTuple):
    pass

class State(NamedTuple):
    wins: np.ndarray

{jit}
def init(n_arms, params, rng):
    {init}
    return State(np.zeros(n_arms))

{jit}
def select(state, params, rng):
    {select}

{jit}
def update(state, params, first, second, first_won):
    {update}
    state.wins[0] += 1

{jit}
def recommend(state, params):
    return {recommend}
"""
RIGHT = {"init": "pass", "select": "return 0, 1", "update": "pass", "recommend": "0"}
MISTAKES = [
    ({"select": "return 0, 77"}, "step 1: select returned (0, 77); expected two arms from 0 to 3"),
    ({"select": "return -1, 1"}, "step 1: select returned (-1, 1); expected two arms from 0 to 3"),
    (
        {"select": "return 0, 1 if state.wins[0] < 4 else 9"},
        "step 5: select returned (0, 9); expected two arms from 0 to 3",
    ),
    ({"select": "return 0.5, 1"}, "step 1: select returned (0.5, 1); expected two arms"),
    ({"select": "return 0, 1, 2"}, "step 1: select returned (0, 1, 2); expected two arms"),
    ({"select": "return None"}, "step 1: select returned None; expected two arms"),
    ({"select": "return 'a', 'b'"}, "step 1: select returned ('a', 'b'); expected two arms"),
    ({"recommend": "55"}, "step 1: recommend returned 55; expected an arm from 0 to 3, or -1 for none"),
    ({"recommend": "'x'"}, "step 1: recommend returned 'x'; expected a whole number"),
    (
        {"select": "return [1, 2][int(state.wins[0]) + 2], 1"},
        "step 1: select raised IndexError: list index out of range mine.py, line 19, in select "
        "return [1, 2][int(state.wins[0]) + 2], 1",
    ),
    (
        {"update": "if state.wins[0] > 2:\n        raise ValueError('three')"},
        "step 4: update raised ValueError: three mine.py, line 24, in update raise ValueError('three')",
    ),
    (
        {"init": "raise ValueError('no start')"},
        "init raised ValueError: no start mine.py, line 14, in init raise ValueError('no start')",
    ),
]


@pytest.mark.filterwarnings("ignore::rankduel.base.errors.PolicyNotice")
@both_styles
@pytest.mark.parametrize(("wrong", "message"), MISTAKES, ids=[message[:40] for _, message in MISTAKES])
def test_the_command_prints_what_is_wrong_with_a_policy(rankduel, tmp_path, style, wrong, message):
    jit = {"imports": "import numba", "jit": "@numba.njit"} if style is JITTED else {"imports": "", "jit": ""}
    (tmp_path / "mine.py").write_text(WRONG.format(**jit, **(RIGHT | wrong)))
    words = ("run", "cyclic", "-p", "./mine.py", "--horizon", "50", "--runs", "1", "--jobs", "1")
    code, out, err = rankduel(*words)
    assert code == 2 and out == "" and err.startswith("error: ./mine.py: ")
    assert " ".join(err.replace(f"{tmp_path}/", "").split()) == f"error: ./mine.py: {message}"


@both_styles
def test_the_command_runs_it(mine, style, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = mine(PLAIN.format(**style))
    words = ["rankduel", "run", "arxiv6", "--policy", str(path), "--horizon", "100", "--runs", "3"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    out, err = capsys.readouterr()
    assert not ended.value.code and "mine.py" in "".join(out.split())
    assert ("runs as plain Python" in " ".join(err.split())) == (style is UNCOMPILED)
