"""Test the command that lists and removes cache files."""

import json
import subprocess
import sys


def test_compiled_code_and_parsed_data_are_shown_and_removed(rankduel, monkeypatch, tmp_path):
    monkeypatch.setenv("RANKDUEL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine.arrow").write_text("not of the cache")
    data = tmp_path / "data" / "small.txt"
    data.write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.25 2:2\n")
    assert rankduel("data", "info", data)[0] == 0
    words = [sys.executable, "-m", "rankduel", "run", "arxiv6", "-p", "random_pair", "--horizon", "10"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)  # in a process that compiled nothing
    code, out, _ = rankduel("cache", "data", "--json")
    found = json.loads(out)
    kinds = [(one["kind"], one["files"] > 0, one["bytes"] > 0) for one in found["caches"]]
    assert code == 0 and not found["removed"]
    assert kinds == [("code", True, True), ("data", False, False), ("data", True, True)]
    code, out, _ = rankduel("cache", data)  # the folder of a file
    assert code == 0 and "compiled code" in out and "'rankduel cache --clear' removes these" in out
    code, out, _ = rankduel("cache", "data", "--clear")
    assert code == 0 and "removed" in out
    assert not list(tmp_path.glob("cache/code/*")) and not list(tmp_path.glob("data/.rankduel/*"))
    assert data.exists() and (tmp_path / "data" / "mine.arrow").exists()


def test_without_a_writable_home_commands_work_with_one_note(tmp_path):
    environment = {"HOME": "/dev/null/home", "TMPDIR": str(tmp_path), "PATH": "", "COLUMNS": "80"}
    words = [sys.executable, "-m", "rankduel", "run", "arxiv6", "-p", "random_pair", "--horizon", "10"]
    ended = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "random_pair" in ended.stdout
    assert "compiling random_pair, 1 of 1; once per installation" in ended.stderr
    notes = [line for line in ended.stderr.splitlines() if line.startswith("note:")]
    assert len(notes) == 1 and notes[0].startswith(
        "note: /dev/null/home/.cache/rankduel/code: Not a directory"
    )
