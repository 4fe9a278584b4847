"""Members of a tar archive that can only be read forward, and an error where tarfile would just stop."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import Any

from letor_data.packed.packing import PIECE, Pieces, guard, stream_pieces


def tar_members(pieces: Iterator[bytes], name: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    """(name, pieces) of each file; whoever asks for all of them hears of anything wrong in the archive."""
    with guard(name):
        stream: Any = _Forward(pieces)
        with tarfile.open(fileobj=stream, mode="r:", tarinfo=_StrictTarInfo) as archive:
            for info in archive:
                content = archive.extractfile(info) if info.isfile() else None
                if content is not None:
                    yield info.name, stream_pieces(content, f"{name}::{info.name}")
        while rest := stream.read(PIECE):  # to the end, where compressed data has its check
            if rest.strip(b"\0"):
                raise tarfile.ReadError("something follows the end mark of the tar archive")


class _StrictTarInfo(tarfile.TarInfo):
    """tarfile takes a damaged header, or a missing end mark, for the end of the archive; we do not."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> _StrictTarInfo:
        try:
            return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as problem:
            raise tarfile.ReadError(f"the tar archive is damaged or cut ({problem})") from None


class _Forward:
    """What tarfile needs of a file, from pieces: it never goes back."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._position = Pieces(pieces), 0

    def tell(self) -> int:
        return self._position

    def read(self, size: int) -> bytes:
        taken = self._pieces.read(size)
        self._position += len(taken)
        return taken

    def seek(self, position: int) -> None:
        while self._position < position and self.read(min(PIECE, position - self._position)):
            pass
