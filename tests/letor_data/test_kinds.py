"""Files are recognised by their first line, also in archives."""

import gzip
import zipfile

import pytest

from rankduel.letor_data.kinds import kind_of

JUDGED, RUN, QRELS = "judged data", "a TREC run", "TREC judgments"
LINES = {
    "2 qid:10 1:0.5 2:1 # docid = x\n": JUDGED,
    "  -1.0 qid:a 1:3\n": JUDGED,
    "301 Q0 FT911-3 1 12.5 bm25\n": RUN,
    "301 0 FT911-3 1\n": QRELS,
    "301 0 d12 -2\n": QRELS,
    "0.5 0.25 0.75 0.5\n": "",
    "0.5 0.6\n0.4 0.5\n": "",
    "1 2 3 4\n": "",
    "": "",
    "hello\n": "",
}


def about(path):
    kind = kind_of(path)
    return "" if kind is None else kind.about


@pytest.mark.parametrize(("text", "kind"), LINES.items(), ids=[repr(text) for text in LINES])
def test_by_the_first_line(tmp_path, text, kind):
    (tmp_path / "x.txt").write_text(text)
    assert about(tmp_path / "x.txt") == kind
    (tmp_path / "x.gz").write_bytes(gzip.compress(text.encode()))
    assert about(tmp_path / "x.gz") == kind


def test_a_long_word_takes_no_time(tmp_path):
    """Matching a word of this length against all patterns would take hours."""
    (tmp_path / "x.txt").write_text(f"0.5 0.6 7{'x' * 10**6}9\n")
    assert about(tmp_path / "x.txt") == ""


def test_folders_and_archives(tmp_path):
    (tmp_path / "folder").mkdir()
    assert about(tmp_path / "folder") == about(tmp_path / "absent") == ""
    (tmp_path / "folder" / "train.txt").write_text("2 qid:10 1:0.5\n")
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.write(tmp_path / "folder" / "train.txt", "train.txt")
    assert about(tmp_path / "folder") == about(tmp_path / "x.zip") == JUDGED
