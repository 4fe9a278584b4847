"""Output files that are whole or absent, compressed as their name says, the same bytes every time."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from rankduel.base.files import replacing


@contextmanager
def open_output(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file that takes its name only once it is complete, see `replacing`."""
    with replacing(path) as unfinished, open(unfinished, "wb") as raw:
        with _COMPRESSORS.get(Path(path).suffix, _plain)(raw) as stream:
            yield stream


@contextmanager
def _plain(raw: BinaryIO) -> Iterator[BinaryIO]:
    yield raw


def _gzip(raw: BinaryIO) -> gzip.GzipFile:
    # The header would otherwise hold the time and the temporary name.
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)


def _zstd(raw: BinaryIO) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.ZstdFile(raw, "wb")


_COMPRESSORS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": _gzip,
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".zst": _zstd,
}
