"""Judging sessions: judgments in any order, none lost, and no comparison judged twice."""

import csv
import hashlib
import io
import json
import random
import shutil

import numpy as np
import pytest
from support.helpers import words

from rankduel.base.errors import DataError, PolicyError, RankduelError, RecordsError, UsageError
from rankduel.base.stored import Kind, write_json
from rankduel.experiments.judge.judgments import pairs_csv, read_judgments
from rankduel.experiments.judge.session import open_session, read_pool, start_session

ITEMS = tuple(f"item {number:02d}" for number in range(12))
POLICIES = ("prefbest(n=3,m=4)", "mallows_mpi", "mohajer_select(m=3)")


def better(left, right):
    """Return the side of the item with the smaller number."""
    return "left" if left < right else "right"


def answers_to(pairs, judge=better):
    return [{"id": str(pair.id), "winner": judge(pair.left, pair.right)} for pair in pairs]


def judge_all(session, shuffle=None, at_a_time=None):
    """Judge until the session is finished, `at_a_time` pairs per round, shuffled by `shuffle` if given."""
    while pairs := session.next_pairs():
        if shuffle:
            shuffle.shuffle(pairs)
        assert session.add(answers_to(pairs[:at_a_time])) == len(pairs[:at_a_time])
    return session.progress()


@pytest.mark.parametrize("policy", POLICIES)
def test_consistent_judgments_find_the_best_item(policy, tmp_path):
    progress = judge_all(start_session(tmp_path, ITEMS, policy))
    assert progress.finished and progress.best == ("item 00",) and progress.open == progress.ahead == 0
    assert 11 <= progress.judgments and 1 <= progress.judgments_per_pair


@pytest.mark.parametrize("policy", ["prefbest(n=3,m=4)", "mohajer_select(m=3)"])
def test_the_order_of_judgments_does_not_matter(policy, tmp_path):
    """This holds within a batch. The noisy judgment of a comparison depends on its number only."""

    def run(name, **order):
        session = start_session(tmp_path / name, ITEMS, policy, seed=3)
        while pairs := session.next_pairs():
            if "shuffle" in order:
                order["shuffle"].shuffle(pairs)
            rows = [
                {"id": str(pair.id), "winner": better(pair.left, pair.right) if pair.id % 7 else "left"}
                for pair in pairs[: order.get("at_a_time")]
            ]
            session.add(rows)
        return session.progress()

    plain = run("plain")
    assert run("single", at_a_time=1) == plain
    assert run("shuffled", at_a_time=5, shuffle=random.Random(1)) == plain


def test_batches_are_open_at_once_and_the_budget_cuts_them(tmp_path):
    session = start_session(tmp_path / "a", ITEMS, "mohajer_select(m=3)")
    assert len(session.next_pairs()) == 6 * 3
    assert len({pair.pair for pair in session.next_pairs()}) == 6
    short = start_session(tmp_path / "b", ITEMS, "mohajer_select(m=3)", budget=10)
    assert len(short.next_pairs()) == 10
    progress = judge_all(short)
    assert progress.finished and progress.judgments == 10 and len(progress.best) >= 1


def test_judgments_of_later_comparisons_are_stored_and_counted(tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=1)")
    last = session.next_pairs()[-2:]
    session.add(answers_to(last))
    progress = session.progress()
    assert (progress.judgments, progress.ahead, progress.open) == (0, 2, 4)
    assert not {pair.id for pair in session.next_pairs()} & {pair.id for pair in last}
    assert judge_all(session).best == ("item 00",)


def test_sides_are_random(tmp_path):
    """In 66 comparisons of all pairs, each side shows the better item about half of the time."""
    session = start_session(tmp_path, ITEMS, "prefbest(m=12)")
    pairs = session.next_pairs()
    assert len(pairs) == 66
    assert abs(sum(pair.left < pair.right for pair in pairs) - 33) < 4.5 * np.sqrt(66 / 4)


def test_the_random_winner_of_a_tie_does_not_change(tmp_path):
    one, same = (start_session(tmp_path / name, ITEMS, "mohajer_select(m=3)", seed=1) for name in "ab")
    for session in (one, same):
        while pairs := session.next_pairs():
            session.add([{"id": str(pair.id), "winner": "Tie"} for pair in pairs])
    assert one.progress() == same.progress() and one.progress().finished


def test_adding_again_changes_nothing(tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=1)")
    rows = answers_to(session.next_pairs())
    assert session.add(rows) == 6 and session.add(rows) == 0 and session.add(rows[:2] + rows[:2]) == 0
    assert session.progress().judgments == 6


