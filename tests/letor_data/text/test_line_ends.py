"""Files of lines hold the same whatever ends their lines: LF, CR LF, CR, or a mixture."""

import numpy as np
import pytest
from support.reading import cut_into, documents, parse

from rankduel.base.text import with_line_feeds
from rankduel.letor_data.rankers import score_files
from rankduel.letor_data.trec import read_qrels, read_run

ENDS = {"LF": ["\n"], "CR LF": ["\r\n"], "CR": ["\r"], "mixed": ["\r", "\n", "\r\n"]}
pytestmark = pytest.mark.kernel


@pytest.fixture(params=ENDS.values(), ids=list(ENDS))
def write(request, tmp_path):
    """Return a function that writes lines with these ends and returns the path."""

    def written(lines):
        ends = np.resize(request.param, len(lines))
        path = tmp_path / "lines.txt"
        path.write_bytes("".join(line + end for line, end in zip(lines, ends)).encode())
        return path

    return written


@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_judged_data(write, piece, monkeypatch):
    cut_into(monkeypatch, 50, piece)
    letor = parse(write([f"{n % 3} qid:{n // 5} 1:{n} # doc {n}" for n in range(20)]))
    assert letor.n_docs == 20
    assert documents(letor)[19] == (1, "3", {1: 19.0}, " doc 19")


def test_runs_judgments_and_scores(write):
    assert read_run(write([f"1 Q0 d{n} {n} {9 - n} x" for n in range(9)])).rows.score.tolist() == [
        *range(9, 0, -1)
    ]
    assert read_qrels(write([f"1 0 d{n} {n % 2}" for n in range(9)])).rows.grade.tolist() == [0, 1] * 4 + [0]
    assert score_files._read_scores(write(["1", "2.5", "-3"])).tolist() == [1, 2.5, -3]


@pytest.mark.parametrize("text", [b"", b"\r", b"\r\n", b"a\r\n\r\nb\r\rc\n\rd\r", b"\n\r\n\r\n\n\r\r"])
def test_pieces_of_any_size_have_the_same_lines(text):
    expected = b"".join(line + b"\n" for line in text.splitlines())
    for size in range(1, len(text) + 2):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        for also in (pieces, [part for piece in pieces for part in (piece, b"")]):
            assert b"".join(with_line_feeds(also)) == expected
