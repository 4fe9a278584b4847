"""Judged data from TREC runs and relevance judgments (qrels), with one feature per run.

A line of a run is `qid Q0 docno rank score tag` and a line of judgments is `qid iteration docno grade`, as
for NIST's trec_eval. Runs are ordered by score; the rank column is ignored. The documents of a query are
sorted by docno, because the order of the files may depend on relevance, and ties may be broken by this order.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from rankduel.base.errors import DataError, encodable
from rankduel.base.text import counted
from rankduel.letor_data.contract import TOP_LABEL
from rankduel.letor_data.letor import Letor, checked_cuts, narrowest
from rankduel.letor_data.packed.archive import PACKINGS
from rankduel.letor_data.packed.packing import guard
from rankduel.letor_data.trec_lines import Lines, line_error, split_lines

_RUN = ("qid", "Q0", "docno", "rank", "score", "tag")
_QRELS = ("qid", "iteration", "docno", "grade")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_GRADE = re.compile(r"([+-]?\d{1,9})(\.0*)?", re.ASCII)
_TOP_WRITTEN = 10**9  # highest grade in a file if `grade_cuts` are given
_TOP, _NAMED = 10, 5  # ranks that the note on missing judgments counts, and the most runs that it names


class Run(NamedTuple):
    rows: pd.DataFrame  # qid, docno, score; in file order
    notes: tuple[str, ...]
    digest: str  # of the file's content


class Qrels(NamedTuple):
    rows: pd.DataFrame  # qid, docno, grade; in file order
    notes: tuple[str, ...]
    digest: str  # of the file's content


def read_run(path: str | Path) -> Run:
    """Return the documents and scores of a run file."""
    with guard(path):
        table, notes, digest = _read(path, _RUN_FILE)
        rows = table.documents().assign(score=table.values["score"])
        notes += _rank_notes(path, rows, table.values["rank"])
    return Run(rows, tuple(notes), digest)


def read_qrels(path: str | Path, grade_cuts: Sequence[float] = ()) -> Qrels:
    """Return the judgments of a qrels file; grades below 0, which mark spam, become 0.

    With `grade_cuts`, a grade is the number of cuts that are at most the number in the file.
    """
    cuts = checked_cuts(grade_cuts)
    with guard(path):
        table, notes, digest = _read(path, _qrels_file(_TOP_WRITTEN if len(cuts) else TOP_LABEL))
        written = table.values["grade"]
        grade = np.searchsorted(cuts, written, side="right") if len(cuts) else np.maximum(written, 0)
        rows = table.documents().assign(grade=grade.astype(np.int8))
    below = np.flatnonzero(written < 0) if not len(cuts) else ()
    for row in below[:1]:
        where = f"{encodable(str(path))}:{table.lines[row]}"
        notes.append(f"{where}: first of {counted(len(below), 'grade')} below 0, read as 0")
    return Qrels(rows, tuple(notes), digest)


class _Documents(NamedTuple):
    """Fields of the lines of a run or of judgments, in file order."""

    qid: pa.LargeStringArray
    docno: pa.LargeStringArray
    values: dict[str, np.ndarray]
    lines: np.ndarray  # (n,) int64, line numbers

    def documents(self) -> pd.DataFrame:
        texts = {"qid": self.qid, "docno": self.docno}
        objects = {field: column.to_numpy(zero_copy_only=False) for field, column in texts.items()}
        return pd.DataFrame(objects, dtype=object)

    def first_rows(self) -> np.ndarray:
        """Return for each row the first row with the same query and document."""
        query = self.qid.dictionary_encode().indices.to_numpy().astype(np.int64)
        docno = self.docno.dictionary_encode()
        pair = pd.Series(query * len(docno.dictionary) + docno.indices.to_numpy())
        code, _ = pd.factorize(pair)  # codes are in order of appearance
        return np.flatnonzero(~pair.duplicated())[code]

    def only(self, rows: np.ndarray) -> _Documents:
        chosen = pa.array(rows)
        values = {name: column[rows] for name, column in self.values.items()}
        return _Documents(self.qid.take(chosen), self.docno.take(chosen), values, self.lines[rows])


def _joined(parts: list[_Documents]) -> _Documents:
    values = {name: np.concatenate([part.values[name] for part in parts]) for name in parts[0].values}
    return _Documents(
        pa.concat_arrays([part.qid for part in parts]),
        pa.concat_arrays([part.docno for part in parts]),
        values,
        np.concatenate([part.lines for part in parts]),
    )


class _Kind(NamedTuple):
    """A file format: its fields, the values to read, and the treatment of repeated documents."""

    fields: tuple[str, ...]
    values: Callable[[Lines], dict[str, np.ndarray]]
    agree: str  # field that must have the same value if a document is repeated; "": it must not be
    again: str  # error message otherwise


def _read(path: str | Path, kind: _Kind) -> tuple[_Documents, list[str], str]:
    """Read a file block by block; return its distinct documents, notes, and a digest of the content.

    Repeated documents are removed whenever the number of rows has doubled, which bounds memory.
    """
    notes: list[str] = []
    digest = hashlib.sha256()
    parts: list[_Documents] = []
    n_distinct = 0
    for lines in split_lines(path, kind.fields, notes, digest.update):
        parts.append(_Documents(lines.text("qid"), lines.text("docno"), kind.values(lines), lines.numbers()))
        if sum(len(part.lines) for part in parts) > 2 * n_distinct:
            parts = [_distinct(_joined(parts), path, kind)]
            n_distinct = len(parts[0].lines)
    return _distinct(_joined(parts), path, kind), notes, digest.hexdigest()


def _distinct(table: _Documents, path: str | Path, kind: _Kind) -> _Documents:
    """Return `table` with every document once; raise an error for repetitions that are not allowed."""
    first = table.first_rows()
    again = first != np.arange(len(first))
    value = table.values[kind.agree] if kind.agree else table.lines
    for row in np.flatnonzero(value != value[first]).tolist():
        problem = f"line {table.lines[first[row]]} {kind.again}"
        raise line_error(path, kind.fields, int(table.lines[row]), kind.agree or "docno", problem)
    return table.only(np.flatnonzero(~again)) if again.any() else table


def read_trec(
    qrels: str | Path,
    runs: Sequence[str | Path],
    candidates: str = "all",
    unjudged: str = "zero",
    ties: str = "tie_mode",
    grade_cuts: Sequence[float] = (),
) -> Letor:
    """Read TREC runs and judgments as judged data with one feature per run.

    The value of a feature is the score of the document in that run, and missing if the run does not list it.

    Parameters
    ----------
    qrels : str or Path
        Relevance judgments. Only judged queries are read.
    runs : sequence of str or Path
        Run files; their names become the names of the features.
    candidates : {"all", "union", "judged"}, default "all"
        Documents of a query: those that some run lists ("union"), those that are judged, or both. With
        "all", neither the queries nor the ideal ranking of a query depends on which runs are read.
    unjudged : {"zero", "drop", "refuse"}, default "zero"
        Whether a candidate without a judgment has grade 0, is left out, or is an error.
    ties : {"tie_mode", "trec_eval"}, default "tie_mode"
        Documents with equal scores: tied, or ordered as by trec_eval, larger docno first. With "trec_eval",
        the feature is the rank counted from the bottom, and scores are equal if they are equal in single
        precision, as in trec_eval.
    grade_cuts : sequence of float, default ()
        Limits that map judgments to grades, see `read_qrels`.

    Returns
    -------
    Letor
        Judged documents. The scale of grades is that of all judgments, including those of documents that no
        run lists.

    Raises
    ------
    DataError
        If a file cannot be read, a parameter is none of the choices, or no judged query has a document.
    """
    _check("candidates", candidates, tuple(_CANDIDATES))
    _check("unjudged", unjudged, ("zero", "drop", "refuse"))
    _check("ties", ties, ("tie_mode", "trec_eval"))
    if isinstance(runs, str | Path) or not runs:
        raise DataError("runs must be a list of at least one run file")
    with guard(qrels):
        return _judged_runs(qrels, runs, candidates, unjudged, ties, tuple(grade_cuts))


def _judged_runs(
    qrels: str | Path,
    runs: Sequence[str | Path],
    candidates: str,
    unjudged: str,
    ties: str,
    grade_cuts: tuple[float, ...],
) -> Letor:
    judged = read_qrels(qrels, grade_cuts)
    loaded = [read_run(path) for path in runs]
    names = _names(runs)
    cells = _cells(judged, loaded)
    chosen = _CANDIDATES[candidates](cells)
    is_judged = _lookup(chosen, cells.judged, np.ones(len(cells.judged), bool), np.False_)
    if unjudged == "refuse" and not is_judged.all():
        raise _unjudged_document(qrels, cells, chosen[~is_judged])
    if unjudged == "drop":
        chosen = chosen[is_judged]
    if not len(chosen) or not len(cells.listed()):
        raise DataError(f"{qrels}: no judged query has a document to rank; do the runs use other query ids?")
    notes = [*judged.notes, *(note for run in loaded for note in run.notes)]
    notes += _query_notes(cells, chosen, loaded, names) + _unjudged_notes(is_judged, unjudged)
    notes += _unjudged_top_notes(cells, names) if unjudged == "zero" else []
    choices = (candidates, unjudged, ties, grade_cuts, names, judged.digest, [run.digest for run in loaded])
    letor = _letor(cells, chosen, names, ties)
    return replace(
        letor,
        source=f"{encodable(str(qrels))} with {counted(len(runs), 'run')}",
        digest=hashlib.sha256(repr(choices).encode()).hexdigest(),
        notes=tuple(notes),
        scale=len(grade_cuts) + 1 if grade_cuts else max(int(judged.rows.grade.max()) + 1, 2),
        unjudged=None if unjudged == "drop" or is_judged.all() else ~is_judged,
    )


def _unjudged_document(qrels: str | Path, cells: _Cells, missing: np.ndarray) -> DataError:
    query, docno = cells.query_ids[cells.query(missing[:1])[0]], cells.docnos[cells.doc(missing[:1])[0]]
    return DataError(
        f"{qrels}: no judgment of document '{docno}' of query '{query}', the first of "
        f"{counted(len(missing), 'document')} that a run lists without one; unjudged='zero' gives them grade "
        "0, unjudged='drop' leaves them out",
        parameter="unjudged",
    )


def _scores(lines: Lines) -> np.ndarray:
    scores, code = _numbers(lines.text("score"), _NUMBER)
    for row in np.flatnonzero(np.isnan(scores)[code])[:1].tolist():
        finite = "finite " if _NOT_FINITE.fullmatch(lines.text("score")[row].as_py()) else ""
        raise lines.error(row, "score", f"the score must be a {finite}number")
    for row in np.flatnonzero(np.isinf(scores)[code])[:1].tolist():
        raise lines.error(row, "score", "the score is too large")
    return scores[code]


def _grades(lines: Lines, top: int) -> np.ndarray:
    """Return the grades in the file, which may be negative."""
    grades, code = _numbers(lines.text("grade"), _GRADE)
    for row in np.flatnonzero(~(grades <= top)[code])[:1].tolist():
        raise lines.error(row, "grade", f"the grade must be a whole number, at most {top}")
    return grades[code].astype(np.int64)


def _ranks(lines: Lines) -> np.ndarray:
    """Return the ranks in the file, NaN if not a number; they are used for a note only."""
    ranks, code = _numbers(lines.text("rank"), _NUMBER)
    return ranks[code]


def _numbers(texts: pa.LargeStringArray, pattern: re.Pattern) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct texts as numbers, NaN if they do not match `pattern`, and the code of every row."""
    encoded = texts.dictionary_encode()
    found = [float(text) if pattern.fullmatch(text) else np.nan for text in encoded.dictionary.to_pylist()]
    return np.array(found), encoded.indices.to_numpy()