@pytest.mark.parametrize("name", ["tie", "left", "right", "Tie", "1", "t", "q", "winner"])
def test_an_item_may_have_the_name_of_a_winner(name, tmp_path):
    """An item that wins every comparison is the best, on either side."""
    for seed in range(20):
        session = start_session(tmp_path / str(seed), ("a", "z", name), "mohajer_select(m=1)", seed=seed)
        while pairs := session.next_pairs():
            number, _, right = pairs[0]
            session.add([{"id": str(number), "winner": "right" if right == name else "left"}])
        assert session.progress().best == (name,)


def test_a_winner_given_by_name_is_refused(tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=1)")
    pair = session.next_pairs()[0]
    with pytest.raises(
        DataError, match=f"the winner is '{pair.left}'; expected left, right or tie: the side"
    ):
        session.add([{"id": "1", "winner": pair.left}])


def answers_by(assessor, pairs):
    return [row | {"assessor": assessor} for row in answers_to(pairs)]


def test_an_assessor_judges_a_pair_once(tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=3)")
    assert len(session.next_pairs()) == 18
    for assessor in ("ann", "bob", "cy"):
        pairs = session.next_pairs(assessor)
        assert len({pair.pair for pair in pairs}) == len(pairs) == 6
        assert session.add(answers_by(assessor, pairs[:1])) == 1
        assert len(session.next_pairs(assessor)) == 5
        assert session.add(answers_by(assessor, pairs[1:])) == 5
        if assessor != "cy":
            assert session.next_pairs(assessor) == []
    assert session.progress().judgments == 18 and session.progress().judgments_per_pair == 3


def test_a_second_judgment_of_a_pair_by_one_person_is_refused(tmp_path):
    session = start_session(tmp_path, ITEMS[:2], "mohajer_select(m=2)")
    first, second = session.next_pairs()
    with pytest.raises(
        DataError, match="line 3: ann judged this pair before, as comparison 1; .*another assessor"
    ):
        session.add(answers_by("ann", [first, second]))
    session.add(answers_by("ann", [first]))
    with pytest.raises(DataError, match="line 2: ann judged this pair before"):
        session.add(answers_by("ann", [second]))
    assert session.add(answers_by("bob", [second])) == 1 and session.progress().judgments == 2


@pytest.mark.parametrize("other", ["bob", ""])
def test_a_second_judgment_of_a_comparison_by_another_person_is_refused(other, tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=1)")
    pairs = session.next_pairs()
    assert session.add(answers_by("ann", pairs[:1])) == 1 and session.add(answers_by("ann", pairs[:1])) == 0
    with pytest.raises(
        DataError, match="line 2: comparison 1 was judged before, by ann; expected one judgment"
    ):
        session.add(answers_by(other, pairs))
    with pytest.raises(DataError, match="line 3: comparison 2 was judged before, by cy"):
        session.add(answers_by("cy", pairs[1:2]) + answers_by(other, pairs[1:2]))
    assert session.progress().ahead + session.progress().judgments == 1


@pytest.mark.parametrize(
    "row, message",
    [
        ({"id": "99", "winner": "left"}, "line 3: id is '99', which is no comparison of this session"),
        ({"id": "9" * 5000, "winner": "left"}, "id is '9{18}', which is no comparison of this session"),
        ({"id": "\u0662", "winner": "left"}, "which is no comparison of this session"),
        ({"id": "2", "winner": "left", "assessor": "a\ud800"}, "the assessor's name cannot be written"),
        ({"id": "two", "winner": "left"}, "id is 'two', which is no comparison of this session"),
        ({"id": "2", "winner": "item 77"}, "the winner is 'item 77'; expected left"),
        ({"id": "2", "winner": "left", "left": "item 77"}, "left is 'item 77'; expected 'item"),
        ({"id": "1", "winner": "right"}, "comparison 1 has the winner right, and had left before"),
    ],
)
def test_a_file_with_an_invalid_judgment_is_refused_as_a_whole(row, message, tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=1)")
    with pytest.raises(DataError, match=message) as error:
        session.add([{"id": "1", "winner": "left"}, row])
    assert str(error.value).endswith("Nothing of the file was added")
    assert session.progress().judgments == session.progress().ahead == 0


def test_two_files_with_the_same_comparison_are_an_error(tmp_path):
    here, there = (start_session(tmp_path / name, ITEMS, "mohajer_select(m=1)") for name in "ab")
    here.add([{"id": "1", "winner": "left"}])
    there.add([{"id": "1", "winner": "right"}, {"id": "2", "winner": "right"}])
    for path in (tmp_path / "b" / "judgments").iterdir():  # both are written before either is read
        shutil.copy(path, tmp_path / "a" / "judgments")
    with pytest.raises(RecordsError, match="comparison 1 is judged here and in another file"):
        open_session(tmp_path / "a").progress()


