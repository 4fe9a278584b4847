"""TREC runs and judgments: worked examples, positions of invalid lines, agreement with a naive twin."""

import gzip
import tempfile
from pathlib import Path

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import DataError
from rankduel.letor_data import trec_lines
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.packed import archive
from rankduel.letor_data.trec import read_qrels, read_run, read_trec

QRELS = """\
7 0 d3 2
7 0 d1 0
7 0 d9 1
4 0 d1 1
4 0 d2 -2
5 0 d8 1
"""
BM25 = """\
4 Q0 d2 1 2.5 bm25
4 Q0 d1 2 2.5 bm25
7 Q0 d1 1 0.1 bm25
7 Q0 d5 2 -3e-1 bm25
99 Q0 d1 1 1 bm25
"""
DENSE = """\
7 Q0 d3 1 0.9 dense
7 Q0 d5 2 0.8 dense
7 Q0 d1 3 0.7 dense
"""
NAN = float("nan")


@pytest.fixture
def files(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def example(files):
    return files("qrels.txt", QRELS), [files("bm25.run", BM25), files("dense.run", DENSE)]


def contents(letor):
    """Return [(query, docno, grade, scores)] as `naive.trec_rows` does, with None for a missing score."""
    query = np.repeat(letor.query_ids, letor.docs_per_query)
    scores = [[None if np.isnan(x) else x for x in row] for row in letor.features.tolist()]
    return list(zip(query, letor.doc_ids, letor.labels.tolist(), scores))


def test_runs_become_features_of_the_judged_queries(example):
    letor = read_trec(*example, candidates="union")
    assert contents(letor) == [
        ("7", "d1", 0, [0.1, 0.7]),
        ("7", "d3", 2, [None, 0.9]),
        ("7", "d5", 0, [-0.3, 0.8]),
        ("4", "d1", 1, [2.5, None]),
        ("4", "d2", 0, [2.5, None]),
    ]
    assert letor.feature_names == ("bm25", "dense")
    assert letor.offsets.tolist() == [0, 3, 5]
    assert letor.labels.dtype == np.int8
    assert letor.profile == "trec"
    assert letor.comments.to_pylist()[0] == "docid = d1"


def test_notes_say_what_was_odd_and_how_often(example):
    qrels, _ = example
    assert read_trec(*example, candidates="union").notes == (
        f"{qrels}:5: first of 1 grade below 0, read as 0",
        "left out: 1 judged query without a document to rank",
        "bm25: left out: 1 query without judgments",
        "dense: no documents for 1 of 2 queries; none is ranked",
        "1 of 5 documents without a judgment: given grade 0",
        "without judgment at the first 10 ranks: dense 1 of 3, bm25 1 of 4",
    )


def test_the_runs_that_show_most_without_judgment_are_named(files):
    """Run r has r documents without a judgment at its first 10 ranks, and 5 more below them."""
    qrels = files("qrels.txt", "".join(f"1 0 d{n:02} 1\n" for n in range(10)))
    runs = []
    for r in range(8):
        docs = [
            *(f"x{n}" for n in range(r)),
            *(f"d{n:02}" for n in range(10 - r)),
            *(f"y{n}" for n in range(5)),
        ]
        lines = (f"1 Q0 {doc} 0 {-rank} t\n" for rank, doc in enumerate(docs))
        runs.append(files(f"run{r}", "".join(lines)))
    worst = ", ".join(f"run{r} {r} of 10" for r in (7, 6, 5, 4, 3))
    assert read_trec(qrels, runs).notes[-1] == (
        f"without judgment at the first 10 ranks: {worst}, and 2 runs more"
    )


def test_unjudged_documents_can_be_dropped(example):
    letor = read_trec(*example, candidates="union", unjudged="drop")
    assert letor.doc_ids.tolist() == ["d1", "d3", "d1", "d2"]
    assert letor.notes[-1] == "1 of 5 documents without a judgment: left out"


def test_judged_candidates_include_those_no_run_lists(example):
    letor = read_trec(*example, candidates="judged")
    assert letor.query_ids.tolist() == ["7", "4", "5"]
    assert contents(letor)[2] == ("7", "d9", 1, [None, None])
    assert contents(letor)[5] == ("5", "d8", 1, [None, None])


def test_all_candidates_are_listed_or_judged(example):
    letor = read_trec(*example)
    assert letor.query_ids.tolist() == ["7", "4", "5"]
    assert letor.doc_ids.tolist() == ["d1", "d3", "d5", "d9", "d1", "d2", "d8"]
    assert "dense: no documents for 2 of 3 queries; none is ranked" in letor.notes


def test_unjudged_documents_can_be_refused(example):
    with pytest.raises(DataError, match="no judgment of document 'd5' of query '7', the first of 1 document"):
        read_trec(*example, unjudged="refuse")
    assert read_trec(*example, candidates="judged", unjudged="refuse").n_docs == 6


def test_grade_cuts_turn_judgments_into_grades(example, files):
    qrels, runs = example
    letor = read_trec(qrels, runs, candidates="judged", grade_cuts=(1, 2))
    assert contents(letor) == contents(read_trec(qrels, runs, candidates="judged"))
    assert letor.n_grades == 3 and not any("below 0" in note for note in letor.notes)
    binary = read_trec(qrels, runs, grade_cuts=(2,))
    assert binary.labels.tolist() == [1 if grade == 2 else 0 for grade in read_trec(qrels, runs).labels]
    assert binary.n_grades == 2 and binary.digest != read_trec(qrels, runs).digest
    high = files("high", "7 0 d3 5000\n7 0 d1 -4\n")
    assert read_trec(high, runs, grade_cuts=(-1, 100)).labels.tolist() == [0, 2, 0]  # d1, d3, d5 unjudged
    with pytest.raises(DataError, match="at most 127"):
        read_trec(high, runs)
    with pytest.raises(DataError, match="grade_cuts must be different numbers"):
        read_trec(qrels, runs, grade_cuts=(2, 1))


def test_the_scale_is_that_of_all_judgments(files):
    runs = [files("r", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")]
    letor = read_trec(files("q", "1 0 a 1\n1 0 b 0\n1 0 c 3\n"), runs, candidates="union")
    assert letor.labels.max() == 1 and letor.n_grades == 4


def test_trec_eval_puts_the_larger_docno_first(example):
    """Query 4: d1 and d2 tie, so d2 is above d1. Query 7 by dense: d3, d5, d1."""
    letor = read_trec(*example, candidates="union", ties="trec_eval")
    assert contents(letor) == [
        ("7", "d1", 0, [2, 1]),
        ("7", "d3", 2, [None, 3]),
        ("7", "d5", 0, [1, 2]),
        ("4", "d1", 1, [1, None]),
        ("4", "d2", 0, [2, None]),
    ]


def test_docnos_compare_by_bytes_as_in_trec_eval(files):
    run = files("r", "1 Q0 d9 1 5 x\n1 Q0 d10 2 5 x\n1 Q0 é 3 5 x\n1 Q0 Z 4 5 x\n")
    letor = read_trec(files("q", "1 0 d9 1\n"), [run], ties="trec_eval")
    assert dict(zip(letor.doc_ids, letor.columns[0])) == {"Z": 1, "d10": 2, "d9": 3, "é": 4}


def test_scores_that_differ_beyond_single_precision_stay_apart(files):
    run = files("r", "1 Q0 a 1 0.1000000000000002 x\n1 Q0 b 2 0.1000000000000001 x\n")
    letor = read_trec(files("q", "1 0 a 1\n"), [run])
    assert letor.columns[0].tolist() == [0.1000000000000002, 0.1000000000000001]


@pytest.mark.parametrize("better, worse", [(0.5 + 1e-9, 0.5), (2.0**24 + 1, 2.0**24), (1e300, 1e299)])
def test_trec_eval_orders_by_scores_in_single_precision(files, better, worse):
    """Scores that are equal in single precision tie, so the larger docno is first; others do not."""
    assert np.float64(better) != np.float64(worse)
    qrels = files("q", "1 0 a 1\n1 0 b 0\n")
    tied = files("tied", f"1 Q0 a 1 {better!r} x\n1 Q0 b 2 {worse!r} x\n")
    apart = files("apart", "1 Q0 a 1 0.5000001 x\n1 Q0 b 2 0.5 x\n")
    letor = read_trec(qrels, [tied, apart], ties="trec_eval")
    assert [column.tolist() for column in letor.columns] == [[1, 2], [2, 1]]


def test_ranks_that_contradict_the_scores_are_noted_once(files):
    text = (
        "1 Q0 a 1 5 x\n1 Q0 b 2 6 x\n1 Q0 c 3 7 x\n2 Q0 a 1 6 x\n2 Q0 b 2 5 x\n3 Q0 a 0 1 x\n3 Q0 b 0 2 x\n"
    )
    path = files("r", text)
    assert read_run(path).notes == (f"{path}: ranks contradict scores in 1 of 3 queries; the scores count",)
    assert read_run(path).rows.score.tolist() == [5, 6, 7, 6, 5, 1, 2]


def test_names_are_file_stems_made_distinct(files):
    names = ["a/bm25.run", "dense.v2.txt", "input.x", "input.y", "b/input.y", "input.y-2"]
    runs = [files(name, "1 Q0 d 1 1 t\n") for name in names]
    runs.append(files("late.run.gz", gzip.compress(b"1 Q0 d 1 1 t\n", mtime=0)))
    letor = read_trec(files("q", "1 0 d 1\n"), runs)
    assert letor.feature_names == (
        "bm25", "dense.v2", "input.x", "input.y", "input.y-2", "input.y-2-2", "late",
    )  # fmt: skip


def test_digest_follows_content_and_choices(example, files):
    qrels, runs = example
    digests = {
        read_trec(qrels, runs).digest,
        read_trec(qrels, runs, ties="trec_eval").digest,
        read_trec(qrels, runs, unjudged="drop").digest,
        read_trec(qrels, runs[:1]).digest,
        read_trec(files("other.txt", QRELS + "4 0 d7 1\n"), runs).digest,
    }
    assert len(digests) == 5
    assert read_trec(qrels, runs).digest in digests


@pytest.mark.parametrize(
    "content",
    [
        b"1 Q0 a 1 5 x\n1 Q0 b 2 4 x\n",
        b"1 Q0 a 1 5 x\n1 Q0 b 2 4 x",
        b"1 Q0 a 1 5 x\r\n\r\n1 Q0 b 2 4 x\r\n",
        b"1 Q0 a 1 5 x\r\n1 Q0 b 2 4 x\r",
        b"1 Q0 a 1 5 x\r1 Q0 b 2 4 x\r",
        b"\xef\xbb\xbf1 Q0 a 1 5 x\n1 Q0 b 2 4 x\n",
        b"\n \t\n  1\tQ0  a 1 +5.0 x \t\n\n1 Q0 b two 4. x\n\n",
        b"1 Q0 a 1 .5e1 x\n1 Q0 b 2 400E-2 x\n",
        gzip.compress(b"1 Q0 a 1 5 x\n", mtime=0) + gzip.compress(b"1 Q0 b 2 4 x\n", mtime=0),
    ],
)
def test_harmless_variants_read_alike(files, content):
    rows = read_run(files("r", content)).rows
    assert rows.to_dict("list") == {"qid": ["1", "1"], "docno": ["a", "b"], "score": [5.0, 4.0]}


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        (
            "1 Q0 a 1 5 x\n1 Q0 b 2 4\n",
            "2:11",
            "5 fields where there should be 6: qid Q0 docno rank score tag\n",
        ),
        ("1 Q0 a 1 5 x\n\n1 Q0 b 2 4 x y z\n", "3:14", "8 fields where there should be 6: qid Q0 docno rank"),
        ("1 0 a 1\n", "1:8", "4 fields where there should be 6"),
        ("1 Q0 a 1 abc x\n", "1:10", "the score must be a number (abc)\n    1 Q0 a 1 abc x"),
        ("1 Q0 é 1 1.2.3 x\n", "1:11", "the score must be a number (1.2.3)"),
        ("1 Q0 a 1 1_0 x\n", "1:10", "the score must be a number (1_0)"),
        ("1 Q0 a 1 0x1p3 x\n", "1:10", "the score must be a number (0x1p3)"),
        ("1 Q0 a 1 ٣ x\n", "1:10", "the score must be a number (٣)"),
        ("1 Q0 a 1 . x\n", "1:10", "the score must be a number (.)"),
        ("1 Q0 a 1 5 x\r\n1 Q0 b 2 NaN x\r\n", "2:10", "the score must be a finite number (NaN)"),
        ("1 Q0 a 1 -inf x\n", "1:10", "the score must be a finite number (-inf)"),
        ("1 Q0 a 1 1e999 x\n", "1:10", "the score is too large (1e999)"),
        ("1 Q0 a 1 5 x\n2 Q0 a 1 5 x\n\n1 Q0 a 3 4 x\n", "4:6", "line 1 has this document already (a)"),
        ("1 Q0 a 1 5 x\r1 Q0 b 2 NaN x\r", "2:10", "the score must be a finite number (NaN)"),
        ("", "1:1", "no documents"),
        (" \n\t\n", "1:1", "no documents"),
        ("1 Q0 a 1 5 x\n1 Q0 \0b 2 4 x\n", "2:6", "a NUL byte; is this a text file? (\\x00)"),
        (b"1 Q0 a 1 5 x\n1 Q0 b\xe9 2 4 x\n", "2:7", "not UTF-8 (\\xe9)\n    1 Q0 b\\xe9 2 4 x"),
        ("1 Q0 a 1 5 x\n".encode("utf-16"), "1:1", "the file is UTF-16"),
    ],
)
def test_a_bad_run_line_is_shown(files, content, where, message):
    path = files("bad.run", content)
    with pytest.raises(LetorFormatError) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}:{where}: {message}")


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        ("1 0 a\n", "1:6", "3 fields where there should be 4: qid iteration docno grade\n    1 0 a"),
        ("1 0 a 1\n1 Q0 b 2 4 x\n", "2:10", "6 fields where there should be 4"),
        ("1 0 a x\n", "1:7", "the grade must be a whole number, at most 127 (x)"),
        ("1 0 a 1.5\n", "1:7", "the grade must be a whole number, at most 127 (1.5)"),
        ("1 0 a 1\n1 0 b 128\n", "2:7", "the grade must be a whole number, at most 127 (128)"),
        ("1 0 a 99999999999\n", "1:7", "the grade must be a whole number, at most 127 (99999999999)"),
        ("1 0 a 1\n2 0 a 2\n1 1 a 2\n", "3:7", "line 1 has another grade (2)\n    1 1 a 2"),
        ("1 0 a 2\r\n1 0 a 1\r\n", "2:7", "line 1 has another grade (1)\n    1 0 a 1"),
        ("1 0 a -1\n1 0 a 0\n", "2:7", "line 1 has another grade (0)"),
        ("\n", "1:1", "no documents"),
    ],
)
def test_a_bad_judgment_is_shown(files, content, where, message):
    path = files("bad.qrels", content)
    with pytest.raises(LetorFormatError) as caught:
        read_qrels(path)
    assert str(caught.value).startswith(f"{path}:{where}: {message}")