_RUN_FILE = _Kind(
    _RUN, lambda lines: {"score": _scores(lines), "rank": _ranks(lines)}, "", "has this document already"
)


def _qrels_file(top: int) -> _Kind:
    return _Kind(_QRELS, lambda lines: {"grade": _grades(lines, top)}, "grade", "has another grade")


# ---- from documents to columns ----


class _Cells(NamedTuple):
    """Judgments and scores by key, which is query number * number of docnos + docno number."""

    query_ids: pd.Index  # in order of the first judgment
    docnos: np.ndarray  # sorted
    judged: np.ndarray  # (n,) int64 keys, ascending
    grades: np.ndarray  # (n,) int8
    scores: list[tuple[np.ndarray, np.ndarray]]  # per run: ascending int64 keys, float64 scores

    def query(self, keys: np.ndarray) -> np.ndarray:
        return keys // len(self.docnos)

    def doc(self, keys: np.ndarray) -> np.ndarray:
        return keys % len(self.docnos)

    def listed(self) -> np.ndarray:
        """Return the keys of the documents that some run lists, ascending."""
        return np.sort(pd.unique(np.concatenate([key for key, _ in self.scores])))


_CANDIDATES: dict[str, Callable[[_Cells], np.ndarray]] = {
    "union": _Cells.listed,
    "judged": lambda cells: cells.judged,
    "all": lambda cells: np.union1d(cells.listed(), cells.judged),
}


