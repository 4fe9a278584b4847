"""Write files atomically, compute checksums, keep paths inside their folders, and find the cache folder."""

from __future__ import annotations

import functools
import os
import secrets
import stat
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rankduel.base.errors import CacheNotice, RankduelError

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


def cache_folder() -> Path:
    """Return the user's cache folder for rankduel: ``$RANKDUEL_CACHE``, or a standard place."""
    given = os.environ.get("RANKDUEL_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    home = os.path.expanduser("~")
    if base:
        return Path(base) / "rankduel"
    return _temporary_folder() if home == "~" else Path(home) / ".cache" / "rankduel"


def code_folder() -> Path:
    """Return the folder of compiled code, which exists and belongs to the user alone.

    What is loaded from it is run. Where the cache folder cannot be used, it is a folder for temporary files,
    with a notice.
    """
    return _private_folder(cache_folder() / "code")


@functools.cache
def _private_folder(folder: Path) -> Path:
    reason = _make_private(folder)
    if not reason:
        return folder
    temporary = _temporary_folder()
    if _make_private(temporary):
        temporary = Path(tempfile.mkdtemp(prefix="rankduel-"))
    warnings.warn(
        f"{folder}: {reason}; compiled code is kept in {temporary} instead. Set RANKDUEL_CACHE to a folder "
        "that you can write to",
        CacheNotice,
        stacklevel=2,
    )
    return temporary


def _temporary_folder() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"rankduel-{user}"


def _make_private(folder: Path) -> str:
    """Make a folder that only its owner can write to; return why that is impossible, if it is."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode):
            return "not a folder"
        if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
            return "others may write to this folder"
    except OSError as problem:
        return problem.strerror or str(problem)
    return "" if os.access(folder, os.W_OK | os.X_OK) else "not writable"
