"""Test that the notebooks of the documentation run, and that their stored output is correct."""

import nbformat
import pytest
from support.notebooks import FOLDER, NOTEBOOKS, executed, matches, texts

LARGEST = 400_000  # bytes of a notebook with its pictures


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_output_equals_the_stored_output(path, tmp_path):
    stored = texts(nbformat.read(path, as_version=4))
    for (number, text), (_, shown) in zip(texts(executed(path, tmp_path)), stored, strict=True):
        assert matches(text, shown), f"{path.name}, cell {number} prints\n{text}\nand shows\n{shown}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_complete_and_without_local_paths(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
    shown = "\n".join([*(cell.source for cell in notebook.cells), *(text for _, text in texts(notebook))])
    assert not any(sign in shown for sign in ("/home/", "/tmp/", "/Users/", "C:\\"))
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert path.stat().st_size < LARGEST


def test_there_are_three_notebooks():
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
def test_comparison_of_output(text, shown, same):
    assert matches(text, shown) == same
