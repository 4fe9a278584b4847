"""Parser of judged data in text: LETOR, MSLR, Yahoo!, Istella, Yandex, svmlight and LightGBM.

The conventions of a collection are in its file of formats/, and the errors in a line in problems.py.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from rankduel.base.errors import DataError, encodable
from rankduel.base.threads import n_workers
from rankduel.letor_data.catalogue import profile_beside, profile_named, size_note
from rankduel.letor_data.contract import Profile
from rankduel.letor_data.letor import Letor, checked_cuts, repeated_documents
from rankduel.letor_data.packed.archive import Progress, Source, find_sources, read_pieces
from rankduel.letor_data.text import tokenizer as t
from rankduel.letor_data.text.chunks import Block, parse_block, parse_blocks
from rankduel.letor_data.text.columns import GrowingColumns, memory_cells
from rankduel.letor_data.text.problems import NOTES, PROBLEMS, Problem, position
from rankduel.letor_data.text.queries import RETURNING, CountedQueries, NamedQueries

_LINE = "a document is a line '<label> qid:<id> <feature>:<value> ... # comment'"
_CHOICES = {
    "nonfinite": ("refuse", "missing"),
    "unjudged": ("refuse", "drop", "zero"),
    "label_round": ("refuse", "nearest", "floor"),
}


class ReadOptions(NamedTuple):
    """Options of reading: every option that changes the data, for the key of the cache."""

    profile: str | None = None  # key of PROFILES; None: by the file name
    nonfinite: str = "refuse"  # nan and inf: "refuse" or "missing"
    unjudged: str = "refuse"  # label -1: "refuse", "drop" or "zero"
    label_round: str = "refuse"  # labels such as 1.5: "refuse", "nearest" or "floor"
    grade_cuts: tuple[float, ...] = ()  # the grade is the number of cuts that are at most the label
    index_base: int | None = None  # smallest feature number; None: that of the profile
    max_features: int = 100_000
    merge_files: bool = False  # a query id in two files is one query
    split_prefix: bool = False  # query ids become 'train/17'


def check_options(options: ReadOptions) -> None:
    for name, known in _CHOICES.items():
        if (value := getattr(options, name)) not in known:
            raise DataError(f"{name} must be one of {', '.join(known)}, not '{value}'")
    checked_cuts(options.grade_cuts)
    if not 1 <= options.max_features <= 10_000_000:
        raise DataError(f"max_features must be from 1 to 10,000,000, not {options.max_features}")
    if options.index_base not in (None, 0, 1):
        raise DataError(f"index_base must be 0 or 1, not {options.index_base}")


def parse_text(
    paths: list[str | Path], options: ReadOptions, jobs: int = -1, progress: Progress | None = None
) -> Letor:
    """Read files, folders or archive members as one data set, without a cache."""
    check_options(options)
    threads = n_workers(jobs)
    sources = [source for path in paths for source in find_sources(path)]
    chosen = options.profile
    profile = profile_beside(sources[0].name) if chosen is None else profile_named(chosen)
    rules = _rules(profile, options)
    table = _Table(profile, options)
    packing_notes: list[str] = []
    for source, pieces in read_pieces(sources, progress, packing_notes):
        table.start_file(source)
        problems = _problems(source, profile, rules)
        parse = partial(
            parse_block, rules=rules, problems=problems, max_cells=memory_cells(), name=source.name
        )
        for line, block in parse_blocks(pieces, source.name, parse, threads):
            table.add(line, block)
        table.end_file()
    letor = table.finish(encodable(", ".join(str(path) for path in paths)), rules.index_base)
    return replace(letor, notes=(*packing_notes, *letor.notes, *repeated_documents(letor)))


def _rules(profile: Profile, options: ReadOptions) -> t.Rules:
    base = profile.index_base if options.index_base is None else options.index_base
    return t.Rules(
        query_by={"qid": t.BY_QID, "comment": t.BY_COMMENT, "side file": t.BY_SIDE_FILE}[profile.query_id],
        index_base=base,
        max_index=base + options.max_features - 1,
        n_features=profile.n_features,
        top_grade=profile.top_grade,
        label_round={"refuse": t.REFUSE, "nearest": t.NEAREST, "floor": t.FLOOR}[options.label_round],
        unjudged={"refuse": t.REFUSE, "drop": t.DROP, "zero": t.ZERO}[options.unjudged],
        refusals=_refusals(profile, options),
        huge_is_missing=profile.huge_is_missing,
        grade_cuts=checked_cuts(options.grade_cuts),
    )


def _refusals(profile: Profile, options: ReadOptions) -> np.ndarray:
    """Return the error code of each outcome of reading a value; NO_ERROR if it is accepted."""
    refusals = np.full(6, t.NO_ERROR, np.int64)
    refusals[t.BAD] = t.BAD_VALUE
    if not profile.huge_is_missing:
        refusals[t.OVERFLOW] = t.VALUE_OVERFLOW
    if options.nonfinite == "refuse":
        refusals[t.NONFINITE] = t.VALUE_NONFINITE
    if not profile.null_is_missing:
        refusals[t.NULL] = t.VALUE_NULL
    return refusals


def _problems(source: Source, profile: Profile, rules: t.Rules) -> dict[int, Problem]:
    """Return PROBLEMS with the limits of this file and profile filled in."""
    facts = {
        "name": source.path.name,
        "profile": profile.name,
        "top_grade": profile.top_grade,
        "index_base": rules.index_base,
        "max_index": rules.max_index,
        "max_features": rules.max_index - rules.index_base + 1,
    }
    return {code: Problem(p.message.format(**facts), p.hint.format(**facts)) for code, p in PROBLEMS.items()}


class _Table:
    """Builder of a Letor from the blocks of all files."""

    def __init__(self, profile: Profile, options: ReadOptions) -> None:
        self._profile = profile
        self._scale = len(options.grade_cuts) + 1 if options.grade_cuts else 0
        self._queries: NamedQueries | CountedQueries = (
            CountedQueries(options.split_prefix)
            if profile.query_id == "side file"
            else NamedQueries(profile.query_id == "comment", options.merge_files, options.split_prefix)
        )
        self._columns = GrowingColumns(memory_cells())
        self._labels: list[np.ndarray] = []
        self._records: list[np.ndarray] = []
        self._comments: list[pa.Array] = []
        self._files: list[Source] = []
        self._n_records = 0
        self._notes: dict[str, list] = {}  # remark -> [number of occurrences, position of the first]

    def start_file(self, source: Source) -> None:
        self._files.append(source)
        self._rows_before, self._records_before = self._columns.n_rows, self._n_records
        self._queries.start_file(source)

    def add(self, line: int, block: Block) -> None:
        for kind, (count, offset) in block.notes.items():
            what = NOTES[kind].format(n_features=self._profile.n_features, profile=self._profile.name)
            self._note(what, count, block, offset, line)
        for offset in self._queries.add(block, line, self._columns.n_rows):
            self._note(RETURNING, 1, block, offset, line)
        self._columns.append(block.columns, len(block.labels), self._files[-1].name)
        self._labels.append(block.labels)
        self._records.append(block.records + self._n_records)
        none = pa.nulls(len(block.labels), pa.large_string())
        self._comments.append(none if block.comments is None else block.comments)
        self._n_records += block.n_records

    def _note(self, what: str, count: int, block: Block, offset: int, line: int) -> None:
        where = "{}:{}:{}".format(self._files[-1].name, *position(block.text, offset, line))
        self._notes.setdefault(what, [0, where])[0] += count

    def end_file(self) -> None:
        if self._columns.n_rows == self._rows_before:
            n_dropped = self._n_records - self._records_before
            why = (
                f"all {n_dropped:,} documents are unjudged, and dropped"
                if n_dropped
                else "no documents in it"
            )
            raise DataError(f"{self._files[-1].name}: {why}\n  {_LINE}")
        self._queries.end_file(self._n_records - self._records_before)

    def finish(self, source: str, index_base: int) -> Letor:
        n_rows = self._columns.n_rows
        code, ids = self._queries.finish(n_rows)
        declared = self._profile.n_features
        names, columns = self._columns.finish(index_base, declared if self._profile.sparse else 0, source)
        splits = np.array([file.split for file in self._files], object)[self._queries.file_of]
        comments = pa.concat_arrays(self._comments)
        letor = Letor(
            labels=np.concatenate(self._labels),
            offsets=np.concatenate([[0], np.cumsum(np.bincount(code, minlength=len(ids)))]).astype(np.int64),
            columns=columns,
            feature_names=names,
            query_ids=np.array(ids, object),
            splits=splits,
            records=np.concatenate(self._records),
            comments=None if comments.null_count == n_rows else comments.fill_null(""),
            profile=self._profile.name,
            source=source,
            notes=(*self._remarks(source, splits, n_rows), *self._narrow_note(source, len(names))),
            scale=self._scale,
        )
        return _gathered(letor, code)

    def _narrow_note(self, source: str, n_features: int) -> list[str]:
        declared, name = self._profile.n_features, self._profile.name
        if n_features >= declared:
            return []
        return [f"{source}: {n_features:,} of the {declared:,} features that profile '{name}' declares"]

    def _remarks(self, source: str, splits: np.ndarray, n_rows: int) -> tuple[str, ...]:
        notes = [f"{where}: {what} ({count:,} in all)" for what, (count, where) in self._notes.items()]
        size = size_note(source, set(splits), len(splits), n_rows)
        return tuple(notes if size is None else [*notes, size])


def _gathered(letor: Letor, code: np.ndarray) -> Letor:
    """Return `letor` with the rows of each query adjacent and without empty queries."""
    kept = np.flatnonzero(np.diff(letor.offsets))  # a query whose documents are all unjudged is empty
    if len(kept) == letor.n_queries and np.all(code[1:] >= code[:-1]):
        return letor
    return letor.rearranged(np.argsort(code, kind="stable"), np.unique(letor.offsets), kept)
