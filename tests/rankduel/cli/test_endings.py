"""Test messages and exit codes of commands after signals, bugs, damaged files and closed outputs."""

import contextlib
import gzip
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from support.helpers import words

from rankduel import cli
from rankduel.base.errors import UsageError
from rankduel.base.files import replacing
from rankduel.cli import endings
from rankduel.cli.console import visible
from rankduel.experiments.matrix.preferences import preferences_of, write_preferences

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks, and sends signals")
RANKDUEL = [sys.executable, "-m", "rankduel"]
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Forked:
    """A process that runs one command; it is forked, so that nothing is imported again."""

    def __init__(self, command, folder, argv, stdout=None):
        output, errors = os.pipe(), os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # forking with threads is safe here: none holds a lock
            self.pid = os.fork()
        if not self.pid:
            self._run(command, folder, argv, output[1] if stdout is None else stdout, errors[1])
        os.close(output[1])
        os.close(errors[1])
        self.output, self.errors = open(output[0]), open(errors[0])

    def _run(self, command, folder, argv, output, errors):
        try:
            os.chdir(folder)
            os.dup2(output, 1)
            os.dup2(errors, 2)
            os.closerange(3, 256)
            sys.argv, sys.stdout, sys.stderr = ["rankduel", *argv], open(1, "w"), open(2, "w")
            for number in SIGNALS:  # signals may be ignored where the tests run, as under nohup
                signal.signal(
                    number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
                )
            command()
        except SystemExit as ended:
            os._exit(ended.code or 0)
        finally:
            os._exit(99)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.output.close()
        self.errors.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def ended(self):
        """Wait until all processes with these outputs have ended; return the exit code and error output."""
        errors = self.errors.read()
        self.output.read()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), errors


def writes_and(goes_on):
    """Return a command that starts to write a file, prints a line, and calls `goes_on`."""

    def command():
        with endings.note_if_stopped("two runs are kept in there"), replacing("x.txt") as temporary:
            temporary.write_text("half")
            print("working", flush=True)
            goes_on()

    return lambda: endings.run_to_end(command)


def in_compiled_code():
    """Start a process, then compute for minutes without calling signal handlers, and receive a signal."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])  # inherits the outputs
    clock = time.pthread_getcpuclockid(threading.get_ident())
    begun = time.clock_gettime(clock)

    def signal_when_busy():
        while time.clock_gettime(clock) < begun + 0.1:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=signal_when_busy, daemon=True).start()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)


def stopped(folder, goes_on, number):
    """Send a signal to a command that is writing; return its exit code and error output."""
    with Forked(writes_and(goes_on), folder, ["run", "x"]) as process:
        assert process.output.readline() == "working\n" and len(list(folder.glob(".x.txt.*"))) == 1
        os.kill(process.pid, number)
        return process.ended()


@posix
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_a_command_and_the_message_lists_kept_results(tmp_path, number):
    code, err = stopped(tmp_path, lambda: time.sleep(600), number)
    assert code == 128 + number
    assert err == f"stopped by {number.name}; two runs are kept in there\nto go on: rankduel run x\n"
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_signal_ends_compiled_code_and_child_processes(tmp_path):
    with Forked(writes_and(in_compiled_code), tmp_path, ["run", "x"]) as process:
        code, err = process.ended()  # returns when the other process has ended too
    assert code == 143
    assert err == "stopped by SIGTERM; two runs are kept in there\nto go on: rankduel run x\n"
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_second_signal_ends_a_command_at_once(tmp_path):
    def ignore_interrupts():
        try:
            time.sleep(600)
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(600)

    code, err = stopped(tmp_path, ignore_interrupts, signal.SIGINT)
    assert code == 130 and err.startswith("stopped by SIGINT; two runs") and list(tmp_path.iterdir()) == []


@posix
def test_an_ignored_signal_stays_ignored(tmp_path):
    def hang_up():
        os.kill(os.getpid(), signal.SIGHUP)

    def command():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        writes_and(hang_up)()

    with Forked(command, tmp_path, []) as process:
        assert process.ended() == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


@posix
def test_a_signal_to_a_forked_process_does_not_stop_its_parent(tmp_path):
    def fork():
        child = os.fork()
        if child:
            return os.waitpid(child, 0)[1]
        usual = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        os._exit(0 if usual and signal.set_wakeup_fd(-1) == -1 else 1)

    with Forked(lambda: endings.run_to_end(fork), tmp_path, []) as process:
        assert process.ended() == (0, "")


@pytest.mark.parametrize(
    ("function", "typed", "kept"),
    [
        ("run", "run arxiv6 -p rucb", "finished runs are kept in results/arxiv6-100000"),
        (
            "compare",
            "compare x.txt -p rucb --name c",
            "finished runs are kept in results/c-live and results/c-proxy",
        ),
        ("multileave", "multileave x.txt -m sosm --name m", "finished runs are kept in results/m"),
        ("study", "study run cycles -o out", "finished runs are kept in out"),
    ],
)
def test_stopped_commands_name_the_kept_results(rankduel, monkeypatch, tmp_path, function, typed, kept):
    def stop(*_, **__):
        raise KeyboardInterrupt

    (tmp_path / "x.txt").write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.25 2:2\n")
    monkeypatch.setattr(f"rankduel.{function}", stop)
    code, _, err = rankduel(*typed.split())
    assert code == 130 and err == f"stopped by SIGINT; {kept}\nto go on: rankduel {typed}\n"


def test_the_message_of_a_stopped_matrix_names_the_checkpoint(rankduel, monkeypatch, tmp_path):
    def stop(*_, **__):
        raise KeyboardInterrupt

    (tmp_path / "x.txt").write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.25 2:2\n")
    monkeypatch.setattr("rankduel.build_matrix", stop)
    code, _, err = rankduel("matrix", "x.txt", "-o", "m.npy")
    assert code == 130 and "what was counted up to the last checkpoint is kept beside m.npy" in err


@posix
@pytest.mark.slow
def test_stopped_runs_are_resumed(tmp_path):
    typed = ["run", "arxiv6", "-p", "random_pair", "--horizon", "1e6", "--jobs", "1", "--runs"]
    folder = tmp_path / "results" / "arxiv6-1e6"
    pipe = subprocess.PIPE
    with subprocess.Popen([*RANKDUEL, *typed, "100000"], cwd=tmp_path, stderr=pipe, text=True) as process:
        try:
            while not (folder / "random_pair" / "1.parquet").exists():
                assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            err = process.communicate()[1]
        finally:
            process.kill()
    assert process.returncode == 143 and err.splitlines()[-2:] == [
        "stopped by SIGTERM; finished runs are kept in results/arxiv6-1e6",
        "to go on: rankduel run arxiv6 -p random_pair --horizon 1e6 --jobs 1 --runs 100000",
    ]
    assert not list(tmp_path.rglob("*.tmp"))
    first = (folder / "random_pair" / "0.parquet").stat().st_mtime_ns
    assert subprocess.run([*RANKDUEL, *typed, "2"], cwd=tmp_path, capture_output=True).returncode == 0
    assert (folder / "random_pair" / "0.parquet").stat().st_mtime_ns == first


# --- bugs, and errors of file readers


@pytest.fixture
def ends(monkeypatch, capsys, tmp_path):
    """Return a function that runs a command and returns (exit code, error output)."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["rankduel", "run", "x y"])

    def ended(command):
        with pytest.raises(SystemExit) as end:
            endings.run_to_end(command)
        return end.value.code, capsys.readouterr().err

    return ended


