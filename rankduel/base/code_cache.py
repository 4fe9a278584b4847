"""Files of machine code in the user's cache folder.

A file is named by a function and a digest of its key. It starts with a checksum and is replaced atomically,
so a damaged or incomplete file is never used. Files that were not used for a long time are removed.

What a file holds is run. So the folder is one that only the user can write to or replace
(`cache_folders.code_folder`), and a file is read only if nobody else can have written it (`open_private`).

    32 bytes  SHA-256 of the rest
    then, for each part, its length in 8 bytes and its bytes
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from rankduel.base.cache_folders import code_folder
from rankduel.base.files import temporary_beside
from rankduel.base.private_folders import open_private
from rankduel.base.stored import with_digest, without_digest

_SUFFIX = ".machine"
_UNUSED_DAYS = 60  # a file that was not used for this time is removed
_LARGEST = 1 << 30  # bytes of all files together; the least recently used files are removed first
_LENGTH = 8  # bytes


def code_path(name: str, key: object) -> Path:
    """Return the file of a function; `key` determines its machine code, and its repr is unique."""
    digest = hashlib.sha256(repr(key).encode()).hexdigest()[:32]
    return code_folder() / f"{name}-{digest}{_SUFFIX}"


def read_code(path: Path) -> list[bytes] | None:
    """Return the parts of a file and mark it as used now; None if its checksum is wrong.

    Raises
    ------
    OSError
        If the file cannot be read, or another user can have written it.
    """
    with open_private(path) as file:
        data = file.read()
    body = without_digest(data)
    if body is None:
        return None
    os.utime(path)
    return _parts(body)


def write_code(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file completely or not at all, and remove old files beside it."""
    body = b"".join(len(part).to_bytes(_LENGTH, "little") + part for part in parts)
    with temporary_beside(path, mode=0o600) as temporary:
        temporary.write_bytes(with_digest(body))
        os.replace(temporary, path)
    _remove_old(path.parent)


def code_files(folder: Path) -> list[Path]:
    """Return the files of machine code in a folder."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def _parts(body: bytes) -> list[bytes]:
    parts, start = [], 0
    while start < len(body):
        begin = start + _LENGTH
        start = begin + int.from_bytes(body[start:begin], "little")
        parts.append(body[begin:start])
    return parts


def _remove_old(folder: Path) -> None:
    """Remove files unused for `_UNUSED_DAYS`, and the least recently used files beyond `_LARGEST` bytes."""
    found = [(file.stat(), file) for file in code_files(folder)]
    found.sort(key=lambda one: -one[0].st_mtime)
    oldest, total = time.time() - _UNUSED_DAYS * 86400, 0
    for status, file in found:
        total += status.st_size
        if total > _LARGEST or status.st_mtime < oldest:
            file.unlink(missing_ok=True)
