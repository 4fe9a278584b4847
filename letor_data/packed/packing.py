"""Compressed streams, told by their first bytes and driven to the end of their last part.

A cut or damaged stream is an error and never quietly shorter data; concatenated streams are one. What
comes out comes in pieces, so a small file that unpacks to a huge one does no harm: whatever a file claims,
memory is bounded and time is linear in the bytes that come out.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from rankduel.base.errors import DataError, RankduelError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECE = 1 << 20  # bytes handed on at a time
_XZ_MEMORY = 256 << 20  # bytes; 'xz -9' needs 65 MiB, and a header may ask for 4 GiB


class DamagedError(DataError):
    """Compressed data that ends early or fails its own check."""


class Packing(NamedTuple):
    magics: tuple[bytes, ...]  # a stream begins with one of them
    suffixes: tuple[str, ...]
    decompressor: Callable[
        [Callable[[str], None]], Any
    ]  # of one stream; takes a function that is told of notes
    padding: bytes = b""  # what may stand between streams and behind the last


class Pieces:
    """Bytes that come in pieces, read as from a file, with a look ahead."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces, self._head, self._at = iter(pieces), b"", 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = self._head[self._at :] or next(self._pieces)
        self._head, self._at = b"", 0
        return piece

    def peek(self, size: int) -> bytes:
        """Return what comes next: `size` bytes or more, fewer only at the end."""
        parts = [self._head[self._at :]]
        missing = size - len(parts[0])
        while missing > 0 and (piece := next(self._pieces, b"")):
            parts.append(piece)
            missing -= len(piece)
        self._head, self._at = b"".join(parts), 0
        return self._head

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer only at the end."""
        if len(self._head) - self._at < size:
            self.peek(size)
        taken = self._head[self._at : self._at + size]
        self._at += len(taken)
        return taken


def _parts(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(PIECE):
        yield piece


def _unpacked(packing: Packing, stream: Pieces, tell: Callable[[str], None]) -> Iterator[bytes]:
    """Unpack stream after stream.

    GzipFile, BZ2File and LZMAFile would take whatever cannot be unpacked behind the first stream for the end,
    be it a damaged second stream or, for xz, one behind padding.
    """
    data = next(stream)
    while data:
        unpacker = packing.decompressor(tell)
        while not unpacker.eof:
            if unpacker.needs_input and not (data := data or next(stream, b"")):
                raise EOFError
            if out := unpacker.decompress(data, PIECE):
                yield out
            data = b""
        data = unpacker.unused_data.lstrip(packing.padding)
        while not data and (piece := next(stream, b"")):
            data = piece.lstrip(packing.padding)


class _GzipDecompressor:
    """zlib's decompressor in the form of the others; GzipFile reads a long file name byte by byte."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._rest, self.needs_input = b"", True

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, size: int) -> bytes:
        out = self._stream.decompress(self._rest + data, size)
        self._rest = self._stream.unconsumed_tail
        self.needs_input = not self._rest and len(out) < size
        return out


class _ZstdDecompressor:
    """A zstd decompressor that tells whether its frame has a checksum."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._frame, self._start, self._tell = zstd.ZstdDecompressor(), b"", tell

    @property
    def eof(self) -> bool:
        return self._frame.eof

    @property
    def unused_data(self) -> bytes:
        return self._frame.unused_data

    @property
    def needs_input(self) -> bool:
        return self._frame.needs_input

    def decompress(self, data: bytes, size: int) -> bytes:
        if len(self._start) <= len(_ZSTD):
            self._start += data[: len(_ZSTD) + 1 - len(self._start)]
            # The bit is Content_Checksum_flag of RFC 8878, 3.1.1.1.1.
            if len(self._start) > len(_ZSTD) and self._start.startswith(_ZSTD) and not self._start[-1] & 4:
                self._tell("a zstd stream without a checksum, in which damage can go unnoticed")
        return self._frame.decompress(data, size)


_ZSTD = b"\x28\xb5\x2f\xfd"
# Frames that a zstd decoder passes over; parallel and seekable zstd files have them at either end.
_SKIPPABLE = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))

PACKINGS = {
    "gzip": Packing((b"\x1f\x8b",), (".gz", ".tgz"), lambda _: _GzipDecompressor(), padding=b"\0"),
    "bzip2": Packing((b"BZh",), (".bz2", ".tbz2"), lambda _: bz2.BZ2Decompressor()),
    # Not also the older .lzma, which has no check.
    "xz": Packing(
        (b"\xfd7zXZ\0",),
        (".xz", ".txz"),
        lambda _: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
        padding=b"\0",
    ),
    "zstd": Packing((_ZSTD, *_SKIPPABLE), (".zst", ".tzst"), _ZstdDecompressor),
}
_DAMAGE = (
    EOFError, OSError, ValueError, OverflowError, struct.error, MemoryError, RecursionError,
    zlib.error, lzma.LZMAError, zstd.ZstdError, zipfile.BadZipFile, tarfile.TarError, pa.ArrowException,
)  # fmt: skip


@contextmanager
def guard(name: str | Path) -> Iterator[None]:
    """Turn what files and the libraries that read them raise into one kind of error that names the file."""
    try:
        yield
    except RankduelError:
        raise
    except _DAMAGE as problem:
        if isinstance(problem, OSError) and problem.strerror:  # the system's complaint, not a decompressor's
            raise DataError(f"{name}: {problem.strerror}") from None
        if isinstance(problem, MemoryError):
            raise DataError(
                f"{name}: needs more memory than there is; if it is not damaged, read less of it"
            ) from None
        raise DamagedError(f"{name}: {_said(problem)}") from None


def _said(problem: Exception) -> str:
    """Return what a library says is wrong, in one line."""
    if isinstance(problem, EOFError):
        return "the packed data ends before its end mark: the file was cut"
    if isinstance(problem, RecursionError):
        return "nested too deeply"
    lines = str(problem).strip(" .\n").splitlines()
    return lines[0] if lines else "damaged data"


def stream_pieces(stream: Any, name: str) -> Iterator[bytes]:
    """What a binary file holds, from where it stands."""
    return _guarded(_parts(stream.read), name)


def decompressed(
    pieces: Iterable[bytes], name: str, file_name: str, notes: list[str] | None = None
) -> Iterator[bytes]:
    """The pieces as they are, or decompressed if they begin as a compressed stream does.

    The content decides; a file named as compressed that begins like none of them is refused. What the owner
    should know is added to `notes`, once.
    """
    stream = Pieces(pieces)
    start = stream.peek(tarfile.BLOCKSIZE)
    for packing in PACKINGS.values():
        if start.startswith(packing.magics):
            return _guarded(_unpacked(packing, stream, partial(_note, notes, name)), name)
    for kind, packing in PACKINGS.items():
        if file_name.lower().endswith(packing.suffixes) and not is_tar(start):
            raise misnamed(name, kind, start)
    return stream


def _note(notes: list[str] | None, name: str, what: str) -> None:
    if notes is not None and (note := f"{name}: {what}") not in notes:
        notes.append(note)


def is_tar(start: bytes) -> bool:
    """Do these bytes begin a tar archive? (Some browsers unpack x.tar.gz and keep the name.)"""
    return start[257:262] == b"ustar"


def misnamed(name: str, kind: str, start: bytes) -> DataError:
    found = f"does not begin as {kind} does ({start[:6].hex(' ')})" if start else "is empty"
    hint = "it may be damaged; if it is plain text, rename it"
    return DataError(f"{name}: named as {kind} but {found}\n  {hint}")


def _guarded(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    with guard(name):
        yield from pieces
