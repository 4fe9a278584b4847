"""Read a public matrix in NumPy's .npz format; headers are validated before memory is allocated."""

from __future__ import annotations

import io
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.lib import format as npy

from rankduel.base.errors import MatrixError
from rankduel.base.text import shortened

MOST_RANKERS = 10_000
_MOST_BYTES = 16 * MOST_RANKERS**2  # with 128-bit floating-point numbers
_VERSION = (1, 0)  # of the .npy format; later versions are for structured arrays
# Exceptions that zipfile and NumPy raise for a file that is damaged, encrypted or malicious.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
    OSError,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    SyntaxError,
    RuntimeError,
    OverflowError,
)


class _Header(NamedTuple):
    shape: tuple[int, ...]
    dtype: np.dtype


def read_npz(path: Path) -> np.ndarray:
    """Return the only two-dimensional array of a file.

    Raises
    ------
    MatrixError
        If the file cannot be read, or does not have exactly one matrix of numbers.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _only_matrix(archive, str(path))
    except MatrixError:
        raise
    except _UNREADABLE as problem:
        reason = shortened(str(problem) or type(problem).__name__, 200)
        raise MatrixError(f"{path}: not a readable .npz file ({reason}); download it again") from None


def _only_matrix(archive: zipfile.ZipFile, where: str) -> np.ndarray:
    arrays = [member for member in archive.infolist() if member.filename.endswith(".npy")]
    matrices = [member for member in arrays if len(_header_in(archive, member).shape) == 2]
    if len(matrices) != 1:
        raise MatrixError(f"{where}: found {len(matrices)} matrices; expected one, K x K")
    (member,) = matrices
    header = _header_in(archive, member)
    n_bytes = math.prod(header.shape) * header.dtype.itemsize
    if header.dtype.kind not in "fiu":
        raise MatrixError(f"{where}: '{member.filename}' holds {header.dtype}; expected numbers")
    if max(header.shape) > MOST_RANKERS or member.file_size > _MOST_BYTES:
        raise MatrixError(f"{where}: found shape {header.shape}; expected at most {MOST_RANKERS:,} rankers")
    if n_bytes > member.file_size:
        raise MatrixError(
            f"{where}: '{member.filename}' has fewer numbers than its shape {header.shape}; download it again"
        )
    content = io.BytesIO(archive.read(member))  # reading the whole member verifies its checksum
    return np.asarray(npy.read_array(content, allow_pickle=False))


def _header_in(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> _Header:
    with archive.open(member) as file:
        return _header(file)


def _header(file: IO[bytes]) -> _Header:
    version = npy.read_magic(file)
    if version != _VERSION:
        raise ValueError(f"an array in version {version} of the .npy format; expected {_VERSION}")
    shape, _, dtype = npy.read_array_header_1_0(file)
    if min(shape, default=0) < 0:
        raise ValueError(f"an array of shape {shape}")
    return _Header(shape, dtype)