def test_grades_may_be_written_as_floats_and_repeat(files):
    rows = read_qrels(files("q", "1 0 a 2.0\n1 0 b +1\n1 7 a 2\n1 0 c 127\n1 0 d -1.0\n")).rows
    assert rows.to_dict("list") == {"qid": ["1"] * 4, "docno": list("abcd"), "grade": [2, 1, 127, 0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"candidates": "some"}, "candidates must be 'union' or 'judged' or 'all', not 'some'"),
        ({"unjudged": "skip"}, "unjudged must be 'zero' or 'drop' or 'refuse', not 'skip'"),
        ({"ties": "random"}, "ties must be 'tie_mode' or 'trec_eval', not 'random'"),
        ({"runs": []}, "runs must be a list of at least one run file"),
        ({"runs": "bm25.run"}, "runs must be a list of at least one run file"),
    ],
)
def test_a_bad_choice_is_refused(example, change, message):
    qrels, runs = example
    with pytest.raises(DataError, match=message):
        read_trec(qrels, **{"runs": runs, **change})


def test_runs_over_other_queries_are_refused(files):
    with pytest.raises(DataError, match="no judged query has a document to rank"):
        read_trec(files("q", "1 0 d 1\n"), [files("r", "01 Q0 d 1 1 t\n")])


