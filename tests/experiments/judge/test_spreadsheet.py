"""CSV for spreadsheets: no cell is evaluated as a formula, and every text is read back unchanged."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankduel.base.errors import DataError
from rankduel.experiments.judge.judgments import pairs_csv, read_judgments
from rankduel.experiments.judge.session import open_session, start_session
from rankduel.experiments.judge.spreadsheet import as_text, from_cell, from_csv, to_csv

FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "＝1",
    "＋1",
    "－1",
    "＠1",
]
# Any text that UTF-8 can encode, with more apostrophes and special characters of formulas and CSV.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])) | st.text(
    "'=+-@ \t\r\n,;\"a"
)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_written_as_text(text):
    assert as_text(text) == f"'{text}" and from_cell(f"'{text}") == text


@pytest.mark.parametrize("text", ["", "a", "a=1", "'tis", "'", "''", "1", "1-2", "'a=1", "Ä", " a"])
def test_other_texts_are_unchanged(text):
    assert as_text(text) == text == from_cell(text)


@given(TEXTS)
@example("'=1")
@example("''=1")
def test_no_cell_starts_like_a_formula_and_every_text_is_restored(text):
    cell = as_text(text)
    assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    assert not cell.startswith(("\t", "\r", "\n"))
    assert from_cell(cell) == text


@given(st.lists(st.lists(TEXTS, min_size=3, max_size=3)))
@example([["a\rb", "\r", '"'], ["", "", ""]])
def test_written_rows_are_read_back(rows):
    columns = ("one", "two", "three")
    table = [dict(zip(columns, row)) for row in rows]
    text = to_csv(table, columns)
    assert from_csv(text, "x") == (list(columns), table)
    assert [[*map(as_text, row)] for row in rows] == [*csv.reader(io.StringIO(text, newline=""))][1:]


def test_short_rows_are_padded_and_long_rows_cut():
    assert from_csv("a,b\n1\n\n1,2,3\n", "x") == (["a", "b"], [{"a": "1", "b": ""}, {"a": "1", "b": "2"}])
    assert from_csv("", "x") == ([], [])


@pytest.mark.parametrize("text", ["id,winner\n1," + "a" * 140_000, "id,winner\n" + "1" * 140_000 + ",left"])
def test_too_long_fields_are_refused_with_their_line(text):
    with pytest.raises(DataError, match="pairs.csv, line 2: not CSV: field larger than field limit"):
        read_judgments(text, "pairs.csv")


def test_a_session_with_formulas_as_items(tmp_path):
    items = [*FORMULAS, "'=1", "''=1", "'tis", "a\rb", " a ", "a"]
    session = start_session(tmp_path, items, "mohajer_select(m=1)")
    while pairs := session.next_pairs():
        text = pairs_csv(pairs, assessor="=ann")
        for row in csv.reader(io.StringIO(text, newline="")):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for cell in row)
        rows = read_judgments(text, "pairs.csv")
        assert session.add([row | {"winner": "left"} for row in rows]) == len(pairs)
    written = "".join(path.read_text() for path in (tmp_path / "judgments").iterdir())
    assert ",'=ann" in written and ",=" not in written
    assert open_session(tmp_path).progress() == session.progress() and session.progress().finished
