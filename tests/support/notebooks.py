"""Run the notebooks of the documentation, and compare their output with the stored output.

`python tests/support/notebooks.py` runs all of them and stores their outputs.
"""

import re
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_SECONDS = 600  # time limit of a cell
_PICTURE = "image/svg+xml"
_UNSEEN = re.compile(r'<path [^>]*\bopacity="0"[^>]*/>')  # invisible marks that react to the mouse
_PLACES = re.compile(r' (?:d|transform)="[^"]*"')
_LONG = re.compile(r"(\.\d)\d+")


def executed(path, folder):
    """Return the notebook at `path` with the outputs of a new kernel that runs in `folder`."""
    notebook = nbformat.read(path, as_version=4)
    # Output of a cell may arrive in several parts, depending on the load of the machine.
    client = NotebookClient(
        notebook, timeout=_SECONDS, coalesce_streams=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    notebook.metadata["language_info"] = {"name": "python"}  # without the version
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the times at which it ran
        if cell.cell_type == "code":
            cell.outputs = [_visible_part(output) for output in cell.outputs]
    return notebook


def _visible_part(output):
    """Return an output; for a chart, only the picture without its invisible marks."""
    if _PICTURE in output.get("data", {}):
        output["data"] = {_PICTURE: _slim(output["data"][_PICTURE])}
        output["metadata"] = {}
    return output


def _slim(svg):
    """Return a picture without invisible marks, with coordinates in tenths of a pixel."""
    return _PLACES.sub(lambda found: _LONG.sub(r"\1", found[0]), _UNSEEN.sub("", svg))


def texts(notebook):
    """Return [(number of the cell, its text output)] of all code cells; the text of a chart is 'picture'."""
    found = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            found.append((number, "".join(map(_text, cell.outputs))))
    return found


def _text(output):
    if "text" in output:
        return f"{output['name']}: {output['text']}"
    if output["output_type"] == "error":
        return f"{output['ename']}: {output['evalue']}"
    data = output["data"]
    return "picture" if _PICTURE in data else data["text/plain"]


def matches(text, stored):
    """Return whether `text` equals `stored`, in which '...' matches any text."""
    parts = map(re.escape, stored.split("..."))
    return re.fullmatch(".*".join(parts), text, re.DOTALL) is not None


if __name__ == "__main__":
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, folder), path)
        print(f"{path.name}: {path.stat().st_size / 1000:,.0f} kB")
