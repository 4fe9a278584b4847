"""Test that common mistakes at the command line have one message with advice, before any work."""

import shlex

import pytest
from support.helpers import words

from rankduel.cli.options import problem_name, run_set_name
from rankduel.experiments.matrix.preferences import (
    exact_ties,
    preferences_of,
    read_preferences,
    write_preferences,
)

QRELS = "7 0 d3 3\n7 0 d1 0\n7 0 d9 1\n4 0 d1 1\n4 0 d2 -2\n"
BM25 = "4 Q0 d2 1 2.5 b\n4 Q0 d1 2 2.5 b\n7 Q0 d1 1 0.1 b\n7 Q0 d5 2 -0.3 b\n"
NEURAL = "7 Q0 d3 1 0.9 n\n7 Q0 d5 2 0.8 n\n7 Q0 d1 3 0.7 n\n"
DATA = "".join(f"{i % 3} qid:{i // 5} 1:{i} 2:{-i} 3:{i % 5} 4:1\n" for i in range(20))
ELEVEN = "".join(f"{i % 11} qid:{i // 11} 1:{i} 2:{-i}\n" for i in range(22))


@pytest.fixture
def files(tmp_path):
    contents = {"q.txt": QRELS, "bm25.run": BM25, "neural.run": NEURAL, "x.txt": DATA, "eleven.txt": ELEVEN}
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    return tmp_path


LIVE = "is for live duels on judged data: add --live, or leave it out"
REFUSED = [
    # TREC runs
    (
        "data info bm25.run --qrels q.txt --profile mslr",
        "--profile is for files of features",
    ),
    (
        "data info bm25.run --qrels q.txt --nonfinite missing",
        "--nonfinite is for files of",
    ),
    ("data info bm25.run --qrels q.txt --label-round floor", "TREC runs have none: leave it out"),
    ("data info bm25.run --qrels q.txt --index-base 0", "--index-base"),
    ("data info bm25.run --qrels q.txt --merge-files", "--merge-files"),
    ("data info bm25.run --qrels q.txt --split-prefix", "--split-prefix"),
    ("data info bm25.run --qrels q.txt --max-features 5", "--max-features"),
    ("data info bm25.run --qrels q.txt --cache folder", "--cache"),
    ("data info bm25.run --qrels q.txt --unjudged refuse", "no judgment of document 'd5' of query '7'"),
    ("data info bm25.run --qrels q.txt --unjudged skip", "unjudged must be 'zero' or 'drop' or 'refuse'"),
    ("data info bm25.run --qrels q.txt --candidates some", "candidates must be 'union' or 'judged' or 'all'"),
    ("data info bm25.run --qrels q.txt --run-ties random", "ties must be 'tie_mode' or 'trec_eval'"),
    ("data info x.txt --candidates judged", "is for TREC runs; give their judgments with --qrels"),
    ("data info x.txt --run-ties trec_eval", "is for TREC runs"),
    ("data info bm25.run --profile trec", "profile 'trec' is for TREC runs"),
    # grades and users
    ("matrix bm25.run neural.run --qrels q.txt -o m.npy", "tables for 2, 3, 5 grades, not for 4"),
    ("matrix bm25.run neural.run --qrels q.txt -o m.npy", "navigational(grade_map=even)"),
    ("matrix bm25.run neural.run --qrels q.txt -o m.npy", "--grade-cuts"),
    ("matrix eleven.txt -o m.npy", "not for 11; ask for one of"),
    ("matrix eleven.txt -o m.npy", "--grade-cuts"),
    ("matrix x.txt -o m.npy --clicks 'custom(p_click=0/1,p_stop=0/0)'", "has 2 grades, but 3 are needed"),
    ("clickmodels perfect --grades 4", "a table of ours"),
    ("data info x.txt --grade-cuts ' , '", "--grade-cuts is ' , '; expected numbers such as '10,50'"),
    # options that would be ignored
    ("run arxiv6 -p rucb --clicks perfect", f"--clicks {LIVE}"),
    ("run arxiv6 -p rucb --measure page", f"--measure {LIVE}"),
    ("run arxiv6 -p rucb --multileave sosm", f"--multileave {LIVE}"),
    ("run arxiv6 -p rucb --matrix m.npy", f"--matrix {LIVE}"),
    ("run arxiv6 -p rucb -k 10", f"--length {LIVE}"),
    ("run arxiv6 -p rucb --qrels q.txt", f"--qrels {LIVE}"),
    ("run arxiv6 -p rucb --no-cache", f"--no-cache {LIVE}"),
    ("run arxiv6 -p rucb --scheduler tcp://x:1 --jobs 2", "--jobs is for this process"),
    ("run x.txt --live -p rucb --multileave sosm", "--multileave is for policies that compare sets"),
    ("matrix x.txt -o m.npy --decide 0.1 --alpha 0.1", "--alpha is for intervals of single pairs"),
    ("matrix x.txt -o m.npy --queries cycle", "--queries is for live runs and"),
    (
        "matrix x.txt -o m.npy --multileave sosm --interleave balanced",
        "--interleave is for pages of two rankers",
    ),
    (
        "matrix x.txt -o m.npy --multileave sosm --prior lerot",
        "--prior is for pages of two",
    ),
    ("matrix x.txt -o m.npy --impressions 5", "impressions counts pages that all rankers share"),
    ("winners arxiv6 --samples 5", "--samples is for subsets of the rankers: add --subsets"),
    ("winners arxiv6 --overlap-samples 5", "--overlap-samples is for subsets"),
    ("winners arxiv6 --samples 10", "--samples is for subsets"),
    ("winners arxiv6 --json --top 3", "--top is for the table, and --json has all rankers"),
    ("data info x.txt --json --top 3", "--top is for the table, and --json has all features"),
    ("data info x.txt --cache folder --no-cache", "--no-cache turns it off: leave one"),
    ("data convert x.txt -o y.parquet --sparse", "--sparse is for text"),
    ("data synth --folds -o y.parquet", "--folds writes a folder"),
    ("data synth --seed 1 --set seed=2", "--seed is given by --set seed=... too"),
    ("data synth --queries 3 --set queries=2", "--queries is given by --set queries=... too"),
    ("report absent --format svg", "--format is for charts as files: name their folder with --figures"),
    ("clickmodels --grades 3", "--grades is for one model: name it"),
    # files of another kind
    (
        "run x.txt -p rucb",
        "it looks like judged data: 'rankduel run x.txt --live --policy rucb' runs a policy on it",
    ),
    ("winners x.txt", "'rankduel matrix x.txt -o NAME.prefs.parquet' makes its matrix"),
    ("matrix show x.txt", "it looks like judged data"),
    ("run bm25.run -p rucb", "it looks like a TREC run: 'rankduel run RUN... --qrels QRELS --live"),
    ("winners q.txt", "it looks like TREC judgments"),
    ("run . -p rucb", "it looks like"),
    ("run x.txt eleven.txt -p rucb", "2 files are given; expected one matrix, or --live"),
    ("data convert x.txt -o y.docx", "y.docx: judged data are not written as '.docx'; choose a name such as"),
    ("data convert x.txt -o y.csv.gz", "judged data are not written as '.csv'"),
    ("data synth -o y.json", "judged data are not written as '.json'"),
    ("run arxiv6 -p 'opt_max(epsilon=1e-300)'", "epsilon is 1e-300; expected at least 1e-08"),
]


