"""Every kind of file that the package reads, with a function that writes a small file and one that reads it.

A reader returns values that are equal if and only if the content is equal. It returns `Recomputed` if a
damaged file is not an error, because its content can be computed again.
"""

import dataclasses
import json
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import naive
import numpy as np
import pandas as pd

import rankduel
from rankduel.base.errors import CacheNotice
from rankduel.base.stored import Kind as StoredKind
from rankduel.base.stored import write_json
from rankduel.clickmodels import load_model
from rankduel.experiments.judge.judgments import Comparison, new_judgments, read_judgments, read_text
from rankduel.experiments.judge.session import open_session, read_pool, start_session
from rankduel.experiments.matrix.checkpoint import Checkpoint
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.runs.folder import write_settings
from rankduel.experiments.runs.run_set import read_run_set
from rankduel.experiments.studies.data.ballots import (
    TopItems,
    n_lists,
    preferences_from_ballots,
    read_ballots,
)
from rankduel.experiments.studies.data.npz import read_npz
from rankduel.experiments.studies.published.human_log import log as human_log
from rankduel.experiments.studies.toml import read_study
from rankduel.experiments.studies.verdicts import read_records, write_records
from rankduel.letor_data import Letor, read_data, write_parquet
from rankduel.letor_data.rankers import model, run, scores
from rankduel.letor_data.selection import only_queries
from rankduel.letor_data.trec import read_trec
from support import own_study
from support.helpers import COMPRESS, PACK
from support.run_set_samples import made_up_study, ordered_preferences, write_run_set
from support.study_samples import record


class Recomputed(NamedTuple):
    """The notice about a damaged file that was not used."""

    notice: str


class Kind(NamedTuple):
    name: str
    write: Callable[[Path], Any]  # into an empty folder
    read: Callable[[Path], Any]  # from that folder
    damaged: str = "*"  # pattern of the files to damage
    unnoticed: bool = False  # a format without a checksum: damage may result in another valid file
    by_folder: bool = False  # readers are given the folder, and messages may name only that
    forge: Callable[[Path], None] | None = None  # write the checksum of the damaged content into the file


LINES = b"""\
2 qid:1 1:0.5 2:3 3:7 # first
0 qid:1 1:0.25 2:-1e-3
1 qid:1 3:2
4 qid:2 1:1 2:-7 # d4
0 qid:2 2:12.5 3:1e10
"""
SQUARE = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.9], [0.3, 0.1, 0.5]])
TREC = {
    "qrels.txt": "7 0 d3 2\n7 0 d1 0\n7 0 d9 1\n4 0 d1 1\n4 0 d2 0\n",
    "bm25.txt": "4 Q0 d2 1 2.5 bm25\n4 Q0 d1 2 2.5 bm25\n7 Q0 d1 1 0.1 bm25\n7 Q0 d5 2 -3e-1 bm25\n",
    "dense.txt": "7 Q0 d3 1 0.9 dense\n7 Q0 d5 2 0.8 dense\n7 Q0 d1 3 0.7 dense\n",
}
TREES = [(0.1, (2, 0.5, -1.0, (1, 0.25, 2.0, 3.5))), (0.1, (3, -0.125, 0.5, 0.0))]
LISTS = {
    "new.soi": """\
# FILE NAME: new.soi
# NUMBER VOTERS: 6
# ALTERNATIVE NAME 1: Ann
# ALTERNATIVE NAME 2: Bob
# ALTERNATIVE NAME 3: Cleo
3: 2,1
2: {1,3},2
1: 3,2,1
""",
    "before.soi": "3\n1,Ann\n2,Bob\n3,Cleo\n6,6,3\n3,2,1\n2,{1,3},2\n1,3,2,1\n",
    "sushi.order": "3 1\n0 3 2 1 0\n0 2 0 1\n0 3 1 0 2\n0 2 2 0\n",
}
PEOPLE = "q1 a b a\nq1 b c c\nq2 x y y\nq1 a c a\nq1 c a a\n"
BEST = "q1 Q0 a 1\nq1 Q0 c 1\nq2 Q0 y 1\n"
USER = 'p_click = [0.05, 0.5, 0.95]\np_stop = "0.2/0.5/0.9"\nstop = "click"\nattention = "reciprocal:1"\n'
ADDED = """\
id,left,right,winner,assessor
1,item 1,item 9,left,ann
2,item 2,item 9,tie,
3,item 3,"item 9",right,"bob ""b"" c"
4,,,,
"""
POOL = 'number,item\n1,"first, of all"\n2,second\n3,=1+1\n4,third\n'
START = {"rounds": np.zeros(1, np.int64), "sums": np.zeros((3, 2))}
SAVED = {"rounds": np.array([4]), "sums": np.arange(6.0).reshape(3, 2)}
ITEMS = [f"item {number}" for number in range(6)]
LEADER = "prefbest"


