"""Ranked lists: three file formats, pairwise counts against a slow twin, and the selection of items."""

import itertools
import os

import numpy as np
import pytest

from rankduel.base.errors import DataError
from rankduel.experiments.studies.data.ballots import (
    Ballots,
    TopItems,
    n_comparisons,
    n_lists,
    preferences_from_ballots,
    read_ballots,
)
from rankduel.experiments.studies.data.judged import DataSource
from rankduel.experiments.studies.data.problems import ballots_of, open_problem, stand_in_for
from rankduel.experiments.studies.data.public import LEADS, PUBLIC
from rankduel.experiments.studies.published.batched.lists import FACTS, facts_of
from rankduel.experiments.studies.study import Inputs, Size

TODAY = """\
# FILE NAME: tiny.soi
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 8
# ALTERNATIVE NAME 1: Ann A.
# ALTERNATIVE NAME 2: Bob: the second
# ALTERNATIVE NAME 3: Cleo
# ALTERNATIVE NAME 4: Dan
3: 2,1
2: {1,3},2
1: 4
2: 3, 2, 1, 4
"""
BEFORE = """\
4
1,Ann A.
2,Bob: the second
3,Cleo
4,Dan
8,8,4
3,2,1
2,{1,3},2
1,4
2,3,2,1,4
"""
ORDERS = """\
4 1
0 2 1 0
0 3 2 1 0
0 1 3
"""
LONG, SHORT = "9" * 5000, "9" * 37 + "..."


