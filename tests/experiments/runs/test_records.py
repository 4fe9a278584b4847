"""Records that are damaged or belong to another run set are errors; `repair` plays them again."""

import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import arenas
from support.damage import flipped_bits
from support.permissions import needs_permission
from support.watching import Watching

import rankduel
from rankduel.base.errors import RecordsError, encodable
from rankduel.base.stored import Kind, write_json
from rankduel.base.stored_tables import table_content
from rankduel.experiments.matrix.preferences import preferences_of, read_preferences, write_preferences
from rankduel.experiments.multileaving import compare_multileavers
from rankduel.experiments.runs.folder import MATRIX, RunFolder, open_run_set, read_settings, write_settings
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.runs.records import RECORD, read_record, record_path, write_record
from rankduel.experiments.runs.run_set import read_run_set, read_run_sets

pytestmark = pytest.mark.kernel


def play(folder, policy="rucb", horizon=500, problem="arxiv6", **more):
    return play_runs(problem, [policy], horizon, 2, folder=folder, **more)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the folder of a run set that no test changes."""
    folder = tmp_path_factory.mktemp("made") / "set"
    play(folder)
    return folder


@pytest.fixture
def kept(made, tmp_path):
    """Return a copy of the run set."""
    return Path(shutil.copytree(made, tmp_path / "set"))


def all_bytes(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def assert_refused_until_repaired(folder, told, again=play):
    """Assert that reading and running fail with the message, and that `repair` restores all bytes."""
    for use in (lambda: read_run_sets(folder), lambda: again(folder)):
        with pytest.raises(RecordsError, match=told) as refused:
            use()
        assert "--repair" in str(refused.value) and str(folder) in str(refused.value)
    again(folder, repair=True)
    read_run_sets(folder)
    again(folder)


# --- records of other run sets


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"seed": 1}, "a record of other runs: its seed is 1, and that of _settings.json is 0"),
        ({"horizon": 400}, "it ends at step 400, and the horizon of _settings.json is 500"),
        ({"checkpoints": 10}, "it was played with other settings than those of _settings.json"),
        ({"problem": "cyclic"}, "it was played with other settings"),
        ({"policy": "winner_stays"}, "holds run 1 of winner_stays, which was moved here"),
    ],
)
def test_a_copied_record_is_refused(kept, tmp_path, other, told):
    good = all_bytes(kept)
    play(tmp_path / "other", **other)
    source = record_path(tmp_path / "other", other.get("policy", "rucb"), 1)
    shutil.copy(source, record_path(kept, "rucb", 1))
    assert_refused_until_repaired(kept, told)
    assert all_bytes(kept) == good


def test_a_record_under_another_number_is_refused(kept):
    shutil.copy(record_path(kept, "rucb", 0), record_path(kept, "rucb", 1))
    assert_refused_until_repaired(kept, r"rucb/1.parquet: holds run 0 of rucb, which was moved here")


def test_a_record_of_the_same_study_in_another_folder_is_read(kept, tmp_path):
    play(tmp_path / "again", watch=Watching("typed otherwise"))
    shutil.copy(record_path(tmp_path / "again", "rucb", 1), record_path(kept, "rucb", 1))
    assert len(read_run_sets(kept)) == 1


def test_the_message_counts_the_bad_records(kept):
    for number in (0, 1):
        record_path(kept, "rucb", number).write_bytes(b"")
    with pytest.raises(RecordsError, match=r"0.parquet: a damaged record: .* \(2 such records\)"):
        play(kept)


def test_records_of_multileaving_are_checked_too(tmp_path):
    chosen = arenas.arena()
    reference = arenas.exact_preferences(chosen)

    def again(folder, seed=0, **more):
        return compare_multileavers(chosen, ["sosm"], reference, 300, 2, folder=folder, seed=seed, **more)

    again(tmp_path / "a")
    good = all_bytes(tmp_path / "a")
    again(tmp_path / "b", seed=3)
    shutil.copy(record_path(tmp_path / "b", "sosm", 0), record_path(tmp_path / "a", "sosm", 0))
    assert_refused_until_repaired(tmp_path / "a", "its seed is 3", again)
    assert all_bytes(tmp_path / "a") == good


# --- damage


def test_a_flipped_bit_is_noticed_or_changes_nothing(kept):
    path, rng = record_path(kept, "rucb", 1), np.random.default_rng(1)
    expected = read_run_set(kept).table
    folder = RunFolder(kept, read_settings(kept))
    refused = 0
    for changed in flipped_bits(path.read_bytes(), rng):
        path.write_bytes(changed)
        try:
            found = read_record(path, folder)
        except RecordsError as problem:
            assert str(path) in str(problem)
            refused += 1
        else:
            mine = expected[expected["run"] == 1].reset_index(drop=True)
            pd.testing.assert_frame_equal(found, mine, check_exact=True)
    assert refused > 300


def forged(change):
    """Return a function that writes another table to a record, with a correct digest."""

    def forge(folder):
        path = record_path(folder, "rucb", 1)
        about = json.loads(pq.read_schema(path).metadata[b"rankduel"])
        del about["digest"]
        table = pq.read_table(path).replace_schema_metadata(None).to_pandas()
        path.write_bytes(table_content(RECORD, change(table), about))

    return forge


def without_digest(folder):
    path = record_path(folder, "rucb", 1)
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[b"rankduel"])
    del about["digest"]
    pq.write_table(table.replace_schema_metadata({b"rankduel": json.dumps(about).encode()}), path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            forged(lambda table: table.rename(columns={"regret": "segret"})),
            "its columns are policy, run, step, segret",
        ),
        (forged(lambda table: table.drop(columns="step")), "its columns are policy, run, regret"),
        (forged(lambda table: table.assign(policy="x")), "its rows are of another policy or run"),
        (forged(lambda table: table.assign(run=0)), "its rows are of another policy or run"),
        (forged(lambda table: table.drop(columns="policy")), "its columns are run, step"),
        (forged(lambda table: table.assign(seconds=1.0)), "its columns are policy, run"),
        (forged(lambda table: table.assign(recommended=1)), "the column 'recommended' holds values"),
        (forged(lambda table: table.assign(regret="much")), "a column holds values that are not numbers"),
        (forged(lambda table: table.iloc[:0]), "its steps do not increase from 1"),
        (forged(lambda table: table.iloc[::-1]), "its steps do not increase from 1"),
        (forged(lambda table: table.assign(step=table["step"] * 1.0)), "its steps do not increase from 1"),
        (forged(lambda table: table.iloc[:-1]), "it ends at step 499; expected 500"),
        (without_digest, "the digest of its values is missing"),
    ],
)
def test_a_forged_table_is_refused(kept, change, told):
    change(kept)
    assert_refused_until_repaired(kept, f"a damaged record: {told}")


@pytest.mark.parametrize("content", [b"", b"{", b"PAR1", pa.BufferOutputStream().getvalue().to_pybytes()])
def test_a_file_that_is_no_record_is_refused(kept, content):
    record_path(kept, "rucb", 0).write_bytes(content)
    assert_refused_until_repaired(kept, "0.parquet: a damaged record")


def test_a_folder_in_the_place_of_a_record_is_named(kept):
    path = record_path(kept, "rucb", 0)
    path.unlink()
    path.mkdir()
    with pytest.raises(RecordsError, match="0.parquet: cannot be read: Is a directory"):
        play(kept)


def test_the_matrix_must_be_that_of_the_runs(kept):
    write_preferences(read_preferences("cyclic"), kept / MATRIX)
    assert_refused_until_repaired(kept, "not the matrix that measured these runs")
    (kept / MATRIX).write_bytes(b"PAR1")
    assert_refused_until_repaired(kept, f"{MATRIX}: not a readable Parquet file")


# --- other readers


@pytest.mark.parametrize(
    "policy", ["rucb", "rucb(alpha=0.6)", "./mine.py", "_mine.py(alpha=1,beta=2)", "a\udcff.py"]
)
def test_pandas_reads_a_folder_of_any_policy(tmp_path, policy):
    """pandas reads all files and adds no columns, and every row has the name of its policy."""
    preferences = preferences_of(np.array([[0.5, 0.6], [0.4, 0.5]]), ["bm25", "dense"])
    settings = {**Problem(preferences).settings, "horizon": 2, "checkpoints": 1, "seed": 0}
    folder = open_run_set(tmp_path / "set", settings, preferences)
    table = pd.DataFrame({"step": [1, 2], "regret": [0.0, 0.1], "recommended": [None, "dense"]})
    write_record(folder, policy, 3, table, 0.1)
    found = pd.read_parquet(tmp_path / "set")
    assert list(found.columns) == ["policy", "run", "step", "regret", "recommended"]
    assert found["policy"].tolist() == [encodable(policy)] * 2 and found["run"].tolist() == [3, 3]
    assert found["recommended"].isna().tolist() == [True, False]
    kept = read_run_set(tmp_path / "set").table
    pd.testing.assert_frame_equal(kept.drop(columns="seconds"), found)


def test_pandas_reads_what_load_records_reads(kept, tmp_path):
    play(kept.parent / "other", "dts(alpha=0.6)", problem="thesis4")
    plain, checked = pd.read_parquet(kept.parent), rankduel.load_records(kept.parent)
    assert checked["run_set"].unique().tolist() == ["other", "set"] and checked["seconds"].notna().all()
    keys = ["policy", "run", "step"]
    pd.testing.assert_frame_equal(
        plain.sort_values(keys, ignore_index=True),
        checked[plain.columns].sort_values(keys, ignore_index=True),
    )


def test_records_of_nothing_are_refused(tmp_path):
    with pytest.raises(RecordsError, match="no records there"):
        rankduel.load_records(tmp_path)


def test_repairing_never_takes_the_folder_of_other_runs(kept):
    with pytest.raises(RecordsError, match="holds other runs: seed is 0 there and 1 now"):
        play(kept, seed=1, repair=True)


# --- _settings.json


def changed_settings(**changes):
    """Return a function that changes settings and their digest; None removes a setting."""

    def change(folder):
        settings = {**read_settings(folder), **changes}
        write_settings(folder, {key: value for key, value in settings.items() if value is not None})

    return change


def edited(old, new):
    def edit(folder):
        text = (folder / "_settings.json").read_text()
        assert old in text
        (folder / "_settings.json").write_text(text.replace(old, new))

    return edit


def content(written):
    return lambda folder: (folder / "_settings.json").write_bytes(written)


def another_format(folder):
    """Write another format, with a correct digest."""
    write_json(folder / "_settings.json", Kind("settings", "", format=2), read_settings(folder))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (changed_settings(horizon=None), "there is no 'horizon' in it"),
        (changed_settings(mode=None), "there is no 'mode' in it"),
        (changed_settings(matrix=None), "there is no 'matrix' in it"),
        (changed_settings(seed=None), "there is no 'seed' in it"),
        (changed_settings(horizon="500"), "'horizon' is \"500\"; expected a whole number"),
        (changed_settings(horizon=True), "'horizon' is true; expected a whole number"),
        (changed_settings(mode=5), "'mode' is 5; expected text"),
        (changed_settings(matrix=[1]), r"'matrix' is a list; expected an object"),
        (changed_settings(matrix={}), "'matrix.digest' is null; expected text"),
        (changed_settings(regret={"a": 1}), "'regret' is .*; expected text"),
        (changed_settings(versions="new"), "'versions' is \"new\"; expected an object"),
        (edited('"seed": 0', '"seed": 1'), "its content does not have the digest"),
        (edited('"digest": "', '"digest": "0'), "its content does not have the digest"),
        (edited('"format": 1', '"format": 2'), "its content does not have the digest"),
        (another_format, "written by another version of rankduel, in format 2; expected 1"),
        (content(b""), "damaged: not JSON"),
        (content(b"[]"), "damaged: not a JSON object"),
        (content(b"\xff\xfe"), "damaged: not text in UTF-8"),
        (content(b'{"matrix":' * 20_000), "damaged: nested too deep"),
        (content(b'{"horizon":' + b"9" * 5000 + b"}"), "damaged: not JSON"),
    ],
)
def test_damaged_settings_are_refused(kept, change, told):
    good = all_bytes(kept)
    change(kept)
    assert_refused_until_repaired(kept, f"_settings.json: .*{told}")
    assert all_bytes(kept) == good


def test_every_changed_byte_of_the_settings_is_noticed_or_changes_nothing(kept):
    path = kept / "_settings.json"
    whole, expected = path.read_bytes(), read_settings(kept)
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            assert read_settings(kept) == expected
        except RecordsError as problem:
            assert str(path) in str(problem)


# --- folders and writers


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(RecordsError, match="file/set: could not be written: Not a directory"):
        play(tmp_path / "file" / "set")


@needs_permission
def test_a_read_only_folder_is_named(kept):
    record_path(kept, "rucb", 1).unlink()
    record_path(kept, "rucb", 1).parent.chmod(0o500)
    try:
        with pytest.raises(RecordsError, match="rucb/1.parquet: could not be written: Permission denied"):
            play(kept)
    finally:
        record_path(kept, "rucb", 1).parent.chmod(0o700)


def test_two_writers_at_once_leave_the_same_bytes(made, tmp_path):
    """Both processes make the folder and all records; every file is complete when it appears."""
    failed, at_once = [], threading.Barrier(2)

    def write():
        try:
            at_once.wait()
            play(tmp_path / "set", repair=True)
        except Exception as problem:
            failed.append(problem)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failed == [] and all_bytes(tmp_path / "set") == all_bytes(made)
    assert not list(tmp_path.rglob("*.tmp"))


def test_records_of_two_studies_written_at_once_are_an_error(tmp_path):
    """Neither process saw the settings of the other: the records of one do not fit the settings on disk."""
    preferences = preferences_of(np.array([[0.5, 0.6], [0.4, 0.5]]))
    settings = {**Problem(preferences).settings, "horizon": 2, "checkpoints": 1}
    folders = []
    for seed in (0, 1):
        shutil.rmtree(tmp_path / "set", ignore_errors=True)
        folders.append(open_run_set(tmp_path / "set", settings | {"seed": seed}, preferences))
    for number, folder in enumerate(folders):
        write_record(folder, "rucb", number, pd.DataFrame({"step": [1, 2], "regret": [0.0, 0.1]}), 0.1)
    with pytest.raises(RecordsError, match="0.parquet: a record of other runs: its seed is 0, and that of"):
        read_run_sets(tmp_path / "set")
