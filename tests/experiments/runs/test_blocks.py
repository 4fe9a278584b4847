"""Records of hundreds of runs: blocks of a hundred runs are one file, and resuming leaves the same bytes."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from support.run_set_samples import made_up_settings, made_up_table, ordered_preferences
from support.watching import Watching

import rankduel
from rankduel.base.errors import RecordsError
from rankduel.base.stored_tables import table_content
from rankduel.experiments.runs import recorder, run_set
from rankduel.experiments.runs.folder import open_run_set
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.records import (
    BLOCK,
    RECORD,
    block_path,
    list_records,
    record_path,
    time_file,
    write_block,
)

POLICY = "winner_stays"
RUNS = 112
kernel = pytest.mark.kernel


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Do not wait for the disk after every record."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


def play(folder, runs=RUNS, **more):
    return play_runs("arxiv6", POLICY, 30, runs, folder=folder, checkpoints=5, **more)


def play_in_single_files(folder, runs, monkeypatch):
    """Write the records of a set whose process ended before it wrote any block."""
    with monkeypatch.context() as patched:
        patched.setattr(recorder, "BLOCK", -1)  # no block has this size
        return play(folder, runs)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder of 230 runs per policy, written at once, and their table; no test changes it."""
    folder = tmp_path_factory.mktemp("made") / "set"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda file: None)
        return folder, play(folder)


def contents(folder):
    """Return the bytes of all files by name, without those of the times of runs."""
    return {
        str(path.relative_to(folder)): b"" if path.suffix == ".seconds" else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "_settings.json"
    }


def assert_same_runs(found, expected):
    pd.testing.assert_frame_equal(
        found.drop(columns="seconds"), expected.drop(columns="seconds"), check_dtype=False
    )


# --- the layout


@kernel
def test_complete_blocks_are_one_file_and_other_runs_have_their_own(made):
    folder, _ = made
    stems = ["0-99", *map(str, range(BLOCK, RUNS))]
    names = {path.name for path in (folder / POLICY).iterdir()}
    assert names == {f"{stem}.parquet" for stem in stems} | {f"_{stem}.seconds" for stem in stems}
    assert [path.stem for path in list_records(folder)] == stems


@kernel
def test_a_block_holds_the_rows_of_its_runs(made):
    folder, played = made
    assert_same_runs(played, play_runs("arxiv6", POLICY, 30, RUNS, checkpoints=5))
    found = rankduel.load_records(folder).drop(columns="run_set")
    assert_same_runs(found, played)
    np.testing.assert_allclose(found["seconds"], played["seconds"], rtol=1e-5)
    plain = pd.read_parquet(folder).sort_values(["policy", "run", "step"], ignore_index=True)
    pd.testing.assert_frame_equal(plain, found[plain.columns])
    about = json.loads(pq.read_schema(block_path(folder, POLICY, 7)).metadata[b"rankduel"])
    assert (about["policy"], about["runs"]) == (POLICY, [0, 99])


# --- resuming


@kernel
@pytest.mark.parametrize("before", [60, 100])
def test_resuming_leaves_the_bytes_of_one_run(made, tmp_path, before):
    folder, whole = made
    counts = []
    play(tmp_path, before)
    assert_same_runs(play(tmp_path, watch=Watching(runs=counts.append)), whole)
    assert counts == [before] + [1] * (RUNS - before)
    assert contents(tmp_path) == contents(folder)


@kernel
def test_nothing_is_written_if_no_run_is_missing(made):
    folder, whole = made
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    counts = []
    assert_same_runs(play(folder, watch=Watching(runs=counts.append)), whole)
    assert_same_runs(play(folder, 50), whole[whole["run"] < 50].reset_index(drop=True))
    assert counts == [RUNS]
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@kernel
def test_single_files_of_complete_blocks_are_read_and_joined(made, tmp_path, monkeypatch):
    """A process that ended before it wrote a block leaves such files."""
    folder, whole = made
    play_in_single_files(tmp_path, RUNS, monkeypatch)
    assert len(list_records(tmp_path)) == RUNS
    assert_same_runs(rankduel.load_records(tmp_path).drop(columns="run_set"), whole)
    assert_same_runs(play(tmp_path), whole)
    assert contents(tmp_path) == contents(folder)


@kernel
def test_single_files_beside_their_block_are_ignored_and_removed(made, tmp_path, monkeypatch):
    """A process that ended while it removed the files of the runs of a block leaves some of them."""
    folder, whole = made
    play_in_single_files(tmp_path, RUNS, monkeypatch)
    block_path(tmp_path, POLICY, 0).write_bytes(block_path(folder, POLICY, 0).read_bytes())
    time_file(record_path(tmp_path, POLICY, 0)).unlink()
    record_path(tmp_path, POLICY, 0).unlink()
    assert_same_runs(rankduel.load_records(tmp_path).drop(columns="run_set"), whole)
    play(tmp_path)
    assert contents(tmp_path) == {
        name: content for name, content in contents(folder).items() if name != f"{POLICY}/_0-99.seconds"
    }


