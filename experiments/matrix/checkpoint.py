"""Half-made preference matrices on disk, so that a killed job goes on where it was.

A file in a hidden folder beside the output holds the sums so far and the next block of queries. Blocks are
added up in their order, so the numbers do not depend on where a job was cut.

    32 bytes  key: SHA-256 of the job, and of the names, types and shapes of its arrays
    32 bytes  SHA-256 of the key and the values
    the rest  values of the arrays, one after the other

Nothing in the file says how to read it, so no damage can lead a reader astray.
"""

from __future__ import annotations

import hashlib
import shutil
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from experiments.digests import plain_text
from rankduel.base.errors import CacheNotice, UsageError
from rankduel.base.files import replacing, saying_where, short_name

_FORMAT = 2
_DIGEST = 32  # bytes
_EVERY = 3.0  # seconds
_SHARE = 0.02  # of the time that saving may take

Arrays = Mapping[str, np.ndarray]


class Checkpoint:
    """Belongs to one output, and to the job that `load` is told about."""

    def __init__(self, output: str | Path) -> None:
        output = Path(output)
        self._folder = output.with_name(f".{short_name(output.name)}.partial")
        self._file = self._folder / "sums.values"
        self._key = bytes(_DIGEST)
        self._next = time.monotonic() + _EVERY

    def load(self, about: Any, start: Arrays) -> dict[str, np.ndarray]:
        """Return the arrays that a job with the same plain values in `about` saved last, or those of `start`.

        `start` has the names, types and shapes of the arrays. What another job left is not used; a damaged
        file is not used either, with a notice.
        """
        described = [[name, array.dtype.str, list(array.shape)] for name, array in start.items()]
        self._key = hashlib.sha256(plain_text([_FORMAT, about, described]).encode()).digest()
        fresh = {name: array.copy() for name, array in start.items()}
        try:
            content = self._file.read_bytes()
        except FileNotFoundError:
            return fresh
        except OSError as problem:
            return self._start_over(fresh, str(problem.strerror))
        key, digest, values = content[:_DIGEST], content[_DIGEST : 2 * _DIGEST], content[2 * _DIGEST :]
        if digest != _digest(key, values):
            return self._start_over(fresh, "damaged")
        return _arrays_from(values, fresh) if key == self._key else fresh

    def _start_over(self, fresh: dict[str, np.ndarray], reason: str) -> dict[str, np.ndarray]:
        warnings.warn(f"{self._file}: {reason}; the matrix is started over", CacheNotice, stacklevel=3)
        return fresh

    def is_due(self) -> bool:
        return time.monotonic() >= self._next

    def save(self, arrays: Arrays) -> None:
        """Replace what was saved before by these arrays, which are as `load` was told."""
        started = time.monotonic()
        values = b"".join(array.tobytes() for array in arrays.values())
        with saying_where(self._file, UsageError):
            self._write(self._key + _digest(self._key, values) + values)
        now = time.monotonic()
        self._next = now + max(_EVERY, (now - started) / _SHARE)

    def _write(self, content: bytes) -> None:
        try:
            self._folder.mkdir(exist_ok=True)
            with replacing(self._file) as temporary:
                temporary.write_bytes(content)
        except FileNotFoundError:
            pass  # another process made the same matrix meanwhile, and cleared up

    def remove(self) -> None:
        """To be called once the output is in place."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _digest(key: bytes, values: bytes) -> bytes:
    return hashlib.sha256(key + values).digest()


def _arrays_from(values: bytes, start: Arrays) -> dict[str, np.ndarray]:
    """Return arrays with the types and shapes of those in `start`, in their order."""
    arrays: dict[str, np.ndarray] = {}
    begin = 0
    for name, like in start.items():
        flat = np.frombuffer(values, like.dtype, like.size, begin)
        arrays[name] = flat.reshape(like.shape).copy()
        begin += like.nbytes
    return arrays
