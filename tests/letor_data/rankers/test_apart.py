"""Foreign models are scored in a process apart, which may crash, hang, or fill its memory."""

import multiprocessing
import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pytest

from rankduel.base.errors import DataError
from rankduel.letor_data import read_data
from rankduel.letor_data.cache import cache_files
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import apart, model, xgboost_json
from rankduel.letor_data.rankers.apart import Job, predicting
from rankduel.letor_data.text.writer import write_letor

ROWS = np.arange(8.0).reshape(4, 2)
# A library whose model is the code that 'predict' runs on 'rows'.
FAKE = """
import ctypes, os, signal, sys, time
import numpy as np
class Booster:
    def __init__(self, model_str):
        self.code = model_str
        if model_str.startswith("# while reading"):
            exec(model_str)
    def predict(self, rows, raw_score):
        names = {"rows": rows}
        exec(self.code, globals(), names)
        return names.get("scores")
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Return a function that scores ROWS with a library that does what `code` says."""
    (tmp_path / "lightgbm.py").write_text(FAKE)
    monkeypatch.syspath_prepend(tmp_path)

    def score(code, batches=1):
        with predicting(Job("lightgbm", textwrap.dedent(code).encode()), "m.txt") as predict:
            return [predict(ROWS + batch) for batch in range(batches)]

    return score


