"""Conversion of Letor to and from an Arrow table with one row per document, for cache and Parquet files.

Columns: label, qid and split (dictionary-encoded), record, comment (if any), then the features under
their names. Missing values are NaN. Other fields are metadata of the schema, so the conversion is lossless.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from rankduel.base.errors import DataError, encodable
from rankduel.letor_data.catalogue import PROFILES
from rankduel.letor_data.contract import TOP_LABEL
from rankduel.letor_data.foreign import conformed, one_piece
from rankduel.letor_data.letor import META_COLUMNS, Letor

_KEY = b"rankduel"  # key of the schema metadata: fields that are not columns, as JSON
_TEXTS = ("profile", "source", "digest")
_FACTS = (*_TEXTS, "notes", "scale")
_FEATURE_TYPES = (pa.float32(), pa.float64())


def to_table(letor: Letor) -> pa.Table:
    """Return the Arrow table of `letor`, which shares the memory of its features."""
    letor.check_names()
    if len(set(letor.query_ids)) < letor.n_queries:
        raise DataError("a query id occurs twice, which a table cannot represent; leave one query out")
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


def from_table(table: pa.Table, name: str, gather: bool = False) -> Letor:
    """Return the Letor of a table of any tool.

    The columns label and qid are required; any column that is not in META_COLUMNS is a feature. The rows of a
    query must be adjacent unless `gather` is true. `name` is named in messages.
    """
    facts = _facts(table, name)
    table = conformed(table, name, narrow=not facts)
    code = _codes(table)
    starts = _starts(code)
    if len(np.unique(code[starts])) < len(starts):
        if not gather:
            raise DataError(f"{name}: the rows of a query must be adjacent; sort by 'qid' first")
        table = table.take(np.argsort(code, kind="stable"))
    about = json.dumps({"source": encodable(name)} | facts)
    return restored(table.replace_schema_metadata({_KEY: about}), name)


def restored(table: pa.Table, name: str = "a table") -> Letor:
    """Return the Letor of a table that `to_table` made, without copying contiguous columns."""
    facts = _facts(table, name)
    _check_types(table, name)
    code = _codes(table)
    starts = _starts(code)
    features = [column for column in table.column_names if column not in META_COLUMNS]
    return Letor(
        labels=_values(table["label"]).copy(),  # writable, so that kernels compile for one array type only
        offsets=np.append(starts, len(code)),
        columns=tuple(_values(table[feature]) for feature in features),
        feature_names=tuple(features),
        query_ids=one_piece(table["qid"]).take(starts).to_numpy(zero_copy_only=False),
        splits=one_piece(table["split"]).take(starts).to_numpy(zero_copy_only=False),
        records=_values(table["record"]),
        comments=one_piece(table["comment"]) if "comment" in table.column_names else None,
        **(facts | {"notes": tuple(facts.get("notes", ()))}),
    )


def _facts(table: pa.Table, name: str) -> dict[str, Any]:
    """Return the fields that are not columns, from the metadata; raise an error if these are damaged."""
    text = (table.schema.metadata or {}).get(_KEY, b"{}")
    try:
        known = json.loads(text)
    except (ValueError, RecursionError):
        known = None
    if not isinstance(known, dict):
        raise DataError(f"{name}: its metadata '{_KEY.decode()}' are damaged: not a JSON object")
    facts = {fact: known[fact] for fact in _FACTS if fact in known}
    texts = [facts.get(fact, "") for fact in _TEXTS]
    notes = facts.get("notes", [])
    if not isinstance(notes, list) or not all(isinstance(text, str) for text in [*texts, *notes]):
        raise DataError(f"{name}: its metadata '{_KEY.decode()}' are damaged: expected texts")
    scale = facts.get("scale", 0)
    if type(scale) is not int or not 0 <= scale <= TOP_LABEL + 1:
        raise DataError(f"{name}: its metadata '{_KEY.decode()}' are damaged: expected a number of grades")
    if facts.get("profile", "svmlight") not in PROFILES:
        raise DataError(f"{name}: its metadata '{_KEY.decode()}' name no known profile")
    return facts


def _check_types(table: pa.Table, name: str) -> None:
    """Raise an error for columns with other types than those of `to_table`."""
    texts = pa.dictionary(pa.int32(), pa.string())
    meta = {"label": pa.int8(), "qid": texts, "split": texts, "record": pa.int64()}
    meta["comment"] = pa.large_string()
    for field, column in zip(table.schema, table.itercolumns()):
        if column.null_count or field.type not in (
            [meta[field.name]] if field.name in meta else _FEATURE_TYPES
        ):
            raise DataError(f"{name}: column '{field.name}' has empty values or is of type {field.type}")


def _texts(values: np.ndarray) -> pa.Array:
    return pa.array(list(values), pa.string())


def _split_column(letor: Letor, query: np.ndarray) -> pa.DictionaryArray:
    names, code = np.unique(letor.splits.astype(str), return_inverse=True)
    return pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int32)[query]), _texts(names))


def _codes(table: pa.Table) -> np.ndarray:
    """Return a number per row that identifies its query."""
    return one_piece(table["qid"]).indices.to_numpy()


def _starts(code: np.ndarray) -> np.ndarray:
    """Return the first row of each run of equal codes."""
    return np.flatnonzero(np.diff(code, prepend=-1))


def _values(column: pa.ChunkedArray) -> np.ndarray:
    return one_piece(column).to_numpy()
