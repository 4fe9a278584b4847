"""Compressed streams, told by their first bytes and driven to the end of their last part.

A cut or damaged stream is an error and never quietly shorter data; concatenated streams are one. What
comes out comes in pieces, so a small file that unpacks to a huge one does no harm.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from rankduel.base.errors import DataError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECE = 1 << 20  # bytes handed on at a time


class DamagedError(DataError):
    """Compressed data that ends early or fails its own check."""


class Packing(NamedTuple):
    magics: tuple[bytes, ...]  # a stream begins with one of them
    suffixes: tuple[str, ...]
    unpack: Callable[[Any], Iterator[bytes]]  # takes Pieces, which the libraries take for a file


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
        while len(self._head) - self._at < size and (piece := next(self._pieces, b"")):
            self._head, self._at = self._head[self._at :] + piece, 0
        return self._head[self._at :]

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


def _strictly(decompressor: Callable[[], Any], stream: Pieces, padding: bytes = b"") -> Iterator[bytes]:
    """Unpack stream after stream.

    BZ2File and LZMAFile would take whatever cannot be unpacked behind the first stream for the end, be it a
    damaged second stream or, for xz, one behind padding.
    """
    data = next(stream)
    while data:
        unpacker = decompressor()
        while not unpacker.eof:
            if unpacker.needs_input and not (data := data or next(stream, b"")):
                raise EOFError
            if out := unpacker.decompress(data, PIECE):
                yield out
            data = b""
        data = unpacker.unused_data.lstrip(padding)
        while not data and (piece := next(stream, b"")):
            data = piece.lstrip(padding)


# Not also the older .lzma, which has no check.
_xz_decompressor = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ)
# Frames that a zstd decoder passes over; parallel and seekable zstd files have them at either end.
_SKIPPABLE = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))

# read1 hands on what comes before damage; read would lose it, and with it the line that was reached.
PACKINGS = {
    "gzip": Packing(
        (b"\x1f\x8b",), (".gz", ".tgz"), lambda packed: _parts(gzip.GzipFile(fileobj=packed).read1)
    ),
    "bzip2": Packing((b"BZh",), (".bz2", ".tbz2"), partial(_strictly, bz2.BZ2Decompressor)),
    "xz": Packing((b"\xfd7zXZ\0",), (".xz", ".txz"), partial(_strictly, _xz_decompressor, padding=b"\0")),
    "zstd": Packing(
        (b"\x28\xb5\x2f\xfd", *_SKIPPABLE),
        (".zst", ".tzst"),
        lambda packed: _parts(zstd.ZstdFile(packed).read1),
    ),
}
_DAMAGE = (
    EOFError, OSError, ValueError, OverflowError, struct.error,
    zlib.error, lzma.LZMAError, zstd.ZstdError, zipfile.BadZipFile, tarfile.TarError,
)  # fmt: skip


@contextmanager
def guard(name: str) -> Iterator[None]:
    """Turn what files and the archive libraries raise into one kind of error that names the file."""
    try:
        yield
    except DataError:
        raise
    except _DAMAGE as problem:
        if isinstance(problem, OSError) and problem.strerror:  # the system's complaint, not a decompressor's
            raise DataError(f"{name}: {problem.strerror}") from None
        cut = "the packed data ends before its end mark: the file was cut"
        says = cut if isinstance(problem, EOFError) else str(problem).strip(" .") or "damaged data"
        raise DamagedError(f"{name}: {says}") from None


def stream_pieces(stream: Any, name: str) -> Iterator[bytes]:
    """What a binary file holds, from where it stands."""
    return _guarded(_parts(stream.read), name)


def decompressed(pieces: Iterable[bytes], name: str, file_name: str) -> Iterator[bytes]:
    """The pieces as they are, or decompressed if they begin as a compressed stream does.

    The content decides; a file named as compressed that begins like none of them is refused.
    """
    stream = Pieces(pieces)
    start = stream.peek(tarfile.BLOCKSIZE)
    for packing in PACKINGS.values():
        if start.startswith(packing.magics):
            return _guarded(packing.unpack(stream), name)
    for kind, packing in PACKINGS.items():
        if file_name.lower().endswith(packing.suffixes) and not is_tar(start):
            raise misnamed(name, kind, start)
    return stream


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
