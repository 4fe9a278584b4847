"""Test what is compiled, what is stored on disk, and that no stale machine code ever runs."""

import ctypes
import logging
import os
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError, UnsupportedError

from rankduel.base import cache_folders, code_cache
from rankduel.base.compiling import Call, apart, compile_side_by_side, entry, kernel, prefetch, record

pytestmark = pytest.mark.kernel


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of compiled code, which is empty."""
    monkeypatch.setenv("RANKDUEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "code"


def stored(folder):
    return sorted(path.name.partition("-")[0] for path in folder.glob("*.machine"))


# Records


class Now(NamedTuple):
    clock: int = 3
    rate: float = 0.5
    idle: bool = False


def test_record_is_written_in_place_by_compiled_and_by_plain_code(folder):
    def step(records):
        now = records[0]
        now.clock += 1
        now.rate *= 3.0
        now.idle = True
        return now.clock, records[0].rate, now.idle

    plain, compiled = record(Now()), record(Now())
    assert step(plain) == kernel(step)(compiled) == (4, 1.5, True)
    assert plain.tolist() == compiled.tolist() == [(4, 1.5, True)]


@pytest.mark.parametrize("name", ["round", "size", "mean", "item", "data", "copy"])
def test_attributes_of_numpy_records_are_no_field_names(name):
    now = NamedTuple("now", [(name, int)])(0)
    with pytest.raises(ValueError, match=f"field '{name}' is an attribute of NumPy's records"):
        record(now)


def test_misspelt_field_is_named_with_the_kernel(folder):
    @kernel
    def misspelt(records):
        return records[0].clok

    with pytest.raises(TypingError, match="misspelt: a record has no field 'clok'"):
        misspelt(record(Now()))


# Kernels


@kernel
def doubled(x):
    return 2 * x


@kernel
def factorial(n):
    return n * factorial(n - 1) if n > 1 else n


@kernel
def even(n):
    return n == 0 or odd(n - 1)


@kernel
def odd(n):
    return n != 0 and even(n - 1)


def make_adder(step):
    @kernel
    def helper(x):
        return x + step

    @entry
    def add(x):
        return helper(helper(x))

    return add


def test_kernel_is_called_by_python_by_kernels_and_by_numba(folder):
    @entry
    def quadrupled(x):
        return doubled(doubled(x))

    @njit
    def by_numba(x):
        return doubled(x) + 1

    assert doubled(3) == 6 and quadrupled(3) == 12 and by_numba(3) == 7 and quadrupled(1.5) == 6.0
    assert doubled.py_func(3) == 6


def test_literal_numbers_share_one_compilation(folder):
    @kernel
    def plus(x, y):
        return x + y

    @entry
    def all_of_them(x):
        return plus(x, 1) + plus(2, x) + plus(3, 4)

    assert all_of_them(10) == 11 + 12 + 7
    assert len(plus.fragment.overloads) == 1


def test_kernel_may_call_itself(folder):
    assert factorial(5) == 120


def test_kernels_that_call_each_other_in_a_circle_are_refused(folder):
    with pytest.raises((UnsupportedError, TypingError)):
        even(3)


def test_kernels_that_differ_in_closures_are_distinguished(folder):
    one, ten = make_adder(1), make_adder(10)
    assert (one(0), ten(0), one(0)) == (2, 20, 2)
    again_ten, again_one = make_adder(10), make_adder(1)  # from disk, in another order
    assert (again_ten(0), again_one(0), make_adder(7)(0)) == (20, 2, 14)
    assert stored(folder) == ["add"] * 3


def make_drawing(factor):
    """Return a kernel and two functions that call it; new functions for each call, as in another process."""

    @apart
    def draw(n, rng):
        return factor * rng.binomial(n, 0.3)

    @entry
    def once(n, rng):
        return draw(n, rng)

    @entry
    def twice(n, rng):
        return draw(n, rng) + draw(n, rng)

    return draw, once, twice


@pytest.mark.compiling
def test_an_apart_kernel_is_stored_once_for_all_callers(folder):
    expected = np.random.default_rng(1).binomial(100, 0.3, 3)
    draw, once, _ = make_drawing(10)
    rng = np.random.default_rng(1)
    assert once(100, rng) == 10 * expected[0] and stored(folder) == ["draw", "once"]
    draw, _, twice = make_drawing(10)
    assert twice(100, rng) == 10 * expected[1:].sum() and stored(folder) == [
        "draw",
        "once",
        "twice",
    ]
    assert sum(draw.stats.cache_hits.values()) == 1 and not draw.stats.cache_misses
    assert make_drawing(7)[2](100, np.random.default_rng(1)) == 7 * expected[:2].sum()
    assert stored(folder) == ["draw", "draw", "once", "twice", "twice"]


@pytest.mark.compiling
def test_an_index_out_of_range_is_an_error_with_bounds_checked(folder):
    text = """
    import numpy as np
    from rankduel.base.compiling import kernel
    @kernel
    def third(values):
        return values[3]
    third(np.zeros(2))
    """
    ended = python(text, NUMBA_BOUNDSCHECK="1", RANKDUEL_CACHE=str(folder.parent))
    assert "IndexError" in ended.stderr and ended.returncode == 1
    assert python(text, NUMBA_BOUNDSCHECK="0", RANKDUEL_CACHE=str(folder.parent)).returncode == 0


def python(text, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


# The disk cache

ADDING = """
from enum import IntEnum
from typing import NamedTuple
import sys
import numpy as np
from rankduel.base.compiling import entry, kernel, record

