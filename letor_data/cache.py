"""The binary cache: a text is parsed once, then opened as memory-mapped Arrow.

A cache file is named by its source and a key: a digest of the source's bytes, of the options that
shape what is read, and of the reader's version. It is written to a temporary name and renamed, so two
processes may build the same one at once, and a reader never meets a half-written file.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pyarrow as pa

from letor_data.archive import Source
from letor_data.files import replacing
from letor_data.letor import Letor
from letor_data.queries import side_file
from letor_data.reader import ReadOptions
from letor_data.table import from_table, to_table

READER_VERSION = 1  # raise it when the same bytes would be read differently
FOLDER = ".rankduel"


def source_digest(sources: list[Source]) -> str:
    """SHA-256 over the bytes of all files (side files too) and the members chosen in them."""
    total = hashlib.sha256()
    for source in sources:
        total.update(f"{source.member}\0{source.split}\0".encode())
        for path in filter(None, (source.path, side_file(source))):
            total.update(_file_digest(path))
    return total.hexdigest()


def _file_digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.digest()


def cache_path(sources: list[Source], digest: str, options: ReadOptions, folder: Path | None) -> Path:
    key = hashlib.sha256(json.dumps([READER_VERSION, digest, *options]).encode()).hexdigest()[:16]
    first = sources[0].path
    return (folder or _default_folder(first)) / f"{first.name}.{key}.arrow"


def _default_folder(source: Path) -> Path:
    """Beside the source where that may be written, in the user's cache folder otherwise."""
    beside = source.parent / FOLDER
    if os.access(beside if beside.exists() else source.parent, os.W_OK):
        return beside
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "rankduel"


def load(path: Path) -> Letor | None:
    """The cached data, memory-mapped; None when there is none, or not a whole one."""
    try:
        with pa.memory_map(str(path)) as stream:
            return from_table(pa.ipc.open_file(stream).read_all(), str(path))
    except (FileNotFoundError, pa.ArrowInvalid):
        return None


def store(letor: Letor, path: Path) -> None:
    """Write a cache file; whoever comes first or last writes the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = to_table(letor)
    with replacing(path) as temporary, pa.OSFile(str(temporary), "wb") as stream:
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table, max_chunksize=max(1, table.num_rows))  # one piece, so it maps in place