docnos = st.sampled_from(["a", "B", "b", "é", "d-10", "d-9", "x/y"])
pairs = st.tuples(st.sampled_from(["1", "2", "q"]), docnos)
# In single precision, 0.1 equals the score after it, and 1e300 equals 1e200.
some_scores = st.sampled_from([-1.5, 0.0, 0.1, 0.1 + 1e-12, 2.0, 1e30, 1e200, 1e300])
runs_of_pairs = st.dictionaries(pairs, some_scores, min_size=1)


@given(
    st.dictionaries(pairs, st.integers(-2, 4), min_size=1),
    st.lists(runs_of_pairs, min_size=1, max_size=3),
    st.sampled_from(["union", "judged", "all"]),
    st.sampled_from(["zero", "drop"]),
    st.sampled_from(["tie_mode", "trec_eval"]),
)
def test_reading_agrees_with_the_naive_twin(judgments, runs, candidates, unjudged, ties):
    judged = [(*pair, grade) for pair, grade in judgments.items()]
    listed = [[(*pair, score) for pair, score in run.items()] for run in runs]
    expected = naive.trec_rows(judged, listed, candidates, unjudged, ties)
    with tempfile.TemporaryDirectory() as folder:
        qrels, paths = Path(folder, "q"), [Path(folder, f"r{n}") for n in range(len(runs))]
        qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in judged), encoding="utf-8")
        for path, rows in zip(paths, listed):
            path.write_text("".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in rows), encoding="utf-8")
        queries = {query for query, _ in judgments}
        if expected and any(query in queries for rows in listed for query, _, _ in rows):
            assert contents(read_trec(qrels, paths, candidates, unjudged, ties)) == expected
        else:
            with pytest.raises(DataError, match="no judged query"):
                read_trec(qrels, paths, candidates, unjudged, ties)


