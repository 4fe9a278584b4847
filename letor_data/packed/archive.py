"""Plain, compressed and archived text as streams of bytes.

The kind of a file is detected by its magic bytes. Members of an archive are selected as `ARCHIVE::PATTERN`
and streamed; they are not extracted to disk. Files are always read in the order train, validation, test.
"""

from __future__ import annotations

import os
import tarfile
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO, BinaryIO

from rankduel.base.errors import DataError
from rankduel.letor_data.packed.choosing import Source, choose
from rankduel.letor_data.packed.packing import (
    PACKINGS,
    DamagedError,
    Pieces,
    decompressed,
    guard,
    is_tar,
    misnamed,
    stream_pieces,
)
from rankduel.letor_data.packed.tar_stream import tar_members

__all__ = [
    "PACKINGS", "DamagedError", "Progress", "Source", "find_files", "find_sources", "first_bytes", "read_all",
    "read_one", "read_pieces",
]  # fmt: skip

Progress = Callable[[int, int], None]  # called with (bytes done, total bytes)

_MOST_WHOLE = 256 << 20  # largest file, in bytes, that is read into memory as a whole
_MOST_PASSES = 50  # over a tar archive whose members are in another order than they are read in
_ZIP = b"PK\x03\x04"
# Of the zip format: size of the end record, flag of UTF-8 names, and the count that refers to a ZIP64 record.
_END, _UTF_8, _IN_ZIP64 = 22, 0x800, 0xFFFF
_UNSUPPORTED = {
    b"Rar!": "a RAR archive, which cannot be read here; unpack it first (unrar x FILE)",
    b"7z\xbc\xaf": "a 7z archive, which cannot be read here; unpack it first (7z x FILE)",
    b"PK\x05\x06": "an empty zip archive",
}
_TAR_SUFFIXES = (".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tbz2", ".txz", ".tzst")


def find_files(argument: str | Path) -> list[tuple[Path, str]]:
    """Return (file, pattern within it) for each file of 'FILE', 'FOLDER' or 'FILE::PATTERN'."""
    text, _, pattern = str(argument).partition("::")
    path = Path(text)
    with guard(path):
        if not path.exists():
            raise DataError(f"{path}: no such file or folder")
        if not path.is_dir():
            _check_regular(path)
            return [(path, pattern)]
        names = sorted(p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file())
    return [(path / name, "") for name in choose(names, pattern, path)]


def _check_regular(path: Path) -> None:
    if not path.is_file():
        raise DataError(
            f"{path}: a pipe or a device, which can be read only once; save its content as a file"
        )


def find_sources(argument: str | Path) -> list[Source]:
    """Return the texts of 'FILE', 'FOLDER', 'ARCHIVE' or 'ARCHIVE::PATTERN', in reading order."""
    return [source for path, pattern in find_files(argument) for source in _sources_in(path, pattern)]


def _sources_in(path: Path, pattern: str) -> list[Source]:
    members = _members(path)
    if members is not None:
        return [Source(path, name) for name in choose(members, pattern, path)]
    if pattern:
        raise DataError(f"{path}: '::{pattern}' chooses a member, but this is not an archive")
    return [Source(path)]


def read_pieces(
    sources: list[Source], progress: Progress | None = None, notes: list[str] | None = None
) -> Iterator[tuple[Source, Iterator[bytes]]]:
    """Yield each source with its decompressed bytes.

    `progress` is called with bytes as stored on disk. Remarks about the compression of a file are appended
    to `notes`, once per file.
    """
    parts = [(path, list(group)) for path, group in groupby(sources, key=lambda source: source.path)]
    meter = _Meter(progress, sum(_size(path, group) for path, group in parts) if progress else 0)
    for path, group in parts:
        if not group[0].member:
            for source in group:
                yield source, decompressed(meter.watch(_file_pieces(path)), str(path), path.name, notes)
        elif _is_zip(path):
            yield from _read_zip(path, group, meter, notes)
        else:
            yield from _read_tar(path, group, meter, notes)
    meter.finish()


def read_one(path: str | Path, notes: list[str] | None = None) -> Iterator[bytes]:
    """Return the decompressed bytes of `path`, in pieces; raise an error if it is more than one file."""
    sources = find_sources(path)
    if len(sources) > 1:
        names = ", ".join(source.name for source in sources[:3])
        raise DataError(f"{path}: expected one file, found {len(sources)}: {names}, ...")
    return (piece for _, pieces in read_pieces(sources, notes=notes) for piece in pieces)


def read_all(path: str | Path) -> bytes:
    """Return the decompressed content of `path`; raise an error if it is larger than 256 MiB."""
    found, size = [], 0
    for piece in read_one(path):
        found.append(piece)
        size += len(piece)
        if size > _MOST_WHOLE:
            raise DataError(
                f"{path}: holds more than {_MOST_WHOLE >> 20} MiB, too much for a file of its kind"
            )
    return b"".join(found)


def first_bytes(path: Path, size: int) -> bytes:
    """Return up to `size` bytes from the start of a file, decompressed; b"" if it cannot be read.

    Of an archive, these are its own bytes, and not those of a member.
    """
    try:
        return Pieces(decompressed(_file_pieces(path), str(path), path.name)).peek(size)[:size]
    except DataError:  # reported when the file is read
        return b""


