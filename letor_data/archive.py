"""Opening what people download: plain, compressed and archived text, as streams of byte pieces.

The kind is told by content (magic bytes); a suffix that promises a compression the content does not
have is refused. Members of archives are chosen as `ARCHIVE::PATTERN` and streamed, never extracted.
Every decompressor is driven to the end of its last stream, so a cut or damaged file is an error and
never quietly shorter data; concatenated members are one stream.
"""

from __future__ import annotations

import bz2
import fnmatch
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from letor_data.errors import DataError

try:
    from compression import zstd  # Python 3.14 and later
except ImportError:
    from backports import zstd

PIECE = 1 << 20  # bytes handed on at a time


class Packing(NamedTuple):
    magic: bytes
    suffixes: tuple[str, ...]
    decompressor: Any  # () -> object with decompress(data, max_length), eof, needs_input, unused_data
    padding: bytes = b""  # bytes that may follow the last stream


class _Gunzip:
    """zlib's decompressor with the interface that bz2, lzma and zstd share."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail


PACKINGS = {
    "gzip": Packing(b"\x1f\x8b", (".gz", ".tgz"), _Gunzip, b"\0"),
    "bzip2": Packing(b"BZh", (".bz2", ".tbz2"), bz2.BZ2Decompressor),
    "xz": Packing(b"\xfd7zXZ\0", (".xz", ".txz"), lzma.LZMADecompressor, b"\0"),
    "zstd": Packing(b"\x28\xb5\x2f\xfd", (".zst", ".tzst"), zstd.ZstdDecompressor),
}
_ZIP = b"PK\x03\x04"
_FOREIGN = {
    b"Rar!": "a RAR archive, which cannot be read here; unpack it first (unrar x FILE)",
    b"7z\xbc\xaf": "a 7z archive, which cannot be read here; unpack it first (7z x FILE)",
    b"PK\x05\x06": "an empty zip archive",
}
_DAMAGE = (EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError, OSError, zipfile.BadZipFile, tarfile.TarError)
_SPLIT_ORDER = {"train": 0, "vali": 1, "valid": 1, "validation": 1, "test": 2, "heldout": 2}
_TEXT_SUFFIXES = (".txt", ".dat", ".svm", ".svmlight", ".libsvm", ".letor")
_FOLD = re.compile(r"(?:^|/)(fold\d+)(?=/)", re.IGNORECASE)


class DamagedError(DataError):
    """Compressed data that ends early or fails its own check."""


class Source(NamedTuple):
    """One text to read: a file, or a member of an archive."""

    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        return f"{self.path}::{self.member}" if self.member else str(self.path)

    @property
    def split(self) -> str:
        """'train' for 'Fold1/train.txt.gz' or 'set1.train.txt'; the bare file name otherwise."""
        words = Path(self.member or self.path).name.split(".")
        return next((word for word in words if word.lower() in _SPLIT_ORDER), words[0])


def find_sources(argument: str | Path) -> list[Source]:
    """The texts that 'FILE', 'FOLDER', 'ARCHIVE' or 'ARCHIVE::PATTERN' stands for, in reading order."""
    text, _, pattern = str(argument).partition("::")
    path = Path(text)
    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    if path.is_dir():
        names = sorted(p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file())
        return [Source(path / name) for name in _choose(names, pattern, path)]
    members = _members(path)
    if members is None:
        if pattern:
            raise DataError(f"{path}: '::{pattern}' chooses a member, but this is not an archive")
        return [Source(path)]
    return [Source(path, name) for name in _choose(members, pattern, path)]


def read_pieces(sources: list[Source]) -> Iterator[tuple[Source, Iterator[bytes]]]:
    """Each source with its decompressed bytes; an archive's members are read in one pass over it."""
    for path in dict.fromkeys(source.path for source in sources):
        wanted = {source.member: source for source in sources if source.path == path}
        if "" in wanted:
            yield wanted[""], _decompressed(_file_pieces(path), str(path), path.name)
        else:
            for name, pieces in _open_members(path):
                if name in wanted:
                    yield wanted[name], _decompressed(pieces, wanted[name].name, name)


def read_all(path: str | Path) -> bytes:
    """A whole small file, decompressed."""
    (source,) = find_sources(path)
    return b"".join(piece for _, pieces in read_pieces([source]) for piece in pieces)


def _choose(names: list[str], pattern: str, path: Path) -> list[str]:
    """Names that match the pattern; without one, everything that looks like data of a single fold."""
    visible = [name for name in names if not _is_clutter(name)]
    chosen = [name for name in visible if (_matches(name, pattern) if pattern else _looks_like_data(name))]
    if not chosen and not pattern:
        chosen = visible if len(visible) == 1 else []
    if not chosen:
        wanted = f"nothing in it matches '{pattern}'" if pattern else "no .txt data in it"
        raise DataError(f"{path}: {wanted}; it holds {_listing(visible)}")
    folds = sorted({m[1] for name in chosen if (m := _FOLD.search(name))})
    if len(folds) > 1 and not pattern:  # a pattern may mean it: Fold*/test.txt is every query once
        example = f"{path}/{folds[0]}" if path.is_dir() else f"{path}::{folds[0]}"
        raise DataError(
            f"{path}: holds {', '.join(folds)}, and every fold repeats the same queries\n"
            f"  choose one: {example}, or one split: {example}/train.txt"
        )
    return sorted(chosen, key=lambda name: (_SPLIT_ORDER.get(Source(path, name).split.lower(), 3), name))


