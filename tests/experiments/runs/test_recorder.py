"""Runs are recorded at most a second after they end, together, and without single files of quick blocks."""

import os
import threading

import pandas as pd
import pytest
from support.run_set_samples import made_up_settings, ordered_preferences

from rankduel.base.errors import RecordsError
from rankduel.experiments.runs import recorder as recorder_module
from rankduel.experiments.runs.folder import open_run_set
from rankduel.experiments.runs.recorder import DELAY, Cell, PlayedCell, Recorder, play_cells
from rankduel.experiments.runs.records import BLOCK
from rankduel.experiments.runs.run_set import read_run_set

POLICY = "rucb"
HORIZON = 2


class ManualTimer:
    """A timer that fires when a test calls `fire`."""

    def __init__(self, seconds, function):
        assert seconds == DELAY
        self.function = function
        self.is_running = False

    def start(self):
        self.is_running = True

    def cancel(self):
        self.is_running = False

    def fire(self):
        assert self.is_running
        self.function()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Do not wait for the disk after every record."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture
def run_folder(tmp_path):
    preferences = ordered_preferences(2)
    return open_run_set(tmp_path / "set", made_up_settings("proxy", preferences, HORIZON), preferences)


@pytest.fixture
def timers():
    """Return a list to which `recorder_of` appends every timer."""
    return []


@pytest.fixture
def recorder_of(run_folder, timers):
    """Return a function that makes a recorder of cells, whose timers fire by hand."""

    def make(cells):
        def timer(*arguments):
            timers.append(ManualTimer(*arguments))
            return timers[-1]

        return Recorder(run_folder, cells, timer)

    return make


def cells_of(runs, policy=POLICY):
    return [Cell(policy, run) for run in range(runs)]


def played(cell, seconds=0.01):
    table = pd.DataFrame({"step": [1, HORIZON], "regret": [0.0, cell.run / 10]})
    return PlayedCell(cell, table, seconds)


def recorded(run_folder, policy=POLICY):
    """Return the names of the records of a policy."""
    return sorted(path.stem for path in (run_folder.path / policy).glob("*.parquet"))


def test_a_block_that_ends_within_the_delay_has_no_single_records(run_folder, recorder_of, monkeypatch):
    monkeypatch.delattr(recorder_module, "write_record")  # an error if a single record is written
    cells = cells_of(BLOCK)
    with recorder_of(cells) as recorder:
        for cell in cells[:-1]:
            recorder.write(played(cell))
            assert recorded(run_folder) == []
        recorder.write(played(cells[-1]))
        assert recorded(run_folder) == ["0-99"]
    assert len(read_run_set(run_folder.path).table) == HORIZON * BLOCK


def test_runs_that_end_within_the_delay_are_written_together(run_folder, recorder_of, timers):
    cells = cells_of(4)
    with recorder_of(cells) as recorder:
        for cell in cells[:2]:
            recorder.write(played(cell))
        assert recorded(run_folder) == [] and len(timers) == 1
        timers[0].fire()
        assert recorded(run_folder) == ["0", "1"]
        recorder.write(played(cells[2]))
        assert recorded(run_folder) == ["0", "1"] and len(timers) == 2
        timers[1].fire()
        assert recorded(run_folder) == ["0", "1", "2"]


def test_quick_blocks_of_another_policy_do_not_delay_a_run(run_folder, recorder_of, timers):
    others = cells_of(BLOCK, "dts")
    with recorder_of([*cells_of(1), *others]) as recorder:
        recorder.write(played(Cell(POLICY, 0)))
        for cell in others:
            recorder.write(played(cell))
        assert recorded(run_folder, "dts") == ["0-99"]
        assert [timer.is_running for timer in timers] == [True, False]
        timers[0].fire()
        assert recorded(run_folder) == ["0"]


