"""Rankers by the ids of documents: TREC runs, and whatever else names a query, a document and its score.

Document ids of judged data are the 'docid = ...' of their comments, as LETOR 4.0 writes them, or whole
comments; TREC judgments have them by themselves. Documents of the data without a score rank last, tied.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from letor_data.letor import Letor, few
from letor_data.rankers.contract import Ranker, named_text
from letor_data.trec import read_run
from rankduel.base.errors import DataError, encodable


def run(path: str | Path, name: str | None = None) -> Ranker:
    """Rank by the scores of a TREC run file; documents that it does not list rank last, tied."""
    shown = encodable(str(path))
    usual = Path(shown).stem
    text = named_text(f"run:{shown}", name or usual, usual)
    return by_docid(read_run(path).rows, name or usual, text)


def by_docid(rows: pd.DataFrame, name: str, text: str = "") -> Ranker:
    """Rank by a table of qid, docno (both texts, a pair at most once) and score (finite)."""

    def score(letor: Letor) -> np.ndarray:
        documents = pd.DataFrame({"qid": _query_of(letor), "docno": _ids(letor)}, dtype=object)
        scores = documents.merge(rows, how="left", on=["qid", "docno"])["score"].to_numpy(np.float64)
        listed = ~np.isnan(scores)
        if not listed.any():
            raise _no_match(documents, rows)
        return np.where(listed, scores, -np.inf)

    return Ranker(name, score, text)


def _query_of(letor: Letor) -> np.ndarray:
    return np.repeat(letor.query_ids, letor.docs_per_query)


def _ids(letor: Letor) -> np.ndarray:
    ids = np.array([text.strip() for text in letor.doc_ids], object)
    if not (ids != "").any():
        raise DataError(
            "the data keep no ids of documents, by which scores of other tools are told; expected "
            "'#docid = ID' at the end of every line, as LETOR 4.0 has it, or one score for every document"
        )
    return ids


def _no_match(documents: pd.DataFrame, rows: pd.DataFrame) -> DataError:
    """Return the error for scores of which none is for a document of the data."""
    for column, what in (("qid", "query"), ("docno", "document")):
        mine = documents[column].unique().tolist()
        other = rows[column].unique().tolist()
        if not set(mine) & set(other):
            return DataError(
                f"no {what} of the data has a score: it is asked for {few(mine)} and there are scores for "
                f"{few(other)}"
            )
    return DataError("no document of the data has a score in its query; are the scores for other queries?")