@pytest.fixture
def written(tmp_path):
    def write(text, name="tiny.soi"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("text", [TODAY, BEFORE, TODAY.replace("\n", "\r\n\r\n")])
def test_both_formats_of_preflib(text, written):
    ballots = read_ballots(written(text))
    assert ballots.names == ("Ann A.", "Bob: the second", "Cleo", "Dan")
    assert ballots.counts.tolist() == [3, 2, 1, 2]
    assert ballots.places.tolist() == [[2, 1, 0, 0], [1, 2, 1, 0], [0, 0, 0, 1], [3, 2, 1, 4]]
    # By hand: Ann and Cleo are tied in two lists, which count for neither.
    assert ballots.above.tolist() == [[0, 2, 0, 2], [5, 0, 0, 2], [2, 4, 0, 2], [0, 0, 0, 0]]
    assert n_lists(ballots).tolist() == [7, 7, 4, 3]
    assert n_comparisons(ballots).tolist() == [11, 13, 8, 6]


def test_orders_of_sushi(written):
    ballots = read_ballots(written(ORDERS, "sushi3b.5000.10.order"))
    assert ballots.names == ("0", "1", "2", "3")
    assert ballots.places.tolist() == [[2, 1, 0, 0], [3, 2, 1, 0], [0, 0, 0, 1]]


def slow_counts(lists):
    """Return {(one, other): number of voters with one above other} from [(count, groups)], pair by pair."""
    above = {}
    for count, groups in lists:
        for (place, group), (later, others) in itertools.product(enumerate(groups), repeat=2):
            for one, other in itertools.product(group, others):
                if place < later:
                    above[one, other] = above.get((one, other), 0) + count
    return above


def random_lists(rng, n_items, n_lists):
    """Yield (count, groups) with random ties."""
    for _ in range(n_lists):
        items = rng.permutation(n_items)[: rng.integers(1, n_items + 1)]
        cuts = np.flatnonzero(rng.random(len(items) - 1) < 0.7) + 1
        yield int(rng.integers(1, 5)), [group.tolist() for group in np.split(items, cuts)]


def as_preflib(lists, n_items):
    """Return lists in PrefLib's format, with items numbered from 1."""
    voters = sum(count for count, _ in lists)
    head = [f"# NUMBER VOTERS: {voters}", *(f"# ALTERNATIVE NAME {i + 1}: item {i}" for i in range(n_items))]
    written = [[[str(item + 1) for item in group] for group in groups] for _, groups in lists]
    orders = [
        ",".join(g[0] if len(g) == 1 else "{" + ",".join(g) + "}" for g in groups) for groups in written
    ]
    return "\n".join(head + [f"{count}: {order}" for (count, _), order in zip(lists, orders)]) + "\n"


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_the_slow_twin(seed, written):
    rng, n_items = np.random.default_rng(seed), 6
    lists = list(random_lists(rng, n_items, 40))
    ballots, slow = read_ballots(written(as_preflib(lists, n_items))), slow_counts(lists)
    pairs = list(itertools.product(range(n_items), repeat=2))
    assert [ballots.above[pair] for pair in pairs] == [slow.get(pair, 0) for pair in pairs]
    assert n_lists(ballots).tolist() == [
        sum(count for count, groups in lists if any(item in group for group in groups))
        for item in range(n_items)
    ]
    top = TopItems(4, n_comparisons)
    chosen, preferences = top.select(ballots), preferences_from_ballots(ballots, top, "tiny")
    counted = {item: sum(n for pair, n in slow.items() if item in pair) for item in range(n_items)}
    assert min(counted[item] for item in chosen) >= max(counted[i] for i in range(n_items) if i not in chosen)
    assert preferences.names == tuple(f"item {item}" for item in chosen)
    for row, one in enumerate(chosen):
        for column, other in enumerate(chosen):
            wins, losses = slow.get((one, other), 0), slow.get((other, one), 0)
            share = wins / (wins + losses) if one != other else 0.5
            assert preferences.matrix[row, column] == pytest.approx(share, abs=1e-15)


def test_selected_items_are_in_the_order_of_the_file_which_breaks_ties():
    """All forty items are in one list, the last ten also in another."""
    places = np.stack([np.arange(40, 0, -1), np.where(np.arange(40) < 30, 0, np.arange(40))])
    ballots = Ballots(tuple(map(str, range(40))), np.array([1, 1]), places)
    assert TopItems(25, n_lists).select(ballots) == [*range(15), *range(30, 40)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("3: 2,1", "3; 2,1", "tiny.soi:8: found '3; 2,1'; expected a count and a list"),
        ("3: 2,1", "x: 2,1", "tiny.soi:8: found 'x: 2,1'"),
        ("3: 2,1", "3: ", "tiny.soi:8: found '3:'"),
        ("3: 2,1", "3: {2,1", "tiny.soi:8: found '3: {2,1'"),
        ("3: 2,1", "3: 2,5", "tiny.soi:8: found '5'; expected the number of one of the 4 items"),
        ("3: 2,1", "3: 2,2", "tiny.soi:8: found '2'; expected every item once"),
        ("VOTERS: 8", "VOTERS: many", "tiny.soi:3: found 'many'; expected a number of voters"),
        ("2: 3, 2, 1, 4\n", "", "found 6 lists, but the file states 8; download it again"),
        (TODAY, "", "tiny.soi:1: found ''; expected a file of ranked lists"),
        (TODAY, "<html>", "tiny.soi:1: found '<html>'"),
        ("3: 2,1", f"{LONG}: 2,1", f"tiny.soi:8: found '{SHORT}'; expected a count"),
        ("3: 2,1", f"{2**64}: 2,1", "tiny.soi:8: found '18446744073709551616: 2,1'; expected a count"),
        ("3: 2,1", f"3: 2,{2**64}", "tiny.soi:8: found '3: 2,18446744073709551616'"),
        ("3: 2,1", f"3: 2,{LONG}", "tiny.soi:8: found '3: 2,9"),
        ("3: 2,1", f"{10**13}: 2,1", "found 10,000,000,000,005 lists, but the file states 8"),
        (
            "VOTERS: 8\n",
            f"TITLE: x\n{10**13}: 2,1\n",
            "expected at most 10,000 items, 1,000,000,000,000 lists",
        ),
        ("VOTERS: 8", f"VOTERS: {LONG}", f"tiny.soi:3: found '{SHORT}'; expected a number of voters"),
        ("NAME 4: Dan", f"NAME {LONG}: Dan", f"tiny.soi:7: found '{SHORT}'; expected the number of an"),
        ("NAME 4: Dan", "NAME 3: Dan", "tiny.soi:7: found '3'; expected every item once"),
        (TODAY, LONG, f"tiny.soi:1: found '{SHORT}'; expected a number of items"),
        (TODAY, BEFORE.replace("4,Dan", "3,Dan"), "tiny.soi:5: found '3'; expected every item once"),
        (
            TODAY,
            BEFORE.replace("8,8,4", "9" * 5000),
            f"tiny.soi:6: found '{SHORT}'; expected a number of voters",
        ),
        (TODAY, ORDERS.replace("4 1", LONG + " 1"), "tiny.soi:1: found '9"),
        (
            TODAY,
            ORDERS.replace("4 1", "999999999 1"),
            "tiny.soi:1: found '999999999 1'; expected a number of items",
        ),
        (TODAY, ORDERS.replace("0 1 3", "0 1 " + LONG), "tiny.soi:4: found '0 1 9"),
        (TODAY, ORDERS.replace("0 1 3", LONG + " 1 3"), "tiny.soi:4: found '9"),
        (TODAY, BEFORE[:20], "the file ends in line 3; expected 4 names"),
        (TODAY, BEFORE.replace("2,Bob", "Bob"), "tiny.soi:3: found 'Bob: the second'"),
        (TODAY, BEFORE.replace("8,8,4", "eight"), "tiny.soi:6: found 'eight'"),
        (TODAY, BEFORE.replace("3,2,1\n", "3,2,1,\n", 1), "tiny.soi:7: found '3,2,1,'"),
        (TODAY, ORDERS.replace("0 3 2 1 0", "0 4 2 1 0"), "tiny.soi:3: found '0 4 2 1 0'; expected 0, the"),
        (TODAY, ORDERS.replace("0 1 3", "0"), "tiny.soi:4: found '0'"),
        (TODAY, ORDERS.replace("0 1 3", "0 1 4"), "tiny.soi:4: found '4'"),
        (TODAY, ORDERS.replace("0 1 3", "0 1 b"), "tiny.soi:4: found '0 1 b'"),
    ],
)
def test_bad_files_are_named_with_their_line(old, new, message, written):
    assert old in TODAY
    with pytest.raises(DataError) as problem:
        read_ballots(written(TODAY.replace(old, new)))
    assert message in str(problem.value)


