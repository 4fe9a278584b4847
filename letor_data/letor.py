"""`Letor`: judged documents as columns, with the offsets of the queries.

Each feature is a separate array, float32 if that is exact and float64 otherwise. Values are therefore exactly
those of the source, and ranking by one feature reads one contiguous array. A missing value is NaN.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankduel.base.errors import DataError
from rankduel.base.notebook import html_repr, short_repr
from rankduel.letor_data.catalogue import PROFILES, profile_named
from rankduel.letor_data.contract import TOP_LABEL

if TYPE_CHECKING:
    import pandas as pd

_DOC_ID = re.compile(r"docid\s*=\s*(\S+)")
_DOC_ID_FIELD = r"docid\s*=\s*(?P<id>\S+)"


class CacheFile(NamedTuple):
    """The cache file that data were read from, and the content that it has."""

    stem: Path  # absolute path, without its checksum and '.arrow'; it may be absent, if it was not written
    content: tuple[object, ...]  # `Letor.content` of these data


@dataclass(frozen=True, eq=False, repr=False)
class Letor:
    """Judged documents of many queries, as columns.

    The documents of query ``q`` are rows ``offsets[q]:offsets[q + 1]``. `rankduel.read_data` reads files,
    `from_pandas` converts a DataFrame, and `rankduel.synthetic_data` generates data.

    Parameters
    ----------
    labels : ndarray of int8, shape (n_docs,)
        Relevance grades, 0 or higher.
    offsets : ndarray of int64, shape (n_queries + 1,)
        First row of each query, and the number of documents; ``offsets[0]`` is 0.
    columns : tuple of ndarray
        One float32 or float64 array of shape (n_docs,) per feature; NaN is a missing value.
    feature_names : tuple of str
        Names of the features, such as ``("1", "2")``.
    query_ids : ndarray of object, shape (n_queries,)
        Query ids as text, as in the source.
    splits : ndarray of object, shape (n_queries,)
        Split of each query, such as "train" or "test"; "" if unknown.
    records : ndarray of int64, shape (n_docs,)
        Number of each document in the source, from 0. Scores in separate files are in this order.
    comments : pyarrow.LargeStringArray, optional
        Text after "#" of each document.
    profile : str, default "svmlight"
        Dataset profile, a key of ``letor_data.PROFILES``.
    source : str, default ""
        Description of the source, for messages.
    digest : str, default ""
        Digest of the content of the source; files that are made from the data contain it.
    notes : tuple of str, default ()
        Remarks of the reader, such as feature numbers out of order.
    scale : int, default 0
        Number of grades of the scale; 0 if it follows from the profile or the labels, see `n_grades`.
    cache : Path, optional
        Folder for scores of models on this data. By default, scores are not cached.
    unjudged : ndarray of bool, shape (n_docs,), optional
        Documents that have grade 0 for want of a judgment. By default all are judged.
    file : CacheFile, optional
        Cache file of exactly these data, from which other processes can read them. Data derived from others
        have none, unless only their source, notes, scale or folder of scores differs.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankduel
    >>> frame = pd.DataFrame({"qid": ["a", "a", "b"], "label": [2, 0, 1], "bm25": [3.0, 1.5, 2.0]})
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> data.n_queries, data.n_docs, data.n_features
    (2, 3, 1)
    >>> data.labels[data.offsets[0] : data.offsets[1]]  # of the first query
    array([2, 0], dtype=int8)
    >>> data.column("bm25")
    array([3. , 1.5, 2. ], dtype=float32)
    """

    labels: np.ndarray
    offsets: np.ndarray
    columns: tuple[np.ndarray, ...]
    feature_names: tuple[str, ...]
    query_ids: np.ndarray
    splits: np.ndarray
    records: np.ndarray
    comments: pa.LargeStringArray | None = None
    profile: str = "svmlight"
    source: str = ""
    digest: str = ""
    notes: tuple[str, ...] = ()
    scale: int = 0
    cache: Path | None = None
    unjudged: np.ndarray | None = None
    file: CacheFile | None = None

    def __post_init__(self) -> None:
        """Drop the cache file if these are other data, as after `dataclasses.replace` of a column."""
        if self.file is not None and not same_objects(self.file.content, self.content):
            object.__setattr__(self, "file", None)

    @property
    def content(self) -> tuple[object, ...]:
        """The fields that a cache file contains and rankings depend on."""
        documents = (self.labels, self.offsets, self.columns, self.feature_names, self.query_ids)
        return (*documents, self.splits, self.records, self.comments, self.profile, self.digest)

    @cached_property
    def content_digest(self) -> str:
        """SHA-256 of all fields of the data, without their source and notes."""
        from rankduel.letor_data.digests import letor_digest  # imported here: it imports this class

        return letor_digest(replace(self, source="", notes=()))

    def _facts(self) -> dict[str, object]:
        """Return the values that the representation shows."""
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
        """Number of relevance grades: `scale`, or that of the profile, or the highest label plus one.

        There are at least two.
        """
        declared = PROFILES[self.profile].top_grade
        by_profile = declared + 1 if declared < TOP_LABEL else 0
        return self.scale or by_profile or max(int(self.labels.max(initial=0)) + 1, 2)

    @property
    def docs_per_query(self) -> np.ndarray:
        """Number of documents of each query."""
        return np.diff(self.offsets)

    @property
    def features(self) -> np.ndarray:
        """Feature matrix of shape (n_docs, n_features), as a float64 copy."""
        values = np.empty((self.n_docs, self.n_features))
        for i, column in enumerate(self.columns):
            values[:, i] = column
        return values

    @property
    def doc_ids(self) -> np.ndarray:
        """Document ids: the text after 'docid =' in each comment, or the whole comment without it."""
        if self.comments is None:
            return np.full(self.n_docs, "", object)
        texts = self.comments.to_pylist()
        found = (_DOC_ID.search(text) for text in texts)
        return np.array([m[1] if m else text for m, text in zip(found, texts)], object)

    def feature_index(self, feature: int | str) -> int:
        """Return the position of a feature in `columns`.

        Parameters
        ----------
        feature : int or str
            Name of the feature, or its number in the source.

        Returns
        -------
        int
            Position, from 0.

        Raises
        ------
        DataError
            If there is no such feature.
        """
        return self._feature_indices([feature])[0]

    def _feature_indices(self, features: Iterable[int | str]) -> list[int]:
        number = self._feature_numbers
        wanted = [str(feature) for feature in features]
        unknown = [name for name in wanted if name not in number]
        if unknown:
            raise DataError(f"no feature '{unknown[0]}'; there are {len(number)}: {few(self.feature_names)}")
        return [number[name] for name in wanted]

    @cached_property
    def _feature_numbers(self) -> dict[str, int]:
        """Position of each feature in `columns`, by name; made once, as each of many rankers looks one up."""
        return {name: i for i, name in enumerate(self.feature_names)}

    def column(self, feature: int | str) -> np.ndarray:
        """Return the values of a feature, by name or by its number in the source."""
        return self.columns[self.feature_index(feature)]

    def check_names(self) -> None:
        """Raise an error if two columns of a table of this data would have the same name."""
        name, times = Counter([*META_COLUMNS, *self.feature_names]).most_common(1)[0]
        if times > 1:
            raise DataError(
                f"{times} columns of a table of this data would be named '{name}'; rename a feature"
            )

    def take_queries(self, queries: Sequence[int] | np.ndarray) -> Letor:
        """Return the data of some queries, in the given order.

        Parameters
        ----------
        queries : sequence of int or ndarray
            Numbers of the queries, from 0, or a boolean mask with one entry per query.

        Returns
        -------
        Letor
            Data of these queries, with the scale of grades of all queries.

        Raises
        ------
        DataError
            If a number is out of range, or no query is chosen.

        Examples
        --------
        >>> data = rankduel.synthetic_data("small", queries=10)
        >>> data.take_queries([7, 0]).query_ids.tolist()
        ['8', '1']
        """
        try:
            numbers = np.arange(self.n_queries)[np.asarray(queries) if len(queries) else []]
        except IndexError as problem:
            raise DataError(f"there are {self.n_queries} queries, numbered from 0; {problem}") from None
        if len(numbers) == 0:
            raise DataError(f"no query is chosen, of {self.n_queries}; expected at least one")
        offsets = np.concatenate([[0], np.cumsum(self.docs_per_query[numbers])]).astype(np.int64)
        chosen = self.rearranged(_rows_of(self.offsets, numbers), offsets, numbers)
        return replace(chosen, scale=self.n_grades)

    def rearranged(self, rows: np.ndarray, offsets: np.ndarray, queries: np.ndarray) -> Letor:
        """Return the data of `rows`, in this order, with new `offsets` for these `queries`."""
        return replace(
            self,
            labels=self.labels[rows],
            offsets=offsets,
            columns=tuple(column[rows] for column in self.columns),
            query_ids=self.query_ids[queries],
            splits=self.splits[queries],
            records=self.records[rows],
            comments=None if self.comments is None else self.comments.take(pa.array(rows)),
            unjudged=None if self.unjudged is None else self.unjudged[rows],
        )

    def only_split(self, split: str) -> Letor:
        """Return the data of the queries of one split.

        Parameters
        ----------
        split : str
            Name of the split, such as "train".

        Returns
        -------
        Letor
            Data of these queries.

        Raises
        ------
        DataError
            If no query belongs to this split. The message lists the splits.
        """
        known = dict.fromkeys(self.splits)
        if split not in known:
            raise DataError(f"no split '{split}'; known: {few(list(known))}")
        return self.take_queries(self.splits == split)

    def only_features(self, features: Iterable[int | str]) -> Letor:
        """Return the data with some of the features, in the given order.

        Parameters
        ----------
        features : iterable of int or str
            Names of features, or their numbers in the source. It may be empty.

        Returns
        -------
        Letor
            Data with these features.

        Raises
        ------
        DataError
            If there is no such feature.

        Examples
        --------
        >>> data = rankduel.synthetic_data("small", queries=10)
        >>> data.only_features([110, 3]).feature_names
        ('110', '3')
        """
        chosen = self._feature_indices(features)
        return replace(
            self,
            columns=tuple(self.columns[i] for i in chosen),
            feature_names=tuple(self.feature_names[i] for i in chosen),
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return the data as a DataFrame with one row per document.

        Returns
        -------
        pandas.DataFrame
            Columns qid, split, label, record, comment (if there are comments), and one per feature.

        Raises
        ------
        DataError
            If a feature has the name of another column.

        Examples
        --------
        >>> data = rankduel.synthetic_data("small", queries=10).only_features([110])
        >>> data.to_pandas().columns.tolist()
        ['qid', 'split', 'label', 'record', '110']
        """
        import pandas as pd  # loaded here, because importing pandas is slow

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
        """Return the data of a DataFrame with one row per document; the inverse of `to_pandas`.

        Parameters
        ----------
        frame : pandas.DataFrame
            Columns qid and label are required; split, record and comment are optional. Any other column is a
            feature, and becomes float32 if that is exact. The rows of a query need not be adjacent: queries
            are in the order of their first rows.
        profile : str, default "svmlight"
            Dataset profile, a key of ``letor_data.PROFILES``.

        Returns
        -------
        Letor
            Judged documents, query by query.

        Raises
        ------
        DataError
            If a required column is absent, a column holds other values than expected, or there is no such
            profile.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"qid": ["a", "b", "a"], "label": [1, 0, 2], "bm25": [0.5, 7.0, 2.0]})
        >>> data = rankduel.Letor.from_pandas(frame)
        >>> data.query_ids.tolist(), data.labels.tolist(), data.records.tolist()
        (['a', 'b'], [1, 2, 0], [0, 2, 1])
        """
        from rankduel.letor_data.table import from_table  # imported here, because table.py imports this class

        name = "a pandas frame"
        try:
            # Copied, because Arrow shares the memory of the frame, which the caller may change later.
            table = pa.Table.from_pandas(frame.copy(), preserve_index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError) as problem:
            raise DataError(f"{name}: {problem}") from None
        return replace(from_table(table, name, gather=True), profile=profile_named(profile).name)