class _Meter:
    """Count the bytes read, and report them to a callback."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def watch(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            # Limited to the total, because a tar archive may be read more than once.
            self._done = min(self._done + len(piece), self._total)
            self._report(self._done)
            yield piece

    def finish(self) -> None:
        self._report(self._total)

    def _report(self, done: int) -> None:
        if self._progress is not None:
            self._progress(done, self._total)


def _size(path: Path, group: list[Source]) -> int:
    """Return the bytes to be read; zip members count unpacked, because zipfile reads the file itself."""
    if not group[0].member or not _is_zip(path):
        return path.stat().st_size
    wanted = {source.member for source in group}
    return sum(info.file_size for info in _zip_infos(path) if info.filename in wanted)


def _members(path: Path) -> list[str] | None:
    """Return the names of the files in an archive; None if `path` is not an archive."""
    start = Pieces(_file_pieces(path)).peek(1)
    for magic, problem in _UNSUPPORTED.items():
        if start.startswith(magic):
            raise DataError(f"{path}: {problem}")
    if start.startswith(_ZIP):
        return [info.filename for info in _zip_infos(path)]
    if path.name.lower().endswith(".zip"):
        raise misnamed(str(path), "zip", start)
    return [name for name, _ in _tar_members(path, _file_pieces(path))] if _is_tar(path) else None


# --- zip


def _is_zip(path: Path) -> bool:
    return Pieces(_file_pieces(path)).peek(1).startswith(_ZIP)


@contextmanager
def _open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with guard(str(path)), zipfile.ZipFile(path) as archive:
            yield archive
    except RuntimeError as problem:  # zipfile raises it for encryption and unknown compression methods
        raise DataError(f"{path}: {problem}\n  unpack it with another tool first") from None


def _zip_infos(path: Path) -> list[zipfile.ZipInfo]:
    with _open_zip(path) as archive, open(path, "rb") as stream:
        _check_directory(archive, stream)
        return [info for info in archive.infolist() if not info.filename.endswith("/")]


def _check_directory(archive: zipfile.ZipFile, stream: BinaryIO) -> None:
    """Raise an error if the central directory is damaged: it has no checksum.

    A member with a damaged name would not be selected as data. zipfile compares a member's name with that in
    its local header only when it opens the member, and does not check the number of members.
    """
    infos = archive.infolist()
    for info in infos:
        stream.seek(info.header_offset)
        header = stream.read(30)
        name = stream.read(int.from_bytes(header[26:28], "little"))
        if name.decode("utf-8" if info.flag_bits & _UTF_8 else "cp437") != info.orig_filename:
            raise zipfile.BadZipFile(f"the list of members names '{info.orig_filename}', which is not there")
    stream.seek(-_END - len(archive.comment), os.SEEK_END)
    number = int.from_bytes(stream.read(_END)[10:12], "little")
    if number not in (len(infos), _IN_ZIP64):
        raise zipfile.BadZipFile(f"{number} members are announced, but {len(infos)} are listed")


def _read_zip(
    path: Path, group: list[Source], meter: _Meter, notes: list[str] | None
) -> Iterator[tuple[Source, Iterator[bytes]]]:
    with _open_zip(path) as archive:
        for source in group:
            with archive.open(source.member) as stream:
                kind = archive.getinfo(source.member).compress_type
                bounded = (
                    stream if kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else _SmallReads(stream)
                )
                pieces = meter.watch(stream_pieces(bounded, source.name))
                yield source, decompressed(pieces, source.name, source.member, notes)


class _SmallReads:
    """A bzip2 or LZMA member of a zip archive, read in small parts to bound memory.

    zipfile unpacks everything that it has read at once. It reads at least 4 kB, which unpack to about 80 MB
    in the worst case.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        parts, missing = [], size
        while missing > 0 and (part := self._stream.read1(min(missing, 4096))):  # type: ignore[attr-defined]
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)


# --- tar


def _is_tar(path: Path) -> bool:
    unpacked = decompressed(_file_pieces(path), str(path), path.name)
    try:
        start = Pieces(unpacked).peek(tarfile.BLOCKSIZE)
    except DamagedError:  # reported with a line number when the text is read
        start = b""
    return is_tar(start) or path.name.lower().endswith(_TAR_SUFFIXES)


def _read_tar(
    path: Path, group: list[Source], meter: _Meter, notes: list[str] | None
) -> Iterator[tuple[Source, Iterator[bytes]]]:
    """Yield members in the order of `group`; a member before the current position takes another pass."""
    waiting = deque(group)
    for _ in range(_MOST_PASSES):
        passed = set()
        for name, pieces in _tar_members(path, meter.watch(_file_pieces(path)), notes):
            passed.add(name)
            if name == waiting[0].member:
                source = waiting.popleft()
                yield source, decompressed(pieces, source.name, name, notes)
            if not waiting or waiting[0].member in passed:
                break
        else:
            raise DataError(f"{waiting[0].name}: no longer there; the archive changed while it was read")
        if not waiting:
            return
    raise DataError(
        f"{path}: its members are in another order than they are read in, which takes more than "
        f"{_MOST_PASSES} passes; unpack it first"
    )


def _tar_members(
    path: Path, raw: Iterable[bytes], notes: list[str] | None = None
) -> Iterator[tuple[str, Iterator[bytes]]]:
    return tar_members(decompressed(raw, str(path), path.name, notes), str(path))


# --- files


def _file_pieces(path: Path) -> Iterator[bytes]:
    with guard(str(path)), open(path, "rb") as stream:
        yield from stream_pieces(stream, str(path))
