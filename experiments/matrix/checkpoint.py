"""Checkpoints of unfinished preference matrices, from which an interrupted job resumes.

A file in a hidden folder beside the output holds the sums so far and the next block of queries. Blocks are
added in order, so the result does not depend on where a job was interrupted.

    32 bytes  SHA-256 of the rest
    32 bytes  key: SHA-256 of the job, and of the names, types and shapes of its arrays
    the rest  values of the arrays, one after the other

The types and shapes come from the job, not from the file, so a damaged file is rejected by its digest alone.
The sums of another user are not continued: a digest does not tell who wrote them.
"""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankduel.base.errors import CacheNotice, UsageError
from rankduel.base.files import convert_write_errors, put_in_place, short_name, temporary_beside
from rankduel.base.private_folders import make_own_folder, open_private
from rankduel.base.stored import digest_of, with_digest, without_digest

_FORMAT = 1
_KEY = 32  # bytes
_EVERY = 3.0  # seconds between two saves, at least
_SHARE = 0.02  # largest share of the time spent on saving

Arrays = Mapping[str, np.ndarray]


class Checkpoint:
    """Checkpoint of the job whose result is written to `output`; `load` identifies the job."""

    def __init__(self, output: str | Path) -> None:
        output = Path(output)
        self._folder = output.with_name(f".{short_name(output.name)}.partial")
        self._file = self._folder / "sums.values"
        self._key = bytes(_KEY)
        self._next = time.monotonic() + _EVERY

    def load(self, about: Any, start: Arrays) -> dict[str, np.ndarray]:
        """Return the arrays last saved by a job with the same plain values `about`, or copies of `start`.

        `start` defines the names, types and shapes of the arrays. The checkpoint of another job is ignored; a
        damaged one is ignored with a CacheNotice.
        """
        described = [[name, array.dtype.str, list(array.shape)] for name, array in start.items()]
        self._key = bytes.fromhex(digest_of([_FORMAT, about, described]))
        fresh = {name: array.copy() for name, array in start.items()}
        try:
            with open_private(self._file) as file:
                content = file.read()
        except FileNotFoundError:
            return fresh
        except OSError as problem:
            return self._start_over(fresh, problem.strerror or str(problem))
        body = without_digest(content)
        if body is None:
            return self._start_over(fresh, "damaged")
        return _arrays_from(body[_KEY:], fresh) if body[:_KEY] == self._key else fresh

    def _start_over(self, fresh: dict[str, np.ndarray], reason: str) -> dict[str, np.ndarray]:
        warnings.warn(
            f"{self._file}: {reason}; the matrix is built from the beginning", CacheNotice, stacklevel=3
        )
        return fresh

    def is_due(self) -> bool:
        """Return whether enough time has passed to save again."""
        return time.monotonic() >= self._next

    def save(self, arrays: Arrays) -> None:
        """Replace the saved arrays; names, types and shapes must be those of `start` in `load`."""
        started = time.monotonic()
        values = b"".join(array.tobytes() for array in arrays.values())
        with convert_write_errors(self._file, UsageError):
            self._write(with_digest(self._key + values))
        now = time.monotonic()
        self._next = now + max(_EVERY, (now - started) / _SHARE)

    def _write(self, content: bytes) -> None:
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            make_own_folder(self._folder)
            with temporary_beside(self._file, mode=0o600) as temporary:
                temporary.write_bytes(content)
                put_in_place(temporary, self._file)
        except FileNotFoundError:
            pass  # another process finished the same matrix and removed the folder

    def remove(self) -> None:
        """Remove the checkpoint; call this after the output is written."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _arrays_from(values: bytes, start: Arrays) -> dict[str, np.ndarray]:
    """Return arrays decoded from `values`, in the order and with the types and shapes of `start`."""
    arrays: dict[str, np.ndarray] = {}
    begin = 0
    for name, like in start.items():
        flat = np.frombuffer(values, like.dtype, like.size, begin)
        arrays[name] = flat.reshape(like.shape).copy()
        begin += like.nbytes
    return arrays
