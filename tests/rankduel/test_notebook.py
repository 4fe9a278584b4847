"""Test short reprs, escaped HTML, single names as arguments, and short messages about wrong types."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support import arenas
from support.run_set_samples import made_up_study, ordered_preferences

import rankduel
from rankduel.bandits import configure, play_matrix
from rankduel.base.notebook import few, html_repr, short_repr

HOSTILE = "<script>alert('x')</script>\udcff"


@pytest.fixture(scope="module")
def things():
    """Return objects that are often displayed at the end of a cell."""
    frame = pd.DataFrame({"qid": [1] * 300, "label": 0, "bm25": np.arange(300.0)})
    arena = arenas.arena()
    docs = [HOSTILE, *map(str, range(500))]
    return {
        "Letor": replace(rankduel.Letor.from_pandas(frame), source=HOSTILE),
        "Rankings": arena.rankings,
        "Arena": arena,
        "Preferences": ordered_preferences(200, [HOSTILE, *map(str, range(199))]),
        "RunSet": made_up_study(name=HOSTILE, policies=(HOSTILE[:-1], "dts")),
        "Page": rankduel.interleaved_page(docs, docs[::-1], seed=1),
        "MultileavedPage": rankduel.multileaved_page([docs, docs[::-1], docs], seed=1),
    }


KINDS = ["Letor", "Rankings", "Arena", "Preferences", "RunSet", "Page", "MultileavedPage"]


@pytest.mark.kernel
@pytest.mark.parametrize("kind", KINDS)
def test_a_repr_is_a_short_line(things, kind):
    line = repr(things[kind])
    assert line.startswith(f"{kind}(") and len(line) < 400 and "\n" not in line
    line.encode()  # no surrogates


@pytest.mark.kernel
@pytest.mark.parametrize("kind", KINDS)
def test_html_is_escaped(things, kind):
    page = things[kind]._repr_html_()
    page.encode()
    tags = set(re.findall(r"<\s*/?\s*(\w+)", page))
    assert tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert kind in page or kind == "MultileavedPage"


def test_facts_of_a_letor():
    assert repr(arenas.letor()) == (
        "Letor(source='made for tests', queries=12, documents=168, features=3, profile='svmlight')"
    )


def test_long_values_are_cut():
    assert short_repr("A", {"x": "y" * 100, "n": 3}) == f"A(x='{'y' * 56}..., n=3)"
    assert html_repr("A", {"n": 12345}).count("12,345") == 1
    assert few("abc") == "a, b, c" and few("abcdef") == "a, b, c, d, ... (6 in all)"


def test_reprs_of_winners_and_comparisons_state_the_verdict():
    assert repr(rankduel.winners("arxiv6")) == "Winners('0 wins: it beats all 5 others')"


# --- text and single names


@pytest.mark.kernel
def test_policies_may_be_text():
    assert str(configure("rucb(alpha=0.6)")) == str(configure("rucb", alpha=0.6)) == "rucb(alpha=0.6)"
    assert str(rankduel.policy("rucb(alpha=0.6)")) == "rucb(alpha=0.6)"
    assert str(rankduel.policy("rucb(alpha=0.6)", alpha=0.7)) == "rucb(alpha=0.7)"
    assert str(rankduel.interleaving("probabilistic(tau=2)")) == "probabilistic(tau=2)"
    prefs = rankduel.read_preferences("arxiv6").matrix
    assert (
        play_matrix("rucb(alpha=0.6)", prefs, 50).duels.sum()
        == play_matrix(rankduel.policy("rucb", alpha=0.6), prefs, 50).duels.sum()
    )


@pytest.mark.kernel
@pytest.mark.parametrize("one", ["rucb", rankduel.policy("rucb"), ["rucb"], ("rucb",), iter(["rucb"])])
def test_a_single_policy_needs_no_list(one):
    assert set(rankduel.run("arxiv6", one, 50, 1, jobs=1).table["policy"]) == {"rucb"}


@pytest.mark.kernel
def test_a_single_method_needs_no_list():
    table = rankduel.multileave(arenas.arena(), "sosm", 100, 1, jobs=1).table
    assert "sosm" in set(table["policy"])


WRONG = {
    "no policy is given; expected at least one; 'rankduel policies' lists them": lambda: rankduel.run(
        "arxiv6", [], 10
    ),
    "policy is 3; expected a name such as 'dts'": lambda: rankduel.run("arxiv6", [3], 10),
    "policy is None; expected a name or a list": lambda: rankduel.run("arxiv6", None, 10),
    "policy rucb is given twice; expected each once": lambda: rankduel.run("arxiv6", ["rucb", "rucb"], 10),
    "runs is None; expected a whole number": lambda: rankduel.run("arxiv6", "rucb", 10, None),
    "no multileaving method is given": lambda: rankduel.multileave(arenas.arena(), []),
    "arena is 'x', of type str; expected what open_arena": lambda: rankduel.multileave("x", "sosm"),
    "arena is 'y', of type str; expected what open_arena": lambda: rankduel.compare("y", "rucb"),
    "arena is 7, of type int": lambda: rankduel.play_duels(7, "a", "b"),
    "data is 'train.txt', of type str; expected judged data": lambda: rankduel.open_arena("train.txt"),
    "data is 7, of type int; expected judged data, a file": lambda: rankduel.build_matrix(7),
    "data is 8, of type int": lambda: rankduel.describe_data(8),
    "the matrix is 7, of type int; expected the name": lambda: rankduel.read_preferences(7),
    "preferences is 7, of type int": lambda: rankduel.write_preferences(7, "x.npy"),
    "a file is 7, of type int; expected its name": lambda: rankduel.read_data(7),
    "a ranking is 1, of type int; expected a list": lambda: rankduel.interleaved_page(1, 2),
    "rankings is 7, of type int": lambda: rankduel.multileaved_page(7),
    "folder is 7, of type int": lambda: rankduel.load_records(7),
    "rankers is one int; expected a text": lambda: rankduel.open_arena(arenas.letor(), rankers=7),
    "no feature '999'; there are 3": lambda: rankduel.open_arena(arenas.letor(), rankers=[999]),
    "the click model is 3, of type int": lambda: rankduel.open_arena(arenas.letor(), clicks=3),
    "the specification is 3, of type int": lambda: rankduel.open_arena(arenas.letor(), interleave=3),
    "no policy named '7'": lambda: configure(7),
    "n_arms is 'x', of type str": lambda: rankduel.start("rucb", "x"),
}


@pytest.mark.parametrize("message", WRONG)
def test_empty_lists_and_wrong_types_have_short_messages(message):
    with pytest.raises(rankduel.RankduelError, match=re.escape(message)) as refused:
        WRONG[message]()
    assert "\n" not in str(refused.value)


def test_paths_are_accepted_as_text(tmp_path):
    with pytest.raises(rankduel.RankduelError, match="there is no such folder"):
        rankduel.load_records(Path("absent"))
