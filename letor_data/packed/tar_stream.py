"""Members of a tar archive read forward only, with errors where tarfile would silently stop."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankduel.letor_data.packed.packing import PIECE, Pieces, guard, stream_pieces

_MOST_HEADER = 1 << 20  # bytes of headers before the content of a member
_MOST_MEMBERS = 100_000
_MOST_GLOBALS = 1000  # global pax headers
_LENGTH = re.compile(rb"([0-9]{1,7}) ")  # of a pax record, at its start
_MANY_DIGITS = re.compile(rb"[0-9]{100}")


def tar_members(pieces: Iterator[bytes], name: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield (name, pieces) of each file; reading all of them checks the whole archive."""
    with guard(name):
        stream: Any = _Forward(pieces)
        with tarfile.open(fileobj=stream, mode="r:", tarinfo=_StrictTarInfo) as archive:
            for info in _infos(archive):
                content = archive.extractfile(info) if info.isfile() else None
                if content is not None:
                    yield info.name, stream_pieces(content, f"{name}::{info.name}")
        while rest := stream.read(PIECE):  # compressed data has its checksum at the end
            if rest.strip(b"\0"):
                raise tarfile.ReadError("something follows the end mark of the tar archive")


def _infos(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members without keeping them in memory, as an iteration over the archive would."""
    for _ in range(_MOST_MEMBERS):
        info = archive.next()
        if info is None:
            return
        archive.members = []  # type: ignore[attr-defined]
        if len(archive.pax_headers) > _MOST_GLOBALS:  # tarfile copies all of them for every member
            raise tarfile.ReadError(f"more than {_MOST_GLOBALS:,} global headers")
        yield info
    raise tarfile.ReadError(f"more than {_MOST_MEMBERS:,} members; unpack it and read the folder")


class _StrictTarInfo(tarfile.TarInfo):
    """TarInfo that raises an error for a damaged header or a missing end mark; tarfile would just stop."""

    def _proc_pax(self, tar: tarfile.TarFile) -> _StrictTarInfo:
        """Raise an error for overlapping records and long digit strings, on which tarfile is quadratic."""
        with _stream_of(tar).limited():
            size = min(self.size, _MOST_HEADER + 1)
            _check_records(_stream_of(tar).peek(size)[:size])
            return super()._proc_pax(tar)  # type: ignore[misc]

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> _StrictTarInfo:
        try:
            with _stream_of(tar).limited():
                return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as problem:
            raise tarfile.ReadError(f"the tar archive is damaged or cut ({problem})") from None


def _check_records(header: bytes) -> None:
    """Raise an error unless a pax header is a sequence of records 'LENGTH KEYWORD=VALUE\\n'."""
    at, sound = 0, not _MANY_DIGITS.search(header)
    while sound and header[at : at + 1].strip(b"\0"):
        length = _LENGTH.match(header, at)
        end = at + int(length[1]) if length else 0
        sound = (
            length is not None and header.find(b"=", length.end(), end) > 0 and header[end - 1 : end] == b"\n"
        )
        at = end
    if not sound:
        raise tarfile.ReadError("the tar archive has a damaged pax header")


def _stream_of(tar: tarfile.TarFile) -> Any:
    """Return the `_Forward` that an archive is read from."""
    return tar.fileobj


class _Forward:
    """The part of the file interface that tarfile uses, reading forward only."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._position = Pieces(pieces), 0
        self._limit: int | None = None

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Limit reading to the maximal size of a member's headers; a nested call has no effect."""
        if self._limit is not None:
            yield
            return
        self._limit = self._position + _MOST_HEADER
        try:
            yield
        finally:
            self._limit = None

    def tell(self) -> int:
        return self._position

    def peek(self, size: int) -> bytes:
        self._check_limit(size)
        return self._pieces.peek(size)

    def _check_limit(self, size: int) -> None:
        if self._limit is not None and self._position + size > self._limit:
            raise tarfile.ReadError(f"the headers of a member are longer than {_MOST_HEADER:,} bytes")

    def read(self, size: int) -> bytes:
        self._check_limit(size)
        taken = self._pieces.read(size)
        self._position += len(taken)
        return taken

    def seek(self, position: int) -> None:
        while self._position < position and self.read(min(PIECE, position - self._position)):
            pass
