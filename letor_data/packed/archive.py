"""Opening what people download: plain, compressed and archived text, as streams of byte pieces.

The kind is told by content (magic bytes). Members of archives are chosen as `ARCHIVE::PATTERN` and
streamed, never extracted. Whatever the packaging, files are read in the order train, validation, test.
"""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from letor_data.packed.choosing import Source, choose
from letor_data.packed.packing import (
    PACKINGS,
    DamagedError,
    Pieces,
    decompressed,
    guard,
    is_tar,
    misnamed,
    stream_pieces,
)
from letor_data.packed.tar_stream import tar_members
from rankduel.base.errors import DataError

__all__ = [
    "PACKINGS", "DamagedError", "Progress", "Source", "find_files", "find_sources", "read_all", "read_pieces",
]  # fmt: skip

Progress = Callable[[int, int], None]  # bytes done, bytes in all

_ZIP = b"PK\x03\x04"
_FOREIGN = {
    b"Rar!": "a RAR archive, which cannot be read here; unpack it first (unrar x FILE)",
    b"7z\xbc\xaf": "a 7z archive, which cannot be read here; unpack it first (7z x FILE)",
    b"PK\x05\x06": "an empty zip archive",
}
_TAR_SUFFIXES = (".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tbz2", ".txz", ".tzst")


def find_files(argument: str | Path) -> list[tuple[Path, str]]:
    """The files that 'FILE', 'FOLDER' or 'FILE::PATTERN' means, each with the pattern to apply within it."""
    text, _, pattern = str(argument).partition("::")
    path = Path(text)
    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    if not path.is_dir():
        return [(path, pattern)]
    names = sorted(p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file())
    return [(path / name, "") for name in choose(names, pattern, path)]


def find_sources(argument: str | Path) -> list[Source]:
    """The texts that 'FILE', 'FOLDER', 'ARCHIVE' or 'ARCHIVE::PATTERN' stands for, in reading order."""
    return [source for path, pattern in find_files(argument) for source in _sources_in(path, pattern)]


def _sources_in(path: Path, pattern: str) -> list[Source]:
    members = _members(path)
    if members is not None:
        return [Source(path, name) for name in choose(members, pattern, path)]
    if pattern:
        raise DataError(f"{path}: '::{pattern}' chooses a member, but this is not an archive")
    return [Source(path)]


def read_pieces(
    sources: list[Source], progress: Progress | None = None
) -> Iterator[tuple[Source, Iterator[bytes]]]:
    """Each source with its decompressed bytes. `progress` hears of bytes as they are on disk."""
    parts = [(path, list(group)) for path, group in groupby(sources, key=lambda source: source.path)]
    meter = _Meter(progress, sum(_size(path, group) for path, group in parts) if progress else 0)
    for path, group in parts:
        if not group[0].member:
            for source in group:
                yield source, decompressed(meter.watch(_file_pieces(path)), str(path), path.name)
        elif _is_zip(path):
            yield from _read_zip(path, group, meter)
        else:
            yield from _read_tar(path, group, meter)
    meter.finish()


def read_all(path: str | Path) -> bytes:
    """A whole small file, decompressed."""
    sources = find_sources(path)
    if len(sources) > 1:
        names = ", ".join(source.name for source in sources[:3])
        raise DataError(f"{path}: one file is wanted here, and this stands for {len(sources)}: {names}, ...")
    return b"".join(piece for _, pieces in read_pieces(sources) for piece in pieces)


class _Meter:
    """Tells how far reading has come."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def watch(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            # A tar archive may be passed through more than once, which nobody wants to hear of.
            self._done = min(self._done + len(piece), self._total)
            self._tell(self._done)
            yield piece

    def finish(self) -> None:
        self._tell(self._total)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(done, self._total)


def _size(path: Path, group: list[Source]) -> int:
    """Bytes that the meter will see; zip members are counted as unpacked, since zipfile reads them itself."""
    if not group[0].member or not _is_zip(path):
        return path.stat().st_size
    wanted = {source.member for source in group}
    return sum(info.file_size for info in _zip_infos(path) if info.filename in wanted)


def _members(path: Path) -> list[str] | None:
    """Names of the files in an archive; None when the path is not an archive."""
    start = Pieces(_file_pieces(path)).peek(1)
    for magic, problem in _FOREIGN.items():
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
    except RuntimeError as problem:  # zipfile's word for encryption and for methods it does not know
        raise DataError(f"{path}: {problem}\n  unpack it with another tool first") from None


def _zip_infos(path: Path) -> list[zipfile.ZipInfo]:
    with _open_zip(path) as archive:
        return [info for info in archive.infolist() if not info.is_dir()]


def _read_zip(path: Path, group: list[Source], meter: _Meter) -> Iterator[tuple[Source, Iterator[bytes]]]:
    with _open_zip(path) as archive:
        for source in group:
            with archive.open(source.member) as stream:
                pieces = meter.watch(stream_pieces(stream, source.name))
                yield source, decompressed(pieces, source.name, source.member)


# --- tar


def _is_tar(path: Path) -> bool:
    unpacked = decompressed(_file_pieces(path), str(path), path.name)
    try:
        start = Pieces(unpacked).peek(tarfile.BLOCKSIZE)
    except DamagedError:  # whoever reads on will say so, and at which line
        start = b""
    return is_tar(start) or path.name.lower().endswith(_TAR_SUFFIXES)


def _read_tar(path: Path, group: list[Source], meter: _Meter) -> Iterator[tuple[Source, Iterator[bytes]]]:
    """Members in the order asked for; one that was passed already takes another pass over the archive."""
    waiting = list(group)
    while waiting:
        passed = set()
        for name, pieces in _tar_members(path, meter.watch(_file_pieces(path))):
            passed.add(name)
            if name == waiting[0].member:
                source = waiting.pop(0)
                yield source, decompressed(pieces, source.name, name)
            if not waiting or waiting[0].member in passed:
                break
        else:
            raise DataError(f"{waiting[0].name}: no longer there; the archive changed while it was read")


def _tar_members(path: Path, raw: Iterable[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    return tar_members(decompressed(raw, str(path), path.name), str(path))


# --- files


def _file_pieces(path: Path) -> Iterator[bytes]:
    with guard(str(path)), open(path, "rb") as stream:
        yield from stream_pieces(stream, str(path))
