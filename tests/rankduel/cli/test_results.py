"""Test that --json is exactly `to_dict()` of a public function's result, and --csv exactly `to_pandas()`."""

import io
import json

import pandas as pd
import pytest
from support import arenas

import rankduel as rd
from rankduel.letor_data.text.writer import write_letor


def data():
    return rd.read_data("data.txt", cache=False)


def arena():
    return rd.open_arena(data(), rankers="1-3", interleave="team_draft")


def recorded(function, *arguments, **more):
    """Return the result from records, as the command will: seconds are recorded with fewer digits."""
    function(*arguments, **more)
    return function(*arguments, **more)


# Words of a command, and a call of the public function with the same arguments.
RESULTS = {
    "data info data.txt --no-cache --ranker 2 --ranker 0.5*1+0.5*2 -k 3": lambda: rd.describe_data(
        data(), 3, rankers=["2", "0.5*1+0.5*2"]
    ),
    "evaluate data.txt --no-cache -m ndcg@5 -m map": lambda: rd.evaluate(data(), measures=["ndcg@5", "map"]),
    "evaluate data.txt --no-cache --rankers 1-2 --ranker 0.5*1+0.5*3 --per-query": lambda: rd.evaluate(
        data(), rankers=["1", "2", "0.5*1+0.5*3"], per_query=True
    ),
    "matrix show arxiv6 --rankers 1-3": lambda: rd.read_preferences("arxiv6").chosen("1-3"),
    "matrix data.txt --no-cache -o made.npy --force --rankers 1-3 --interleave team_draft": lambda: (
        rd.build_matrix(data(), rankers="1-3", interleave="team_draft")
    ),
    "winners thesis4": lambda: rd.winners("thesis4"),
    "winners arxiv6 --subsets --samples 50 --overlap-samples 3 --bounds 1e6 --alpha 2 --seed 3": lambda: (
        rd.winners("arxiv6", subsets=True, samples=50, overlap_samples=3, bounds=1e6, alpha=2, seed=3)
    ),
    "judge show topic": lambda: rd.judge("topic").progress(),
    "judge next topic --limit 2 --assessor ann": lambda: rd.judge("topic").to_judge("ann", 2),
    "cache data.txt": lambda: rd.caches(["data.txt"]),
    "evaluate data.txt --no-cache --test --seed 3": lambda: rd.evaluate(data(), test=5, seed=3),
    "run arxiv6 -p rucb -p dts --horizon 500 --runs 2 -o r --name one": lambda: recorded(
        rd.run, "arxiv6", ["rucb", "dts"], 500, 2, folder="r/one"
    ),
    "compare data.txt --no-cache -p rucb --horizon 200 --runs 3 -o r --name two --rankers 1-3 "
    "--interleave team_draft": lambda: recorded(rd.compare, arena(), "rucb", 200, 3, folder="r/two"),
    "multileave data.txt --no-cache -m sosm --impressions 200 --runs 2 -o r --name three --rankers 1-3 "
    "--interleave team_draft": lambda: recorded(rd.multileave, arena(), "sosm", 200, 2, folder="r/three"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    if request.getfixturevalue("typed").startswith("cache"):  # other processes write to the usual folder
        monkeypatch.setenv("RANKDUEL_CACHE", str(tmp_path / "cache"))
    write_letor([arenas.letor()], tmp_path / "data.txt")
    rd.judge("topic", ["a", "b", "c"])
    return tmp_path


@pytest.mark.kernel
@pytest.mark.parametrize("typed", RESULTS)
def test_a_command_prints_the_result_of_a_function(rankduel, folder, typed):
    found = RESULTS[typed]()
    code, out, _ = rankduel(*typed.split(), "--json")
    assert code == 0 and json.loads(out) == found.to_dict()
    code, out, _ = rankduel(*typed.split(), "--csv")
    assert code == 0
    printed = pd.read_csv(io.StringIO(out), dtype=str, keep_default_na=False)
    expected = found.to_pandas()
    assert list(printed) == list(expected) and len(printed) == len(expected)
    for name in expected:
        for text, value in zip(printed[name], expected[name]):
            assert same(text, value), (name, text, value)


def same(text, value):
    """Return whether a cell of CSV is this value of a table."""
    if isinstance(value, (list, dict, tuple)) or value in (True, False):
        return json.loads(text) == (list(value) if isinstance(value, tuple) else value)
    if value is None or value != value:
        return text == ""
    return text == value if isinstance(value, str) else float(text) == value
