"""Letor as an Arrow table, one row per document: the form of the cache and of Parquet files.

Columns: label, qid and split (dictionary-encoded), record, comment (if any), then the features under
their names. Missing values are NaN. Everything a Letor knows travels along, so both ways are lossless.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from letor_data.foreign import conformed, one_piece
from letor_data.formats import PROFILES, TOP_LABEL
from letor_data.letor import META_COLUMNS, Letor
from rankduel.base.errors import DataError, encodable

_KEY = b"rankduel"  # schema metadata: what is not a column, as JSON
_TEXTS = ("profile", "source", "digest")
_FACTS = (*_TEXTS, "notes", "scale")
_FEATURE_TYPES = (pa.float32(), pa.float64())


def to_table(letor: Letor) -> pa.Table:
    """Features are shared with the Letor, not copied."""
    letor.check_names()
    if len(set(letor.query_ids)) < letor.n_queries:
        raise DataError("a query is in the data twice, which a table cannot say; leave one of them out")
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
    """The Letor of a table, by whatever tool it was written.

    It needs no more than 'label' and 'qid'; other columns that are not ours are features. The rows of
    a query must stand side by side, unless they are to be gathered.
    """
    facts = _facts(table, name)
    table = conformed(table, name, narrow=not facts)
    code = _codes(table)
    starts = _starts(code)
    if len(np.unique(code[starts])) < len(starts):
        if not gather:
            raise DataError(f"{name}: the rows of a query must stand side by side; sort by 'qid' first")
        table = table.take(np.argsort(code, kind="stable"))
    about = json.dumps({"source": encodable(name)} | facts)
    return restored(table.replace_schema_metadata({_KEY: about}), name)


def restored(table: pa.Table, name: str = "a table") -> Letor:
    """What `to_table` was given; columns that are one contiguous piece are used in place."""
    facts = _facts(table, name)
    _check_types(table, name)
    code = _codes(table)
    starts = _starts(code)
    features = [column for column in table.column_names if column not in META_COLUMNS]
    return Letor(
        labels=_values(table["label"]).copy(),  # so that kernels compiled for an array of bytes fit
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
    """What is not a column, checked: the metadata are JSON of our own, but may be damaged."""
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
    """Refuse columns that are not of the types that `to_table` makes."""
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
    """A number per row that tells its query."""
    return one_piece(table["qid"]).indices.to_numpy()


def _starts(code: np.ndarray) -> np.ndarray:
    """Rows at which another query begins."""
    return np.flatnonzero(np.diff(code, prepend=-1))


def _values(column: pa.ChunkedArray) -> np.ndarray:
    return one_piece(column).to_numpy()
