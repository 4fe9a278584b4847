"""`rankduel judge`: bad input gives one message and exit code 2; a policy file runs if the user names it."""

import io

import pytest
from support.helpers import words

from rankduel.experiments.judge.session import start_session

ITEMS = tuple(f"item {number}" for number in range(4))
# Always selects the first two arms; writes a file when it is imported.
MINE = """
from pathlib import Path
from typing import NamedTuple
import numpy as np

Path({mark!r}).touch()

class Params(NamedTuple):
    second: int = 1

def init(n_arms, params, rng):
    return np.zeros(n_arms)

def select(state, params, rng):
    return 0, params.second

def update(state, params, first, second, first_won):
    state[first if first_won else second] += 1

def recommend(state, params):
    return int(np.argmax(state))
"""


@pytest.fixture
def session(tmp_path):
    return start_session(tmp_path / "s", ITEMS, "mohajer_select(m=3)").folder


def refused(result):
    """Return the message of a command with exit code 2."""
    code, _, err = result
    assert code == 2 and err.startswith("error: ") and "Traceback" not in err
    return words(err)


def type_lines(monkeypatch, *lines):
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_an_assessor_is_shown_a_pair_once(rankduel, session, monkeypatch):
    type_lines(monkeypatch, *"1111111111")
    output = words(rankduel("judge", "ask", session, "--assessor", "ann")[1])
    assert "no pair is left for ann; the open pairs need other assessors" in output
    assert "at most 1 judgment per pair" in output and "4 pairs to judge" in output
    for assessor, answers in (("bob", "11"), ("cy", "11q")):
        type_lines(monkeypatch, *answers)
        output = words(rankduel("judge", "ask", session, "--assessor", assessor)[1])
    assert "6 judgments so far, at most 3 judgments per pair" in output


@pytest.mark.parametrize("stdin", [None, "", "closed"])
def test_ask_without_input_is_refused(stdin, rankduel, session, monkeypatch):
    standard_input = io.StringIO(stdin or "")
    if stdin == "closed":
        standard_input.close()
    monkeypatch.setattr("sys.stdin", None if stdin is None else standard_input)
    assert "standard input ended before an answer" in refused(rankduel("judge", "ask", session))
    assert refused(rankduel("judge", "add", session, "-"))
    assert refused(rankduel("judge", "start", "-", "other"))


def test_answers_before_the_end_of_input_are_saved(rankduel, session, monkeypatch):
    type_lines(monkeypatch, "1", "2")
    assert "all earlier answers are saved" in refused(rankduel("judge", "ask", session))
    assert "2 judgments" in words(rankduel("judge", "show", session)[1])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id,winner\n1,l\xe9ft\n", "pairs.csv: not UTF-8 text"),
        (b"id,winner\n1," + b"a" * 140_000, "pairs.csv, line 2: not CSV: field larger than field limit"),
        (b"id,winner\n" + b"9" * 5000 + b",left\n", "pairs.csv, line 2: id is '9"),
        (b"id,winner\n1,item 0\n", "the winner is 'item 0'; expected left, right or tie"),
        (b"", "pairs.csv: no column 'id' (found nothing)"),
    ],
)
def test_invalid_judgments_are_refused(content, message, rankduel, session, tmp_path):
    (tmp_path / "pairs.csv").write_bytes(content)
    assert message in refused(rankduel("judge", "add", session, "pairs.csv"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", "-1"], "the seed is -1"),
        (["--budget", "-1"], "the budget is -1"),
        (["--budget", "1" + "0" * 40], "the budget is 1"),
        (["--policy", "rucb"], "does not stop by itself"),
        (["--policy", "gone.py"], "gone.py: there is no such policy file"),
    ],
)
def test_invalid_sessions_are_refused(options, message, rankduel, tmp_path):
    (tmp_path / "pool.txt").write_text("a\nb\n")
    assert message in refused(rankduel("judge", "start", "pool.txt", "s", *options))


def test_an_unwritable_list_is_refused(rankduel, session):
    message = refused(rankduel("judge", "next", session, "-o", "no/such/pairs.csv"))
    assert "no/such/pairs.csv: could not be written: No such file or directory" in message


@pytest.fixture
def file_written_by_policy(rankduel, tmp_path):
    """Start a session with the policy mine/mine.py, and return the path that importing the policy writes."""
    mark = tmp_path / "ran"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.py").write_text(MINE.format(mark=str(mark)))
    (tmp_path / "pool.txt").write_text("a\nb\nc\n")
    policy = ["--policy", "mine/mine.py(second=2)", "--budget", "3"]
    code, out, _ = rankduel("judge", "start", "pool.txt", "s", *policy)
    assert code == 0 and "second=2" in "".join(out.split()) and mark.exists()
    mark.unlink()
    return mark


COMMANDS = [("show", "s"), ("next", "s"), ("add", "s", "pairs.csv"), ("ask", "s")]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_policy_file_in_a_session_is_not_run(
    command, file_written_by_policy, rankduel, tmp_path, monkeypatch
):
    (tmp_path / "pairs.csv").write_text("id,winner\n1,left\n")
    message = refused(rankduel("judge", *command))
    assert "session.json: '" in message and "is code that would be run" in message and "--trust" in message
    assert not file_written_by_policy.exists()
    type_lines(monkeypatch, "q")
    for named in (["--trust"], ["--policy", "mine/mine.py"], ["-p", "mine/mine.py(second=2)"]):
        assert rankduel("judge", *command, *named)[0] == 0 and file_written_by_policy.exists()
        file_written_by_policy.unlink()
        type_lines(monkeypatch, "q")


def test_a_trusted_file_is_identified_by_its_absolute_path(
    file_written_by_policy, rankduel, tmp_path, monkeypatch
):
    """A file of the same name in the working folder is not run instead."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "mine").mkdir(parents=True)
    (elsewhere / "mine" / "mine.py").write_text("raise SystemError('the wrong file was run')")
    monkeypatch.chdir(elsewhere)
    assert rankduel("judge", "show", tmp_path / "s", "--trust")[0] == 0 and file_written_by_policy.exists()
    message = refused(rankduel("judge", "show", tmp_path / "s", "--policy", "mine/mine.py"))
    assert "the wrong file was run" in message  # the user named this file


@pytest.mark.parametrize("named", ["rucb", "mine/mine.py(second=1)"])
def test_a_policy_other_than_that_of_the_session_is_refused(named, file_written_by_policy, rankduel):
    assert f", not {named}" in refused(rankduel("judge", "show", "s", "--policy", named))


def test_the_named_policy_must_be_that_of_the_session(rankduel, session):
    assert rankduel("judge", "show", session, "--policy", "mohajer_select(m=3)")[0] == 0
    for named in ("mohajer_select", "mine.py"):
        message = refused(rankduel("judge", "show", session, "--policy", named))
        assert f"the policy of the session is mohajer_select(m=3), not {named}" in message