@kernel
def test_temporary_files_of_killed_writers_of_single_files_are_removed(made, tmp_path, monkeypatch):
    """Such a run is not written to a file of its own again if its block is written at once."""
    monkeypatch.setattr(recorder, "DELAY", 60.0)
    folder, _ = made
    (tmp_path / POLICY).mkdir()
    for name in ("7.parquet", "_7.seconds"):
        (tmp_path / POLICY / f".{name}.0123abcd.rankduel.tmp").write_bytes(b"PAR1")
    play(tmp_path)
    assert contents(tmp_path) == contents(folder)


@kernel
def test_records_that_are_joined_while_they_are_listed_are_read(made, monkeypatch):
    folder, whole = made
    vanished = [record_path(folder, POLICY, 7)]
    listings = iter([vanished, list_records(folder), list_records(folder)])
    monkeypatch.setattr(run_set, "list_records", lambda folder: next(listings, vanished))
    assert_same_runs(run_set.read_run_set(folder).table, whole)
    with pytest.raises(RecordsError, match=r"7.parquet: cannot be read: No such file"):
        run_set.read_run_set(folder)


@kernel
def test_only_the_last_rows_are_returned_on_request(made, tmp_path):
    folder, whole = made
    last = whole[whole["step"] == 30].reset_index(drop=True)
    assert_same_runs(play(folder, only_last=True), last)  # read
    assert_same_runs(play(tmp_path, only_last=True), last)  # played
    assert_same_runs(play(None, only_last=True), last)
    assert contents(tmp_path) == contents(folder)


# --- damage


def copy_of(folder, target):
    return shutil.copytree(folder, target, dirs_exist_ok=True)


def forged(folder, change):
    """Write another table to a block, with a correct digest."""
    path = block_path(folder, POLICY, 0)
    about = json.loads(pq.read_schema(path).metadata[b"rankduel"])
    del about["digest"]
    table = pq.read_table(path).replace_schema_metadata(None).to_pandas()
    path.write_bytes(table_content(RECORD, change(table), about))


def with_other_steps(table):
    return table.assign(step=table["step"].where((table["run"] != 7) | (table["step"] != 3), 4))


def moved(folder):
    block = block_path(folder, POLICY, 0)
    block.rename(block_path(folder, POLICY, BLOCK))


@kernel
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda folder: block_path(folder, POLICY, 0).write_bytes(b"PAR1"), "0-99.parquet: a damaged record"),
        (moved, "100-199.parquet: holds runs 0 to 99 of winner_stays, which was moved here"),
    ],
)
def test_a_block_that_does_not_fit_is_refused_until_repaired(made, tmp_path, change, told):
    folder, whole = made
    copy_of(folder, tmp_path)
    change(tmp_path)
    message = re.compile(f"{told}.*--repair .* plays these runs again")
    for use in (lambda: rankduel.load_records(tmp_path), lambda: play(tmp_path)):
        with pytest.raises(RecordsError, match=message):
            use()
    counts = []
    assert_same_runs(play(tmp_path, repair=True, watch=Watching(runs=counts.append)), whole)
    assert counts == [RUNS - BLOCK] + [1] * BLOCK
    assert contents(tmp_path) == contents(folder)


@kernel
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda table: table.iloc[:-1], "its rows are of another policy or run"),
        (lambda table: table.iloc[::-1], "its rows are of another policy or run"),
        (with_other_steps, "its runs have different steps"),
    ],
)
def test_a_forged_block_is_refused(made, tmp_path, change, told):
    copy_of(made[0], tmp_path)
    forged(tmp_path, change)
    with pytest.raises(RecordsError, match=f"0-99.parquet: a damaged record: {told}"):
        rankduel.load_records(tmp_path)


# --- reports

MANY = 5000
MOST_MEMORY = 700  # MB
REPORT = """
import resource, sys
import rankduel
rankduel.report(*sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_a_report_of_thousands_of_runs_needs_little_memory(tmp_path):
    """All checkpoints of these runs would take half a gigabyte, and as much again to join them."""
    preferences = ordered_preferences(5)
    horizon = 10_000
    folder = open_run_set(tmp_path / "set", made_up_settings("proxy", preferences, horizon), preferences)
    for policy in ("rucb", "dts"):
        whole = made_up_table([policy], horizon, runs=BLOCK).drop(columns=["policy", "seconds"])
        tables = [table.drop(columns="run") for _, table in whole.groupby("run")]
        for first in range(0, MANY // 2, BLOCK):
            write_block(folder, policy, first, tables, [0.5] * BLOCK)
    words = [sys.executable, "-c", REPORT, str(tmp_path), str(tmp_path / "report.html")]
    peak = int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    print(f"{peak} MB")
    assert peak < MOST_MEMORY
    assert f"{MANY // 2} runs of each policy" in (tmp_path / "report.html").read_text().replace(",", "")
