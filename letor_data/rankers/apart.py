"""Foreign models in a process apart, with limits: whatever a library does there, this process goes on.

Libraries are written for models that they made themselves. A damaged or hostile one can make them read beyond
arrays, loop without end or fill the memory. One child per model and call reads the model and scores all
batches. It gets the checked model and the features through pipes, so that no file is left over and that it
ends with this process, and none of the environment that it does not need. See `apart_main` for its side.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.text import printable, shortened

SECONDS = 600  # to read the model, and for each batch of documents
MEMORY = 8 << 30  # bytes, and for each byte of the model
MEMORY_PER_BYTE = 32
_LONGEST_REPLY = 10_000
_LONGEST_END = 60  # seconds to end after the last batch
_ROOT = str(Path(__file__).parents[3])
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline()); "
    "from rankduel.letor_data.rankers.apart_main import main; main()"
)
# Variables of the environment that interpreters, the loader of libraries and libraries of threads obey.
_VARIABLES = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_PREFIXES = ("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_")


class Job(NamedTuple):
    """What a child is told of a model."""

    library: str  # name of its package
    content: bytes  # of the model
    n_rounds: int = 0  # of boosting, for XGBoost; 0 is all


@contextmanager
def predicting(job: Job, where: str) -> Iterator[Callable[[np.ndarray], np.ndarray]]:
    """Yield a function that scores a feature matrix; `where` is the model's file for messages.

    Raises
    ------
    DataError
        If the library cannot use the model, exceeds a limit, or ends in another way than it should. Scores
        are valid only if the block ends without this error.
    """
    with tempfile.TemporaryFile() as said, _started(said, where) as process:
        child = _Child(process, job, where, said)
        try:
            child.load()
            yield child.predict
            child.end()
        finally:
            process.kill()  # does nothing if it has ended
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what is left for a child that ended
                    pipe.close()  # type: ignore[union-attr]


def _started(said: IO[bytes], where: str) -> subprocess.Popen[bytes]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _VARIABLES or name.startswith(_PREFIXES)
    }
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            env=kept,
        )
    except OSError as problem:
        raise DataError(f"{where}: no process could be started to score it: {problem}") from None


class _Child:
    """A child, seen from its parent, who waits for a reply to everything that it sends."""

    def __init__(self, process: subprocess.Popen[bytes], job: Job, where: str, said: IO[bytes]) -> None:
        self._process, self._job, self._where, self._said = process, job, where, said
        self._memory = MEMORY + MEMORY_PER_BYTE * len(job.content)
        self._late = False

    def load(self) -> None:
        """Send the model, and wait until the library has read it."""
        # The same modules as here, but none of the folder that happens to be the current one.
        places = [place for place in sys.path if os.path.isabs(place)]
        told = {
            "library": self._job.library,
            "size": len(self._job.content),
            "n_rounds": self._job.n_rounds,
            "seconds": SECONDS,
            "memory": self._memory,
        }
        lines = [json.dumps(one).encode() + b"\n" for one in ([*places, _ROOT], told)]
        self._ask([*lines, self._job.content])

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the scores of a feature matrix."""
        shape = json.dumps(rows.shape).encode() + b"\n"
        return np.frombuffer(self._ask([shape, rows.tobytes()], 8 * len(rows)), np.float64)

    def end(self) -> None:
        """Raise an error unless the child ends well, now that there is nothing more to score."""
        with suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            code = self._process.wait(_LONGEST_END)
        except subprocess.TimeoutExpired:
            raise self._error(f"did not end within {_LONGEST_END} s") from None
        if code:
            self._raise_ended()

    def _ask(self, pieces: list[bytes], n_bytes: int = 0) -> bytes:
        """Send bytes, wait for the reply, and return as many bytes after it."""
        watch = threading.Timer(SECONDS, self._stop)
        watch.daemon = True
        watch.start()
        try:
            stdin, stdout = self._process.stdin, self._process.stdout
            assert stdin is not None and stdout is not None
            for piece in pieces:
                stdin.write(piece)
            stdin.flush()
            reply = _parsed(stdout.readline(_LONGEST_REPLY))
            content = stdout.read(n_bytes) if reply == {} else b""
        except OSError:  # the child ended before it had read everything
            self._raise_ended()
        finally:
            watch.cancel()
        if reply is not None and "problem" in reply:
            raise DataError(f"{self._where}: {shortened(printable(str(reply['problem'])), 300)}")
        if reply is None or len(content) != n_bytes:
            self._raise_ended()
        return content

    def _stop(self) -> None:
        self._late = True
        self._process.kill()

    def _raise_ended(self) -> NoReturn:
        """Raise the error for a child that ended, or that replies with something else than it should."""
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            raise self._error("gave a reply that is not its own") from None
        if self._late or code == -getattr(signal, "SIGALRM", 0):
            raise self._error(f"took more than {SECONDS} s")
        raise self._error(f"ended with {_ending(code)}{self._last_words()}")

    def _error(self, what: str) -> DataError:
        limits = f"{SECONDS} s a step and {self._memory / (1 << 30):.1f} GiB of memory"
        return DataError(
            f"{self._where}: the model's library ({self._job.library}) {what}; the file is damaged or "
            f"hostile, or too large for the limits of {limits}"
        )

    def _last_words(self) -> str:
        """Return the last line that the library wrote, in brackets; "" if there is none."""
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, size - 1000))
        lines = self._said.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f" ({shortened(printable(last), 200)})" if last else ""


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return a reply: {} if the child did what it was asked for; None if it is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code}, {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
