"""Output files: written completely or not at all, compressed by their suffix, and byte-reproducible."""

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
from rankduel.base.files import convert_write_errors, put_in_place, temporary_beside
from rankduel.letor_data.catalogue import FORMATS
from rankduel.letor_data.contract import Format


def output_format(path: str | Path) -> Format:
    """Return the format in which `path` is written, by its suffix; raise an error for any other suffix."""
    path = Path(path)
    inner = Path(path.stem).suffix if path.suffix in _COMPRESSORS else path.suffix
    written = [form for form in FORMATS.values() if form.write is not None]
    for form in written:
        if (inner.lower() if form.packs else path.suffix) in form.suffixes:
            return form
    names = [f"NAME{form.suffixes[0]}" for form in written]
    packed = [f"NAME{form.suffixes[0]}.gz" for form in written if form.packs]
    *names, last = names + packed
    raise DataError(
        f"{path}: judged data are not written as '{inner}'; choose a name such as {', '.join(names)} "
        f"or {last}"
    )


@contextmanager
def new_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Create `folders` and their parents; after an error, remove the folders that were created."""
    created: list[Path] = []
    try:
        for folder in folders:
            absent = [above for above in (folder, *folder.parents) if not above.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            created += reversed(absent)
        yield
    except BaseException:
        for folder in reversed(created):
            with suppress(OSError):  # another process may have written into it
                folder.rmdir()
        raise


@contextmanager
def open_output(path: str | Path) -> Iterator[BinaryIO]:
    """Open a binary file that gets its name when it is complete."""
    with open_outputs([path]) as (stream,):
        yield stream


@contextmanager
def open_outputs(paths: Sequence[str | Path]) -> Iterator[list[BinaryIO]]:
    """Open binary files that get their names when all of them are complete and flushed to disk."""
    with convert_write_errors(Path(os.path.commonpath(paths)), DataError), ExitStack() as unfinished:
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
    # Without these arguments the header contains the time and the temporary name.
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
