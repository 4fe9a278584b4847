"""Write files atomically, compute checksums, and keep paths inside their folders."""

from __future__ import annotations

import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rankduel.base.errors import RankduelError

_PIECE = 1 << 20  # bytes read at a time


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary name beside `path` to write to; rename it to `path` if the block succeeds."""
    with temporary_beside(path) as temporary:
        yield temporary
        put_in_place(temporary, path)


@contextmanager
def temporary_beside(path: str | Path) -> Iterator[Path]:
    """Yield a name for a file beside `path`; remove the file if it was not put in place."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def put_in_place(temporary: Path, path: str | Path) -> None:
    """Rename a file after its content has reached the disk, so that a power cut leaves no partial file."""
    with open(temporary, "rb+") as written:
        os.fsync(written.fileno())
    os.replace(temporary, path)


def write_text(path: str | Path, text: str) -> None:
    """Write text in UTF-8, completely or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def file_checksum(path: str | Path) -> int:
    """Return the CRC-32 of a file: against what disks do, not people.

    Reads plainly: through a map the whole file would count as this process's memory.
    """
    total = 0
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            total = zlib.crc32(piece, total)
    return total


def path_inside(folder: Path, name: str, error: type[RankduelError]) -> Path:
    """Return `folder` / `name` for a name from outside; raise `error` if it would leave the folder.

    A name is one part of a path: no separator, no drive, not '.' or '..', no NUL.
    """
    if not name or name in (".", "..") or any(mark in name for mark in ("/", "\\", "\0")) or Path(name).drive:
        raise error(
            f"'{name}' cannot be the name of a file in {folder}; use letters, digits, '-', '_' and '.'"
        )
    return folder / name
