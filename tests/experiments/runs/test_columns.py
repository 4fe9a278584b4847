"""A line of the table of columns is enough for records, summaries, the command and reports."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from support import arenas
from support.helpers import words

from rankduel import multileave, run
from rankduel.base.stored_tables import read_table
from rankduel.experiments.report.charts.styles import line_styles
from rankduel.experiments.report.run_set import final_table, run_set_figures
from rankduel.experiments.runs import columns
from rankduel.experiments.runs.columns import NOW, PER_PAGE, TOTAL, Chart, Column, Reported, Shown
from rankduel.experiments.runs.records import RECORD
from rankduel.experiments.runs.run_set import read_run_set
from rankduel.experiments.runs.summaries import at_drawn_steps, curves

pytestmark = pytest.mark.kernel


def add(monkeypatch, *more):
    """Add columns to the table."""
    monkeypatch.setattr(columns, "COLUMNS", (*columns.COLUMNS, *more))


def test_a_column_is_one_line(monkeypatch, tmp_path, rankduel):
    """One line adds it to the files, `final`, `columns`, the command and its legend, and the report."""
    twice = Column(
        "twice", "double", TOTAL, "twice the regret", "of policies that compare pairs",
        duels=lambda run: 2 * run.trace.duels @ run.loss,
        shown=Shown("twice\nit", ",.2f", "{notion} regret, and a half of it"),
        reported=Reported("mean of twice", "interval", "Twice: see there."),
    )  # fmt: skip
    add(monkeypatch, twice)
    played = run("arxiv6", "rucb", 300, 2, folder=tmp_path / "set")
    assert pq.read_schema(tmp_path / "set" / "rucb" / "0.parquet").field("twice").type == "double"
    assert twice in played.columns and "twice" in at_drawn_steps(played.table)
    assert played.final()["twice"].tolist() == pytest.approx([played.last()["twice"].mean()])
    assert len(curves(played.table, "twice")) > 10
    reported = final_table(played, line_styles(["rucb"]))
    assert "mean of twice" in reported.headings and reported.note.endswith("Twice: see there.")
    code, out, _ = rankduel("run", "arxiv6", "--policy", "rucb", "--horizon", "300", "--runs", "2")
    assert code == 0 and "twice" in out and "twice it Condorcet regret, and a half of it" in words(out)


def test_a_column_per_page_is_averaged_between_checkpoints_and_drawn(monkeypatch, tmp_path):
    same = Column(
        "same", "double", PER_PAGE, "clicks again", "live", duels=lambda run: run.page(1),
        chart=Chart("Clicks again", "clicks"),
    )  # fmt: skip
    add(monkeypatch, same)
    arena = arenas.arena()
    matrix = arenas.exact_preferences(arena)
    played = run(arena, "rucb", 500, 2, matrix=matrix, folder=tmp_path / "live")
    found, clicks = (curves(read_run_set(tmp_path / "live").table, name) for name in ("same", "clicks"))
    np.testing.assert_array_equal(found["mean"], clicks["mean"])
    assert [one.title for one in run_set_figures("live", played)].count("Clicks again") == 1
    assert "same" in at_drawn_steps(played.table)


def test_a_column_that_a_run_lacks_is_absent(monkeypatch):
    add(monkeypatch, Column("never", "int64", NOW, "nothing", duels=lambda run: None))
    assert "never" not in run("arxiv6", "rucb", 100, 1).table


def test_values_have_the_declared_types(tmp_path):
    arena = arenas.arena()
    matrix = arenas.exact_preferences(arena)
    run("arxiv6", "rucb", 100, 1, folder=tmp_path / "proxy")
    run(arena, ["random_pair", "mdb"], 100, 1, matrix=matrix, folder=tmp_path / "live")
    multileave(arena, ["sosm"], 100, 1, matrix=matrix, folder=tmp_path / "multileave")
    declared = {one.name: one for one in columns.COLUMNS}
    found = set()
    for path in tmp_path.glob("*/*/0.parquet"):
        for field in pq.read_schema(path):
            kind = str(field.type).removeprefix("large_")
            assert kind == declared[field.name].type, (path, field)
            found.add(field.name)
        assert read_table(path, RECORD).verified
    assert declared.keys() - found <= {"seconds", "unjudged"}
