"""Conversion of tables that other tools wrote to the columns and types of table.py."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pyarrow as pa
from pyarrow.types import is_boolean, is_decimal, is_floating, is_integer, is_null

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import META_COLUMNS, checked_grades, few, narrowest

_NUMBERS = (is_integer, is_floating, is_boolean, is_decimal, is_null)
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def conformed(table: pa.Table, name: str, narrow: bool) -> pa.Table:
    """Return `table` with the columns and types of `to_table`; `narrow` makes features float32 if exact.

    `name` is the file or object to name in error messages.
    """
    _check_columns(table, name)
    query = _names(table["qid"], "qid", name)
    columns = {
        "label": _labels(table["label"], name),
        "qid": query,
        "split": _splits(table, query, name),
        "record": _records(table, name),
    }
    if "comment" in table.column_names:
        comments = _cast(table["comment"], pa.large_string(), "comment", name)
        columns["comment"] = one_piece(comments).fill_null("")
    for feature in table.column_names:
        if feature not in META_COLUMNS and not _PANDAS_INDEX.fullmatch(feature):
            values = _feature(table[feature], feature, name)
            columns[feature] = pa.array(narrowest(values) if narrow else values)
    return pa.table(columns)


def one_piece(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _check_columns(table: pa.Table, name: str) -> None:
    names = table.column_names
    absent = [column for column in ("qid", "label") if column not in names]
    if absent:
        raise DataError(f"{name}: no column '{absent[0]}'; it has {few(names)}")
    column, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(f"{name}: {times} columns are named '{column}'; rename all but one")
    if table.num_rows == 0:
        raise DataError(f"{name}: no documents in it")


def _labels(column: pa.ChunkedArray, name: str) -> pa.Array:
    labels = one_piece(_cast(_numbers(column, "label", name), pa.float64(), "label", name))
    try:
        return pa.array(checked_grades(labels.to_numpy(zero_copy_only=False)))
    except DataError as problem:
        raise DataError(f"{name}: {problem}") from None


def _splits(table: pa.Table, query: pa.DictionaryArray, name: str) -> pa.DictionaryArray:
    """Return the split of each row, '' if there is no such column; raise an error if a query is in two."""
    if "split" not in table.column_names:
        return pa.array([""] * table.num_rows).dictionary_encode()
    split = _names(_cast(table["split"], pa.string(), "split", name).fill_null(""), "split", name)
    split_of = split.indices.to_numpy()
    query_of = query.indices.to_numpy()
    mixed = np.flatnonzero((split_of[1:] != split_of[:-1]) & (query_of[1:] == query_of[:-1]))
    if len(mixed):
        row = mixed[0]
        found = f"query '{query[row]}' is in splits '{split[row]}' and '{split[row + 1]}'"
        raise DataError(f"{name}: {found}; give each an id of its own")
    return split


def _records(table: pa.Table, name: str) -> pa.Array:
    if "record" not in table.column_names:
        return pa.array(np.arange(table.num_rows))
    records = one_piece(_cast(table["record"], pa.int64(), "record", name))
    _refuse_empty(records, "record", name)
    return records


def _names(column: pa.ChunkedArray, what: str, name: str) -> pa.DictionaryArray:
    """Return a column of names, dictionary-encoded; whole numbers become text, also if stored as floats."""
    if is_floating(column.type):
        column = _cast(column, pa.int64(), what, name)
    texts = one_piece(_cast(column, pa.string(), what, name))
    _refuse_empty(texts, what, name)
    return texts.dictionary_encode()


def _feature(column: pa.ChunkedArray, feature: str, name: str) -> np.ndarray:
    numbers = _numbers(column, feature, name)
    if numbers.type not in (pa.float32(), pa.float64()):
        numbers = _cast(numbers, pa.float64(), feature, name)
    values = one_piece(numbers).to_numpy(zero_copy_only=False)  # null becomes NaN
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise DataError(f"{name}: feature '{feature}' is infinite in row {infinite[0]} (the first is row 0)")
    return values


def _numbers(column: pa.ChunkedArray, what: str, name: str) -> pa.ChunkedArray:
    """Return `column`; raise an error if its type is not numeric, because Arrow would also cast text."""
    if not any(test(column.type) for test in _NUMBERS):
        raise DataError(f"{name}: '{what}' must hold numbers, not {column.type}")
    return column


def _cast(column: pa.ChunkedArray, kind: pa.DataType, what: str, name: str) -> pa.ChunkedArray:
    try:
        return column.cast(kind)
    except pa.ArrowException as problem:
        said = str(problem).splitlines()[0]
        raise DataError(f"{name}: '{what}' cannot be read as {kind}: {said}") from None


def _refuse_empty(values: pa.Array, what: str, name: str) -> None:
    if values.null_count:
        row = np.flatnonzero(values.is_null())[0]
        raise DataError(f"{name}: '{what}' is empty in row {row} (the first is row 0)")