class Mode(IntEnum):
    UP = 1
    DOWN = 2

class State(NamedTuple):
    left: np.ndarray
    right: np.ndarray

class Now(NamedTuple):
    clock: int = 5
    leader: int = 7

STEP = 100

@kernel
def deepest(x):
    \"\"\"Add a constant.\"\"\"
    return x + STEP

@kernel
def deeper(x):
    return deepest(x)

@kernel
def deep(state, now, mode):
    return deeper(state.left[0]) + (now.clock if mode == Mode.UP else 0)

@entry
def total(state, records, mode):
    return deep(state, records[0], mode)

@entry
def other(x):
    return x - 1

if __name__ == "__main__":
    values = dict(left=np.array([1]), right=np.array([2]))
    mode = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    print(total(State(**values), record(Now()), mode), other(1))
"""


@pytest.fixture
def adding(tmp_path):
    """Return a function that edits and runs the module above, and returns its output and what it compiles."""
    cache, file = tmp_path / "cache", tmp_path / "adding.py"

    def run(*edits, mode=1, name="adding.py"):
        text = ADDING
        for old, new in edits:
            assert text.count(old) >= 1
            text = text.replace(old, new)
        file.with_name(name).write_text(text)
        before = set(cache.glob("code/*.machine"))
        environment = {**os.environ, "RANKDUEL_CACHE": str(cache)}
        words = [sys.executable, str(file.with_name(name)), str(mode)]
        ended = subprocess.run(words, env=environment, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        new = {path.name.partition("-")[0] for path in set(cache.glob("code/*.machine")) - before}
        return [int(number) for number in ended.stdout.split()], sorted(new)

    return run


def test_stored_code_is_not_compiled_again(adding):
    assert adding() == ([106, 0], ["other", "total"])
    assert adding() == ([106, 0], [])


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        pytest.param(("STEP = 100", "STEP = 200"), 206, id="constant three calls deep"),
        pytest.param(
            ("return x + STEP", "return x * STEP"),
            105,
            id="operator three calls deep",
            marks=pytest.mark.compiling,
        ),
        pytest.param(
            ("    left: np.ndarray\n    right: np.ndarray", "    right: np.ndarray\n    left: np.ndarray"),
            106,
            id="fields of a state swapped",
            marks=pytest.mark.compiling,
        ),
        pytest.param(
            ("    clock: int = 5\n    leader: int = 7", "    leader: int = 7\n    clock: int = 5"),
            106,
            id="fields of a record swapped",
            marks=pytest.mark.compiling,
        ),
        pytest.param(
            ("UP = 1\n    DOWN = 2", "DOWN = 1\n    UP = 2"),
            101,
            id="enum renumbered",
            marks=pytest.mark.compiling,
        ),
    ],
)
def test_an_edit_recompiles_only_the_functions_that_reach_it(adding, edit, result):
    adding()
    assert adding(edit) == ([result, 0], ["total"])
    assert adding() == ([106, 0], [])


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(("Add a constant.", "Add something."), id="docstring"),
        pytest.param(("STEP = 100", "# a comment\n\n\nSTEP = 100"), id="comment and lines"),
    ],
)
def test_edits_of_comments_and_docstrings_compile_nothing(adding, edit):
    adding()
    assert adding(edit) == ([106, 0], [])


def test_a_damaged_file_is_compiled_again(adding, tmp_path):
    adding()
    for path in tmp_path.glob("cache/code/*.machine"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    assert adding() == ([106, 0], [])
    for path in tmp_path.glob("cache/code/*.machine"):
        path.write_bytes(path.read_bytes()[:50])
    assert adding()[0] == [106, 0]
    assert all(path.stat().st_size > 1000 for path in tmp_path.glob("cache/code/*.machine"))


class Planted:
    """Its pickle makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.skipif(sys.platform == "win32", reason="users have no numbers")
