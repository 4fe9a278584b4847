"""Binary cache of parsed text: a file is parsed once, then opened as memory-mapped Arrow.

The name of a cache file consists of the name of its source, the start of a digest of the source's bytes and
the read options, and a checksum of the cache file's own bytes. The file contains the whole digest. A stale,
damaged or renamed cache file is therefore ignored, and written again. A cache file is written under a
temporary name and renamed, so two processes may build the same file at once, and a reader never sees a
partial one.

None of this shows who wrote a file. So a cache file is used only if the user or root owns it and its folder,
and nobody else may write to them. Otherwise, others who may write beside the data could replace the data.
"""

from __future__ import annotations

import glob
import hashlib
import mmap
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from rankduel.base.cache_folders import data_folder
from rankduel.base.files import checksum_of, file_checksum, put_in_place, short_name, temporary_beside
from rankduel.base.private_folders import make_own_folder, open_private, own_folder_problem
from rankduel.letor_data.catalogue import profile_for
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.packed.archive import Source
from rankduel.letor_data.packed.packing import guard
from rankduel.letor_data.table import restored, to_table
from rankduel.letor_data.text.parse import ReadOptions
from rankduel.letor_data.text.queries import side_file

READER_VERSION = 3  # increase it when the same bytes would be read differently
FOLDER = ".rankduel"
# Names of cache files: parsed data (.arrow), and scores of a model (.npy).
_NAME = re.compile(r".+\.([0-9a-f]{16}\.[0-9a-f]{8}\.arrow|[0-9a-f]{32}\.[0-9a-f]{8}\.npy)")
_PART = 64 << 20  # bytes that one thread hashes at a time


def digest_of(files: list[tuple[Path, str]], options: ReadOptions) -> str:
    """Return a SHA-256 of the bytes of `files` and their side files, and of everything else that is decisive.

    An archive is hashed packed, together with the pattern, so that a cache is found without unpacking. Of
    the path, only the profile that it suggests is hashed: data may be moved together with its cache.
    """
    guess = profile_for(str(files[0][0])).name
    total = hashlib.sha256(repr((READER_VERSION, guess, tuple(options))).encode())
    for path, pattern in files:
        for file in filter(None, (path, side_file(Source(path)))):
            total.update(repr((file.name, pattern)).encode() + _file_digest(file))
    return total.hexdigest()


def _file_digest(path: Path) -> bytes:
    """Hash parts of a file in parallel: on a fast disk, hashing dominates the time to open cached data."""
    with guard(path):
        starts = range(0, max(path.stat().st_size, 1), _PART)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return hashlib.sha256(b"".join(pool.map(partial(_part_digest, path), starts))).digest()


def _part_digest(path: Path, start: int) -> bytes:
    digest = hashlib.sha256()
    with guard(str(path)), open(path, "rb") as stream:
        stream.seek(start)
        for _ in range(0, _PART, 1 << 20):
            digest.update(stream.read(1 << 20))
    return digest.digest()


def cache_stem(source: Path, digest: str, folder: Path | None = None) -> Path:
    """Return the path of the cache file of `source`, without its checksum and '.arrow'."""
    return (folder or default_folder(source)) / f"{short_name(source.name)}.{digest[:16]}"


def default_folder(source: Path) -> Path:
    """Return the cache folder beside `source` if it is the user's or can be made, or `data_folder()`."""
    beside = source.parent / FOLDER
    exists = os.path.lexists(beside)
    usable = os.access(beside if exists else source.parent, os.W_OK)
    return beside if usable and not (exists and own_folder_problem(beside)) else data_folder()


def cache_folder(source: Path, cache: bool | str | Path) -> Path | None:
    """Return the folder that parameter `cache` of `read_data` means; None without a cache."""
    if isinstance(cache, bool):
        return default_folder(source) if cache else None
    return Path(cache)


def cache_files(folder: Path) -> list[Path]:
    """Return the cache files in `folder`: parsed data, and scores of models."""
    return sorted(path for path in folder.glob("*.*") if _NAME.fullmatch(path.name))


def load(stem: Path, digest: str) -> Letor | None:
    """Return the cached data with this digest, memory-mapped; None if there is no undamaged file of it."""
    for file in undamaged(stem, ".arrow"):
        letor = _load_file(file)
        if letor is not None and letor.digest == digest:
            return letor
    return None


def undamaged(stem: Path, suffix: str) -> Iterator[BinaryIO]:
    """Yield the open cache files of `stem` that the user or root has written and whose checksum is right."""
    with suppress(OSError):  # the folder cannot be read
        for path in sorted(stem.parent.glob(f"{glob.escape(stem.name)}.*{suffix}")):
            with suppress(OSError), open_private(path) as file:
                if path.suffixes[-2] == f".{checksum_of(file):08x}":
                    file.seek(0)
                    yield file


def _load_file(file: BinaryIO) -> Letor | None:
    try:
        # The mapping outlives the file object.
        mapped = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        table = pa.ipc.open_file(mapped).read_all()
        table.validate(full=True)
        return restored(table, file.name)
    except (OSError, KeyError, ValueError, MemoryError, pa.ArrowException):  # unreadable, not a cache
        return None


def store(letor: Letor, stem: Path) -> None:
    """Write the cache file of `letor`; concurrent writers write the same bytes."""
    table = to_table(letor)
    with (
        new_file(stem, ".arrow") as temporary,
        pa.OSFile(os.fsencode(temporary), "wb") as stream,
        pa.ipc.new_file(stream, table.schema) as writer,
    ):
        writer.write_table(table, max_chunksize=max(1, table.num_rows))  # one chunk maps without a copy


@contextmanager
def new_file(stem: Path, suffix: str) -> Iterator[Path]:
    """Yield a temporary file; after the block it becomes a cache file of `stem`, for the user alone.

    Raises
    ------
    OSError
        If the file cannot be written, or others may write to its folder.
    """
    make_own_folder(stem.parent)
    with temporary_beside(stem, mode=0o600) as temporary:
        yield temporary
        put_in_place(temporary, stem.with_name(f"{stem.name}.{file_checksum(temporary):08x}{suffix}"))