def same_objects(one: Sequence[object], other: Sequence[object]) -> bool:
    """Return whether two sequences have the same objects; arrays with equal values are not the same."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other))


META_COLUMNS = ("qid", "split", "label", "record", "comment")


def narrowest(values: np.ndarray) -> np.ndarray:
    """Return `values` as float32 if every value is exact in float32, otherwise unchanged."""
    if values.dtype == np.float32:
        return values
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    return narrow if np.array_equal(narrow, values, equal_nan=True) else values


def is_constant(values: np.ndarray) -> bool:
    """Return whether all `values` are equal, or all are missing."""
    first = values[:1]
    return bool(np.all(values == first)) or (bool(np.isnan(first).all()) and bool(np.isnan(values).all()))


def checked_grades(labels: np.ndarray) -> np.ndarray:
    """Return `labels` as int8 grades; raise an error unless all are whole numbers from 0 to 127."""
    grades = np.asarray(labels, np.float64)
    bad = np.flatnonzero(~((grades >= 0) & (grades <= 127) & (grades == np.floor(grades))))
    if len(bad):
        found = f"{labels[bad[0]]} in row {bad[0]} (the first is row 0)"
        raise DataError(f"a label must be a whole number from 0 to 127, not {found}")
    return grades.astype(np.int8)


def repeated_documents(letor: Letor) -> list[str]:
    """Return a note about documents that occur twice in a query, by 'docid = ...' in the comments, or []."""
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
    """Return `cuts` as an array; raise an error unless they ascend. A grade counts the cuts <= label."""
    if list(cuts) != sorted(set(cuts)) or any(math.isnan(cut) for cut in cuts) or len(cuts) > TOP_LABEL:
        raise DataError(f"grade_cuts must be different numbers, at most {TOP_LABEL}, ascending; not {cuts}")
    return np.array(cuts, np.float64)


def _rows_of(offsets: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return the row numbers of `queries`, query by query."""
    sizes = offsets[queries + 1] - offsets[queries]
    ends = np.cumsum(sizes)
    shift = np.repeat(offsets[queries] - (ends - sizes), sizes)
    return np.arange(ends[-1] if len(ends) else 0) + shift


def few(names: Sequence[object]) -> str:
    """Return the first six names as text: 'a, b, c, d, e, f, ...'."""
    shown = ", ".join(str(name) for name in names[:6])
    return shown + ", ..." if len(names) > 6 else shown
