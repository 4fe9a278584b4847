"""End commands with one message and an exit code, for wrong input, signals and bugs.

2            wrong input: a `RankduelError`, an OSError about a file, or an error of a file reader
1            a bug; its traceback is written to a file
128 + N      signal N: SIGINT, SIGTERM or SIGHUP; or SIGPIPE, if the output is closed
"""

from __future__ import annotations

import atexit
import os
import re
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import typer
from rich.markup import escape

from rankduel.base.cache_folders import remove_temporary_folder
from rankduel.base.errors import RankduelError
from rankduel.base.files import remove_unfinished
from rankduel.cli.console import command_typed, errors, visible

BUG, BAD_INPUT = 1, 2
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
_SIGPIPE = 13
_TIME_LIMIT = 2.0  # seconds after a signal until the process is ended
# Packages that read files; their exceptions are about the content of a file.
_READERS = {
    *("json", "tomllib", "tomli", "csv", "_csv", "pyarrow", "tokenize"),
    *("zipfile", "tarfile", "gzip", "lzma", "_lzma", "zlib", "backports", "compression"),
}
_PARSERS = {"json", "tomllib", "tomli"}  # recursive ones

# A parameter with its value, as an error below the command writes it; settings are in parentheses.
_PARAMETER = re.compile(r"(?<!\S)(?P<name>[a-z]\w*)=(?P<value>\.\.\.|True|'[^']*'|[0-9][0-9.]*\b)")

_received: list[int] = []  # signals in the order of their arrival
_notes_if_stopped: list[str] = []  # sentences about results that a stopped command leaves
_said = threading.Event()  # the message about a signal was printed
_done = threading.Event()  # the command has ended; its cleaning up must not be interrupted


@contextmanager
def note_if_stopped(note: str) -> Iterator[None]:
    """Print `note`, a sentence about the results so far, if a signal stops the block."""
    _notes_if_stopped.append(note)
    yield
    _notes_if_stopped.remove(note)  # not after an error: the message is printed later


def run_to_end(command: Callable[[], Any]) -> NoReturn:
    """Call a Typer app in non-standalone mode, and exit with its code."""
    _received.clear()
    _notes_if_stopped.clear()
    _said.clear()
    _done.clear()
    with _signals_watched():
        code = _code_of(command)
        if _received or code == 128 + signal.SIGINT:
            number = _received[0] if _received else signal.SIGINT
            code = 128 + number
            _say_stopped(number)
        _flush_output()
        if _received:
            _leave(code)
    sys.exit(code)


def _code_of(command: Callable[[], Any]) -> int:
    """Call a command, print the message of its error if there is one, and return the exit code."""
    try:
        try:
            return command() or 0
        finally:
            _done.set()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except SystemExit as ended:
        closed = isinstance(ended.__context__, BrokenPipeError)
        return 128 + _SIGPIPE if closed else int(ended.code or 0)
    except BrokenPipeError:
        return 128 + _SIGPIPE
    except Exception as problem:
        with suppress(OSError):  # the error output may be closed too
            return _code_of_problem(problem)
        return BAD_INPUT


def _code_of_problem(problem: Exception) -> int:
    if _received:  # interrupted code may raise other errors
        return 128 + _received[0]
    if hasattr(problem, "exit_code"):  # wrong options and arguments
        from typer.rich_utils import rich_format_error  # imported here: slow

        rich_format_error(problem)  # type: ignore[arg-type]
        return int(problem.exit_code)
    message = _message(problem)
    if message:
        _say_error(message)
        return BAD_INPUT
    _say_bug(problem)
    return BUG


def _message(problem: Exception) -> str:
    """Return the message for an error of the input; an empty text for other errors."""
    if isinstance(problem, RankduelError):
        return in_options(str(problem)) if problem.parameter else str(problem)
    if isinstance(problem, OSError) and (problem.filename is not None or problem.errno):
        return f"{_name_of(problem)}: {problem.strerror or problem}"
    if isinstance(problem, typer.Abort):
        return "standard input is closed, or ended where an answer was expected"
    file = _file_in_use(problem)
    if isinstance(problem, MemoryError):
        return _about_memory(problem, file)
    if not file:
        return ""
    if isinstance(problem, UnicodeDecodeError):
        return f"{file}: not UTF-8 text ({problem}); save the file as UTF-8"
    if isinstance(problem, RecursionError) and _PARSERS & _packages_in(problem):
        return f"{file}: nested too deeply to be read"
    if isinstance(problem, EOFError) or type(problem).__module__.partition(".")[0] in _READERS:
        return f"{file}: damaged, or not of the kind that its name says ({_in_short(problem)})"
    return ""


def in_options(message: str) -> str:
    """Return a message with options for parameters: '--name' for 'name=...', '--name 3' for 'name=3'."""
    return _PARAMETER.sub(_as_option, message)


def _as_option(found: re.Match[str]) -> str:
    option = "--" + found["name"].replace("_", "-")
    value = found["value"].strip("'")
    return option if value in ("...", "True") else f"{option} {value}"


def _name_of(problem: OSError) -> str:
    """Return the file that an OSError names; the file in use if it names none, as after a failed read."""
    file = problem.filename
    if file is None:
        return _file_in_use(problem) or "reading or writing failed"
    return os.fsdecode(file) if isinstance(file, (str, bytes, os.PathLike)) else f"open file {file}"


def _about_memory(problem: MemoryError, file: str) -> str:
    where = f"{file}: " if file else ""
    detail = f" ({problem})" if str(problem) else ""
    return (
        f"{where}not enough memory{detail}; take less data or fewer rankers, fewer --jobs, or a machine with "
        "more memory"
    )