def test_files_longer_than_a_block_are_one(files, monkeypatch):
    """With blocks of 64 bytes, repetitions, errors and line numbers span several blocks."""
    lines = [f"{n // 10} Q0 d{n} {n % 10} {n % 7}.5 tag\n" for n in range(200)]
    path = files("r.gz", gzip.compress("".join(lines).encode()))
    expected = read_run(path)
    cut_into(monkeypatch, 64)
    found = read_run(path)
    assert found.rows.equals(expected.rows) and found[1:] == expected[1:] and len(found.notes) == 1
    with pytest.raises(LetorFormatError, match=r"r:151:6: line 4 has this document already \(d3\)"):
        read_run(files("r", "".join(lines[:150] + ["0 Q0 d3 1 1 x\n"] + lines[150:])))
    with pytest.raises(LetorFormatError, match=r"r:151:11: the score must be a number \(y\)"):
        read_run(files("r", "".join(lines[:150] + ["0 Q0 d3 1 y x\n"] + lines[150:])))


def cut_into(monkeypatch, size):
    """Read files in pieces and blocks of about this many bytes from then on."""

    def read_one(path, notes=None):
        for piece in archive.read_one(path, notes):
            yield from (piece[at : at + size] for at in range(0, len(piece), size))

    monkeypatch.setattr(trec_lines, "read_one", read_one)
    monkeypatch.setattr("rankduel.letor_data.text.chunks.BLOCK", size)


def test_judgments_that_come_again_count_once_however_far_apart(files, monkeypatch):
    cut_into(monkeypatch, 64)
    lines = [f"1 0 d{n % 50} {n % 50 % 3}\n" for n in range(1000)]
    assert read_qrels(files("q", "".join(lines))).rows.docno.tolist() == [f"d{n}" for n in range(50)]
    with pytest.raises(LetorFormatError, match=r"q:1001:9: line 5 has another grade \(2\)"):
        read_qrels(files("q", "".join([*lines, "1 0 d4  2\n"])))


def test_a_rank_of_thousands_of_digits_is_no_problem(files):
    run = files("r", f"1 Q0 a {'9' * 4000} 1 x\n1 Q0 b ----- 2 x\n")
    assert read_run(run).rows.score.tolist() == [1, 2]
    with pytest.raises(LetorFormatError, match="the score is too large"):
        read_run(files("r", f"1 Q0 a 1 {'9' * 4000} x\n"))


def test_runs_with_names_that_are_not_utf8(files):
    letor = read_trec(files("q\udcff", QRELS), [files("b\udcff.run", BM25)])
    assert letor.feature_names == ("b\\xff",)
    assert (letor.source + "".join(letor.notes)).encode()
