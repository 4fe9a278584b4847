"""Files of machine code in the user's cache folder.

A file is named by a function and a digest of its key. It starts with a checksum and is replaced atomically,
so a damaged or incomplete file is never used. Files that were not used for a long time are removed.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from rankduel.base.files import code_folder, temporary_beside

_SUFFIX = ".machine"
_UNUSED_DAYS = 60  # a file that was not used for this time is removed
_LARGEST = 1 << 30  # bytes of all files together; the least recently used files are removed first
_CHECKSUM = 32  # bytes


def code_path(name: str, key: object) -> Path:
    """Return the file of a function; `key` determines its machine code, and its repr is unique."""
    digest = hashlib.sha256(repr(key).encode()).hexdigest()[:32]
    return code_folder() / f"{name}-{digest}{_SUFFIX}"


def read_code(path: Path) -> bytes | None:
    """Return the content of a file and mark it as used now; None if its checksum is wrong."""
    data = path.read_bytes()
    body = data[_CHECKSUM:]
    if hashlib.sha256(body).digest() != data[:_CHECKSUM]:
        return None
    os.utime(path)
    return body


def write_code(path: Path, body: bytes) -> None:
    """Write a file completely or not at all, and remove old files beside it."""
    with temporary_beside(path) as temporary:
        temporary.write_bytes(hashlib.sha256(body).digest() + body)
        os.replace(temporary, path)
    _remove_old(path.parent)


def code_files(folder: Path) -> list[Path]:
    """Return the files of machine code in a folder."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def _remove_old(folder: Path) -> None:
    """Remove files unused for `_UNUSED_DAYS`, and the least recently used files beyond `_LARGEST` bytes."""
    found = [(file.stat(), file) for file in code_files(folder)]
    found.sort(key=lambda one: -one[0].st_mtime)
    oldest, total = time.time() - _UNUSED_DAYS * 86400, 0
    for status, file in found:
        total += status.st_size
        if total > _LARGEST or status.st_mtime < oldest:
            file.unlink(missing_ok=True)