def _in_short(problem: Exception) -> str:
    first_line = str(problem).partition("\n")[0]
    return f"{type(problem).__name__}: {first_line}" if first_line else type(problem).__name__


def _file_in_use(problem: BaseException) -> str:
    """Return the file that the innermost function of a traceback has a path of, or an empty text."""
    for frame, _ in reversed(list(traceback.walk_tb(problem.__traceback__))):
        for name, value in reversed(frame.f_locals.items()):
            if isinstance(value, Path) or (isinstance(value, str) and name in ("path", "file", "source")):
                with suppress(OSError, ValueError):
                    if os.path.isfile(value):
                        return str(value)
    return ""


def _packages_in(problem: BaseException) -> set[str]:
    frames = (frame for frame, _ in traceback.walk_tb(problem.__traceback__))
    return {str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame in frames}


def _say_error(message: str) -> None:
    errors.print(f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True)


def _say_bug(problem: Exception) -> None:
    """Write the traceback to a file, and print its path and a request to report it."""
    text = "".join(traceback.format_exception(problem))
    versions = f"rankduel {version('rankduel')}, Python {sys.version.split()[0]}, {sys.platform}"
    _say_error(f"rankduel has a bug: {_in_short(problem)}")
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="rankduel-bug-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as file:
            file.write(f"{command_typed()}\n{versions}\n\n{text}")
        request = f"Please report it to the project's tracker with this file: {file.name}"
    except OSError:  # no folder for temporary files
        request = f"{text}\n{versions}\nPlease report it to the project's tracker with these lines"
    errors.print(escape(request), highlight=False, soft_wrap=True)


# --- signals


def keep_code(code: int) -> None:
    """Let the process of a command that has ended exit with its `code`, also after a signal.

    Python still joins threads, which may take long: a signal ends that at once. It then frees modules, which
    takes tenths of a second: signals are ignored.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    # A handler in Python does not run if the signal comes just before the main thread waits for another.
    threading.Thread(target=_leave_at_signal, args=(reading, code), daemon=True, name="late signals").start()
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: _leave(code))
    atexit.register(_ignore_signals)


def _leave_at_signal(reading: int, code: int) -> None:
    """End the process when the number of a signal arrives in the pipe."""
    while number := os.read(reading, 1):
        if number[0] in _SIGNALS:
            _leave(code)


def _ignore_signals() -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _signals_watched() -> Iterator[None]:
    """Let signals raise KeyboardInterrupt, and end the process in a thread if that takes too long.

    Python calls signal handlers between two instructions of the main thread, which may be in compiled code or
    wait for threads that are. The C handler writes to a pipe at once, and a thread reads from the pipe. A
    signal that is ignored, as under nohup, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    handlers = {
        number: signal.signal(number, _interrupt)
        for number in _SIGNALS
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    descriptor = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_end_in_time, args=(reading,), daemon=True, name="signals").start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(descriptor)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(writing)


def _interrupt(number: int, _: FrameType | None) -> None:
    if _received:  # a second signal ends the process at once
        _say_stopped_at_once(_received[0])
        _leave(128 + _received[0])
    _received.append(number)
    if not _done.is_set():
        raise KeyboardInterrupt


def _end_in_time(reading: int) -> None:
    """Wait for a signal, and end the process if it has not ended within the time limit."""
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while number := pipe.read(1):
            if number[0] in _SIGNALS:
                time.sleep(_TIME_LIMIT)
                _say_stopped_at_once(number[0])
                _leave(128 + number[0])


def _leave_signals_alone() -> None:
    """Restore signal handlers in a forked process, which has the same pipe but not its thread."""
    if any(signal.getsignal(number) is _interrupt for number in _SIGNALS):
        signal.set_wakeup_fd(-1)
        for number in _SIGNALS:
            if signal.getsignal(number) is _interrupt:
                signal.signal(number, signal.SIG_DFL)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_signals_alone)


def _stopped_text(number: int) -> str:
    name = signal.Signals(number).name
    if _notes_if_stopped:
        return f"stopped by {name}; {'; '.join(_notes_if_stopped)}\nto go on: {command_typed()}"
    return f"stopped by {name}; files are complete or absent\nto start again: {command_typed()}"


def _say_stopped(number: int) -> None:
    if not _said.is_set():
        _said.set()
        with suppress(OSError):  # the terminal may be gone
            errors.print(f"[yellow]{escape(_stopped_text(number))}[/]", highlight=False, soft_wrap=True)


def _say_stopped_at_once(number: int) -> None:
    """Write the message without the console, whose lock another thread may hold."""
    if not _said.is_set():
        _said.set()
        cursor = "\x1b[?25h\n" if errors.is_terminal else ""  # progress bars hide the cursor
        text = f"{cursor}{visible(_stopped_text(number))}\n"
        with suppress(OSError):
            os.write(2, text.encode(getattr(sys.stderr, "encoding", None) or "ascii", "backslashreplace"))


def _leave(code: int) -> NoReturn:
    """End this process and its descendants without waiting for threads in compiled code."""
    remove_unfinished()
    remove_temporary_folder()
    for process in _descendants():
        with suppress(OSError):
            os.kill(process, signal.SIGTERM)
    os._exit(code)


def _descendants() -> list[int]:
    """Return the ids of all descendants of this process; none without /proc."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):  # ended meanwhile
            parent = int(stat.read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [os.getpid()]
    for process in found:
        found += children.get(process, [])
    return found[1:]


def _flush_output() -> None:
    """Flush the output; if that fails, discard it, so that Python does not fail again at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
