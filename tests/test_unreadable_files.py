"""Test that a file whose reading fails, as on a broken disk, is one message that names it.

The file is a link to /proc/self/mem, which can be opened; reading it fails with EIO, also in libraries.
"""

import os
from pathlib import Path

import pytest
from support.run_set_samples import made_up_study, write_run_set

MEMORY = Path("/proc/self/mem")
pytestmark = pytest.mark.skipif(not MEMORY.exists(), reason="needs a file whose reading fails")

COMMANDS = {
    **{
        f"matrix {name}": (name, "winners", name)
        for name in ("m.txt", "m.csv", "m.npy", "m.npz", "m.prefs.parquet")
    },
    **{
        f"data {name}": (name, "data", "info", name)
        for name in ("d.txt", "d.txt.gz", "d.txt.bz2", "d.txt.xz", "d.zip", "d.tar.gz", "d.parquet")
    },
    **{
        f"ranker {kind}": ("bad", "evaluate", "x.txt", "--ranker", f"{kind}:bad")
        for kind in ("scores", "run", "lightgbm", "xgboost", "onnx", "ranklib")
    },
    "judgments of TREC": ("q.qrels", "data", "info", "x.txt", "--qrels", "q.qrels"),
    "queries": ("ids", "data", "info", "x.txt", "--only-queries", "ids"),
    "matrix to run": ("m.csv", "run", "m.csv", "-p", "random_pair"),
    "policy": ("mine.py", "run", "arxiv6", "-p", "mine.py"),
    "study": ("s.toml", "study", "run", "s.toml"),
    "pool": ("pool.txt", "judge", "start", "pool.txt", "new"),
    "judgments": ("judged.csv", "judge", "add", "session", "judged.csv"),
    "session": ("session/session.json", "judge", "show", "session"),
    "record": ("records/rucb/0.parquet", "report", "records"),
    "settings": ("records/_settings.json", "report", "records"),
    "matrix of records": ("records/_matrix.prefs.parquet", "report", "records"),
}


@pytest.fixture
def files(tmp_path, rankduel):
    """Write data, a session of judgments and a run set into the folder of the commands."""
    (tmp_path / "x.txt").write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.25 2:2\n")
    (tmp_path / "items").write_text("a\nb\nc\n")
    assert rankduel("judge", "start", "items", "session")[0] == 0
    write_run_set(made_up_study(mode="live", runs=2), tmp_path / "records")
    return tmp_path


def names(folder):
    """Return the names of all files, without the cache of the data."""
    return sorted(str(path) for path in folder.rglob("*") if ".rankduel" not in path.parts)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("instead", ["unreadable", "folder"])
def test_a_file_that_cannot_be_read_is_named(rankduel, files, name, instead):
    file, *words = COMMANDS[name]
    (files / file).unlink(missing_ok=True)
    if instead == "folder":
        (files / file).mkdir()
    else:
        os.symlink(MEMORY, files / file)
    before = names(files)
    code, _, err = rankduel(*words)
    assert code == 2 and err.startswith("error: ") and file in err and "Traceback" not in err
    # Parquet's reader asks for the size first, and that of this file is 0.
    assert instead == "folder" or "Input/output error" in err or "file size is 0 bytes" in err
    assert names(files) == before
