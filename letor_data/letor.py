"""Judged documents as columns and offsets: the one table everything else reads.

A feature is a column of its own, float32 where that loses nothing and float64 otherwise, so values
are exactly those of the source and a single-feature ranker touches one contiguous array. A missing
value is NaN (sources may not contain NaN otherwise).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from letor_data.formats import PROFILES, TOP_LABEL
from rankduel.base.errors import DataError
from rankduel.base.notebook import html_repr, short_repr

if TYPE_CHECKING:
    import pandas as pd

_DOC_ID = re.compile(r"docid\s*=\s*(\S+)")
_DOC_ID_FIELD = r"docid\s*=\s*(?P<id>\S+)"


@dataclass(frozen=True, eq=False, repr=False)
class Letor:
    """Judged documents of many queries; query ``q`` owns rows ``offsets[q]:offsets[q + 1]``.

    Use `read_data`, `synthetic_data` or `Letor.from_pandas` to make one.

    Parameters
    ----------
    labels : ndarray of int8, shape (n_docs,)
        Relevance grade of each document.
    offsets : ndarray of int64, shape (n_queries + 1,)
        First row of each query, and at the end the number of documents.
    columns : tuple of ndarray
        One array of float32 or float64 per feature; a missing value is NaN.
    feature_names : tuple of str
        Name of each feature.
    query_ids : ndarray of object, shape (n_queries,)
        Query ids as written in the source.
    splits : ndarray of object, shape (n_queries,)
        Split of each query, such as "train", or "".
    records : ndarray of int64, shape (n_docs,)
        Record number of each document in the source, which score files refer to.
    comments : pyarrow.LargeStringArray, optional
        Comment of each document.
    profile : str, default "svmlight"
        Format of the source.
    source : str, default ""
        Names of the files that were read.
    digest : str, default ""
        Digest of the content of the source.
    notes : tuple of str, default ()
        Remarks of the reader about unexpected content.
    scale : int, default 0
        Number of grades; 0 if the profile or the labels determine it.
    cache : Path, optional
        Folder for values computed from the data. By default nothing is stored.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": [1, 1, 2], "label": [2, 0, 1], "bm25": [3.0, 1.0, 2.0]})
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> data.n_queries, data.n_docs, data.feature_names
    (2, 3, ('bm25',))
    >>> data.offsets
    array([0, 2, 3])
    """

    labels: np.ndarray  # (n_docs,) int8, relevance grade
    offsets: np.ndarray  # (n_queries + 1,) int64, offsets[0] == 0
    columns: tuple[np.ndarray, ...]  # per feature: (n_docs,) float32 or float64, NaN = missing
    feature_names: tuple[str, ...]
    query_ids: np.ndarray  # (n_queries,) str objects, as written in the source
    splits: np.ndarray  # (n_queries,) str objects: "train", "test", ... or ""
    records: np.ndarray  # (n_docs,) int64, record number in the source; external scores follow it
    comments: pa.LargeStringArray | None = None  # (n_docs,) text after '#'
    profile: str = "svmlight"  # name in letor_data.formats.PROFILES
    source: str = ""  # what was read, for people
    digest: str = ""  # of the source's content, for files made from this data
    notes: tuple[str, ...] = ()  # what the reader wants its owner to know
    scale: int = 0  # number of grades, if neither the profile nor the labels tell it; see n_grades
    cache: Path | None = None  # folder for what is computed from this data; None: nothing is kept

    def _facts(self) -> dict[str, object]:
        """What a prompt shows."""
        return {
            "source": self.source,
            "queries": self.n_queries,
            "documents": self.n_docs,
            "features": self.n_features,
            "profile": self.profile,
        }

    def __repr__(self) -> str:
        return short_repr("Letor", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("Letor", self._facts())

    @property
    def n_docs(self) -> int:
        return len(self.labels)

    @property
    def n_queries(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_features(self) -> int:
        return len(self.columns)

    @property
    def n_grades(self) -> int:
        """Relevance grades of the scale: as read, by the profile, or up to the highest label, 2 at least."""
        declared = PROFILES[self.profile].top_grade
        by_profile = declared + 1 if declared < TOP_LABEL else 0
        return self.scale or by_profile or max(int(self.labels.max(initial=0)) + 1, 2)

    @property
    def docs_per_query(self) -> np.ndarray:
        return np.diff(self.offsets)

    @property
    def features(self) -> np.ndarray:
        """All values as one (n_docs, n_features) float64 array: a copy, so mind its size."""
        values = np.empty((self.n_docs, self.n_features))
        for i, column in enumerate(self.columns):
            values[:, i] = column
        return values

    @property
    def doc_ids(self) -> np.ndarray:
        """The 'docid = ...' of each comment, the whole comment where it has none."""
        if self.comments is None:
            return np.full(self.n_docs, "", object)
        texts = self.comments.to_pylist()
        found = (_DOC_ID.search(text) for text in texts)
        return np.array([m[1] if m else text for m, text in zip(found, texts)], object)

    def feature_index(self, feature: int | str) -> int:
        """Column number of a feature given by name, or by the number a source numbers it with."""
        return self._feature_indices([feature])[0]

    def _feature_indices(self, features: Iterable[int | str]) -> list[int]:
        number = {name: i for i, name in enumerate(self.feature_names)}
        wanted = [str(feature) for feature in features]
        unknown = [name for name in wanted if name not in number]
        if unknown:
            raise DataError(f"no feature '{unknown[0]}'; there are {len(number)}: {few(self.feature_names)}")
        return [number[name] for name in wanted]

    def column(self, feature: int | str) -> np.ndarray:
        """Return the values of a feature given by name or number."""
        return self.columns[self.feature_index(feature)]

    def check_names(self) -> None:
        """Refuse feature names that could not be columns of a table, because another column has them."""
        name, times = Counter([*META_COLUMNS, *self.feature_names]).most_common(1)[0]
        if times > 1:
            raise DataError(f"a table has one column named '{name}', and this data would make it {times}")

    def take_queries(self, queries: Sequence[int] | np.ndarray) -> Letor:
        """These queries only, by number (or a mask), in the order asked for; there must be one.

        The scale of grades is that of all queries.
        """
        try:
            numbers = np.arange(self.n_queries)[np.asarray(queries) if len(queries) else []]
        except IndexError as problem:
            raise DataError(f"there are {self.n_queries} queries, numbered from 0; {problem}") from None
        if len(numbers) == 0:
            raise DataError(f"none of the {self.n_queries} queries is left")
        offsets = np.concatenate([[0], np.cumsum(self.docs_per_query[numbers])]).astype(np.int64)
        chosen = self.rearranged(_rows_of(self.offsets, numbers), offsets, numbers)
        return replace(chosen, scale=self.n_grades)

    def rearranged(self, rows: np.ndarray, offsets: np.ndarray, queries: np.ndarray) -> Letor:
        """These rows, divided by these offsets among these of the queries."""
        return replace(
            self,
            labels=self.labels[rows],
            offsets=offsets,
            columns=tuple(column[rows] for column in self.columns),
            query_ids=self.query_ids[queries],
            splits=self.splits[queries],
            records=self.records[rows],
            comments=None if self.comments is None else self.comments.take(pa.array(rows)),
        )

    def only_split(self, split: str) -> Letor:
        """The queries that came from one split, such as 'train'."""
        known = dict.fromkeys(self.splits)
        if split not in known:
            raise DataError(f"no split '{split}'; known: {few(list(known))}")
        return self.take_queries(self.splits == split)

    def only_features(self, features: Iterable[int | str]) -> Letor:
        """These features, by name or number, in the order asked for (none is fine: judgments alone)."""
        chosen = self._feature_indices(features)
        return replace(
            self,
            columns=tuple(self.columns[i] for i in chosen),
            feature_names=tuple(self.feature_names[i] for i in chosen),
        )

    def to_pandas(self) -> pd.DataFrame:
        """One row per document: qid, split, label, record, comment, then a column per feature."""
        import pandas as pd  # slow to import, for all that make no frame

        self.check_names()
        query = np.repeat(np.arange(self.n_queries), self.docs_per_query)
        frame = {
            "qid": self.query_ids[query],
            "split": self.splits[query],
            "label": self.labels,
            "record": self.records,
        }
        if self.comments is not None:
            frame["comment"] = self.comments.to_pylist()
        return pd.DataFrame(frame | dict(zip(self.feature_names, self.columns)))

    @classmethod
    def from_pandas(cls, frame: pd.DataFrame, profile: str = "svmlight") -> Letor:
        """The reverse of `to_pandas`; only 'qid' and 'label' are required, the rest are features.

        Rows of a query need not be adjacent: they are gathered in order of first appearance. Features
        become float32 where that is exact.
        """
        from letor_data.table import from_table  # which is about this class

        name = "a pandas frame"
        try:
            # A copy: Arrow shares the frame's memory, and the frame may be changed later.
            table = pa.Table.from_pandas(frame.copy(), preserve_index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError) as problem:
            raise DataError(f"{name}: {problem}") from None
        return replace(from_table(table, name, gather=True), profile=profile)


META_COLUMNS = ("qid", "split", "label", "record", "comment")


def narrowest(values: np.ndarray) -> np.ndarray:
    """The same numbers as float32 where each survives exactly, else as they are."""
    if values.dtype == np.float32:
        return values
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    return narrow if np.array_equal(narrow, values, equal_nan=True) else values


def is_constant(values: np.ndarray) -> bool:
    """One value throughout (all missing counts as one value)."""
    first = values[:1]
    return bool(np.all(values == first)) or (bool(np.isnan(first).all()) and bool(np.isnan(values).all()))


def checked_grades(labels: np.ndarray) -> np.ndarray:
    """Labels as int8 grades; anything but whole numbers 0..127 is refused."""
    grades = np.asarray(labels, np.float64)
    bad = np.flatnonzero(~((grades >= 0) & (grades <= 127) & (grades == np.floor(grades))))
    if len(bad):
        found = f"{labels[bad[0]]} in row {bad[0]} (the first is row 0)"
        raise DataError(f"a label must be a whole number from 0 to 127, not {found}")
    return grades.astype(np.int8)


def repeated_documents(letor: Letor) -> list[str]:
    """Return a note with the first document that a query has twice, by 'docid = ...' in the comments."""
    if letor.comments is None:
        return []
    ids = pc.struct_field(pc.extract_regex(letor.comments, _DOC_ID_FIELD), "id").dictionary_encode()
    rows = np.flatnonzero(ids.is_valid())
    query = np.repeat(np.arange(letor.n_queries), letor.docs_per_query)[rows]
    code = ids.indices.to_numpy(zero_copy_only=False)[rows].astype(np.int64)
    _, first = np.unique(query * max(len(ids.dictionary), 1) + code, return_index=True)
    again = np.setdiff1d(np.arange(len(rows)), first)
    if not len(again):
        return []
    doc, qid = ids[int(rows[again[0]])].as_py(), letor.query_ids[query[again[0]]]
    return [
        f"{letor.source}: query '{qid}' has document '{doc}' twice ({len(again):,} in all repeat another)"
    ]


def checked_cuts(cuts: Sequence[float]) -> np.ndarray:
    """Limits that turn labels into grades, as an ascending array; a grade is how many a label reaches."""
    if list(cuts) != sorted(set(cuts)) or any(math.isnan(cut) for cut in cuts) or len(cuts) > TOP_LABEL:
        raise DataError(f"grade_cuts must be different numbers, at most {TOP_LABEL}, ascending; not {cuts}")
    return np.array(cuts, np.float64)


def _rows_of(offsets: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Row numbers of these queries, one after another."""
    sizes = offsets[queries + 1] - offsets[queries]
    ends = np.cumsum(sizes)
    shift = np.repeat(offsets[queries] - (ends - sizes), sizes)
    return np.arange(ends[-1] if len(ends) else 0) + shift


def few(names: Sequence[object]) -> str:
    """'a, b, c, ...': enough names to recognise what is there."""
    shown = ", ".join(str(name) for name in names[:6])
    return shown + ", ..." if len(names) > 6 else shown