def all_files(folder):
    return {path for path in folder.rglob("*") if path.is_file() and ".rankduel" not in path.parts}


@pytest.mark.parametrize(
    ("typed", "message"), REFUSED, ids=[f"{typed} {message[:20]}" for typed, message in REFUSED]
)
def test_options_that_would_be_ignored_are_errors(rankduel, files, typed, message):
    before = all_files(files)
    code, out, err = rankduel(*shlex.split(typed))
    assert code == 2 and out == "" and err.startswith("error: ") and "has a bug" not in err
    assert message in words(err)
    made = all_files(files) - before
    assert {path.name for path in made} <= {"_settings.json", "_matrix.prefs.parquet"}


@pytest.mark.kernel
def test_options_of_trec_runs(rankduel, files):
    runs = ("bm25.run", "neural.run", "--qrels", "q.txt")
    code, out, err = rankduel("matrix", *runs, "--grade-cuts", "1,3", "-o", "a.prefs.parquet")
    assert code == 0 and "2 rankers, 2 queries: 1 pair in" in words(out)
    assert "note: 1 of 6 documents without a judgment: given grade 0" in words(err)
    assert "interleaved by team_draft, which is fair to users who ignore relevance" in words(err)
    made = read_preferences(files / "a.prefs.parquet").settings
    assert made["clicks"] == "navigational" and made["grades"] == 3 and made["interleave"] == "team_draft"
    for options, n_docs in (
        ((), 6),
        (("--unjudged", "drop"), 5),
        (("--candidates", "union"), 5),
        (("--candidates", "judged"), 5),
        (("--run-ties", "trec_eval"), 6),
    ):
        _, out, _ = rankduel("data", "info", *runs, *options, "--json")
        assert f'"documents": {n_docs}' in out
    even = ("--clicks", "navigational(grade_map=even)", "-o", "b.prefs.parquet")
    assert "navigational(grade_map=even) user" in words(rankduel("matrix", *runs, *even)[1])
    assert read_preferences(files / "b.prefs.parquet").settings["clicks"] == "navigational(grade_map=even)"