@pytest.mark.parametrize("mode", [0o600, 0o666])
def test_a_file_that_others_may_write_is_not_run_but_compiled_again(adding, tmp_path, mode):
    adding()
    files, marker = list(tmp_path.glob("cache/code/*.machine")), tmp_path / "planted code ran"
    for path in files:
        code_cache.write_code(path, [b"", b"", pickle.dumps(Planted(marker))])
        path.chmod(mode)
    assert adding()[0] == [106, 0]
    assert marker.exists() == (mode == 0o600)  # what the user alone can have written is trusted
    assert all(path.stat().st_mode & 0o777 == 0o600 and path.stat().st_size > 1000 for path in files)


def test_several_processes_may_compile_one_function_at_once(adding, tmp_path):
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda _: adding()[0], range(3)))
    assert results == [[106, 0]] * 3 and adding() == ([106, 0], [])
    assert sorted(path.suffix for path in tmp_path.glob("cache/code/*")) == [".machine"] * 2


def test_old_files_are_removed(folder, monkeypatch):
    make_adder(1)(0)
    [old] = folder.glob("*.machine")
    os.utime(old, (0, 0))
    make_adder(2)(0)
    assert not old.exists() and stored(folder) == ["add"]
    monkeypatch.setattr(code_cache, "_LARGEST", 1)
    make_adder(3)(0)
    assert stored(folder) == []


def test_a_function_that_reaches_an_unknown_value_is_not_stored(folder):
    of_c = ctypes.CDLL(None).labs
    of_c.argtypes, of_c.restype = [ctypes.c_long], ctypes.c_long

    @entry
    def size(x):
        return of_c(x)

    assert size(-3) == 3 and stored(folder) == []


# The folder


