"""Half-made preference matrices on disk, so that a killed job goes on where it was.

A file in a hidden folder beside the output holds the sums so far and the next block of queries. Blocks are
added up in their order, so the numbers do not depend on where a job was cut.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankduel.base.files import replacing

_FORMAT = 1
_EVERY = 3.0  # seconds
_SHARE = 0.02  # of the time that saving may take


class Checkpoint:
    """Belongs to one output, and to the job that `load` is told about."""

    def __init__(self, output: str | Path) -> None:
        output = Path(output)
        self._folder = output.with_name(f".{output.name}.partial")
        self._file = self._folder / "sums.npz"
        self._key = ""
        self._next = time.monotonic() + _EVERY

    def load(self, about: Any) -> dict[str, np.ndarray] | None:
        """What a job with the same plain values in `about` saved last; what another left is not used."""
        self._key = hashlib.sha256(json.dumps([_FORMAT, about], sort_keys=True).encode()).hexdigest()
        try:
            with open(self._file, "rb") as stream, np.load(stream, allow_pickle=False) as saved:
                arrays = dict(saved)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None
        return arrays if str(arrays.pop("key", "")) == self._key else None

    def is_due(self) -> bool:
        return time.monotonic() >= self._next

    def save(self, arrays: Mapping[str, np.ndarray]) -> None:
        started = time.monotonic()
        everything: dict[str, Any] = dict(arrays, key=np.array(self._key))
        try:
            self._folder.mkdir(exist_ok=True)
            with replacing(self._file) as temporary, open(temporary, "wb") as stream:
                np.savez(stream, **everything)
        except FileNotFoundError:
            pass  # another process made the same matrix meanwhile, and cleared up
        now = time.monotonic()
        self._next = now + max(_EVERY, (now - started) / _SHARE)

    def remove(self) -> None:
        """To be called once the output is in place."""
        shutil.rmtree(self._folder, ignore_errors=True)