def test_lists_without_a_complete_matrix_are_refused(written):
    ballots = read_ballots(written(TODAY.replace("2: 3, 2, 1, 4", "2: 3,2,1")))
    with pytest.raises(DataError, match="no list ranks one of 'Ann A.' and 'Dan' above the other"):
        preferences_from_ballots(ballots, TopItems(4, n_lists), "tiny")
    with pytest.raises(DataError, match="4 items are ranked; expected at least 5"):
        preferences_from_ballots(ballots, TopItems(5, n_lists), "tiny")


@pytest.fixture
def folder(tmp_path):
    """Write made-up ballots of nine candidates into a subfolder of the data folder."""
    (tmp_path / "00001 - irish").mkdir()
    lists = list(random_lists(np.random.default_rng(1), 9, 200))
    lists.append((100, [[0, 1, 2, 3, 5, 6, 7, 8]]))  # so that item 4 is ranked by the fewest voters
    text = as_preflib(lists, 9).replace("item 4", "John Smyth C.C.").replace("item 5", "Brian Lenihan F.F.")
    (tmp_path / "00001 - irish" / "00001-00000002.soi").write_text(text)
    return tmp_path


def test_problems_are_read_from_ranked_lists(folder):
    for problem, names in (("dublin9", 9), ("dublin8", 8)):
        opened = open_problem(problem, DataSource(folder, folder))
        assert (opened.stand_in, stand_in_for(problem, folder)) == ("", "")
        assert len(opened.problem.preferences) == names
        assert opened.problem.settings["problem"] == problem
    assert "John Smyth C.C." not in opened.problem.preferences.names
    assert (
        stand_in_for("meath12", folder) == stand_in_for("meath12", None) == "a synthetic stand-in for meath12"
    )
    assert ballots_of("meath12", folder) is None


def test_a_matrix_file_is_preferred_to_ranked_lists(folder):
    np.savetxt(folder / "dublin8.txt", PUBLIC["dublin8"].stand_in(), fmt="%.17g")
    opened = open_problem("dublin8", DataSource(folder, folder))
    np.testing.assert_allclose(opened.problem.preferences.matrix, PUBLIC["dublin8"].stand_in(), atol=1e-15)
    assert opened.stand_in == "" and ballots_of("dublin8", folder) is None
    assert ballots_of("dublin9", folder) is not None


def test_descriptions_name_the_files_to_download():
    for name in ("sushi16", "meath12", "dublin8"):
        assert "preflib.org" in PUBLIC[name].about and ".soi" in PUBLIC[name].about


def test_facts_of_lists(folder):
    (fact,) = (fact for fact in FACTS if fact.problem == "dublin8")
    preferences = open_problem("dublin8", DataSource(folder, folder)).problem.preferences
    found = facts_of(Inputs(preferences, Size(1, 1), {}, 1, folder), fact)
    counts = sum(count for count, _ in random_lists(np.random.default_rng(1), 9, 200)) + 100
    assert (found["lists"], found["items"], found["to be left out"]) == (counts, 9, 0)
    least, second, *_ = sorted(n_lists(ballots_of("dublin8", folder)))
    assert (found["most not kept"], found["fewest kept"]) == (least, second) and least < second
    without = facts_of(Inputs(preferences, Size(1, 1), {}, 1, None), fact)
    assert set(found) - set(without) == {
        "lists", "items", "fewest kept", "most not kept", "winner as known", "to be left out"
    }  # fmt: skip


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.problem)
def test_stand_ins_have_the_leads_of_the_original_data(fact):
    preferences = open_problem(fact.problem, DataSource(None, None)).problem.preferences
    found = facts_of(Inputs(preferences, Size(1, 1), {}, 1, None), fact)
    leads = [found[name] for name in ("smallest lead", "median lead", "largest lead")]
    assert leads == pytest.approx(LEADS[fact.problem], abs=5e-4)  # the median of eight leads is a mean of two
    assert found["cycles"] == 0 and "lists" not in found


def test_unreadable_files_are_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_ballots(tmp_path)
    (tmp_path / "large.soi").touch()
    os.truncate(tmp_path / "large.soi", 2**40)  # a sparse file
    with pytest.raises(DataError, match="large.soi: larger than 33,554,432 bytes"):
        read_ballots(tmp_path / "large.soi")


def test_names_may_be_in_any_encoding(tmp_path):
    (tmp_path / "tiny.soi").write_bytes(TODAY.replace("Cleo", "Cléo").encode("latin-1"))
    assert read_ballots(tmp_path / "tiny.soi").names[2] == "Cl\ufffdo"
