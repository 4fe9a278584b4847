"""Public matrices in .npz files: valid files are read, invalid or malicious files are refused."""

import io
import zipfile

import numpy as np
import pytest

from rankduel.base.errors import MatrixError
from rankduel.experiments.studies.data.judged import DataSource
from rankduel.experiments.studies.data.npz import read_npz
from rankduel.experiments.studies.data.problems import open_problem

ORDER = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.9], [0.3, 0.1, 0.5]])


def header(shape, descr="'<f8'", version=b"\x01\x00"):
    """Return the header of a .npy file; `shape` and `descr` are text."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}".encode()
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text


def archive(**members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return made.getvalue()


def saved(save=np.savez, **arrays):
    made = io.BytesIO()
    save(made, **arrays)
    return made.getvalue()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_the_only_matrix_is_read(tmp_path, save):
    (tmp_path / "m.npz").write_bytes(saved(save, prefs=np.asfortranarray(ORDER), best=np.array([1.0])))
    np.testing.assert_array_equal(read_npz(tmp_path / "m.npz"), ORDER)


WHOLE = saved(prefs=ORDER)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not a readable .npz file"),
        (WHOLE[:-30], "not a readable .npz file"),
        (WHOLE.replace(ORDER[0].tobytes(), bytes(24)), "Bad CRC-32"),
        (saved(a=ORDER, b=ORDER), "found 2 matrices; expected one"),
        (saved(a=np.array([0.5])), "found 0 matrices; expected one"),
        (saved(a=np.array([["x"]])), "expected numbers"),
        (archive(a=b"text"), "not a readable .npz file"),
        (archive(a=header("(3, 3)")), "has fewer numbers than its shape"),
        (archive(a=header("(9000, 9000)")), "has fewer numbers than its shape"),
        (archive(a=header("(1000000, 1000000)")), "at most 10,000 rankers"),
        (archive(a=header(f"({10**30}, 1)")), "at most 10,000 rankers"),
        (archive(a=header("(-3, 3)")), "an array of shape"),
        (archive(a=header("(" * 9000)), "not a readable .npz file"),
        (archive(a=header("(3, 3)", "'O'") + bytes(72)), "expected numbers"),
        (archive(a=header("(3, 3)", "'<x9'")), "not a readable .npz file"),
        (archive(a=header("(3, 3)", "5")), "not a readable .npz file"),
        (archive(a=header("(3, 3), '")), "not a readable .npz file"),
        (archive(a=header("'3'")), "not a readable .npz file"),
        (archive(a=header("(3, 3)", version=b"\x02\x00")), r"version \(2, 0\)"),
        (archive(a=header("(3, 3)") + np.full(9, np.nan).tobytes()), "."),
        (archive(a=header("(3, 3)") + np.full(9, 7.0).tobytes()), "."),
    ],
)
def test_invalid_matrices_are_refused(tmp_path, content, says):
    path = tmp_path / "MSLR_Perfect_PMat.npz"
    path.write_bytes(content)
    with pytest.raises(MatrixError, match=says) as refused:
        open_problem("mslr-perfect", DataSource(tmp_path, tmp_path))
    assert str(path) in str(refused.value)


def test_unreadable_files_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none.npz"):
        with pytest.raises(MatrixError, match="not a readable .npz file"):
            read_npz(path)