def test_without_a_writable_home_a_temporary_folder_is_used_with_a_warning(tmp_path):
    text = """
    import warnings
    import numpy as np
    from rankduel import bandits
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        bandits.play_matrix(bandits.policy("random_pair"), [[0.5, 0.6], [0.4, 0.5]], 10)
        bandits.start("random_pair", 3).select()
    print(len(notes), notes[0].message)
    import os
    from pathlib import Path
    made = [Path(os.environ["TMPDIR"], name) for name in os.listdir(os.environ["TMPDIR"])]
    print([bool(list(one.glob("*.machine"))) for one in made], oct(made[0].stat().st_mode & 0o777))
    """
    ended = python(text, HOME="/dev/null/home", XDG_CACHE_HOME="", RANKDUEL_CACHE="", TMPDIR=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(
        "1 /dev/null/home/.cache/rankduel/code: Not a directory; compiled code is stored in"
    )
    assert "[True] 0o700" in ended.stdout and list(tmp_path.iterdir()) == []


def test_the_folder_belongs_to_the_user_alone(folder):
    assert cache_folders.code_folder() == folder and folder.stat().st_mode & 0o777 == 0o700


# Compiling in several processes


def test_functions_are_compiled_in_parallel_and_logged(folder, caplog):
    adders = [make_adder(step) for step in range(4)]
    adders[0](0)
    calls = [Call(adder, (5,)) for adder in adders]
    with caplog.at_level(logging.INFO, "rankduel.compiling"):
        caplog.clear()
        compile_side_by_side(calls, processes=2)
    ended = [entry.getMessage() for entry in caplog.records]
    name = "test_compiling.add"
    assert ended == [f"compiling {name}, {n} of 3; once per installation" for n in (1, 2, 3)]
    assert stored(folder) == ["add"] * 4 and all(call.is_ready for call in calls)
    assert [call.function(*call.arguments) for call in calls] == [5, 7, 9, 11]


def test_an_error_of_a_compiling_process_is_raised_by_the_caller(folder):
    @entry
    def wrong(x):
        return x.no_such_thing

    @entry
    def right(x):
        return x

    compile_side_by_side([Call(wrong, (1,)), Call(right, (1,))], processes=2)
    assert right(1) == 1 and stored(folder) == ["right"]
    with pytest.raises(TypingError, match="no_such_thing"):
        wrong(1)


# Without the private parts of Numba

PLAYED = """
import sys
import numba.core.codegen, numba.core.untyped_passes
if sys.argv[1] != "nothing":
    where, _, name = sys.argv[1].rpartition(".")
    delattr(sys.modules[where], name)
from rankduel import bandits
from rankduel.base import compiling
trace = bandits.play_matrix(bandits.policy("rucb"), [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]], 500)
print(bool(compiling.MISSING), trace.duels[-1].tolist(), trace.recommended[-1])
"""


@pytest.mark.compiling
def test_the_ordinary_pipeline_gives_the_same_results(folder):
    ended = {
        taken: python(PLAYED, taken, RANKDUEL_CACHE=str(folder.parent))
        for taken in ("nothing", "numba.core.codegen.JITCodeLibrary")
    }
    assert all(one.returncode == 0 for one in ended.values()), [one.stderr for one in ended.values()]
    usual, missing = (one.stdout.split(" ", 1) for one in ended.values())
    assert (usual[0], missing[0]) == ("False", "True") and usual[1] == missing[1]


def test_threads_may_compile_and_call_one_function(folder):
    adder = make_adder(3)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(adder, range(8))) == [x + 6 for x in range(8)]


def test_arrays_may_be_made_in_entries(folder):
    @entry
    def squares(n):
        values = np.zeros(n)
        for i in range(n):
            values[i] = i * i
        return values

    assert squares(4).tolist() == [0.0, 1.0, 4.0, 9.0]
    assert Path(squares.stats.cache_path) == folder


def test_prefetch_changes_no_result(folder):
    @entry
    def total(values, ahead):
        found = 0
        for i in range(len(values)):
            prefetch(values, i + ahead)
            found += values[i, 0]
        return found

    values = np.arange(20, dtype=np.int16).reshape(10, 2)
    assert total(values, 5) == total(values, 10**9) == total.py_func(values, 5) == 90
    assert stored(folder) == ["total"]
    assert ".prefetch" in "".join(total.inspect_llvm().values())


def test_kernels_load_linear_algebra_only_if_they_use_it():
    """Test in a new process, where no other test has loaded SciPy."""
    code = """
import sys
import numpy as np
from rankduel.base.compiling import entry

@entry
def total(x):
    return x.sum()

@entry
def product(x):
    return np.dot(x, x).sum()

for function in (total, product):
    print(function(np.ones((2, 2))), "scipy.linalg" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4.0", "False", "8.0", "True"]
