"""Letor as an Arrow table, one row per document: the form of the cache and of Parquet files.

Columns: label, qid and split (dictionary-encoded), record, comment (if any), then the features under
their names. Missing values are NaN. Everything a Letor knows travels along, so both ways are lossless.
"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa

from letor_data.errors import DataError
from letor_data.letor import META_COLUMNS, Letor, checked_grades, narrowest

_KEY = b"rankduel"  # schema metadata: what is not a column, as JSON
_FACTS = ("profile", "source", "digest", "notes")


def to_table(letor: Letor) -> pa.Table:
    """Features are shared with the Letor, not copied."""
    clash = set(letor.feature_names) & set(META_COLUMNS)
    if clash:
        raise DataError(f"a feature cannot be named '{clash.pop()}' in a table; rename it")
    query = np.repeat(np.arange(letor.n_queries, dtype=np.int32), letor.docs_per_query)
    columns = {
        "label": pa.array(letor.labels),
        "qid": pa.DictionaryArray.from_arrays(pa.array(query), _texts(letor.query_ids)),
        "split": _split_column(letor, query),
        "record": pa.array(letor.records),
    }
    if letor.comments is not None:
        columns["comment"] = letor.comments
    columns |= {name: pa.array(column) for name, column in zip(letor.feature_names, letor.columns)}
    facts = json.dumps({name: getattr(letor, name) for name in _FACTS})
    return pa.table(columns).replace_schema_metadata({_KEY: facts})


def from_table(table: pa.Table, name: str) -> Letor:
    """The Letor of a table; columns that are one contiguous piece are used in place.

    Tables written by other tools need only 'label' and 'qid' (rows of a query side by side).
    """
    absent = [column for column in ("label", "qid") if column not in table.column_names]
    if absent:
        raise DataError(f"{name}: no column '{absent[0]}'; it has {', '.join(table.column_names[:8])}, ...")
    code, ids = _query_codes(table["qid"], name)
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    facts = json.loads((table.schema.metadata or {}).get(_KEY, b"{}"))
    features = [column for column in table.column_names if column not in META_COLUMNS]
    has = table.column_names.__contains__
    return Letor(
        labels=checked_grades(_values(table["label"])),
        offsets=np.append(starts, len(code)).astype(np.int64),
        columns=tuple(_feature(table[column], column, name) for column in features),
        feature_names=tuple(features),
        query_ids=ids[code[starts]],
        splits=table["split"].take(starts).to_numpy().astype(object) if has("split") else np.full(len(starts), "", object),
        records=_values(table["record"]) if has("record") else np.arange(len(code)),
        comments=_one_piece(table["comment"]).cast(pa.large_string()) if has("comment") else None,
        profile=facts.get("profile", "svmlight"),
        source=facts.get("source", name),
        digest=facts.get("digest", ""),
        notes=tuple(facts.get("notes", ())),
    )


def _texts(values: np.ndarray) -> pa.Array:
    return pa.array(list(values), pa.string())


def _split_column(letor: Letor, query: np.ndarray) -> pa.DictionaryArray:
    names, code = np.unique(letor.splits.astype(str), return_inverse=True)
    return pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int32)[query]), _texts(names))


def _query_codes(column: pa.ChunkedArray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(a number per row that changes with the query, ids by number)."""
    encoded = _one_piece(column)
    if encoded.null_count:
        raise DataError(f"{name}: 'qid' is empty in row {np.flatnonzero(encoded.is_null())[0]}")
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.cast(pa.string()).dictionary_encode()
    code = encoded.indices.to_numpy(zero_copy_only=False)
    ids = np.array(encoded.dictionary.to_pylist(), object)
    if len(code) == 0:
        raise DataError(f"{name}: no documents in it")
    changes = np.flatnonzero(np.diff(code, prepend=-1))
    if len(np.unique(code[changes])) < len(changes):
        raise DataError(f"{name}: the rows of a query must stand side by side; sort by 'qid' first")
    return code, ids


def _one_piece(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _values(column: pa.ChunkedArray) -> np.ndarray:
    return _one_piece(column).to_numpy(zero_copy_only=False)


def _feature(column: pa.ChunkedArray, feature: str, name: str) -> np.ndarray:
    values = _values(column)
    if values.dtype.kind not in "fiub":
        raise DataError(f"{name}: feature '{feature}' must hold numbers, not {column.type}")
    if values.dtype not in (np.float32, np.float64):
        values = narrowest(values.astype(np.float64))
    if np.isinf(values).any():
        raise DataError(f"{name}: feature '{feature}' is infinite in row {np.flatnonzero(np.isinf(values))[0]}")
    return values
