"""Test that written files are as docs/reference/file_formats.md describes them."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.shown import run_shell

import rankduel
from rankduel.clickmodels import load_model
from rankduel.experiments.judge.session import start_session
from rankduel.experiments.runs.columns import COLUMNS
from rankduel.letor_data.cache import READER_VERSION

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "file_formats.md").read_text("utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ", re.MULTILINE)
TEXT = "".join(f"{grade} qid:{query} 1:{grade} 2:{-grade}\n" for query in range(3) for grade in range(3))
JSON_TYPES = {str: "text", int: "whole number", dict: "object", list: "list of text", bool: "true or false"}


def documented(heading, table=0):
    """Return the names and types that a table of a section lists, in order."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    tables = [found for found in map(ROW.findall, section.split("\n\n")) if found]
    return {name: kind.strip() for name, kind in tables[table]}


def columns(schema):
    """Return the names and types of columns; which kind of string depends on the version of pandas."""
    return {field.name: _kind(field.type) for field in schema}


def _kind(kind):
    if pa.types.is_dictionary(kind):
        return "dictionary"
    if pa.types.is_fixed_size_list(kind):
        return "fixed_size_list"
    return "string" if pa.types.is_large_string(kind) else str(kind)


def fields(path):
    content = json.loads(path.read_text("utf-8"))
    return {name: JSON_TYPES[type(value)] for name, value in content.items()}


def version_of(file):
    """Return the format that the first table states for a file."""
    return int(re.search(rf"`[^`]*{re.escape(file)}`.*(?:format|reader version) (\d+)", PAGE)[1])


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.txt").write_text(TEXT)
    return rankduel.read_data("data.txt")


def test_judged_data(data):
    rankduel.write_data(data, "data.parquet")
    schema = pq.read_schema("data.parquet")
    cached = pa.ipc.open_file(next(Path(".rankduel").glob("*.arrow"))).schema
    expected = documented("Judged data")
    assert expected.pop("comment") == "large_string"
    assert columns(schema) == columns(cached) == expected | {"1": "float", "2": "float"}
    about = json.loads(schema.metadata[b"rankduel"])
    assert list(about) == list(documented("Judged data", 1))
    assert version_of(".arrow") == READER_VERSION


def test_comments_of_judged_data(data):
    Path("comments.txt").write_text(TEXT.replace("\n", " # a\n"))
    rankduel.write_data(rankduel.read_data("comments.txt"), "data.parquet")
    names = [field.name for field in pq.read_schema("data.parquet")]
    assert names[:5] == list(documented("Judged data"))


def test_preferences(data):
    arena = rankduel.open_arena(data, rankers=[1, 2], interleave="team_draft", clicks="perfect")
    rankduel.write_preferences(rankduel.build_matrix(arena), "a.prefs.parquet")
    schema = pq.read_schema("a.prefs.parquet")
    assert columns(schema) == documented("Preferences")
    assert set(json.loads(schema.metadata[b"rankduel"])) == {"format", "names", "settings", "digest"}


def test_run_sets_and_records(data):
    rankduel.run("arxiv6", ["random_pair"], horizon=20, runs=1, folder="set")
    found = fields(Path("set/_settings.json"))
    assert found == documented("Settings of a run set")
    schema = pq.read_schema("set/random_pair/0.parquet")
    assert "```{record-columns}" in PAGE  # made from COLUMNS, whose types tests/experiments/runs check
    assert set(columns(schema)) < {one.name for one in COLUMNS}
    about = json.loads(schema.metadata[b"rankduel"])
    assert set(about) == {"format", "policy", "run", "seed", "settings", "digest"}
    assert about["format"] == version_of("RUN.parquet") == version_of("_settings.json")


def test_saved_policies(data):
    policy = rankduel.start("random_pair", n_arms=3)
    policy.select()
    policy.save("saved.json")
    assert fields(Path("saved.json")) == documented("Saved policies")
    assert json.loads(Path("saved.json").read_text())["format"] == version_of("evaluation.json")


def test_judging_sessions(data):
    session = start_session("topic", ["a", "b", "c"], "prefbest")
    assert fields(Path("topic/session.json")) == documented("Judging sessions")
    assert json.loads(Path("topic/session.json").read_text())["format"] == version_of("session.json")
    session.add([{"id": "1", "winner": "left"}])
    written = next(Path("topic/judgments").glob("*.csv")).read_text()
    assert written.splitlines()[0].split(",") == list(documented("Judgments"))


def test_users(data):
    values = {"p_click": "[0.1, 0.5]", "p_stop": "[0.0, 0.3]", "stop": '"any"', "attention": '"reciprocal:1"'}
    assert list(values) == list(documented("Users"))
    Path("mine.toml").write_text("".join(f"{name} = {value}\n" for name, value in values.items()))
    assert load_model("mine.toml").leaves_unclicked


def test_scores(data):
    Path("mine.txt").write_text("0.5\n" * 9)
    code, printed = run_shell("rankduel data info data.txt --ranker scores:mine.txt", Path.cwd())
    assert code == 0 and "mine" in printed