def test_the_traceback_of_a_bug_is_written_to_a_file(ends, tmp_path):
    code, err = ends(lambda: [].missing)
    (file,) = tmp_path.glob("rankduel-bug-*.txt")
    assert code == 1 and "Traceback" not in err and "has a bug: AttributeError: 'list'" in err
    assert f"report it to the project's tracker with this file: {file}" in err
    text = file.read_text()
    assert "Traceback" in text and text.startswith("rankduel run 'x y'\nrankduel ") and "[].missing" in text


def test_without_a_temporary_folder_the_traceback_is_printed(ends, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/dev/null/no folder")
    code, err = ends(lambda: [].missing)
    assert code == 1 and "Traceback" in err and "with these lines" in err


def read_text(path):
    return path.read_text("utf-8")


def allocate(path):
    raise MemoryError("Unable to allocate 9 EiB")


@pytest.mark.parametrize(
    ("content", "read", "expected"),
    [
        (b"\xff\xfe", read_text, "x.dat: not UTF-8 text"),
        (b"[" * 200_000, lambda path: json.loads(path.read_text()), "x.dat: nested too deeply"),
        (b"{", lambda path: json.loads(path.read_text()), "x.dat: damaged, or not of the kind"),
        (gzip.compress(b"text", mtime=0)[:-5], lambda path: gzip.open(path).read(), "x.dat: damaged, or not"),
        (b"", allocate, "x.dat: not enough memory (Unable to allocate 9 EiB); take less data"),
        (b"", lambda path: os.listdir(path), "x.dat: Not a directory"),
        (b"", lambda path: os.mkdir(str(path)), "x.dat: File exists"),
    ],
)
def test_errors_of_readers_become_messages_about_the_file(ends, tmp_path, content, read, expected):
    path = tmp_path / "x.dat"
    path.write_bytes(content)
    code, message = ends(lambda: read(path))
    assert code == 2 and message.startswith("error: ") and expected in message and "Traceback" not in message
    assert list(tmp_path.iterdir()) == [path]


def recurse():
    return recurse()


@pytest.mark.parametrize("fails", [recurse, lambda: json.loads("{"), lambda: b"\xff".decode()])
def test_errors_of_readers_without_a_file_are_bugs(ends, fails):
    assert ends(fails)[0] == 1


def test_a_lack_of_memory_is_no_bug(ends):
    def fail():
        raise MemoryError

    assert ends(fail) == (
        2,
        "error: not enough memory; take less data or fewer rankers, fewer --jobs, or a machine with more "
        "memory\n",
    )


def test_a_prompt_without_input_is_one_message(rankduel, monkeypatch, tmp_path):
    (tmp_path / "pool.txt").write_text("a\nb\nc\n")
    assert rankduel("judge", "start", "pool.txt", "session")[0] == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    code, _, err = rankduel("judge", "ask", "session")
    assert code == 2 and "error: standard input ended before an answer; all earlier answers are saved" in err


# --- output to the terminal


@posix
def test_a_closed_output_ends_a_command_with_sigpipe(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    with Forked(cli.main, tmp_path, ["interleavers"], stdout=writing) as process:
        os.close(writing)
        assert process.ended() == (128 + signal.SIGPIPE, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_an_output_on_a_full_disk_is_one_message(tmp_path):
    with open("/dev/full", "w") as full:
        with Forked(cli.main, tmp_path, ["interleavers"], stdout=full.fileno()) as process:
            code, err = process.ended()
    assert code == 2 and err.endswith(": No space left on device\n") and err.count("\n") == 1


def test_characters_are_replaced_on_an_ascii_terminal(tmp_path):
    (tmp_path / "x.txt").write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.25 2:2\n")
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "COLUMNS": "80"}
    environment.pop("PYTHONIOENCODING", None)
    ended = subprocess.run(
        [*RANKDUEL, "data", "info", "x.txt"], cwd=tmp_path, env=environment, capture_output=True
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "#####" in ended.stdout.decode("ascii") and b"\\u" not in ended.stdout


def test_a_name_that_is_not_utf_8_is_printed(rankduel):
    code, _, err = rankduel("winners", "caf\udcff.txt")
    assert code == 2 and "caf\\xff.txt: there is no such file" in err


HOSTILE = ("\x1b]0;title\x07", "\x9b2J", "[red]a[/nothing]", "\u202eevil", "b\x00\x7f")


@pytest.fixture
def hostile_matrix(tmp_path):
    matrix = np.full((len(HOSTILE), len(HOSTILE)), 0.5) + np.triu(np.full((5, 5), 0.2), 1)
    path = tmp_path / "m.prefs.parquet"
    write_preferences(preferences_of(matrix - np.tril(np.full((5, 5), 0.2), -1), HOSTILE), path)
    return path.name


@pytest.mark.parametrize("command", [("winners",), ("matrix", "show")])
def test_names_from_files_cannot_control_the_terminal(rankduel, hostile_matrix, command):
    code, out, err = rankduel(*command, hostile_matrix)
    assert (code, err) == (0, "") and out == visible(out)
    assert "␛]0" in out


def test_messages_cannot_control_the_terminal(rankduel):
    code, _, err = rankduel("winners", "\x1b]0;title\x07[/red].txt")
    assert code == 2 and err == visible(err) and "␛]0;title[/red].txt" in words(err)


def test_json_and_csv_are_printed_unchanged(rankduel, tmp_path):
    (tmp_path / "pool.txt").write_text("a\x1b[1mé\nb\n", encoding="utf-8")
    assert rankduel("judge", "start", "pool.txt", "session")[0] == 0
    assert "a\x1b[1mé" in rankduel("judge", "next", "session")[1]


def test_the_text_of_a_policy_file_cannot_control_the_terminal(rankduel, tmp_path):
    source = Path(__file__).parents[3] / "bandits" / "policies" / "condorcet" / "random_pair.py"
    text = source.read_text(encoding="utf-8")
    start = text.index(":") + 1
    (tmp_path / "mine.py").write_text(
        text[:start] + " [/bold] and \\x1b[31m of" + text[start:], encoding="utf-8"
    )
    code, out, err = rankduel("policies", "mine.py")
    assert (code, err) == (0, "") and out == visible(out) and "[/bold] and" in out


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("jobs=... is for one machine", "--jobs is for one machine"),
        ("give repair=True, or index_base=0", "give --repair, or --index-base 0"),
        (
            "choose unjudged='drop'; scheduler='tcp://a:1': no",
            "choose --unjudged drop; --scheduler tcp://a:1: no",
        ),
        ("dts(alpha=0.6,batch=4) and custom(p_click=...,p_stop=...)", None),  # settings are not options
    ],
)
def test_parameters_are_shown_as_options(message, shown):
    assert endings.in_options(message) == (shown or message)


def test_an_error_about_a_parameter_names_the_option(capsys):
    def command():
        raise UsageError("tied_duels=... is for duels, not for 'a=1'", parameter="tied_duels")

    with pytest.raises(SystemExit):
        endings.run_to_end(command)
    assert "--tied-duels is for duels, not for 'a=1'" in capsys.readouterr().err