def test_default_folders_are_named_after_all_files_or_their_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_set_name(["arxiv6"], "", 1e6, 0) == "arxiv6-1e6"
    assert run_set_name(["a/bm25.run", "neural.run"], "live", 100, 3) == "bm25-neural-live-100-seed3"
    assert problem_name([f"runs/dl19/{i}.run" for i in range(12)]) == "dl19"
    assert problem_name([f"{i}.run" for i in range(12)]) == tmp_path.name
    assert problem_name([f"runs/{i}/bm25.run" for i in range(12)]) == "bm25-and-11-more"
    assert problem_name(["x" * 50, "y" * 50]) == tmp_path.name


DUEL = ("--interleave", "team_draft", "-k", "3", "--policy", "rucb", "--horizon", "50", "--runs", "1")


@pytest.mark.kernel
def test_the_error_for_other_rankers_names_the_file_and_the_option(rankduel, files):
    assert rankduel("run", "x.txt", "--live", "--rankers", "1,2", *DUEL)[0] == 0
    code, _, err = rankduel("run", "x.txt", "--live", "--rankers", "1,3", *DUEL)
    assert (
        code == 2
        and "results/x-live-50/_matrix.prefs.parquet: the matrix is for 2 rankers, 1, 2" in words(err)
    )
    assert "the data are ranked by 2, 1, 3. Choose another --name or --out" in words(err)
    code, _, err = rankduel("run", "x.txt", "--live", "--rankers", "1,2", "--clicks", "perfect", *DUEL)
    assert code == 2 and "clicks is navigational there and perfect now. Choose another --name" in words(err)
    assert rankduel("run", "x.txt", "--live", "--rankers", "1,3", *DUEL, "--name", "other")[0] == 0


@pytest.mark.kernel
@pytest.mark.parametrize("command", [("run", "--live"), ("compare",)])
def test_a_matrix_for_other_rankers_users_or_grades_is_an_error(rankduel, files, command):
    made = ("matrix", "x.txt", "--interleave", "team_draft", "-k", "3", "--rankers", "1,2")
    assert rankduel(*made, "-o", "m.prefs.parquet")[0] == 0
    name, *options = command

    def run_with_matrix(*more):
        code, _, err = rankduel(name, "x.txt", *options, *DUEL, "--matrix", "m.prefs.parquet", *more)
        return code, words(err)

    code, err = run_with_matrix("--rankers", "1,3")
    assert (
        code == 2
        and "m.prefs.parquet: the matrix is for 2 rankers, 1, 2, and the data are ranked by 2" in err
    )
    code, err = run_with_matrix("--rankers", "1,2", "--clicks", "perfect")
    assert code == 2 and "m.prefs.parquet was made for other duels: clicks is navigational there" in err
    code, err = run_with_matrix("--rankers", "1,2", "--grade-cuts", "1")
    assert code == 2 and "grades is 3 there and 2 now" in err
    assert run_with_matrix("--rankers", "1,2") == (0, "")


@pytest.mark.kernel
def test_an_exact_tie_is_reported_as_a_tie(rankduel, files):
    (files / "same.txt").write_text("".join(f"{i % 2} qid:1 1:{i} 2:{2 * i}\n" for i in range(4)))
    # The same order twice: a pair of identical pages.
    code, out, _ = rankduel("matrix", "same.txt", "--interleave", "team_draft", "-o", "t.prefs.parquet")
    assert code == 0 and "2 rankers, 1 query: 1 pair in" in words(out)
    assert "undecided (interval contains 1/2): 0 pairs; 1 pair with p = 1/2 exactly" in words(out)
    assert exact_ties(read_preferences(files / "t.prefs.parquet").pairs).tolist() == [True]
    assert "a tie with" in words(rankduel("winners", "t.prefs.parquet")[1])
    write_preferences(preferences_of([[0.5, 0.6], [0.4, 0.5]]), files / "u.prefs.parquet")
    assert not exact_ties(read_preferences(files / "u.prefs.parquet").pairs).any()
