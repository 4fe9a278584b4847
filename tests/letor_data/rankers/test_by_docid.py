"""Rankers by document ids."""

import numpy as np
import pytest

from rankduel.base.errors import DataError
from rankduel.letor_data import read_data
from rankduel.letor_data.rankers import parse, run, scores

LINES = """\
2 qid:7 1:0.5 2:3 #docid = A inc = 1
0 qid:7 1:0.5 2:1 #docid = B
1 qid:8 1:0.1 2:2 #docid = A
0 qid:8 1:0.4 2:2 #docid = C
"""
RUN = "8 Q0 C 1 9 t\n7 Q0 B 1 2.5 t\n7 Q0 X 2 2 t\n9 Q0 A 1 1 t\n7 Q0 A 3 -1 t\n"


@pytest.fixture
def letor(tmp_path):
    (tmp_path / "data.txt").write_text(LINES)
    return read_data(tmp_path / "data.txt", cache=False)


def test_documents_are_found_by_query_and_id_and_others_rank_last(letor, tmp_path):
    path = tmp_path / "bm25.trec"
    path.write_text(RUN)
    ranker = run(path)
    assert (ranker.name, ranker.text) == ("bm25", f"run:{path}")
    assert ranker.score(letor).tolist() == [-1, 2.5, -np.inf, 9]
    assert ranker.score(letor.take_queries([1])).tolist() == [-np.inf, 9]


def test_scores_in_the_columns_of_a_run(letor, tmp_path):
    path = tmp_path / "bm25.txt"
    path.write_text(RUN)
    ranker = scores(path)
    assert (ranker.name, ranker.text) == ("bm25", f"scores:{path}")
    assert ranker.score(letor).tolist() == run(path).score(letor).tolist()
    assert parse(f"scores:{path},name=x", letor).name == "x"


@pytest.mark.parametrize(
    ("lines", "listed", "told"),
    [
        (LINES.replace("#docid = ", "#"), RUN, None),  # the whole comment is the id
        (
            "".join(line.partition("#")[0] + "\n" for line in LINES.splitlines()),
            RUN,
            "have no document ids",
        ),
        (LINES, "1 Q0 A 1 1 t\n", "no query of the data has a score: the data have 7, 8 and the scores are"),
        (
            LINES,
            "7 Q0 Z 1 1 t\n",
            "no document of the data has a score: the data have A, B, C and the scores are",
        ),
        (LINES, "7 Q0 C 1 1 t\n", "no document of the data has a score in its query"),
    ],
)
def test_runs_that_do_not_fit(tmp_path, lines, listed, told):
    (tmp_path / "d.txt").write_text(lines.replace("A inc = 1", "A"))
    (tmp_path / "r.trec").write_text(listed)
    letor, ranker = read_data(tmp_path / "d.txt", cache=False), run(tmp_path / "r.trec")
    if told is None:
        assert ranker.score(letor).tolist() == [-1, 2.5, -np.inf, 9]
    else:
        with pytest.raises(DataError, match=told):
            ranker.score(letor)


def test_a_bad_line_is_named(tmp_path):
    (tmp_path / "r.trec").write_text("7 Q0 A 1 x t\n")
    with pytest.raises(DataError, match=r"r.trec:1:10: the score must be a number"):
        run(tmp_path / "r.trec")
