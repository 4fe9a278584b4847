"""Write files atomically, compute checksums, and keep paths inside their folders."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import secrets
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rankduel.base.errors import RankduelError

if sys.platform != "win32":
    import fcntl

_PIECE = 1 << 20  # bytes read at a time
_TEMPORARY = ".rankduel.tmp"  # ends the names of temporary files
_LONGEST = 100  # bytes of a name that is part of a temporary name; systems allow 255, some 143


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary name beside `path` to write to; rename it to `path` if the block succeeds."""
    with temporary_beside(path) as temporary:
        yield temporary
        put_in_place(temporary, path)


@contextmanager
def temporary_beside(path: str | Path, mode: int = 0o666) -> Iterator[Path]:
    """Yield a new empty file beside `path`; remove it if it was not put in place.

    The umask of the process is subtracted from its permissions `mode`.
    Temporary files of killed writers of `path` are removed first. An OSError that names no file or the
    temporary file is raised again with the name `path`.
    """
    path = Path(path)
    _check_replaceable(path)
    remove_leftovers(path)
    temporary, lock = _new_file(path, mode)
    _unfinished.add(temporary)
    try:
        yield temporary
    except OSError as problem:
        if _is_about(problem, temporary):
            raise _not_written(path, problem) from problem
        raise
    finally:
        with suppress(OSError):  # the folder was removed, or cannot be written any more
            temporary.unlink(missing_ok=True)
        _unfinished.discard(temporary)
        if lock is not None:
            os.close(lock)


def _check_replaceable(path: Path) -> None:
    """Raise an error if `path` is a folder, a device or a pipe, which a file would replace."""
    try:
        mode = path.stat().st_mode
    except OSError:  # absent; other problems show when the file is made
        return
    if stat.S_ISDIR(mode):
        raise _not_written(path, IsADirectoryError(errno.EISDIR, ""))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "could not be written: a device or a pipe, not a file", str(path))


_unfinished: set[Path] = set()  # temporary files that this process is writing


def remove_unfinished() -> None:
    """Remove the temporary files of this process, before it ends without unwinding its stack."""
    for temporary in list(_unfinished):
        with suppress(OSError):
            temporary.unlink()


def _new_file(path: Path, mode: int) -> tuple[Path, int | None]:
    """Make an empty file beside `path` and lock it; return its name and the open file that holds the lock.

    The lock shows that the writer is running: the system releases it when the process ends, whatever the
    reason. Unlike a process number, it is valid across containers and across the hosts of a network disk.
    """
    while True:
        temporary = path.with_name(f".{short_name(path.name)}.{secrets.token_hex(4)}{_TEMPORARY}")
        try:
            lock = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            continue
        except OSError as problem:
            raise _not_written(path, problem) from problem
        if sys.platform == "win32":  # where an open file cannot be renamed
            os.close(lock)
            return temporary, None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another writer found it before it was locked, and removes it
            os.close(lock)
            continue
        except OSError:  # a disk without locks, where no leftover is removed
            return temporary, lock
        if temporary.exists():
            return temporary, lock
        os.close(lock)


def short_name(name: str) -> str:
    """Return the name of a file, or a digest of a long one, so that more can be added to it."""
    encoded = os.fsencode(name)
    return name if len(encoded) <= _LONGEST else hashlib.sha256(encoded).hexdigest()[:32]


def remove_leftovers(path: Path) -> None:
    """Remove temporary files of `path` whose writers are gone: those that are not locked."""
    if sys.platform == "win32":
        return
    for name in _temporary_files(os.path.abspath(path.parent)).get(f".{short_name(path.name)}", ()):
        with suppress(OSError):  # removed, being written, or owned by another user
            lock = os.open(path.with_name(name), os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path.with_name(name))
            finally:
                os.close(lock)


@functools.lru_cache(maxsize=1024)
def _temporary_files(folder: str) -> dict[str, list[str]]:
    """Return the temporary files in a folder, by the beginning of their names.

    The result is cached: otherwise a folder of many records would be listed for each record.
    """
    found: dict[str, list[str]] = {}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_TEMPORARY):
                stem = entry.name.removesuffix(_TEMPORARY).rpartition(".")[0]
                found.setdefault(stem, []).append(entry.name)
    return found


def _is_about(problem: OSError, temporary: Path) -> bool:
    """Return whether an error names this file, or no file, as errors of writing to an open file do."""
    named = problem.filename is not None
    return str(problem.filename) == str(temporary) if named else not isinstance(problem, BrokenPipeError)


def _not_written(path: Path, problem: OSError) -> OSError:
    """Return the same error with the name of the file that was to be written."""
    reason = os.strerror(problem.errno) if problem.errno else f"{problem}; is the disk full?"
    return OSError(problem.errno or errno.EIO, f"could not be written: {reason}", str(path))


def put_in_place(temporary: Path, path: str | Path) -> None:
    """Rename a file after its content has reached the disk, so that a power cut leaves no partial file."""
    with open(temporary, "rb+") as written:
        os.fsync(written.fileno())
    os.replace(temporary, path)


@contextmanager
def convert_write_errors(path: str | Path, error: type[RankduelError]) -> Iterator[None]:
    """Convert an OSError of writing to `path` into an `error` that names the file."""
    try:
        yield
    except OSError as problem:
        reason = os.strerror(problem.errno) if problem.errno else str(problem)
        raise error(
            f"{path}: could not be written: {reason}; make room there, or choose another place"
        ) from None


def write_text(path: str | Path, text: str) -> None:
    """Write text in UTF-8, completely or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def file_checksum(path: str | Path) -> int:
    """Return the CRC-32 of a file, which detects damage but not tampering."""
    with open(path, "rb") as file:
        return checksum_of(file)


def checksum_of(file: BinaryIO) -> int:
    """Return the CRC-32 of an open file from its position to its end.

    The file is not memory-mapped, since the map would count as memory of this process.
    """
    total = 0
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