@pytest.fixture
def letor():
    rng = np.random.default_rng(3)
    columns = {str(number): rng.normal(size=60) for number in range(1, 5)}
    return Letor.from_pandas(pd.DataFrame({"qid": np.arange(60) // 10, "label": 0, **columns}))


@pytest.fixture
def trained(letor, tmp_path):
    """Write an XGBoost model; return its file and its scores."""
    xgboost = pytest.importorskip("xgboost")
    table = xgboost.DMatrix(letor.features, letor.columns[0])
    booster = xgboost.train({"max_depth": 3, "nthread": 1}, table, 3)
    booster.save_model(tmp_path / "model.json")
    return tmp_path / "model.json", booster.predict(table, output_margin=True)


def test_batches_are_scored_in_turn(fake):
    first, second = fake("scores = rows @ [1, 10]", batches=2)
    assert first.tolist() == [10, 32, 54, 76] and second.tolist() == [21, 43, 65, 87]


def test_what_a_library_prints_is_not_taken_for_scores(fake, capfd):
    (scores,) = fake("print('{}', flush=True); os.write(1, b'{}\\n'); scores = rows[:, 0]")
    assert scores.tolist() == [0, 2, 4, 6] and capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "os.kill(os.getpid(), signal.SIGSEGV)",
            r"ended with signal 11, SIGSEGV; the file is damaged or hos",
        ),
        ("ctypes.string_at(0)", "ended with signal 11, SIGSEGV"),
        ("# while reading\nos.kill(os.getpid(), signal.SIGSEGV)", "ended with signal 11"),
        (
            "sys.stderr.write('what:\\x1b[2J bad\\n\\n'); sys.stderr.flush(); os.abort()",
            r"SIGABRT \(what:\\x1b\[2J bad\)",
        ),
        ("sys.exit(7)", "ended with exit code 7"),
        ("os._exit(0)", "ended with exit code 0"),
        ("raise ValueError('one\\ntwo')", "m.txt: LightGBM cannot use it: one$"),
        ("raise ValueError('\\x1b[2J')", r"LightGBM cannot use it: \\x1b\[2J$"),
        ("raise ImportError('libgomp.so.1')", r"needs lightgbm, which cannot be imported \(libgomp.so.1\)"),
        ("scores = np.ones((4, 3))", r"expected one score a document, found \(4, 3\) for 4"),
        ("scores = 'text'", "LightGBM cannot use it: could not convert"),
        ("scores = np.zeros(1 << 31)", r"cannot use it: .*[Aa]llocate|cannot use it: MemoryError"),
        ("ctypes.CDLL(None).memset(ctypes.CDLL(None).malloc(1 << 31), 1, 1 << 31)", "signal 11, SIGSEGV"),
        ("open('/proc/self/fd/2', 'wb').write(bytes(2 << 20))", "LightGBM cannot use it: .*File too large"),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names of signals, and limits of memory")
def test_a_library_that_ends_badly_is_reported(fake, monkeypatch, code, told):
    monkeypatch.setattr(apart, "MEMORY", 1 << 30)
    with pytest.raises(DataError, match=told):
        fake(code)


@pytest.mark.parametrize(
    "code", ["while True: pass", "time.sleep(100)", "# while reading\nwhile True: pass", "signal.pause()"]
)
def test_an_endless_loop_is_ended(fake, monkeypatch, code):
    monkeypatch.setattr(apart, "SECONDS", 2)
    started = time.monotonic()
    with pytest.raises(DataError, match=r"m.txt: the model's library \(lightgbm\) took more than 2 s"):
        fake(code)
    assert time.monotonic() - started < 30


def test_a_library_that_ignores_signals_is_ended(fake, monkeypatch):
    monkeypatch.setattr(apart, "SECONDS", 1)
    with pytest.raises(DataError, match="took more than 1 s"):
        fake("signal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass")


def test_a_child_without_a_parent_ends_itself(fake, monkeypatch):
    monkeypatch.setattr(apart, "SECONDS", 1)
    monkeypatch.setattr(apart._Child, "_stop", lambda child: None)
    with pytest.raises(DataError, match="took more than 1 s"):
        fake("while True: pass")


def test_a_library_that_crashes_at_its_end_gives_no_scores(fake):
    with pytest.raises(DataError, match="ended with signal 6"):
        fake("import atexit; atexit.register(os.abort); scores = rows[:, 0]")


def test_a_child_that_is_not_needed_any_more_is_ended(fake, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        with predicting(Job("lightgbm", b"scores = [os.getpid()] * len(rows)"), "m.txt") as predict:
            pid = int(predict(ROWS)[0])
            os.kill(pid, 0)
            raise KeyboardInterrupt
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_environment_stays_here(fake, monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    (scores,) = fake("scores = ['SECRET' in os.environ, os.environ['OMP_NUM_THREADS'] == '1', 0, 0]")
    assert scores.tolist() == [0, 1, 0, 0]


def test_the_current_folder_is_no_place_for_modules(fake, monkeypatch, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "lightgbm.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert fake("scores = rows[:, 0]")[0].tolist() == [0, 2, 4, 6]


def hostile_models(text):
    """Yield XGBoost models that the library would follow out of its memory."""
    yield text.replace('"tree_info":[0,', '"tree_info":[99999999,', 1)
    yield text.replace('"left_children":[1,', '"left_children":[99999999,', 1)
    yield text.replace('"split_indices":[', '"split_indices":[99999999', 1)


def test_hostile_models_are_survived_without_the_checks(letor, trained, tmp_path, monkeypatch):
    """The process apart is a second line: here the library gets the files as they are."""
    path, _ = trained
    data = with_cache(letor, tmp_path)
    monkeypatch.setattr(
        xgboost_json, "checked_model", lambda content, where: xgboost_json.Checked(content, 4, 0)
    )
    for text in hostile_models(path.read_text()):
        assert text != path.read_text()
        (tmp_path / "hostile.json").write_text(text)
        with pytest.raises(
            DataError, match=r"hostile.json: (the model's library \(xgboost\) ended with signal|XGB)"
        ):
            model("xgboost", tmp_path / "hostile.json").score(data)
    assert [path for path in cache_files(data.cache) if path.suffix == ".npy"] == []


def with_cache(letor, folder):
    write_letor(letor, folder / "data.txt")
    return read_data(folder / "data.txt")


def test_it_works_in_threads(letor, trained):
    path, expected = trained
    with ThreadPoolExecutor(3) as pool:
        for scores in pool.map(lambda _: model("xgboost", path).score(letor), range(3)):
            np.testing.assert_array_equal(scores, expected)


def _scores(path, letor):
    from rankduel.letor_data.rankers import model

    return model("xgboost", path).score(letor)


def test_it_works_in_workers_of_joblib(letor, trained):
    path, expected = trained
    for scores in joblib.Parallel(2)(joblib.delayed(_scores)(path, letor) for _ in range(2)):
        np.testing.assert_array_equal(scores, expected)


@pytest.mark.slow
def test_it_works_in_workers_of_dask(letor, trained):
    distributed = pytest.importorskip("distributed")
    path, expected = trained
    with distributed.LocalCluster(2, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            for scores in client.gather([client.submit(_scores, path, letor, pure=False) for _ in range(2)]):
                np.testing.assert_array_equal(scores, expected)


SCRIPT = """
import multiprocessing, sys
import numpy as np
import rankduel

def scores(path, queue):
    data = rankduel.synthetic_data("small", queries=2).only_features(["1", "2", "3", "4"])
    queue.put(rankduel.rankers.model("xgboost", path).score(data).tobytes())

print("once")
context = multiprocessing.get_context(sys.argv[2])
queue = context.SimpleQueue()
child = context.Process(target=scores, args=(sys.argv[1], queue), daemon=True)  # as workers of a cluster are
child.start()
here = context.SimpleQueue()
scores(sys.argv[1], here)
print(here.get() == queue.get())
"""


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
def test_it_works_from_a_script_without_a_guard_and_in_daemons(trained, tmp_path):
    path, _ = trained
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py", str(path), "fork"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["once", "True"], done.stderr
