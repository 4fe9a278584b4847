"""Test that every command that prints a table can print it as JSON and CSV."""

import io
import json

import numpy as np
import pandas as pd
import pytest
import typer
from support import arenas

from rankduel.base.errors import UsageError
from rankduel.base.results import plain
from rankduel.cli import app
from rankduel.cli.console import print_table
from rankduel.letor_data.text.writer import write_letor

WITHOUT_TABLES = {
    "data convert", "data synth", "demo", "report", "study page", "judge start", "judge add", "judge ask",
}  # fmt: skip
LIVE = ("--interleave", "team_draft", "--rankers", "1-3", "--length", "5", "--no-cache")
SHORT = ("--horizon", 200, "--runs", 2, "--jobs", 1)


def commands():
    """Return all commands by their words."""
    found = {}
    for name, command in typer.main.get_command(app).commands.items():
        inner = getattr(command, "commands", None)
        found |= {f"{name} {word}": one for word, one in inner.items()} if inner else {name: command}
    return found


@pytest.mark.parametrize("name", sorted(commands()))
def test_tables_have_json_and_csv(name):
    options = {option for parameter in commands()[name].params for option in parameter.opts}
    assert ({"--json", "--csv"} <= options) == (name not in WITHOUT_TABLES)


@pytest.fixture
def data(tmp_path):
    letor = arenas.letor()
    write_letor([letor], tmp_path / "data.txt")
    return "data.txt"


def table_of(rankduel, *typed):
    """Return the table and the parsed JSON of a command."""
    code, out, err = rankduel(*typed, "--csv")
    assert (code, err) == (0, "")
    output = rankduel(*typed, "--json")
    assert (output[0], output[2]) == (0, "")
    return pd.read_csv(io.StringIO(out)), json.loads(output[1])


@pytest.mark.parametrize(
    ("typed", "column"),
    [
        (["policies"], "name"),
        (["policies", "dts"], "parameter"),
        (["interleavers"], "name"),
        (["multileavers"], "setting"),
        (["clickmodels"], "grades"),
        (["clickmodels", "perfect"], "p_click"),
        (["cache"], "folder"),
        (["study", "list"], "question"),
        (["study", "show", "cycles"], "claim"),
        (["winners", "arxiv6"], "ranker"),
        (["matrix", "show", "arxiv6"], "second"),
    ],
)
def test_lists_as_json_and_csv(rankduel, typed, column):
    table, output = table_of(rankduel, *typed)
    assert column in table and len(table) > 0 and output


@pytest.mark.kernel
def test_results_as_json_and_csv(rankduel, data):
    """Rankers and policies are identified by names, not by numbers."""
    table, output = table_of(rankduel, "data", "info", data, "--no-cache")
    assert table["name"].tolist() == [1, 2, 3] and output["features"][0]["ndcg"] == table["ndcg"][0]

    table, output = table_of(rankduel, "matrix", data, "-o", "m.prefs.parquet", "--force", *LIVE)
    assert table[["first", "second"]].to_numpy().tolist() == [[1, 2], [1, 3], [2, 3]]
    assert output["names"] == ["1", "2", "3"] and output["pairs"][0]["p"] == table["p"][0]

    table, output = table_of(rankduel, "run", "m.prefs.parquet", "-p", "rucb", *SHORT)
    assert table["policy"].tolist() == ["rucb"] and table["recommended"][0] in (1, 2, 3)
    assert output["verdict"]["winners"] == ["1"] and output["policies"][0]["regret"] == table["regret"][0]
    assert table["step"][0] == 200 and table["runs"][0] == 2

    compare = ("compare", data, "-p", "rucb", "--matrix", "m.prefs.parquet", "--regret", "borda")
    table, output = table_of(rankduel, *compare, *LIVE, *SHORT)
    assert {"live", "proxy", "difference", "lo", "hi"} <= set(table) and output["regret"] == "borda"
    assert output["winner"]["winners"] == ["1"] and output["verdict"].startswith(("Live and", "One run"))

    multileave = ("multileave", data, "-m", "sosm", "--impressions", 200, "--runs", 2, *LIVE)
    table, output = table_of(rankduel, *multileave, "--matrix", "m.prefs.parquet")
    assert table["method"].unique().tolist() == ["sosm", "random pairs, team_draft"]
    assert output["errors"][0]["e_bin"] == table["e_bin"][0] and {"limit", "impressions"} <= set(
        output["until"][0]
    )


def test_judging_as_json_and_csv(rankduel, tmp_path):
    (tmp_path / "pool.txt").write_text("=1+1\nb\nc\n")
    assert rankduel("judge", "start", "pool.txt", "topic")[0] == 0
    code, out, _ = rankduel("judge", "show", "topic", "--csv")
    assert code == 0 and out.splitlines()[0] == "best" and "'=1+1" in out  # not a formula for a spreadsheet
    assert json.loads(rankduel("judge", "show", "topic", "--json")[1])["items"] == 3


def test_pairs_to_judge_as_csv(rankduel, tmp_path):
    """CSV is the default, and a file has the same bytes with and without --csv."""
    (tmp_path / "pool.txt").write_text("a\nb\nc\n")
    assert rankduel("judge", "start", "pool.txt", "topic")[0] == 0
    table, output = table_of(rankduel, "judge", "next", "topic", "--assessor", "Ann", "-o", "pairs.csv")
    assert list(table) == list(output[0]) == ["id", "left", "right", "winner", "assessor"]
    assert table["left"].tolist() == [pair["left"] for pair in output]
    assert {pair["winner"] for pair in output} == {""} and output[0]["assessor"] == "Ann"
    printed = rankduel("judge", "next", "topic", "--assessor", "Ann")[1]
    assert printed == rankduel("judge", "next", "topic", "--assessor", "Ann", "--csv")[1]
    assert printed == (tmp_path / "pairs.csv").read_text("utf-8")


def test_json_and_csv_together_are_an_error(rankduel):
    for typed in (("cache", "--json", "--csv"), ("run", "arxiv6", "-p", "rucb", "--csv", "--json")):
        code, out, err = rankduel(*typed)
        assert code == 2 and out == "" and "--json and --csv are both given" in err


def test_values_are_converted_to_json_types():
    table = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", None]})
    made = plain({"t": table, 3: np.arange(2), "x": (np.float64("inf"), np.bool_(True), None, 2)})
    assert made == {
        "t": [{"a": 1.0, "b": "x"}, {"a": None, "b": None}],
        "3": [0, 1],
        "x": ["inf", True, None, 2],
    }


def test_csv_cells(capsys):
    rows = [
        {"name": "a,b", "n": -1, "p": -0.5, "yes": True, "no": None},
        {"name": '-"x"', "n": 2, "p": float("nan"), "list": ["u", 1]},
    ]
    assert print_table(False, True, lambda: rows)
    assert capsys.readouterr().out.splitlines() == [
        "name,n,p,yes,no,list",
        '"a,b",-1,-0.5,true,,',
        '"\'-""x""",2,,,,"[""u"", 1]"',
    ]
    assert not print_table(False, False, lambda: 1 / 0)


def test_json_and_csv_in_any_order_are_an_error():
    """The error does not depend on the order of the options."""
    with pytest.raises(UsageError, match="expected one of them"):
        app(["cache", "--csv", "--json"], standalone_mode=False)