def test_single_records_are_removed_when_their_block_ends_after_the_delay(run_folder, recorder_of, timers):
    cells = cells_of(BLOCK + 1)
    with recorder_of(cells) as recorder:
        for cell in cells[:3]:
            recorder.write(played(cell))
        timers[0].fire()
        assert recorded(run_folder) == ["0", "1", "2"]
        for cell in cells[3:BLOCK]:
            recorder.write(played(cell))
        names = {path.name for path in (run_folder.path / POLICY).iterdir()}
        assert names == {"0-99.parquet", "_0-99.seconds"}
        timers[1].function()  # a timer may fire while it is cancelled
        recorder.write(played(cells[BLOCK]))  # would raise an error of the timer
    assert recorded(run_folder) == ["0-99", "100"]


def test_a_run_longer_than_the_delay_is_written_at_once(run_folder, recorder_of, timers):
    with recorder_of(cells_of(3)) as recorder:
        recorder.write(played(Cell(POLICY, 0), seconds=DELAY))
        assert recorded(run_folder) == ["0"] and timers == []
        recorder.write(played(Cell(POLICY, 1)))
        recorder.write(played(Cell(POLICY, 2), seconds=60.0))
        assert recorded(run_folder) == ["0", "1", "2"]
        assert not timers[0].is_running


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit])
def test_an_exception_leaves_all_ended_runs_recorded(run_folder, error):
    cells = [*cells_of(150), *cells_of(3, "dts")]

    def play(missing):
        yield from (played(cell) for cell in missing if (cell.policy, cell.run) != (POLICY, 120))
        raise error

    with pytest.raises(error):
        play_cells(cells, play, run_folder, repair=False, on_found=lambda n: None, on_played=lambda n: None)
    expected = {"0-99", *(str(run) for run in range(100, 150) if run != 120)}
    assert set(recorded(run_folder)) == expected and recorded(run_folder, "dts") == ["0", "1", "2"]


def test_no_timer_runs_after_the_last_run(run_folder, recorder_of, timers):
    with recorder_of([*cells_of(2), *cells_of(2, "dts")]) as recorder:
        for policy in (POLICY, "dts"):
            recorder.write(played(Cell(policy, 1)))
    assert recorded(run_folder) == ["1"] and recorded(run_folder, "dts") == ["1"]
    assert [timer.is_running for timer in timers] == [False, False]


def test_an_error_of_a_delayed_record_is_raised_by_the_next(run_folder, recorder_of, timers, monkeypatch):
    def full(*arguments):
        raise RecordsError("no space left")

    with pytest.raises(RecordsError, match="no space left"), recorder_of(cells_of(3)) as recorder:
        recorder.write(played(Cell(POLICY, 0)))
        with monkeypatch.context() as patched:
            patched.setattr(recorder_module, "write_record", full)
            timers[0].fire()
        recorder.write(played(Cell(POLICY, 1)))
        raise AssertionError("no error was raised")
    assert recorded(run_folder) == ["0", "1"]  # there was room again


def test_a_full_disk_at_the_end_is_an_error_and_stops_all_timers(recorder_of, timers, monkeypatch):
    def full(*arguments):
        raise RecordsError("no space left")

    monkeypatch.setattr(recorder_module, "write_record", full)
    with (
        pytest.raises(RecordsError, match="no space left"),
        recorder_of([*cells_of(1), *cells_of(1, "dts")]) as recorder,
    ):
        recorder.write(played(Cell(POLICY, 0)))
        recorder.write(played(Cell("dts", 0)))
    assert [timer.is_running for timer in timers] == [False, False]


def test_the_usual_timer_is_a_thread(run_folder, monkeypatch):
    """The next run may end much later; the record does not wait for it."""
    monkeypatch.setattr(recorder_module, "DELAY", 0.02)
    with Recorder(run_folder, cells_of(2)) as recorder:
        recorder.write(played(Cell(POLICY, 0)))
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
        assert recorded(run_folder) == ["0"]
