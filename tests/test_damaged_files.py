"""Damaged files of every kind are refused with a message that names them, or are read as they were.

Formats without a checksum, such as text, may also be read as another valid file. Nothing else may happen: no
exception of another kind, no crash, no hang, no wrong value. Files are read in a separate process, so that
a crash is detected. The cases have fixed seeds.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.damaged_files import ANOTHER, REFUSED, WHOLE, outcome
from support.kinds_of_files import KINDS, Kind, Recomputed

from rankduel.base.errors import DataError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits memory")
ROOT = Path(__file__).parents[1]
EACH = 3_125


def outcomes(folder, n_cases, kinds):
    """Return the number of each outcome, by kind of file."""
    command = [sys.executable, "-m", "support.damaged_files", str(folder), str(n_cases), *kinds]
    path = {"PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"}
    ended = subprocess.run(command, env={**os.environ, **path}, cwd=folder, capture_output=True, text=True)
    case = folder / "case.txt"
    assert ended.returncode == 0, (case.read_text() if case.exists() else "", ended.stderr[-3000:])
    return json.loads(ended.stdout)


def assert_expected_outcomes(found):
    for kind, counts in found.items():
        refused, whole, another = (counts.pop(word) for word in (REFUSED, WHOLE, ANOTHER))
        print(f"{kind}: {refused:,} refused, {whole:,} read as whole, {another:,} read as another")
        assert not counts, (kind, list(counts)[:5])
        assert refused or kind == "cache of data"  # whose content is computed again
        assert not another or KINDS[kind].unnoticed


def test_few_damaged_files_of_each_kind(tmp_path):
    assert_expected_outcomes(outcomes(tmp_path, 25, KINDS))


def test_unexpected_outcomes_are_reported(tmp_path):
    """An outcome that must not happen is returned with the number of its case."""
    file = tmp_path / "x"
    file.write_bytes(b"undamaged")

    def reading(result):
        def read(folder):
            if isinstance(result, Exception):
                raise result
            return result

        kind = Kind("x", write=None, read=read)
        found = outcome(kind, tmp_path, {file: b"undamaged"}, "expected", 7)
        assert file.read_bytes() == b"undamaged"
        return found

    assert reading(KeyError("rounds")) == "case 7: KeyError: 'rounds'"
    assert reading("other") == "case 7: read as something else"
    assert reading(DataError("damaged")) == "case 7: no file in: damaged"
    assert reading(Recomputed("damaged")) == "case 7: no file in: damaged"
    assert reading(DataError(f"{file}: damaged")) == reading(Recomputed(f"{file}: damaged")) == REFUSED
    assert reading("expected") == WHOLE


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_damaged_files_of_each_kind(tmp_path, kind):
    assert EACH * len(KINDS) >= 100_000
    assert_expected_outcomes(outcomes(tmp_path, EACH, [kind]))
