"""Judged data in Parquet files, with detection of damage.

Pages have checksums, but the footer has none: one changed bit there can rename a column, drop rows or remove
a key of the metadata. A file therefore also contains a digest of all fields of the Letor, including names and
types, under two keys, each in two places. If one of these digests is present, all must be, and must equal the
digest of the data read. Files of other tools and of older releases contain no digest. A changed bit can hide
all metadata from the library, so the bytes of the footer are searched for the key too.
"""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from rankduel.base.errors import DataError
from rankduel.base.files import convert_write_errors, replacing
from rankduel.letor_data.digests import letor_digest
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.packed.packing import guard
from rankduel.letor_data.table import from_table, to_table

_DIGESTS = (b"rankduel.digest", b"rankduel.digest.copy")  # keys of the metadata, in the schema and the footer


def write_parquet(letor: Letor, path: str | Path) -> None:
    """Write judged data as a compressed Parquet file.

    `read_parquet` returns exactly the same data, or raises an error if the file is damaged.

    Parameters
    ----------
    letor : Letor
        Judged documents.
    path : str or Path
        File to write. It is replaced when the new one is complete.

    Raises
    ------
    DataError
        If the file cannot be written, two columns would have the same name, or a query occurs twice.
    """
    table = to_table(letor)
    digest = letor_digest(letor)
    table = table.replace_schema_metadata(table.schema.metadata | dict.fromkeys(_DIGESTS, digest))
    with (
        convert_write_errors(path, DataError),
        replacing(path) as temporary,
        pa.OSFile(os.fsencode(temporary), "wb") as stream,
    ):
        pq.write_table(table, stream, compression="zstd", write_page_checksum=True)


def read_parquet(path: str | Path) -> Letor:
    """Read judged data from Parquet.

    Parameters
    ----------
    path : str or Path
        File that `write_parquet` wrote, or a file or folder of another tool with the columns qid and label.
        The columns split, record and comment are optional; any other column is a feature.

    Returns
    -------
    Letor
        Judged documents.

    Raises
    ------
    DataError
        If the file cannot be read, is damaged, or has other columns than expected.
    """
    with guard(path):
        if not Path(path).exists():
            raise DataError(f"{path}: no such file or folder")
        table, digests = _read_table(path)
        letor = from_table(table, str(path))
    if digests and digests != {letor_digest(letor).encode()}:
        raise DataError(
            f"{path}: its content does not match the digest in its metadata: the file is damaged, or another "
            "tool changed it\n  write it again, or remove the metadata keys that start with 'rankduel'"
        )
    return letor


def _read_table(path: str | Path) -> tuple[pa.Table, set[bytes]]:
    """Return the table and the set of digests at the expected places, with b"" for an absent one."""
    try:
        if Path(path).is_dir():  # Spark writes a folder of files
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
        reason = (str(problem).splitlines() or ["damaged"])[0]
        raise DataError(f"{path}: not a readable Parquet file ({reason})") from None
    found = {place.get(key, b"") for place in places for key in _DIGESTS}
    return table, set() if found == {b""} and not hidden else found


def _footer(stream: pa.NativeFile) -> bytes:
    """Return the bytes of the footer; its length is in the four bytes before the final magic bytes."""
    size = stream.size()
    stream.seek(size - 8)
    length = min(int.from_bytes(stream.read(4), "little"), size - 8)
    stream.seek(size - 8 - length)
    return bytes(stream.read(length))