def _matches(name: str, pattern: str) -> bool:
    """'Fold1/train.txt', 'Fold1' (everything below it) and 'Fold1/*.txt', under any leading folders."""
    tail = pattern.strip("/")
    return any(fnmatch.fnmatchcase(f"/{name}", f"*/{tail}{end}") for end in ("", "/*"))


def _is_clutter(name: str) -> bool:
    parts = name.split("/")
    return parts[-1] == "" or any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _looks_like_data(name: str) -> bool:
    base = name.rsplit("/", 1)[-1].lower()
    for packing in PACKINGS.values():
        base = base.removesuffix(packing.suffixes[0])
    return base.endswith(_TEXT_SUFFIXES) and not base.startswith(("readme", "license", "licence"))


def _listing(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "") or "nothing"


def _members(path: Path) -> list[str] | None:
    """Names of the files in an archive; None when the path is not an archive."""
    start = _peek(_file_pieces(path))[0]
    for magic, problem in _FOREIGN.items():
        if start.startswith(magic):
            raise DataError(f"{path}: {problem}")
    if start.startswith(_ZIP):
        with _guard(str(path)), zipfile.ZipFile(path) as archive:
            return [info.filename for info in archive.infolist() if not info.is_dir()]
    start = _peek(_decompressed(_file_pieces(path), str(path), path.name))[0]
    if start[257:262] == b"ustar":
        return [name for name, _ in _open_members(path)]
    return None


def _open_members(path: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Each file of a zip or (compressed) tar archive, in its own order."""
    with _guard(str(path)):
        if _peek(_file_pieces(path))[0].startswith(_ZIP):
            with zipfile.ZipFile(path) as archive:
                for name in [info.filename for info in archive.infolist() if not info.is_dir()]:
                    with archive.open(name) as stream:
                        yield name, _stream_pieces(stream)
        else:
            pieces = _PieceReader(_decompressed(_file_pieces(path), str(path), path.name))
            with tarfile.open(fileobj=pieces, mode="r|", bufsize=PIECE, tarinfo=_StrictTarInfo) as archive:
                for info in archive:
                    stream = archive.extractfile(info) if info.isfile() else None
                    if stream is not None:
                        yield info.name, _stream_pieces(stream)


class _StrictTarInfo(tarfile.TarInfo):
    """tarfile takes a damaged header, or a missing end mark, for the end of the archive; we do not."""

    @classmethod
    def fromtarfile(cls, tar):
        try:
            return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:
            raise
        except tarfile.HeaderError as problem:
            raise tarfile.ReadError(f"the tar archive is damaged or cut ({problem})") from None


class _PieceReader(io.RawIOBase):
    """File-like view of an iterator of pieces, for tarfile."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._left = pieces, b""

    def read(self, size: int = -1) -> bytes:
        while len(self._left) < size and (piece := next(self._pieces, b"")):
            self._left += piece
        taken, self._left = self._left[:size], self._left[size:]
        return taken


class _guard:
    """Turn what the archive libraries raise into one kind of error that names the file."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind, problem, trace) -> None:
        if isinstance(problem, _DAMAGE) and not isinstance(problem, (FileNotFoundError, PermissionError)):
            said = str(problem).strip(" .") or "damaged data"
            raise DamagedError(f"{self._name}: {said}") from None


def _file_pieces(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as stream:
        yield from _stream_pieces(stream)


def _stream_pieces(stream) -> Iterator[bytes]:
    while piece := stream.read(PIECE):
        yield piece


def _peek(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes (enough for any magic), and the same pieces from the start."""
    first = next(pieces, b"")
    return first, _rejoined(first, pieces)


def _rejoined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _decompressed(pieces: Iterator[bytes], name: str, file_name: str) -> Iterator[bytes]:
    """Pieces as they are, or decompressed when they begin with a known magic."""
    start, pieces = _peek(pieces)
    for kind, packing in PACKINGS.items():
        if start.startswith(packing.magic):
            yield from _unpacked(pieces, packing, kind, name)
            return
        if start and file_name.lower().endswith(packing.suffixes):
            raise DamagedError(
                f"{name}: named as {kind} but does not begin as {kind} does ({start[:6].hex(' ')})\n"
                "  it may be damaged; if it is plain text, rename it"
            )
    with _guard(name):
        yield from pieces


def _unpacked(pieces: Iterator[bytes], packing: Packing, kind: str, name: str) -> Iterator[bytes]:
    """Every stream one after another; anything after the last one but its padding is damage."""
    with _guard(name):
        data = b""
        while data := (data or next(pieces, b"")):
            decompressor = packing.decompressor()
            while not decompressor.eof:
                if out := decompressor.decompress(data, PIECE):
                    yield out
                data = b""
                if decompressor.needs_input and not decompressor.eof and not (data := next(pieces, b"")):
                    raise EOFError(f"the {kind} data ends before its end mark: the file was cut")
            data = decompressor.unused_data
            if packing.padding:
                data = data.lstrip(packing.padding)
                while not data and (piece := next(pieces, b"")):
                    data = piece.lstrip(packing.padding)
            data = data or next(pieces, b"")
            if data and not (data + b"\0" * 6).startswith(packing.magic[: len(data)]):
                raise EOFError(f"something that is not {kind} follows the {kind} data")
