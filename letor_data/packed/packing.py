"""Decompression of streams, detected by their magic bytes and read to the end of the last one.

A truncated or damaged stream raises an error; it never yields shorter data. Concatenated streams are read as
one. Output is produced in pieces: memory is bounded and time is linear in the size of the output, also for a
small file that unpacks to a huge one.
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

PIECE = 1 << 20  # bytes of a piece
_XZ_MEMORY = 256 << 20  # bytes; 'xz -9' needs 65 MiB, and a header may request 4 GiB


class DamagedError(DataError):
    """Error in compressed data that ends early or fails its checksum."""


class Packing(NamedTuple):
    """A compression format."""

    magics: tuple[bytes, ...]  # first bytes of a stream
    suffixes: tuple[str, ...]
    decompressor: Callable[[Callable[[str], None]], Any]  # of one stream; takes a function to call with notes
    padding: bytes = b""  # bytes that may follow a stream


class Pieces:
    """File-like access, with look-ahead, to bytes that arrive in pieces."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces, self._head, self._at = iter(pieces), b"", 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = self._head[self._at :] or next(self._pieces)
        self._head, self._at = b"", 0
        return piece

    def peek(self, size: int) -> bytes:
        """Return at least `size` of the next bytes without consuming them, fewer only at the end."""
        parts = [self._head[self._at :]]
        missing = size - len(parts[0])
        while missing > 0 and (piece := next(self._pieces, b"")):
            parts.append(piece)
            missing -= len(piece)
        self._head, self._at = b"".join(parts), 0
        return self._head

    def read(self, size: int) -> bytes:
        """Consume and return the next `size` bytes, fewer only at the end."""
        if len(self._head) - self._at < size:
            self.peek(size)
        taken = self._head[self._at : self._at + size]
        self._at += len(taken)
        return taken


def _parts(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(PIECE):
        yield piece


def _unpacked(packing: Packing, stream: Pieces, add_note: Callable[[str], None]) -> Iterator[bytes]:
    """Decompress concatenated streams.

    GzipFile, BZ2File and LZMAFile are not used: they treat a damaged second stream, or for xz a stream after
    padding, as the end of the data.
    """
    data = next(stream)
    while data:
        unpacker = packing.decompressor(add_note)
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
    """zlib's decompressor with the interface of bz2's; GzipFile reads a long file name byte by byte."""

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
    """A zstd decompressor that adds a note if its frame has no checksum."""

    def __init__(self, add_note: Callable[[str], None]) -> None:
        self._frame, self._start, self._add_note = zstd.ZstdDecompressor(), b"", add_note

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
                self._add_note("a zstd stream without a checksum, in which damage can go unnoticed")
        return self._frame.decompress(data, size)


_ZSTD = b"\x28\xb5\x2f\xfd"
# Frames that a zstd decoder skips; parallel and seekable zstd files start or end with them.
_SKIPPABLE = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))

PACKINGS = {
    "gzip": Packing((b"\x1f\x8b",), (".gz", ".tgz"), lambda _: _GzipDecompressor(), padding=b"\0"),
    "bzip2": Packing((b"BZh",), (".bz2", ".tbz2"), lambda _: bz2.BZ2Decompressor()),
    # The older format .lzma is not read, because it has no checksum.
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
    """Convert exceptions of file access and of decoding libraries to an error that names the file."""
    try:
        yield
    except RankduelError:
        raise
    except _DAMAGE as problem:
        if isinstance(problem, OSError) and problem.strerror:  # raised by the system, not by a decompressor
            raise DataError(f"{name}: {problem.strerror}") from None
        if isinstance(problem, MemoryError):
            raise DataError(
                f"{name}: needs more memory than there is; if it is not damaged, read less of it"
            ) from None
        raise DamagedError(f"{name}: {_first_line(problem)}") from None


def _first_line(problem: Exception) -> str:
    """Return the message of a library's exception in one line."""
    if isinstance(problem, EOFError):
        return "the packed data ends before its end mark: the file was cut"
    if isinstance(problem, RecursionError):
        return "nested too deeply"
    lines = str(problem).strip(" .\n").splitlines()
    return lines[0] if lines else "damaged data"


def stream_pieces(stream: Any, name: str) -> Iterator[bytes]:
    """Yield the content of a binary file from its current position, in pieces."""
    return _guarded(_parts(stream.read), name)


def decompressed(
    pieces: Iterable[bytes], name: str, file_name: str, notes: list[str] | None = None
) -> Iterator[bytes]:
    """Return `pieces` decompressed if they start with the magic bytes of a format, otherwise unchanged.

    A file with the suffix of a compression format but without magic bytes raises an error. Remarks are
    appended to `notes`, each once.
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
    """Return whether `start` begins a tar archive. Some browsers unpack x.tar.gz and keep its name."""
    return start[257:262] == b"ustar"


def misnamed(name: str, kind: str, start: bytes) -> DataError:
    found = f"does not begin as {kind} does ({start[:6].hex(' ')})" if start else "is empty"
    hint = "it may be damaged; if it is plain text, rename it"
    return DataError(f"{name}: named as {kind} but {found}\n  {hint}")


def _guarded(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    with guard(name):
        yield from pieces
