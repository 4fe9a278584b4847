"""Judged data as Parquet files that notice damage.

Pages have checksums, but the footer has none: one bit there renames a column, drops rows or removes a key of
the metadata. So a file also holds a digest of everything a Letor knows, names and types included, under two
keys and in two places. If one is there, all must be, and what was read must have that digest. Files of other
tools, and of older releases, hold none. One bit may hide all metadata from the library; the keys then still
stand in the bytes of the footer.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from letor_data.letor import Letor
from letor_data.packed.packing import guard
from letor_data.table import from_table, to_table
from rankduel.base.errors import DataError
from rankduel.base.files import replacing, saying_where
from rankduel.base.threads import ordered_map

_DIGESTS = (b"rankduel.digest", b"rankduel.digest.copy")  # keys of the metadata, in the schema and the footer


def write_parquet(letor: Letor, path: str | Path) -> None:
    """All of it, compressed; `read_parquet` gives back exactly the same, or an error."""
    table = to_table(letor)
    digest = letor_digest(letor)
    table = table.replace_schema_metadata(table.schema.metadata | dict.fromkeys(_DIGESTS, digest))
    with (
        saying_where(path, DataError),
        replacing(path) as temporary,
        pa.OSFile(os.fsencode(temporary), "wb") as stream,
    ):
        pq.write_table(table, stream, compression="zstd", write_page_checksum=True)


def read_parquet(path: str | Path) -> Letor:
    """What `write_parquet` wrote, or any table with the columns 'qid' and 'label'."""
    with guard(path):
        if not Path(path).exists():
            raise DataError(f"{path}: no such file or folder")
        table, digests = _read_table(path)
        letor = from_table(table, str(path))
    if digests and digests != {letor_digest(letor).encode()}:
        raise DataError(
            f"{path}: its content does not fit the digest kept in it: the file is damaged, or another tool "
            "changed it\n  make it again, or let that tool leave out the metadata that begin with 'rankduel'"
        )
    return letor


def _read_table(path: str | Path) -> tuple[pa.Table, set[bytes]]:
    """Return the table, and the digests found where they should be; b"" stands for one that is not there."""
    try:
        if Path(path).is_dir():  # as Spark writes them
            table = pq.read_table(path, page_checksum_verification=True)
            places = [table.schema.metadata or {}]
            hidden = False
        else:
            with pa.OSFile(os.fsencode(path)) as stream:
                file = pq.ParquetFile(stream, page_checksum_verification=True)
                table = file.read()
                places = [table.schema.metadata or {}, file.metadata.metadata or {}]
                hidden = _DIGESTS[0] in _footer(stream)
        table.validate(full=True)
    except Exception as problem:  # the library raises KeyError, TypeError and more for damaged files
        if isinstance(problem, OSError) and problem.strerror or isinstance(problem, MemoryError):
            raise
        said = (str(problem).splitlines() or ["damaged"])[0]
        raise DataError(f"{path}: not a readable Parquet file ({said})") from None
    found = {place.get(key, b"") for place in places for key in _DIGESTS}
    return table, set() if found == {b""} and not hidden else found


def _footer(stream: pa.NativeFile) -> bytes:
    """Return the bytes of the footer, whose length stands before the last four."""
    size = stream.size()
    stream.seek(size - 8)
    length = min(int.from_bytes(stream.read(4), "little"), size - 8)
    stream.seek(size - 8 - length)
    return bytes(stream.read(length))


def letor_digest(letor: Letor) -> str:
    """SHA-256 of all that a Letor holds: names, types and values, whatever their form in a file."""
    total = hashlib.sha256(_about(letor).encode("utf-8", "backslashreplace"))
    for digest in ordered_map(_array_digest, list(_arrays(letor)), os.cpu_count() or 1):
        total.update(digest)
    return total.hexdigest()


def _about(letor: Letor) -> str:
    texts = (letor.profile, letor.source, letor.digest, tuple(letor.notes), letor.feature_names)
    return repr((texts, letor.scale, letor.query_ids.tolist(), letor.splits.tolist(), letor.comments is None))


def _arrays(letor: Letor) -> Iterator[np.ndarray | pa.Array]:
    yield from (letor.labels, letor.offsets.astype(np.int64), letor.records, *letor.columns)
    if letor.comments is not None:
        yield letor.comments


def _array_digest(values: np.ndarray | pa.Array) -> bytes:
    if not isinstance(values, np.ndarray):
        return _texts_digest(values)
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), values.dtype.type(np.nan), values)  # Parquet keeps one NaN only
    return hashlib.sha256(values.dtype.str.encode() + np.ascontiguousarray(values).tobytes()).digest()


def _texts_digest(texts: pa.LargeStringArray) -> bytes:
    lengths = pc.binary_length(texts).to_numpy(zero_copy_only=False)
    digest = hashlib.sha256(lengths.astype(np.int64).tobytes())
    _, offsets, content = texts.buffers()
    if content is not None:
        first, last = np.frombuffer(offsets, np.int64)[[texts.offset, texts.offset + len(texts)]]
        digest.update(memoryview(content)[first:last])
    return digest.digest()
