"""Test that a new policy, interleaver, click model, measure and so on needs one file and no edits."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

POLICY = '''"""Always the first two arms."""
from typing import NamedTuple
import numpy as np
from rankduel.bandits.contract import policy_of
from rankduel.base.compiling import kernel

class State(NamedTuple):
    wins: np.ndarray

class Params(NamedTuple):
    pass

def init(n_arms, params, rng):
    return State(np.zeros(2, np.int64))

@kernel
def select(state, params, rng):
    return 0, 1

@kernel
def update(state, params, first, second, first_won):
    state.wins[0 if first_won else 1] += 1

POLICY = policy_of(__name__, source="a test")
'''
INTERLEAVER = '''"""The first ranking, whoever the second is."""
from enum import IntEnum
from typing import Annotated, NamedTuple
from rankduel.interleave.contract import Method
from rankduel.interleave.world import CLICKED, DOC, FIRST, TEAM, document_at
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

class Credit(IntEnum):
    CLICKS = 0
    NOTHING = 1

class Params(NamedTuple):
    credit: Annotated[Credit, Setting("what clicks are worth")] = Credit.CLICKS

@kernel
def next_document(world, pair, at, users):
    doc = document_at(world, pair, FIRST, at, users)
    world.page[DOC, at], world.page[TEAM, at] = doc, FIRST
    return doc

@kernel
def credit(world, pair, n_read, users):
    clicks = 0.0
    for rank in range(n_read):
        clicks += world.page[CLICKED, rank]
    return clicks if world.rules[0].credit == Credit.CLICKS else 0.0

METHOD = Method("first_only", "the first ranking", "a test", next_document, credit, Params)
'''
MULTILEAVER = '''"""The first ranking; no ranker is preferred."""
from rankduel.interleave.multileave.contract import Multileaver
from rankduel.interleave.multileave.world import clear, document_at
from rankduel.interleave.world import DOC, TEAM
from rankduel.base.compiling import kernel

@kernel
def make_page(shared, panel, length, users):
    for at in range(length):
        shared.world.page[DOC, at] = document_at(shared, panel, 0, at, users)
        shared.world.page[TEAM, at] = 0

@kernel
def prefer(shared, panel, length, preferences, users):
    clear(preferences, panel.n)

METHOD = Multileaver("first_list", "the first ranking", "a test", make_page, prefer)
'''
CLICK_MODEL = '''"""Clicks on everything."""
from rankduel.clickmodels.contract import User

USER = User("eager", "clicks on everything", {5: ((1,) * 5, (0,) * 5)}, source="a test")
'''
MEASURE = '''"""The share of queries with a relevant document among the first k."""
from typing import NamedTuple
import numpy as np
from rankduel.letor_data.evaluation.contract import Cutoff, Measure, Ranked, Rel
from rankduel.letor_data.evaluation.relevant import n_relevant
from rankduel.base.compiling import entry

class Params(NamedTuple):
    rel: Rel = 1
    k: Cutoff = 0

def values(ranked, params):
    return _successes(*ranked, params.rel, ranked.depth(params.k))

@entry
def _successes(grades, offsets, ends, ties, rel, depth):
    found = np.zeros(len(offsets) - 1)
    for query in range(len(found)):
        last = min(ends[query], offsets[query] + depth)
        found[query] = n_relevant(grades, offsets[query], last, rel) > 0
    return found

MEASURE = Measure("success", "a relevant document among the first k", "a test", values, Params)
'''
FAMILY = '''"""All arms tie."""
from typing import NamedTuple
import numpy as np
from rankduel.experiments.matrix.contract import Arms, Family

class Params(NamedTuple):
    k: Arms = 2

def make(params):
    return np.full((params.k, params.k), 0.5)

FAMILY = Family("ties", "all arms tie", "P = 1/2", "a test", Params, make)
'''
FORMAT = '''"""A line per document: query|grade|score."""
import pandas as pd
from rankduel.letor_data.contract import Evidence, Format, first_line
from rankduel.letor_data.letor import Letor

def matches(head, path):
    return Evidence.LAYOUT if first_line(head).count(b"|") == 2 else Evidence.NONE

def read(files, request):
    frame = pd.concat(pd.read_csv(file, sep="|", names=["qid", "label", "bm25"]) for file in files)
    return Letor.from_pandas(frame)

def write(letor, path, sparse, progress):
    frame = letor.to_pandas()[["qid", "label", "bm25"]]
    frame.to_csv(path, sep="|", header=False, index=False)
    progress(letor.n_docs)

FORMAT = Format("piped", "a line query|grade|score", matches, read, write, suffixes=(".piped",))
'''
PIPED = "a|2|0.5\na|0|0.25\na|1|0.75\nb|0|3\nb|1|4\n"
FILES = {
    "rankduel/bandits/policies/condorcet/first_two.py": POLICY,
    "rankduel/interleave/methods/first_only.py": INTERLEAVER,
    "rankduel/interleave/multileave/methods/first_list.py": MULTILEAVER,
    "rankduel/clickmodels/users/eager.py": CLICK_MODEL,
    "rankduel/letor_data/evaluation/measures/success.py": MEASURE,
    "rankduel/experiments/matrix/families/ties.py": FAMILY,
    "rankduel/letor_data/formats/piped.py": FORMAT,
}
USE = """
import json, rankduel
table = rankduel.run("cyclic", ["first_two"], horizon=50, runs=1).table
data = rankduel.synthetic_data("small", queries=3)
arena = rankduel.open_arena(data, rankers="110,115", interleave="first_only(credit=nothing)", clicks="eager")
rankduel.write_data(rankduel.read_data("data.txt"), "again.piped")
print(json.dumps({
    "duels": int(table["informative_steps"].iloc[-1]),
    "docs": rankduel.interleaved_page(["a", "b"], ["b", "a"], "first_only").docs,
    "written": str(arena.interleaving),
    "odds": list(rankduel.play_duels(arena, "110", "115", 20)),
    "multileaved": rankduel.multileaved_page([["a", "b"], ["b", "a"]], "first_list").docs,
    "clicks": rankduel.click_model("eager", 5).p_click.tolist(),
    "measured": rankduel.evaluate(data, rankers="110", measures="Success(rel=1)@100").means.values.tolist(),
    "listed": [name in set(table["name"]) for name, table in (
        ("first_two", rankduel.policies()), ("first_only", rankduel.interleavers()),
        ("first_list", rankduel.multileavers()), ("eager", rankduel.click_models()),
        ("success", rankduel.measures()), ("ties", rankduel.matrices()))],
    "read": rankduel.read_data("data.txt").column("bm25").tolist(),
    "arms": len(rankduel.read_preferences("ties(k=4)")),
}))
"""


@pytest.mark.kernel
def test_new_files_are_found_by_all_commands(tmp_path):
    shutil.copytree(ROOT / "rankduel", tmp_path / "rankduel", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        assert not (tmp_path / name).exists()
        (tmp_path / name).write_text(text)
    (tmp_path / "data.txt").write_text(PIPED)

    def typed(*words):
        environment = {"PYTHONPATH": str(tmp_path), "PATH": ""}
        ended = subprocess.run(
            [sys.executable, *words], env=environment, cwd=tmp_path, capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    found = json.loads(typed("-c", USE))
    assert found["duels"] == 50 and found["listed"] == [True] * 6
    assert found["docs"] == found["multileaved"] == ["a", "b"]
    assert found["written"] == "first_only(credit=nothing)" and found["odds"] == [0, 20, 0]
    assert found["clicks"] == [1.0] * 5 and found["arms"] == 4
    assert found["measured"] == [["110", "success@100", 1.0]]
    assert (
        found["read"] == [0.5, 0.25, 0.75, 3, 4] and (tmp_path / "again.piped").read_text().count("|") == 10
    )
    info = json.loads(typed("-m", "rankduel", "data", "info", "data.txt", "--json"))
    assert (info["queries"], info["documents"]) == (2, 5)
    typed("-m", "rankduel", "matrix", "data.txt", "--rankers", "bm25,-bm25", "-o", "m.prefs.parquet")
    assert (tmp_path / "m.prefs.parquet").exists()
