"""The binary cache: a text is parsed once, then opened as memory-mapped Arrow.

A cache file is named by its source, by the start of a digest of all that decides what is read, and by a
checksum of its own bytes; it holds the whole digest. So neither a stale nor a damaged nor a renamed file is
ever believed: what is not is made anew. It is written to a temporary name and renamed: two processes may
build the same one at once, and a reader never meets a half-written file.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pyarrow as pa

from letor_data.formats import profile_for
from letor_data.letor import Letor
from letor_data.packed.archive import Source
from letor_data.packed.packing import guard
from letor_data.table import restored, to_table
from letor_data.text.parse import ReadOptions
from letor_data.text.queries import side_file
from rankduel.base.files import cache_folder, file_checksum, put_in_place, short_name, temporary_beside

READER_VERSION = 2  # raise it when the same bytes would be read differently
FOLDER = ".rankduel"
# Of a cache file: parsed data, or what a model scores.
_NAME = re.compile(r".+\.([0-9a-f]{16}\.[0-9a-f]{8}\.arrow|[0-9a-f]{32}\.[0-9a-f]{8}\.npy)")
_PART = 64 << 20  # bytes that one thread digests at a time


def digest_of(files: list[tuple[Path, str]], options: ReadOptions) -> str:
    """SHA-256 over the bytes of these files (side files too) and whatever else decides what is read.

    Archives count by their own bytes and the pattern, so knowing them again takes no unpacking. Of the
    path, only what it says about the profile matters: data may be moved with its cache.
    """
    guess = profile_for(str(files[0][0])).name
    total = hashlib.sha256(repr((READER_VERSION, guess, tuple(options))).encode())
    for path, pattern in files:
        for file in filter(None, (path, side_file(Source(path)))):
            total.update(repr((file.name, pattern)).encode() + _file_digest(file))
    return total.hexdigest()


def _file_digest(path: Path) -> bytes:
    """The parts are digested at the same time: on a fast disk this is what opening cached data takes."""
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
    """Where the cache of a source belongs; a checksum and '.arrow' complete the name."""
    return (folder or default_folder(source)) / f"{short_name(source.name)}.{digest[:16]}"


def default_folder(source: Path) -> Path:
    """Beside the source where that may be written, in the user's cache folder otherwise."""
    beside = source.parent / FOLDER
    if os.access(beside if beside.exists() else source.parent, os.W_OK):
        return beside
    return cache_folder()


def cache_files(folder: Path) -> list[Path]:
    """Return the files of parsed data, and of scores, in a folder."""
    return sorted(path for path in folder.glob("*.*") if _NAME.fullmatch(path.name))


def load(stem: Path, digest: str) -> Letor | None:
    """The cached data of this digest, memory-mapped; None when there are none, or none that are whole."""
    try:
        names = sorted(stem.parent.glob(f"{glob.escape(stem.name)}.*.arrow"))
    except OSError:  # a folder that cannot be read
        return None
    found = (_load_file(name) for name in names)
    return next((letor for letor in found if letor is not None and letor.digest == digest), None)


def _load_file(path: Path) -> Letor | None:
    try:
        if path.suffixes[-2] != f".{_checksum(path)}":
            return None
        with pa.memory_map(os.fsencode(path)) as stream:  # the map lives as long as its data are used
            table = pa.ipc.open_file(stream.read_buffer()).read_all()
        table.validate(full=True)
        return restored(table, str(path))
    except (OSError, KeyError, ValueError, MemoryError, pa.ArrowException):  # gone, forbidden or not our own
        return None


def store(letor: Letor, stem: Path) -> None:
    """Write a cache file; whoever comes first or last writes the same bytes."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    table = to_table(letor)
    with temporary_beside(stem) as temporary:
        with (
            pa.OSFile(os.fsencode(temporary), "wb") as stream,
            pa.ipc.new_file(stream, table.schema) as writer,
        ):
            writer.write_table(table, max_chunksize=max(1, table.num_rows))  # one piece, so it maps in place
        put_in_place(temporary, stem.with_name(f"{stem.name}.{_checksum(temporary)}.arrow"))


def _checksum(path: Path) -> str:
    return f"{file_checksum(path):08x}"