def test_judgments_added_by_another_session_are_read(tmp_path):
    session, other = start_session(tmp_path, ITEMS, "mohajer_select(m=1)"), open_session(tmp_path)
    assert session.add(answers_to(session.next_pairs()[:2])) == 2
    assert other.add(answers_to(other.next_pairs())) == 4
    assert session.progress() == other.progress() and session.progress().judgments == 6


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        (((), "prefbest"), DataError, "the pool is empty"),
        ((("a", "b", "a"), "prefbest"), DataError, "'a' is in the pool 2 times"),
        ((ITEMS, "prefbst"), PolicyError, "no policy named 'prefbst'; did you mean 'prefbest'"),
        ((ITEMS, "rucb"), PolicyError, "rucb does not stop by itself; expected a budget"),
        ((ITEMS, "prefbest", 0, -1), UsageError, "the budget is -1"),
        (
            (ITEMS, "prefbest", 0, 1e400),
            UsageError,
            "the budget is inf; expected a number of judgments up to",
        ),
        ((ITEMS, "prefbest", 0, 2.5), UsageError, "the budget is 2.5"),
        ((ITEMS, "prefbest", 0, 10**16), UsageError, "the budget is 10{16}"),
        ((ITEMS, "prefbest", -1), UsageError, "the seed is -1; expected a whole number from 0"),
        ((ITEMS, "mdb", 0, 9), PolicyError, "mdb compares whole sets of arms"),
        ((ITEMS, "opt_max(epsilon=1e-300)"), PolicyError, "epsilon is 1e-300; expected at least 1e-08"),
        ((("a", "b\0"), "prefbest"), DataError, "cannot be the name of an item"),
        ((("a", "b\ud800"), "prefbest"), DataError, "cannot be the name of an item"),
    ],
)
def test_bad_sessions_are_refused(arguments, kind, message, tmp_path):
    with pytest.raises(kind, match=message):
        start_session(tmp_path / "s", *arguments)
    assert not (tmp_path / "s").exists()


def test_missing_and_repeated_sessions_are_refused(tmp_path):
    with pytest.raises(RecordsError, match="no session there"):
        open_session(tmp_path)
    start_session(tmp_path, ITEMS, "mohajer_select")
    with pytest.raises(RecordsError, match="holds a session already"):
        start_session(tmp_path, ITEMS, "mohajer_select")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"5", b"\xff\xfe", b"[" * 20_000, b'{"a":' * 20_000])
def test_damaged_sessions_are_refused(content, tmp_path):
    start_session(tmp_path, ITEMS, "mohajer_select")
    (tmp_path / "session.json").write_bytes(content)
    with pytest.raises(RecordsError, match="session.json: not a judging session, or damaged"):
        open_session(tmp_path)


def edited(folder, **changes):
    """Change fields of the session file, and update its checksum."""
    about = json.loads((folder / "session.json").read_text()) | changes
    about.pop("digest", None)
    write_json(folder / "session.json", Kind("", ""), about)
    return folder


def test_edited_sessions_and_those_of_other_versions_are_refused(tmp_path):
    start_session(tmp_path, ITEMS, "mohajer_select")
    about = json.loads((tmp_path / "session.json").read_text())
    (tmp_path / "session.json").write_text(json.dumps(about | {"budget": 7}))
    with pytest.raises(RecordsError, match="session.json: damaged or edited"):
        open_session(tmp_path)
    del about["digest"], about["format"]
    (tmp_path / "session.json").write_text(json.dumps(about))
    with pytest.raises(RecordsError, match="there is no digest in it"):
        open_session(tmp_path)
    edited(tmp_path, format=2)
    with pytest.raises(RecordsError, match="another version of rankduel, in format 2; expected 1"):
        open_session(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[
            ("items", value)
            for value in (5, None, "ab", {}, [], [1, 2], ["a", "a"], ["a", "\0"], ["a", ["b"]])
        ],
        *[("policy", value) for value in (5, None, ["rucb"], "", "rucbb", "rucb(", "mine.py")],
        *[("seed", value) for value in (-1, 1.5, 1e400, "1", None, True)],
        *[("budget", value) for value in (-1, 1.5, 1e400, 10**400, "1", None, True)],
        *[("format", value) for value in ("2", None, 2.0)],
    ],
)
def test_every_field_of_a_session_is_checked(name, value, tmp_path):
    start_session(tmp_path, ITEMS, "mohajer_select")
    with pytest.raises(RankduelError, match="session.json: "):
        open_session(edited(tmp_path, **{name: value}))


def write_judgment_file(folder, text):
    """Write judgments to a file with the digest in its name, as `add` does."""
    data = text if isinstance(text, bytes) else text.encode()
    digest = hashlib.sha256(data).hexdigest()[:16]
    (folder / "judgments" / f"000001-{digest}.csv").write_bytes(data)


