"""Notebooks of the documentation run from top to bottom, and print what they show."""

import nbformat
import pytest
from support.notebooks import FOLDER, NOTEBOOKS, executed, matches, texts

LARGEST = 400_000  # bytes of a notebook, pictures and all


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path, tmp_path):
    stored = texts(nbformat.read(path, as_version=4))
    for (number, text), (_, shown) in zip(texts(executed(path, tmp_path)), stored, strict=True):
        assert matches(text, shown), f"{path.name}, cell {number} prints\n{text}\nand shows\n{shown}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_whole_and_of_no_machine(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
    shown = "\n".join([*(cell.source for cell in notebook.cells), *(text for _, text in texts(notebook))])
    assert not any(sign in shown for sign in ("/home/", "/tmp/", "/Users/", "C:\\"))
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert path.stat().st_size < LARGEST


def test_there_are_three():
    assert [path.parent for path in NOTEBOOKS] == [FOLDER] * 3


@pytest.mark.parametrize(
    ("text", "shown", "same"),
    [
        ("3 runs in 0.7 s", "3 runs in ... s", True),
        ("3 runs in 0.7 s", "4 runs in ... s", False),
        ("a\nb", "a\nb", True),
        ("a\nb", "a\nbc", False),
        ("a", "", False),
        ("a.c", "abc", False),
    ],
)
def test_shown_text_is_compared_letter_by_letter(text, shown, same):
    assert matches(text, shown) == same