def exact(value):
    """Return a value that is equal for equal values, including NaN, in any order of names."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, pd.DataFrame):
        return tuple((name, exact(value[name].to_numpy())) for name in value)
    if isinstance(value, dict):
        return {key: exact(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(exact(entry) for entry in value)
    return repr(value)


def text_file(name, content, folder):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def of_matrix(preferences):
    return exact((preferences.names, preferences.pairs, dict(preferences.settings), preferences.by_query))


def write_matrix(name, folder):
    made = preferences_of(SQUARE, [*"abc"] if "prefs" in name else None)
    by_query = np.array(made.pairs["p"], np.float32)[:, None] + np.array([-0.125, 0.125], np.float32)
    rankduel.write_preferences(dataclasses.replace(made, by_query=by_query), folder / name)


def read_matrix(name, folder):
    return of_matrix(rankduel.read_preferences(folder / name))


def write_checkpoint(folder):
    checkpoint = Checkpoint(folder / "m.prefs.parquet")
    checkpoint.load(["a job"], START)
    checkpoint.save(SAVED)


def read_checkpoint(folder):
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always", CacheNotice)
        found = Checkpoint(folder / "m.prefs.parquet").load(["a job"], START)
    if issued and exact(found) == exact(START):
        return Recomputed(str(issued[0].message))
    return exact(found)


def write_runs(folder):
    run_set = made_up_study(policies=("rucb",), preferences=ordered_preferences(3), horizon=20, runs=2)
    write_run_set(run_set, folder / "runs")


def read_runs(folder):
    run_set = read_run_set(folder / "runs")
    return exact((run_set.settings, run_set.table)), of_matrix(run_set.preferences)


def read_written_study(folder):
    return exact(dataclasses.asdict(read_study(folder / "mine.toml")))


def write_checks(folder):
    about = {
        "study": "mine",
        "title": "Mine",
        "source": "a paper",
        "tier": "quick",
        "versions": {"rankduel": "0.1.0"},
    }
    write_records([record("holds", ""), record("skipped", "")], folder / "checks.json", about)


def read_checks(folder):
    return exact(read_records(folder / "checks.json"))


def read_lists(name, folder):
    path = folder / name
    return of_matrix(preferences_from_ballots(read_ballots(path), TopItems(3, n_lists), str(path)))


def write_people(folder):
    text_file("judgments.txt", PEOPLE, folder)
    text_file("Set-I.qrels", BEST, folder)


def read_people(folder):
    human_log.RUN, human_log.FINAL = 3, 1  # small, because the real log has 11,681 lines and is slow to read
    log = human_log.read_log(folder / "judgments.txt")
    best = human_log.read_qrels(folder / "Set-I.qrels")
    return exact(log), {question: sorted(items) for question, items in best.items()}


def write_npz(folder):
    np.savez_compressed(folder / "m.npz", prefs=SQUARE, best=np.array([1.0]))


def read_user(folder):
    return exact(tuple(load_model(folder / "user.toml")))


def write_policy(folder):
    stepper = rankduel.start(LEADER, n_arms=4, seed=1)
    for _ in range(5):
        first, second = stepper.select()
        stepper.update(first < second)
    stepper.save(folder / "policy.json")


def read_policy(folder):
    stepper = rankduel.restore(folder / "policy.json")
    return str(stepper.configured), stepper.n_steps, stepper.select(), stepper.answers()


def write_session(folder):
    session = start_session(folder / "session", ITEMS, LEADER, seed=3)
    for pair in session.next_pairs()[:2]:
        session.add([{"id": str(pair.id), "winner": "left", "assessor": "ann"}])


def read_session(folder):
    session = open_session(folder / "session")
    return session.items, session.policy, session.budget, session.progress(), session.next_pairs()


def read_added(folder):
    path = folder / "judged.csv"
    pairs = {number: Comparison(number, f"item {number}", "item 9") for number in range(1, 5)}
    return new_judgments(read_judgments(read_text(path), str(path)), pairs, {}, str(path))


def read_items(folder):
    return read_pool(read_text(folder / "pool.csv"), str(folder / "pool.csv"))


def forge_checked_json(path):
    content = json.loads(path.read_bytes())
    content.pop("digest", None)
    write_json(path, StoredKind("", ""), content)


def forge_settings(path):
    content = json.loads(path.read_bytes())
    for key in ("digest", "format"):
        content.pop(key, None)
    write_settings(path.parent, content)


def of_letor(letor):
    """Return all fields of a Letor except those that depend on the bytes of the file."""
    left_out = ("digest", "notes", "source", "file")
    fields = [field.name for field in dataclasses.fields(Letor) if field.name not in left_out]
    values = [getattr(letor, name) for name in fields]
    return exact([value.to_pylist() if hasattr(value, "to_pylist") else value for value in values])


def read_letor(name, folder):
    return of_letor(read_data(folder / name, cache=False, jobs=1))


def write_letor_parquet(folder):
    text_file("data.txt", LINES, folder)
    write_parquet(read_data(folder / "data.txt", cache=False), folder / "data.parquet")
    (folder / "data.txt").unlink()


def write_cache(folder):
    text_file("data.txt", LINES, folder)
    read_cached(folder)


def read_cached(folder):
    return of_letor(read_data(folder / "data.txt", cache=folder / "cache", jobs=1))


def write_counted(folder):
    text_file("train.txt", LINES.replace(b"qid:1 ", b"").replace(b"qid:2 ", b""), folder)
    text_file("train.txt.query", "3\n2\n", folder)


def read_counted(folder):
    return of_letor(read_data(folder / "train.txt", cache=False, jobs=1, profile="lightgbm"))


def read_scores(folder):
    letor = Letor.from_pandas(pd.DataFrame({"qid": [*"aaabb"], "label": 0, "f": 0.0}))
    return exact(scores(folder / "scores.txt").score(letor))


def _judged_documents():
    """Return two queries with three features and document ids."""
    rng = np.random.default_rng(2)
    columns = {str(number): rng.normal(size=40) for number in (1, 2, 3)}
    ids = [f"d{number % 20}" for number in range(40)]
    frame = pd.DataFrame({"qid": np.repeat(["7", "4"], 20), "label": 0, "comment": ids, **columns})
    return Letor.from_pandas(frame)


def read_run_ranker(folder):
    return exact(run(folder / "run.txt").score(_judged_documents()))


def read_query_ids(folder):
    return tuple(only_queries(_judged_documents(), str(folder / "queries.txt")).query_ids)


def read_ensemble(folder):
    return exact(model("ranklib", folder / "model.txt").score(_judged_documents()))


def write_trec(folder):
    for name, content in TREC.items():
        text_file(name, content, folder)


def read_trec_files(folder):
    return of_letor(read_trec(folder / "qrels.txt", [folder / "bm25.txt", folder / "dense.txt"]))


def _text(name, file, content, read):
    return Kind(name, partial(text_file, file, content), read, unnoticed=True)


def _matrix(file, unnoticed):
    return Kind(
        f"matrix {file}", partial(write_matrix, file), partial(read_matrix, file), unnoticed=unnoticed
    )


def _lists(name, file):
    return _text(f"ranked lists, {name}", file, LISTS[file], partial(read_lists, file))


def _forged(kind, forge):
    """Return the kind with valid checksums of the damaged content, as in a file that was edited on purpose.

    A message may name another file of the folder that no longer matches it.
    """
    return kind._replace(name=f"{kind.name}, forged", forge=forge, unnoticed=True, by_folder=True)


def _packed(name, content):
    return Kind(name, partial(text_file, name, content), partial(read_letor, name))


_SETTINGS = Kind("_settings.json of a run set", write_runs, read_runs, "runs/_settings.json")
_POLICY = Kind("saved policy", write_policy, read_policy)
_SESSION = Kind("session.json", write_session, read_session, "session/session.json")
_KINDS = (
    _matrix("m.prefs.parquet", False),
    _matrix("m.npy", True),
    _matrix("m.txt", True),
    Kind("checkpoint of a matrix", write_checkpoint, read_checkpoint, ".m.prefs.parquet.partial/sums.values"),
    Kind("record of a run", write_runs, read_runs, "runs/rucb/*.parquet"),
    Kind("matrix of a run set", write_runs, read_runs, "runs/_matrix.prefs.parquet"),
    _SETTINGS,
    _forged(_SETTINGS, forge_settings),
    _text("study in TOML", "mine.toml", own_study.TOML, read_written_study),
    Kind("checks of a study", write_checks, read_checks, unnoticed=True),
    _lists("PrefLib", "new.soi"),
    _lists("PrefLib before 2022", "before.soi"),
    _lists("sushi", "sushi.order"),
    Kind("human judgments", write_people, read_people, unnoticed=True),
    Kind("public matrix .npz", write_npz, lambda folder: exact(read_npz(folder / "m.npz"))),
    _text("click model in TOML", "user.toml", USER, read_user),
    _POLICY,
    _forged(_POLICY, forge_checked_json),
    _SESSION,
    _forged(_SESSION, forge_checked_json),
    Kind("judgments of a session", write_session, read_session, "session/judgments/*.csv"),
    _text("judgments that people add", "judged.csv", ADDED, read_added),
    _text("pool of items", "pool.csv", POOL, read_items),
    _text("data.txt", "data.txt", LINES, partial(read_letor, "data.txt")),
    *(_packed(f"data.txt.{kind}", compress(LINES)) for kind, compress in COMPRESS.items()),
    *(_packed(f"data.{kind}", PACK[kind]([("data.txt", LINES)])) for kind in ("tar.gz", "zip")),
    Kind("data.parquet", write_letor_parquet, partial(read_letor, "data.parquet")),
    Kind("cache of data", write_cache, read_cached, "cache/*.arrow"),
    _text("scores", "scores.txt", "0.5\n-3e-1\n12\n7\n0.25\n", read_scores),
    _text("run as a ranker", "run.txt", TREC["bm25.txt"], read_run_ranker),
    _text("ids of queries", "queries.txt", "7\n4\n", read_query_ids),
    _text("RankLib ensemble", "model.txt", naive.ensemble_text(TREES), read_ensemble),
    Kind("counts of documents", write_counted, read_counted, "train.txt.query", unnoticed=True),
    Kind("TREC runs and qrels", write_trec, read_trec_files, unnoticed=True),
)
KINDS = {kind.name: kind for kind in _KINDS}
