"""Parquet files whose content is verified when they are read.

Page checksums do not cover the footer of a Parquet file, which holds the names and types of the columns and
the encoding of the values: one changed bit there renames a column or changes every entry. The metadata
therefore hold a digest of names, types and values, and the decoded table is compared with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from rankduel.base.stored import DIGEST, FORMAT, Kind, digest_of, json_object, plain_text

_KEY = b"rankduel"
# A damaged footer may state any number of rows. Even a column of consecutive numbers takes more space.
_MOST_ROWS_PER_BYTE = 100


class DamagedTable(Exception):
    """Raised for a file that holds no table or was changed; the message is the reason without the path."""


class StoredTable(NamedTuple):
    """A table read from a file."""

    values: pd.DataFrame
    about: dict[str, Any]  # metadata: plain values
    verified: bool  # whether the file states a digest; a wrong digest is an error
    vectors: dict[str, np.ndarray]  # columns of fixed-size lists, as arrays (rows, numbers)


def table_content(
    kind: Kind,
    values: pd.DataFrame,
    about: Mapping[str, Any],
    vectors: Mapping[str, np.ndarray] | None = None,
) -> bytes:
    """Return the bytes of a Parquet file with the table `values` and the metadata `about`.

    `vectors` are further columns with a list of numbers in every row, as arrays (rows, numbers).
    """
    table = pa.Table.from_pandas(values, preserve_index=False).replace_schema_metadata(None)
    for name, array in (vectors or {}).items():
        table = table.append_column(name, pa.FixedSizeListArray.from_arrays(array.ravel(), array.shape[1]))
    whole = {FORMAT: kind.format, **about}
    text = plain_text({**whole, DIGEST: _digest(table, whole)})
    sink = pa.BufferOutputStream()
    table = table.replace_schema_metadata({_KEY: text.encode()})
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue().to_pybytes())


def read_table(path: Path, kind: Kind) -> StoredTable:
    """Read a Parquet file with the metadata of `table_content`; other tools may have written no digest.

    Raises
    ------
    DamagedTable
        If the file is no Parquet file, has no metadata of rankduel, differs from the digest it states,
        or is of another format.
    OSError
        If the file cannot be read.
    """
    content = path.read_bytes()
    try:
        return _decoded(content, kind)
    except DamagedTable:
        raise
    except Exception as problem:  # a damaged footer can raise any exception in Arrow
        reason = str(problem).partition("\n")[0][:200] or type(problem).__name__
        raise DamagedTable(f"not a readable Parquet file: {reason}") from None


def _decoded(content: bytes, kind: Kind) -> StoredTable:
    file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
    n_rows = file.metadata.num_rows
    if n_rows > _MOST_ROWS_PER_BYTE * len(content):
        raise DamagedTable(f"its footer states {n_rows:,} rows in {len(content):,} bytes")
    table = file.read(use_threads=False)  # starting threads takes longer than reading a small table
    text = (table.schema.metadata or {}).get(_KEY)
    if text is None:
        raise DamagedTable("a Parquet file without metadata of rankduel")
    try:
        about = json_object(text)
    except ValueError as problem:
        raise DamagedTable(f"its metadata are {problem}") from None
    table = table.replace_schema_metadata(None)
    verified = DIGEST in about
    if verified and about.pop(DIGEST) != _digest(table, about):
        raise DamagedTable("its names, types or values do not have the digest in its metadata")
    found = about.pop(FORMAT, None)
    if verified and (type(found) is not int or found != kind.format):
        raise DamagedTable(kind.other_format(found))
    lists = [field.name for field in table.schema if pa.types.is_fixed_size_list(field.type)]
    vectors = {name: _vectors(table[name].combine_chunks()) for name in lists}
    values = table.drop_columns(lists).to_pandas(use_threads=False)
    return StoredTable(values, about, verified, vectors)


def _vectors(column: pa.FixedSizeListArray) -> np.ndarray:
    if column.null_count:
        raise DamagedTable("a row lacks the list of numbers that the other rows have")
    flat: np.ndarray = column.flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(len(column), column.type.list_size)


def _digest(table: pa.Table, about: dict[str, Any]) -> str:
    """Return the SHA-256 of `about` and of the names, types and values of all columns."""
    columns = [
        [field.name, _type_text(field.type), len(column), _column_digest(column)]
        for field, column in zip(table.schema, table.columns)
    ]
    return digest_of([about, columns])


def _type_text(kind: pa.DataType) -> str:
    """Return the type as text, without the name of list items, which Parquet does not preserve."""
    if pa.types.is_fixed_size_list(kind):
        return f"{kind.value_type}[{kind.list_size}]"
    return str(kind)


def _texts_content(array: pa.Array) -> bytes:
    """Return the canonical JSON text of a column of text; equal entries are encoded once."""
    encoded = array.dictionary_encode()
    texts = np.array([plain_text(text) for text in [*encoded.dictionary.to_pylist(), None]], object)
    return f"[{','.join(texts[encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)])}]".encode()


def _column_digest(column: pa.ChunkedArray) -> str:
    array = column.combine_chunks()
    missing = (
        array.is_null().to_numpy(zero_copy_only=False).tobytes() if array.null_count else bytes(len(array))
    )
    found = hashlib.sha256(missing)
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        found.update(_texts_content(array))
    elif pa.types.is_boolean(array.type):
        found.update(_filled(array, False).to_numpy(zero_copy_only=False).tobytes())
    elif pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
        found.update(_filled(array, 0).to_numpy(zero_copy_only=False).tobytes())
    elif pa.types.is_fixed_size_list(array.type) and pa.types.is_floating(array.type.value_type):
        found.update(_column_digest(pa.chunked_array([array.flatten()])).encode())
    elif not pa.types.is_null(array.type):  # an empty column of objects has the type null
        raise DamagedTable(
            f"a column of type {array.type}; expected numbers, true or false, text, or vectors"
        )
    return found.hexdigest()


def _filled(array: pa.Array, value: Any) -> pa.Array:
    return array.fill_null(value) if array.null_count else array
