"""TREC runs and judgments, row by row."""

import ctypes


def trec_rows(judgments, runs, candidates, unjudged, ties):
    """Return [(qid, docno, grade, [score or None per run])]; a run is a list of (qid, docno, score)."""
    rows = []
    for query in dict.fromkeys(q for q, _, _ in judgments):
        grades = {docno: max(grade, 0) for q, docno, grade in judgments if q == query}
        lists = [{docno: score for q, docno, score in run if q == query} for run in runs]
        if ties == "trec_eval":
            lists = [trec_places(scores) for scores in lists]
        docnos = set(grades) if candidates in ("judged", "all") else set()
        docnos |= {docno for scores in lists for docno in scores} if candidates in ("union", "all") else set()
        for docno in sorted(docnos):
            if docno in grades or unjudged == "zero":
                rows.append((query, docno, grades.get(docno, 0), [scores.get(docno) for scores in lists]))
    return rows


def trec_places(scores):
    """Return the rank from the bottom of each document of one query, by score and then docno.

    trec_eval stores scores in single precision.
    """
    single = {docno: ctypes.c_float(score).value for docno, score in scores.items()}
    return {docno: place for place, docno in enumerate(sorted(single, key=lambda d: (single[d], d)), start=1)}
