"""Compressed streams, told by their first bytes and driven to the end of their last part.

A cut or damaged stream is an error and never quietly shorter data; concatenated streams are one. What
comes out comes in pieces, so a small file that unpacks to a huge one does no harm.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
    decompressor: Any  # () -> object with decompress(data, max_length), eof, needs_input, unused_data
    padding: bytes = b""  # bytes that may follow a stream


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


# Frames that a zstd decoder passes over; parallel and seekable zstd files have them at either end.
_SKIPPABLE = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))

PACKINGS = {
    "gzip": Packing((b"\x1f\x8b",), (".gz", ".tgz"), _Gunzip, b"\0"),
    "bzip2": Packing((b"BZh",), (".bz2", ".tbz2"), bz2.BZ2Decompressor),
    "xz": Packing((b"\xfd7zXZ\0",), (".xz", ".txz"), lzma.LZMADecompressor, b"\0"),
    "zstd": Packing((b"\x28\xb5\x2f\xfd", *_SKIPPABLE), (".zst", ".tzst"), zstd.ZstdDecompressor),
}
_LONGEST_MAGIC = 6
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
        raise DamagedError(f"{name}: {str(problem).strip(' .') or 'damaged data'}") from None


class Pieces:
    """Bytes that come in pieces, with a look ahead."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces, self._head = iter(pieces), b""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece, self._head = self._head or next(self._pieces), b""
        return piece

    def peek(self, size: int) -> bytes:
        """What comes next: `size` bytes or more, fewer only at the end."""
        while len(self._head) < size and (piece := next(self._pieces, b"")):
            self._head += piece
        return self._head

    def take(self, size: int) -> bytes:
        """The next `size` bytes, fewer only at the end."""
        ahead = self.peek(size)
        self._head = ahead[size:]
        return ahead[:size]

    def push_back(self, data: bytes) -> None:
        self._head = data + self._head


def stream_pieces(stream: Any, name: str) -> Iterator[bytes]:
    """What a binary file holds, from where it stands."""
    with guard(name):
        while piece := stream.read(PIECE):
            yield piece


def decompressed(pieces: Iterable[bytes], name: str, file_name: str) -> Iterator[bytes]:
    """The pieces as they are, or decompressed if they begin as a compressed stream does.

    The content decides; a file named as compressed that begins like none of them is refused.
    """
    stream = Pieces(pieces)
    start = stream.peek(tarfile.BLOCKSIZE)
    for kind, packing in PACKINGS.items():
        if start.startswith(packing.magics):
            return _unpacked(stream, packing, kind, name)
    for kind, packing in PACKINGS.items():
        if file_name.lower().endswith(packing.suffixes) and not is_tar(start):
            raise misnamed(name, kind, start)
    return stream


def is_tar(start: bytes) -> bool:
    """Do these bytes begin a tar archive? (Some browsers unpack x.tar.gz and keep the name.)"""
    return start[257:262] == b"ustar"


def misnamed(name: str, kind: str, start: bytes) -> DataError:
    found = f"does not begin as {kind} does ({start[:_LONGEST_MAGIC].hex(' ')})" if start else "is empty"
    hint = "it may be damaged; if it is plain text, rename it"
    return DataError(f"{name}: named as {kind} but {found}\n  {hint}")


def _unpacked(stream: Pieces, packing: Packing, kind: str, name: str) -> Iterator[bytes]:
    with guard(name):
        while start := stream.peek(_LONGEST_MAGIC):
            if not start.startswith(packing.magics):
                raise EOFError(f"something that is not {kind} follows the {kind} data")
            yield from _one_stream(stream, packing.decompressor(), kind)
            _skip(stream, packing.padding)


def _one_stream(stream: Pieces, decompressor: Any, kind: str) -> Iterator[bytes]:
    data = b""
    while not decompressor.eof:
        if decompressor.needs_input and not (data := next(stream, b"")):
            raise EOFError(f"the {kind} data ends before its end mark: the file was cut")
        if out := decompressor.decompress(data, PIECE):
            yield out
        data = b""
    stream.push_back(decompressor.unused_data)


def _skip(stream: Pieces, padding: bytes) -> None:
    for piece in stream:
        if rest := piece.lstrip(padding):
            stream.push_back(rest)
            return
