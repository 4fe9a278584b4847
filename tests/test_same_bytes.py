"""Test that `make same-bytes` compares every value of its outputs except times and versions."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from same_bytes.commands import DATA, command_groups
from same_bytes.comparing import compare_folders
from same_bytes.trees import CommandFailed, Tree, commit_of, run_group


def write_record(path, regret=(1.0, np.nan), version="0.1.0", seed=3, digests=None):
    about = json.dumps({"settings": {"version": version, "seed": seed}, **(digests or {})})
    table = pa.table({"step": [1, 2], "regret": list(regret), "policy": ["rucb", "dts"]})
    pq.write_table(table.replace_schema_metadata({"rankduel": about}), path)


def write_session(path, version="0.1.0", digest="a", seed=3):
    path.write_text(json.dumps({"rankduel": version, "seed": seed, "sha256": digest}))


def write_json(path, **values):
    path.write_text(json.dumps({"versions": {"numpy": "2"}, "names": ["a", "b"], "empty": {}, **values}))


def write_page(path, regret=1.5, seconds=0.1, heading="Regret"):
    charts = {f"x-{name}": {"charts": {"log": {"datasets": [name]}}} for name in ("regret", "time")}
    data = {"charts": charts, "datasets": {"regret": [regret], "time": [seconds]}}
    script = f'<script type="application/json" id="report">{json.dumps(data)}</script>'
    path.write_text(f"<h1>{heading}</h1><script>let x</script>{script}")


def write_text(path, text="1 2\n"):
    path.write_text(text)


@pytest.fixture
def folders(tmp_path):
    """Return two folders, and a function that writes a file to both and returns the differences."""
    base, new = tmp_path / "base", tmp_path / "new"

    def differences(write, name, **changed):
        for folder, values in ((base, {}), (new, changed)):
            (folder / "runs").mkdir(parents=True, exist_ok=True)
            write(folder / "runs" / name, **values)
        return compare_folders(base, new).differences

    return base, new, differences


@pytest.mark.parametrize(
    ("write", "name", "changed"),
    [
        (write_record, "0.parquet", {}),
        (write_record, "0.parquet", {"version": "0.2.0"}),
        (write_record, "0.parquet", {"digests": {"digest": "1f", "study": "2e", "seed": 3, "format": 2}}),
        (write_session, "session.json", {"version": "0.2.0", "digest": "b"}),
        (write_json, "study.json", {"versions": {"numpy": "3", "numba": "1"}}),
        (write_json, "size.values.json", {"of": {"version": 2, "numbers": 2}}),
        (write_page, "report.html", {"seconds": 0.2, "heading": "Loss"}),
        (write_text, "0.seconds", {"text": "17\n"}),
        (write_text, "plain.txt", {}),
    ],
)
def test_times_and_versions_are_not_compared(folders, write, name, changed):
    assert folders[2](write, name, **changed) == []


@pytest.mark.parametrize(
    ("write", "name", "changed", "part"),
    [
        (write_record, "0.parquet", {"regret": (1.0, 2.0)}, "column regret differs"),
        (write_record, "0.parquet", {"regret": (1.0, None)}, "column regret differs"),
        (write_record, "0.parquet", {"regret": (np.nextafter(1, 2), np.nan)}, "column regret differs"),
        (write_record, "0.parquet", {"regret": (1, 2)}, "schema differs"),
        (write_record, "0.parquet", {"seed": 4}, "rankduel.settings.seed differs: 3 in the base, 4"),
        (write_session, "session.json", {"seed": 4}, "seed differs"),
        (write_json, "study.json", {"names": ["a", "c"]}, "names[1] differs"),
        (write_json, "study.json", {"empty": []}, "empty differs"),
        (write_json, "study.json", {"more": 1}, "more is only in the working tree"),
        (write_page, "report.html", {"regret": 1.6}, "data 0.datasets.regret[0] differs"),
        (write_text, "plain.txt", {"text": "1  2\n"}, "the file differs"),
    ],
)
def test_a_changed_value_is_found_and_named(folders, write, name, changed, part):
    found = folders[2](write, name, **changed)
    assert found[0].startswith(f"runs/{name}: {part}")


def test_a_file_on_one_side_only_is_a_difference(folders):
    base, new, differences = folders
    assert differences(write_text, "both.txt") == []
    write_text(base / "gone.txt")
    write_text(new / "runs" / "0.seconds")
    assert compare_folders(base, new).differences == [
        "gone.txt: only in the base",
        "runs/0.seconds: only in the working tree",
    ]


def test_compared_values_are_counted(folders):
    base, new, differences = folders
    differences(write_text, "plain.txt")
    differences(write_session, "session.json")
    assert compare_folders(base, new)[:3] == (2, 2, len("1 2\n") + len("3"))


def test_every_policy_and_variant_is_run():
    policy = {"name": "mine", "feedback": "", "parameters": {"alpha": {"default": 1.0}}}
    policy["variants"] = {"paper": {}, "published": {"alpha": 2.0}, "code": {"alpha": 2.0}}
    groups = command_groups([policy])
    assert "mine" in groups["live-0"][0]
    assert [word for word in groups["proxy-0"][0] if "mine" in word] == ["mine", "mine(variant=published)"]


_TINY = """
import sys

def main():
    with open("out.txt", "a") as file:
        file.write(sys.argv[1])
    sys.exit(sys.argv[1] == "bad")
"""


@pytest.fixture
def tree(tmp_path):
    """Return a tree whose console script appends its argument to a file, and fails for 'bad'."""
    source = tmp_path / "tree"
    source.mkdir()
    (source / "setup.cfg").write_text("[options.entry_points]\nconsole_scripts =\n    rankduel = tiny:main\n")
    (source / "tiny.py").write_text(_TINY)
    return Tree("base", source, tmp_path / "outputs", None)


def test_a_finished_group_is_not_run_again_unless_its_steps_change(tree):
    out, steps = tree.outputs / "group" / "out.txt", [["rankduel", "a"], ["rankduel", "b"]]
    assert run_group(tree, "group", steps) > 0
    assert out.read_text() == "ab"
    assert run_group(tree, "group", steps) == 0
    assert run_group(tree, "group", [["rankduel", "c"]]) > 0
    assert out.read_text() == "c"
    assert run_group(tree, "group", [["rankduel", "c"]], before="other data") > 0


def test_a_failed_group_is_reported_and_run_again(tree):
    for _ in range(2):
        with pytest.raises(CommandFailed, match="group failed in the base(.|\n)*exit code"):
            run_group(tree, "group", [["rankduel", "bad"]])


def test_an_unknown_commit_has_no_hash(tmp_path):
    assert commit_of(tmp_path, "no-such-commit") == ""


def test_the_group_of_data_is_first():
    assert next(iter(command_groups([]))) == DATA