HEADER = "id,left,right,winner,assessor\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "id,left\n1,a\n",
        "id,winner\n1,a\n",
        HEADER + "one,a,b,left,\n",
        HEADER + "9" * 5000 + ",a,b,left,\n",
        HEADER + "1,a,b,a,\n",
        HEADER + "1," + "a" * 140_000 + ",b,left,\n",
        "\0",
        b"\xff",
    ],
)
def test_damaged_judgments_are_refused(text, tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=1)")
    write_judgment_file(tmp_path, text)
    with pytest.raises(RecordsError, match=r"000001-\w+.csv: damaged"):
        session.progress()


def test_a_flipped_bit_in_judgments_is_detected(tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=1)")
    session.add(answers_to(session.next_pairs()))
    (path,) = (tmp_path / "judgments").iterdir()
    whole = path.read_bytes()
    for bit in range(0, 8 * len(whole), 13):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(RecordsError, match="damaged or edited; its content does not have the digest"):
            open_session(tmp_path).progress()


def test_a_session_of_another_version_is_refused(tmp_path):
    session = start_session(tmp_path, ITEMS, "mohajer_select(m=1)")
    session.add(answers_to(session.next_pairs()))
    with pytest.raises(RecordsError, match="made by another version"):
        open_session(edited(tmp_path, seed=8)).progress()


def test_any_policy_can_be_used_with_a_budget(tmp_path):
    progress = judge_all(start_session(tmp_path, ITEMS[:4], "rucb", budget=25))
    assert progress.finished and progress.best == ("item 00",) and progress.judgments <= 25


def test_one_item_needs_no_judgment(tmp_path):
    session = start_session(tmp_path, ["only"], "prefbest")
    assert session.next_pairs() == [] and session.progress().best == ("only",)


def test_pools_are_lines_or_a_column():
    assert read_pool("a\n\n b \nc, d\n") == ("a", "b", "c, d")
    assert read_pool('item,text\nx,"a, b"\n"y, z",more\n') == ("x", "y, z")
    assert read_pool("") == () and read_pool("item\nx\n\ny") == ("x", "y")
    assert read_pool('"\n' + "a" * 200_000) == ('"', "a" * 200_000)  # lines may be long, and contain quotes
    assert read_pool("item\n'=1\n") == ("'=1",)
    with pytest.raises(DataError, match="pool.csv, line 2: not CSV: field larger"):
        read_pool("item\n" + "a" * 200_000, "pool.csv")
    for header in ('number,"item\n', 'number,i"te"m\n', "item\u2028"):
        with pytest.raises(DataError, match=r"pool.csv, line 1: .* expected a column 'item'"):
            read_pool(header + "1,first\n", "pool.csv")


def test_csv_keeps_commas_and_quotes(tmp_path):
    items = ['a, "b"', "c\nd", "é"]
    session = start_session(tmp_path, items, "mohajer_select(m=1)")
    while pairs := session.next_pairs():
        rows = list(csv.DictReader(io.StringIO(pairs_csv(pairs))))
        filled = "".join(f"{row['id']},left\n" for row in rows)
        session.add(read_judgments("id,winner\n" + filled, "x"))
    assert session.progress().best[0] in items


def test_a_whole_session_on_the_command_line(rankduel, tmp_path):
    (tmp_path / "pool.txt").write_text("\n".join(ITEMS))
    folder, pairs = str(tmp_path / "s"), tmp_path / "pairs.csv"
    output = words(
        rankduel("judge", "start", tmp_path / "pool.txt", folder, "--policy", "mohajer_select(m=1)")[1]
    )
    assert "12 items, mohajer_select(m=1)" in output and "6 pairs to judge" in output
    for _ in range(4):
        rankduel("judge", "next", folder, "-o", pairs, "--assessor", "Ann")
        rows = list(csv.DictReader(pairs.read_text().splitlines()))
        filled = [row | {"winner": better(row["left"], row["right"])} for row in rows]
        with pairs.open("w") as file:
            writer = csv.DictWriter(file, filled[0])
            writer.writeheader()
            writer.writerows(filled)
        output = words(rankduel("judge", "add", folder, pairs)[1])
    assert (
        "finished; best: item 00" in output and "11 judgments so far, at most 1 judgment per pair" in output
    )
    shown = json.loads(rankduel("judge", "show", folder, "--json")[1])
    assert shown["best"] == ["item 00"] and shown["finished"] and shown["judgments"] == 11


def test_asking_at_the_terminal_keeps_every_answer(rankduel, tmp_path, monkeypatch):
    start_session(tmp_path, ITEMS[:3], "mohajer_select(m=1)")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nnonsense\nq\n"))
    output = words(rankduel("judge", "ask", tmp_path)[1])
    assert "1 judgment so far, at most 1 judgment per pair" in output and "1 pair to judge" in output
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n"))
    assert "finished" in words(rankduel("judge", "ask", tmp_path)[1])
