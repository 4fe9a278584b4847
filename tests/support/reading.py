"""Comparison of data that were read with the results of `naive.read_letor`."""

import numpy as np

from rankduel.letor_data.packed import archive
from rankduel.letor_data.text import chunks
from rankduel.letor_data.text import parse as text_parse
from rankduel.letor_data.text.parse import ReadOptions, parse_text


def cut_into(monkeypatch, block, piece):
    """Read files in pieces of `piece` bytes and parse them in blocks of about `block` bytes from then on."""

    def read_pieces(sources, progress=None, notes=None):
        for source, pieces in archive.read_pieces(sources, progress, notes):
            yield source, recut(pieces)

    def recut(pieces):
        for data in pieces:
            yield from (data[i : i + piece] for i in range(0, len(data), piece))

    monkeypatch.setattr(chunks, "BLOCK", block)
    monkeypatch.setattr(text_parse, "read_pieces", read_pieces)


def parse(path, jobs=1, **options):
    """Return the data of one file or several, without a cache."""
    paths = path if isinstance(path, list) else [path]
    return parse_text(paths, ReadOptions(**options), jobs)


def documents(letor):
    """Return [(label, query id, {feature number: value unless 0}, comment)]; a missing value is None."""
    query = np.repeat(np.arange(letor.n_queries), letor.docs_per_query)
    comments = [""] * letor.n_docs if letor.comments is None else letor.comments.to_pylist()
    rows = [{} for _ in range(letor.n_docs)]
    for name, column in zip(letor.feature_names, letor.columns):
        for doc in np.flatnonzero((column != 0) | np.signbit(column)):
            value = float(column[doc])
            rows[doc][int(name)] = None if np.isnan(value) else value
    ids = [letor.query_ids[q] for q in query]
    return [(int(label), *rest) for label, *rest in zip(letor.labels, ids, rows, comments)]


def gathered(lines):
    """Return the result of `naive.read_letor` in the form of `documents`: query by query, without zeros."""
    order = {query: place for place, query in reversed(list(enumerate(line[1] for line in lines)))}
    found = []
    for label, query, row, comment, _ in sorted(lines, key=lambda line: order[line[1]]):
        values = {k: None if v != v else v for k, v in sorted(row.items()) if v != 0 or np.signbit(v)}
        found.append((label, query, values, comment or ""))
    return found


def assert_same(letor, lines):
    """Assert that `letor` equals the naive reader's documents bit by bit; -0.0 differs from 0.0."""
    found, expected = documents(letor), gathered(lines)
    assert [repr(document) for document in found] == [repr(document) for document in expected]
    assert (letor.comments is None) == all(line[3] is None for line in lines)
    by_record = sorted(zip(letor.records.tolist(), found), key=lambda pair: pair[0])
    assert [record for record, _ in by_record] == [line[4] for line in lines]
    indices = [int(name) for name in letor.feature_names]
    assert indices == list(range(indices[0], indices[0] + len(indices))) if indices else True
    assert max((index for line in lines for index in line[2]), default=0) <= (indices[-1] if indices else 0)
