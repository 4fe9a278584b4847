"""The notebooks of the documentation: run them, and compare what they print.

`python tests/support/notebooks.py` runs all of them and stores their outputs.
"""

import re
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_SECONDS = 600  # that a cell may take
_PICTURE = "image/svg+xml"
_UNSEEN = re.compile(r'<path [^>]*\bopacity="0"[^>]*/>')  # marks that wait for a mouse
_PLACES = re.compile(r' (?:d|transform)="[^"]*"')
_LONG = re.compile(r"(\.\d)\d+")


def executed(path, folder):
    """The notebook at `path` with the outputs of a fresh kernel that runs in `folder`."""
    notebook = nbformat.read(path, as_version=4)
    # What a cell prints may come in pieces, depending on the machine's load.
    client = NotebookClient(
        notebook, timeout=_SECONDS, coalesce_streams=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    notebook.metadata["language_info"] = {"name": "python"}  # without the version
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the times at which it ran
        if cell.cell_type == "code":
            cell.outputs = [_kept(output) for output in cell.outputs]
    return notebook


def _kept(output):
    """An output; of a chart the picture alone, without what cannot be seen in it."""
    if _PICTURE in output.get("data", {}):
        output["data"] = {_PICTURE: _slim(output["data"][_PICTURE])}
        output["metadata"] = {}
    return output


def _slim(svg):
    """A picture without what cannot be seen in it, and with tenths of a pixel."""
    return _PLACES.sub(lambda found: _LONG.sub(r"\1", found[0]), _UNSEEN.sub("", svg))


def texts(notebook):
    """(number of the cell, its text output) of all code cells; of a chart only that there is one."""
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
    """Whether a text is as stored; '...' in what is stored stands for anything."""
    parts = map(re.escape, stored.split("..."))
    return re.fullmatch(".*".join(parts), text, re.DOTALL) is not None


if __name__ == "__main__":
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, folder), path)
        print(f"{path.name}: {path.stat().st_size / 1000:,.0f} kB")
