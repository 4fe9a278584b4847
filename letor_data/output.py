"""Output files that are whole or absent, compressed as their name says, the same bytes every time."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from rankduel.base.errors import DataError
from rankduel.base.files import put_in_place, saying_where, temporary_beside

PARQUET, TEXT = "Parquet", "text"
# Endings of names of text; a name without one is text too.
_TEXT_ENDINGS = (
    *(".txt", ".dat", ".data", ".letor", ".svm", ".svmlight", ".libsvm"),
    *(".train", ".vali", ".valid", ".test"),
)


def output_format(path: str | Path) -> str:
    """Return PARQUET or TEXT, as the ending of a name says; raise an error for any other ending."""
    path = Path(path)
    if path.suffix == ".parquet":
        return PARQUET
    ending = Path(path.stem).suffix if path.suffix in _COMPRESSORS else path.suffix
    if ending.lower() in ("", *_TEXT_ENDINGS):
        return TEXT
    raise DataError(
        f"{path}: judged data are written as Parquet or as text, and '{ending}' is neither; choose a name "
        f"such as NAME.parquet, NAME.txt or NAME.txt.gz"
    )


@contextmanager
def new_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Make these folders and those above them; after an error, remove the ones that were not there before."""
    made: list[Path] = []
    try:
        for folder in folders:
            absent = [above for above in (folder, *folder.parents) if not above.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            made += reversed(absent)
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):  # another writer may use it by now
                folder.rmdir()
        raise


@contextmanager
def open_output(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file that takes its name only once it is complete, see `replacing`."""
    with open_outputs([path]) as (stream,):
        yield stream


@contextmanager
def open_outputs(paths: Sequence[str | Path]) -> Iterator[list[BinaryIO]]:
    """Binary files that take their names only once all of them are complete and on the disk."""
    with saying_where(Path(os.path.commonpath(paths)), DataError), ExitStack() as unfinished:
        names = [unfinished.enter_context(temporary_beside(path)) for path in paths]
        with ExitStack() as streams:
            yield [
                streams.enter_context(_compressed(name, Path(path).suffix))
                for name, path in zip(names, paths)
            ]
        for name, path in zip(names, paths):
            put_in_place(name, path)


@contextmanager
def _compressed(name: Path, suffix: str) -> Iterator[BinaryIO]:
    with open(name, "wb") as raw:
        with _COMPRESSORS.get(suffix, _plain)(raw) as stream:
            yield stream
        raw.flush()
        os.fsync(raw.fileno())


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
    return zstd.ZstdFile(raw, "wb", options={zstd.CompressionParameter.checksum_flag: 1})


_COMPRESSORS: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": _gzip,
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".zst": _zstd,
}
