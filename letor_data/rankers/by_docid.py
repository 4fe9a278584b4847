"""Rankers by document ids: TREC runs, and other tables of query, document and score.

The id of a judged document is the text after 'docid =' in its comment, as in LETOR 4.0, or the whole comment;
TREC judgments contain ids. Documents of the data without a score rank last, tied.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from rankduel.base.errors import DataError, encodable
from rankduel.letor_data.letor import Letor, few
from rankduel.letor_data.rankers.contract import Ranker, named_text
from rankduel.letor_data.trec import read_run


def run(path: str | Path, name: str | None = None) -> Ranker:
    """Rank by the scores of a TREC run.

    Parameters
    ----------
    path : str or Path
        Run with lines ``qid Q0 docno rank score tag``; the order is by score.
    name : str, optional
        Name of the ranker. By default, the file name without its suffix.

    Returns
    -------
    Ranker
        Documents that the run does not contain rank last, tied.

    Raises
    ------
    DataError
        If the file cannot be read. When data are ranked: if no document of the data has a score.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> _ = Path("bm25.run").write_text("q1 Q0 d2 1 7.5 bm25\\nq1 Q0 d1 2 3.25 bm25\\n")
    >>> frame = pd.DataFrame({"qid": ["q1"] * 3, "label": [0, 1, 2], "comment": ["d1", "d2", "d3"]})
    >>> data = rankduel.Letor.from_pandas(frame)
    >>> rankduel.rankers.run("bm25.run").score(data)
    array([3.25, 7.5 , -inf])
    """
    shown = encodable(str(path))
    usual = Path(shown).stem
    text = named_text(f"run:{shown}", name or usual, usual)
    return by_docid(read_run(path).rows, name or usual, text)


def by_docid(rows: pd.DataFrame, name: str, text: str = "") -> Ranker:
    """Rank by a table with columns qid and docno (text, each pair at most once) and score (finite)."""

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
            "the data have no document ids, by which these scores are given; expected '#docid = ID' at the "
            "end of every line, as in LETOR 4.0, or one score for every document"
        )
    return ids


def _no_match(documents: pd.DataFrame, rows: pd.DataFrame) -> DataError:
    """Return the error for scores that match no document of the data."""
    for column, what in (("qid", "query"), ("docno", "document")):
        mine = documents[column].unique().tolist()
        other = rows[column].unique().tolist()
        if not set(mine) & set(other):
            return DataError(
                f"no {what} of the data has a score: the data have {few(mine)} and the scores are for "
                f"{few(other)}"
            )
    return DataError("no document of the data has a score in its query; are the scores for other queries?")