def _cells(judged: Qrels, runs: list[Run]) -> _Cells:
    tables = [judged.rows, *(run.rows for run in runs)]
    query_ids = pd.Index(judged.rows.qid.unique(), dtype=object)
    doc, docnos = _sorted_codes(np.concatenate([rows.docno for rows in tables]))
    parts = np.split(doc, np.cumsum([len(rows) for rows in tables])[:-1])

    def keyed(rows: pd.DataFrame, doc: np.ndarray, value: str) -> tuple[np.ndarray, np.ndarray]:
        query = query_ids.get_indexer(rows.qid)
        key = query * np.int64(len(docnos)) + doc
        order = np.argsort(key)[np.count_nonzero(query < 0) :]  # without unjudged queries, whose keys are < 0
        return key[order], rows[value].to_numpy()[order]

    scores = [keyed(run.rows, part, "score") for run, part in zip(runs, parts[1:])]
    return _Cells(query_ids, docnos, *keyed(judged.rows, parts[0], "grade"), scores)


def _sorted_codes(texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the code of each text, and the distinct texts in byte order."""
    code, distinct = pd.factorize(texts)
    order = pc.sort_indices(pa.array(distinct, pa.large_string())).to_numpy()
    sorted_code = np.empty(len(order), np.int64)
    sorted_code[order] = np.arange(len(order))
    return sorted_code[code], distinct[order]


def _letor(cells: _Cells, chosen: np.ndarray, names: tuple[str, ...], ties: str) -> Letor:
    sizes = np.bincount(cells.query(chosen))
    queries = np.flatnonzero(sizes)
    scores = [
        (k, _ranks_from_bottom(cells.query(k), s) if ties == "trec_eval" else s) for k, s in cells.scores
    ]
    return Letor(
        labels=_lookup(chosen, cells.judged, cells.grades, np.int8(0)),
        offsets=np.concatenate([[0], np.cumsum(sizes[queries])]).astype(np.int64),
        columns=tuple(narrowest(_lookup(chosen, key, score, np.float64(np.nan))) for key, score in scores),
        feature_names=names,
        query_ids=cells.query_ids.to_numpy()[queries],
        splits=np.full(len(queries), "", object),
        records=np.arange(len(chosen), dtype=np.int64),
        comments=pa.array("docid = " + cells.docnos, pa.large_string()).take(pa.array(cells.doc(chosen))),
        profile="trec",
    )


def _lookup(wanted: np.ndarray, keys: np.ndarray, values: np.ndarray, absent: np.generic) -> np.ndarray:
    """Return the value of each wanted key, or `absent`; `keys` are ascending."""
    at = np.searchsorted(keys, wanted)
    keys = np.append(keys, -1)  # for wanted keys beyond the last
    values = np.append(values, absent)
    return np.where(keys[at] == wanted, values[at], absent)


def _ranks_from_bottom(query: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return ranks 1, 2, ... from the worst document of each query; rows are sorted by query, then docno.

    Scores are compared in single precision, which trec_eval stores; those beyond its range are equal.
    """
    with np.errstate(over="ignore"):
        single = score.astype(np.float32)
    worst_first = np.lexsort((single, query))  # stable: of equal scores, the smaller docno is worse
    ranks = np.empty(len(score))
    ranks[worst_first] = np.arange(len(score)) - np.searchsorted(query, query) + 1
    return ranks


def _names(runs: Sequence[str | Path]) -> tuple[str, ...]:
    """Return a distinct name per run: the stem of the file; with its suffix, or a number, if not distinct."""
    packed = tuple(suffix for packing in PACKINGS.values() for suffix in packing.suffixes)
    files = [Path(encodable(str(run))) for run in runs]
    files = [file.with_suffix("") if file.suffix in packed else file for file in files]
    stems = Counter(file.stem for file in files)
    names: list[str] = []
    for file in files:
        plain = file.stem if stems[file.stem] == 1 else file.name
        spellings = itertools.chain([plain], (f"{plain}-{n}" for n in itertools.count(2)))
        names.append(next(name for name in spellings if name not in names))
    return tuple(names)


# ---- notes ----


def _query_notes(cells: _Cells, chosen: np.ndarray, runs: list[Run], names: tuple[str, ...]) -> list[str]:
    kept, notes = np.flatnonzero(np.bincount(cells.query(chosen))), []
    empty = len(cells.query_ids) - len(kept)
    if empty:
        notes.append(f"left out: {counted(empty, 'judged query')} without a document to rank")
    for name, run, (key, _) in zip(names, runs, cells.scores):
        unjudged = run.rows.qid[~run.rows.qid.isin(cells.query_ids)].nunique()
        if unjudged:
            notes.append(f"{name}: left out: {counted(unjudged, 'query')} without judgments")
        absent = len(kept) - np.count_nonzero(np.bincount(cells.query(key), minlength=kept[-1] + 1)[kept])
        if absent:
            of_all = f"{absent:,} of {counted(len(kept), 'query')}"
            notes.append(f"{name}: no documents for {of_all}; none is ranked")
    return notes


def _unjudged_notes(is_judged: np.ndarray, unjudged: str) -> list[str]:
    missing = np.count_nonzero(~is_judged)
    what = "left out" if unjudged == "drop" else "given grade 0"
    of_all = f"{missing:,} of {counted(len(is_judged), 'document')}"
    return [f"{of_all} without a judgment: {what}"] if missing else []


def _unjudged_top_notes(cells: _Cells, names: tuple[str, ...]) -> list[str]:
    """Return a note about unjudged documents in the first ranks, with the runs that have most of them."""
    found = []
    for name, (key, score) in zip(names, cells.scores):
        top = key[_ranks_from_top(cells.query(key), score) <= _TOP]
        missing = int(np.count_nonzero(~np.isin(top, cells.judged)))
        if missing:
            found.append((-missing / len(top), f"{name} {missing} of {len(top)}"))
    worst = [text for _, text in sorted(found)[:_NAMED]]
    more = [f"and {len(found) - _NAMED} runs more"] if len(found) > _NAMED else []
    return [f"without judgment at the first {_TOP} ranks: {', '.join(worst + more)}"] if found else []


def _ranks_from_top(query: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return ranks 1, 2, ... from the best document of each query, with ties broken as by trec_eval."""
    sizes = np.bincount(query)[query] if len(query) else query
    return sizes + 1 - _ranks_from_bottom(query, score)


def _rank_notes(path: str | Path, rows: pd.DataFrame, rank: np.ndarray) -> tuple[str, ...]:
    """Return a note if a document has a larger rank and a larger score than another of its query."""
    query, score = pd.factorize(rows.qid)[0], rows.score.to_numpy()
    order = np.lexsort((-score, rank, query))  # of equal ranks, the last has the smallest score
    query, rank, score = query[order], rank[order], score[order]
    wrong = (query[1:] == query[:-1]) & (rank[1:] > rank[:-1]) & (score[1:] > score[:-1])
    if not wrong.any():
        return ()
    share = f"{len(np.unique(query[1:][wrong])):,} of {counted(int(query[-1]) + 1, 'query')}"
    return (f"{encodable(str(path))}: ranks contradict scores in {share}; the scores count",)


def _check(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise DataError(f"{name} must be {' or '.join(map(repr, allowed))}, not '{value}'")
