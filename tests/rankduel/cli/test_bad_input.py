"""Test that every command exits with code 2 and one message for wrong input, before any work."""

import io
import shlex
import sys

import pytest
from support.helpers import words

DATA = "".join(
    f"{i % 3} qid:{i // 5} 1:{i} 2:{-i} 3:{i % 5}\n" for i in range(20)
)  # four queries, three features


@pytest.fixture
def files(tmp_path):
    """Write the files and folders that the cases below name."""
    (tmp_path / "x.txt").write_text(DATA)
    (tmp_path / "pool.txt").write_text("a\nb\nc\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x01" * 50)
    (tmp_path / "folder").mkdir()
    (tmp_path / "damaged" / "set").mkdir(parents=True)
    (tmp_path / "damaged" / "set" / "_settings.json").write_text("{")
    return tmp_path


def all_files(folder):
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".rankduel" not in path.parts
    }


BAD = [
    ("nonsense", "No such command 'nonsense'"),
    ("run arxiv6", "Missing option '--policy'"),
    ("run arxiv6 -p rucb --horizon soon", "'soon' is no number; expected one such as 100000"),
    ("run arxiv6 -p rucb --horizon nan", "'nan' is no number"),
    ("run arxiv6 -p rucb --horizon 1e400", "'1e400' is too large"),
    ("run arxiv6 -p rucb --horizon -5", "the horizon is -5.0"),
    ("run arxiv6 -p rucb --runs 1.5", "'--runs'"),
    ("run arxiv6 -p rucb --runs 0", "runs is 0; expected a whole number from 1"),
    ("run arxiv6 -p rucb --checkpoints -1", "checkpoints is -1"),
    ("run arxiv6 -p rucb --out x.txt", "x.txt/arxiv6-100000: could not be written: Not a directory"),
    ("run arxiv6 -p 'rucb(alpha=)'", "expected a value for 'alpha'"),
    ("run arxiv6 -p rucb --regret nonsense", "no notion of regret named 'nonsense'"),
    ("run folder -p rucb", "folder: cannot be read: Is a directory"),
    ("run binary -p rucb", "binary: not a matrix of numbers"),
    ("run x.txt --live -p rucb --grade-cuts nan", "--grade-cuts is 'nan'; expected numbers such as '10,50'"),
    ("run x.txt --live -p rucb --grade-cuts 1,x", "--grade-cuts is '1,x'; expected numbers"),
    ("run x.txt --live -p rucb --rankers a-b", "no feature 'a-b'"),
    ("run x.txt --live -p rucb -k -7", "a page must have at least 1 document, not -7"),
    ("run x.txt --live -p rucb --queries nonsense", "no choice of queries named 'nonsense'"),
    ("run arxiv6 -p rucb --seed -1", "the seed is -1"),
    ("run arxiv6 -p rucb --jobs 0", "jobs is 0"),
    ("run arxiv6 -p rucb --jobs 100000", "jobs is 100000"),
    ("run arxiv6 -p rucb --checkpoints 1000000000", "checkpoints is 1000000000"),
    ("run arxiv6 -p rucb --delay 1000000000000", "1000000000000"),
    ("run arxiv6 -p rucb --feedback-every 1000000000000", "1000000000000"),
    ("compare x.txt -p rucb --seed -1", "the seed is -1"),
    ("compare folder -p rucb --horizon x", "'x' is no number"),
    ("compare absent -p rucb", "absent: no such file or folder"),
    ("evaluate absent", "absent: no such file or folder"),
    ("evaluate absent -m ndgc@10", "no measure named 'ndgc'; did you mean 'ndcg'?"),
    ("evaluate x.txt -m ndcg@10 -m nDCG@10", "measure 'ndcg@10' is named twice"),
    ("evaluate x.txt -m 'map(rel=nan)'", "map: rel is 'nan'; expected a whole number"),
    (
        "evaluate x.txt -m 'err(top=1)'",
        "a document has grade 2, but the highest of the scale is 1; write err(top=2)",
    ),
    ("evaluate x.txt --rankers 9", "no feature '9'"),
    ("evaluate x.txt --test --rankers 1", "ndcg@10: 1 ranker; expected two or more to compare"),
    ("evaluate x.txt --test --seed -1", "the seed is -1"),
    ("evaluate x.txt --json --csv", "--json and --csv are both given"),
    ("evaluate x.txt --top 0", "'--top'"),
    ("multileave x.txt -m sosm --impressions inf", "'inf' is too large"),
    ("multileave x.txt -m nonsense", "no multileaving method named 'nonsense'"),
    ("matrix x.txt -o m.xyz", "m.xyz: the name must end in .prefs.parquet"),
    ("matrix x.txt -o m.npy --precision nan", "precision is nan"),
    ("matrix x.txt -o m.npy --multileave sosm --impressions nan", "'nan' is no number"),
    ("matrix x.txt -o m.npy --seed -1", "the seed is -1"),
    ("matrix x.txt -o m.npy --jobs 0", "jobs is 0"),
    ("matrix x.txt -o m.npy --duels 1000000000000000000000", "1000000000000000000000"),
    ("matrix x.txt -o m.npy --rankers 1-9999999999", "rankers '1-9999999999' are more than"),
    ("matrix show arxiv6 --rankers 99", "no ranker named '99'"),
    ("winners absent", "no matrix named 'absent'"),
    ("winners arxiv6 --top 0", "--top is 0; expected a whole number from 1"),
    ("winners arxiv6 --subsets --seed -1", "the seed is -1"),
    ("judge start pool.txt s --seed -1", "the seed is -1"),
    ("study run", "expected names of studies, or --all alone"),
    ("study show binary", "binary"),
    ("report absent", "absent"),
    ("report damaged -o out.html", "_settings.json"),
    ("judge start binary s", "binary: not UTF-8 text"),
    ("judge start pool.txt s -p nonsense", "no policy named 'nonsense'"),
    ("judge show absent", "absent"),
    ("data info binary", "binary:1:1: the file is UTF-16"),
    ("data convert x.txt -o x.txt", "x.txt: exists already"),
    ("data convert x.txt -o . --force", ".: could not be written: Is a directory"),
    ("data synth --queries -5", "queries"),
    ("data synth --set p_norel=nan", "p_norel"),
    ("clickmodels navigational --grades 0", "grades"),
    ("policies nonsense", "no policy named 'nonsense'"),
    ("interleavers more", "unexpected extra argument"),
    ("demo -o x.txt", "x.txt: File exists"),
]


@pytest.mark.parametrize(("typed", "message"), BAD, ids=[typed for typed, _ in BAD])
def test_wrong_input_is_one_message_and_changes_no_file(rankduel, files, typed, message):
    before = all_files(files)
    code, out, err = rankduel(*shlex.split(typed))
    assert code == 2 and out == ""
    assert "Traceback" not in err and "has a bug" not in err and err.count("rror") < 3
    assert message in words(err.replace("│", " "))
    assert all_files(files) == before


def test_a_closed_standard_input_is_an_error(rankduel, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    code, _, err = rankduel("judge", "start", "-", "s")
    assert code == 2 and err.startswith("error: ")
