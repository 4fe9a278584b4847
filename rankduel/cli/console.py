"""What people see: the two consoles, progress bars, and small pieces of tables."""

from __future__ import annotations

import codecs
import io
import json
import logging
import math
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.segment import Segment
from rich.table import Table

from rankduel.base.errors import CacheNotice, PolicyNotice
from rankduel.base.text import counted

if TYPE_CHECKING:
    from experiments.matrix.build import BuildStatus
    from experiments.runs.in_play import InPlay

# Characters that a terminal obeys, or that change the order of what follows, and what is shown instead. Line
# ends and tabs stay.
_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    **dict.fromkeys(
        [*range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD
    ),
}
_IN_ASCII = {
    "█": "#",
    "▀": "#",
    "╲": "\\",
    "·": ".",
    "…": "~",
    "–": "-",
    "—": "-",
    "±": "+/-",
    "×": "x",
    **{chr(0x2400 + code): chr(0x40 + code) for code in range(32)},
    "\ufffd": "?",
}


def visible(text: str) -> str:
    """Return text that may come from a file as it can be shown: control characters become visible ones."""
    return text.translate(_PICTURES)


class _Terminal(Console):
    """A console on which no text can move the cursor, change colours or the title: see `visible`."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # for `endings`; Rich would exit


screen = _Terminal(highlight=False)
errors = _Terminal(stderr=True, highlight=False)


def prepare_streams() -> None:
    """Print what the terminal's encoding lacks in other characters; read UTF-8 from standard input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ENCODING_ERRORS)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="strict")
    elif sys.stdin is None:  # closed
        sys.stdin = io.StringIO()


def _replaced(problem: UnicodeError) -> tuple[str | bytes, int]:
    """Return other characters for those that an encoding lacks, and where to go on."""
    assert isinstance(problem, UnicodeEncodeError)
    lacking = problem.object[problem.start : problem.end]
    known = "".join(_IN_ASCII.get(one, one) for one in lacking)
    return known.encode("ascii", "backslashreplace").decode("ascii"), problem.end


_ENCODING_ERRORS = "rankduel"
codecs.register_error(_ENCODING_ERRORS, _replaced)


def print_data(text: str) -> None:
    """Print a table for other programs: exactly as it is and in UTF-8, except on a terminal."""
    if sys.stdout is None:
        return
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(visible(text))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.flush()


def print_table(
    as_json: bool,
    as_csv: bool,
    rows: Callable[[], Any],
    everything: Callable[[], Any] | None = None,
) -> bool:
    """Print a table for other programs if it was asked for, and return whether it was.

    Parameters
    ----------
    as_json, as_csv : bool
        The options `AsJson` and `AsCsv`, of which at most one is true.
    rows : callable
        Returns the rows of the table, as objects with the same keys or as a DataFrame.
    everything : callable, optional
        Returns what is printed as JSON, if that is more than the rows.
    """
    if as_json:
        values = plain((everything or rows)())
        print_data(json.dumps(values, indent=1, allow_nan=False) + "\n")
    elif as_csv:
        print_data(_csv(plain(rows())))
    return as_json or as_csv


def plain(value: Any) -> Any:
    """Return values that JSON has, of arrays and DataFrames too; null for NaN, text for infinity."""
    if hasattr(value, "iloc"):  # told by what it has: pandas takes long to load
        value = value.to_dict("records")
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    from experiments.judge.spreadsheet import to_csv

    columns = list(dict.fromkeys(key for row in rows for key in row))
    return to_csv([{key: _cell(value) for key, value in row.items()} for row in rows], columns)


def _cell(value: Any) -> Any:
    """Return what stands in a cell: nothing for null, JSON for what is no number and no text."""
    if value is None:
        return ""
    return (
        value if isinstance(value, (str, int, float)) and not isinstance(value, bool) else json.dumps(value)
    )


@contextmanager
def byte_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for reading: call it with (bytes done, bytes in all)."""
    with bar(DownloadColumn(), TransferSpeedColumn()) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def count_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar for countable work: call it with how many more are done."""
    with bar(MofNCompleteColumn(), _Rate()) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)


class _Bar(Progress):
    """A bar that looks at what it shows before it is drawn, whatever thread draws it."""

    before_drawing: Callable[[], None] | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        if self.before_drawing is not None:
            self.before_drawing()
        yield from super().get_renderables()


def bar(*columns: ProgressColumn) -> _Bar:
    """A bar with a share, these columns and the time left."""
    # Progress goes to the error stream, so that output can be piped; it leaves no trace when done.
    return _Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        *columns,
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    )


class _Rate(ProgressColumn):
    """Units per second."""

    def render(self, task: Task) -> str:
        return f"{task.speed:,.0f}/s" if task.speed else ""


def title(text: str, remark: str = "") -> None:
    """Print a heading, and a remark beside it."""
    screen.print(f"[bold]{text}[/]" + (f" [dim]({remark})[/]" if remark else ""))


def show_rows(rows: dict[str, str], gap: int = 0) -> None:
    """Names and what they are; long text wraps in its own column."""
    table = plain_table(gap, show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for name, about in rows.items():
        table.add_row(name, about)
    screen.print(table)


def show_legend(about: Mapping[str, str]) -> None:
    """Print an empty line, and what each column of the table above means."""
    table = plain_table(show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(style="dim")
    for heading, text in about.items():
        table.add_row(heading.replace("\n", " "), text)
    screen.print()
    screen.print(table)


def plain_table(gap: int = 0, **settings: Any) -> Table:
    """Return a table without lines, with `gap` empty lines between rows."""
    return Table(box=None, pad_edge=False, padding=(0, 2, gap, 0), **settings)


def file_size(path: Path) -> str:
    return byte_text(path.stat().st_size)


def byte_text(n: float) -> str:
    """Return a number of bytes as people write it: '1.5 MB'."""
    size = float(n)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} bytes" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1000
    return f"{size:,.2f} GB"


_FEATURE_NUMBER = re.compile("[0-9]{1,18}")


def number_ranges(names: Sequence[str]) -> str:
    """'6-10, 41' for ['6', '7', ..., '10', '41']; names that are not numbers stand alone."""
    spans: list[list[str]] = []
    for name in names:
        before = spans[-1][-1] if spans else ""
        # At most 18 digits: Python refuses to make a number of thousands.
        if all(_FEATURE_NUMBER.fullmatch(text) for text in (before, name)) and int(name) == int(before) + 1:
            spans[-1].append(name)
        else:
            spans.append([name])
    return ", ".join(span[0] if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)


@contextmanager
def matrix_progress() -> Iterator[Callable[[BuildStatus], None]]:
    """Show the rate, the time left and how many pairs are decided; yield what `build_matrix` calls."""
    with bar(TextColumn("{task.fields[rate]}")) as shown:
        yield _build_status(shown)


class RunsProgress(NamedTuple):
    done: Callable[[int], None]  # call it with how many more are done
    build_status: Callable[[BuildStatus], None]  # call it while the matrix of live runs is made
    watch: Callable[[InPlay], None]  # call it with what tells how far the runs in play are


@contextmanager
def runs_progress(what: str, total: int) -> Iterator[RunsProgress]:
    """Show a bar for runs or impressions, and one for a matrix; each appears when its work begins."""
    with bar(TextColumn("{task.fields[rate]}")) as shown:
        counted = _Counted(shown, what, total)
        shown.before_drawing = counted.look
        yield RunsProgress(counted.advance, _build_status(shown), counted.watch)


class _Counted:
    """The task of a bar for runs or impressions. Runs that are watched are counted by their duels."""

    def __init__(self, shown: Progress, what: str, total: int) -> None:
        self.shown, self.what, self.total = shown, what, total
        self.n_done = 0
        self.in_play: InPlay | None = None
        self.task: TaskID | None = None

    def watch(self, in_play: InPlay) -> None:
        self.in_play = in_play

    def advance(self, done: int) -> None:
        self.n_done += done
        if self.task is None:  # what was found done already says nothing about the rate
            done, total = self.n_done * self.unit, self.total * self.unit
            self.task = self.shown.add_task(self.what, total=total, completed=done, rate="")
        elif self.in_play is None:
            self.shown.advance(self.task, done)
        self.look()

    @property
    def unit(self) -> int:
        return 1 if self.in_play is None else self.in_play.horizon

    def look(self) -> None:
        """Show the duels of the runs that ended and of those in play."""
        if self.task is None or self.in_play is None:
            return
        task = self.shown.tasks[self.shown.task_ids.index(self.task)]
        played = self.n_done * self.unit + self.in_play.n_steps()
        # A run that has just ended is not in play any more, and is counted a moment later.
        self.shown.update(self.task, completed=max(task.completed, min(played, self.total * self.unit)))
        runs = f"{self.n_done:,} of {counted(self.total, self.what.removesuffix('s'))}"
        rate = f"{task.speed:,.0f} duels/s" if task.speed else ""
        if self.in_play.cluster is not None:
            rate = _with_workers(rate, self.in_play.cluster.status().n_workers)
        self.shown.update(self.task, description=runs, rate=rate)


def _build_status(shown: Progress) -> Callable[[BuildStatus], None]:
    """Return a function that shows the status of a matrix; its bar appears with the first call."""
    tasks: list[TaskID] = []

    def update(status: BuildStatus) -> None:
        if not tasks:
            tasks.append(shown.add_task("pairs", total=None, rate=""))
        speed = shown.tasks[shown.task_ids.index(tasks[0])].speed or 0.0
        rate = f"{speed * status.pairs / status.total:,.1f} pairs/s" if speed else ""
        shown.update(
            tasks[0],
            completed=status.done,
            total=status.total,
            description=f"{status.decided:,} of {counted(status.pairs, 'pair')} decided",
            rate=_with_workers(rate, status.workers) if status.workers else rate,
        )

    return update


def _with_workers(rate: str, n_workers: int) -> str:
    """Return a rate with the number of workers that a cluster has."""
    return ", ".join(filter(None, [rate, counted(n_workers, "worker")]))


class LogLines(logging.Handler):
    """Prints a line for what takes seconds to compile, and for what becomes of a cluster."""

    def emit(self, record: logging.LogRecord) -> None:
        errors.print(f"[dim]{escape(record.getMessage())}[/]", soft_wrap=True)


def show_notes() -> None:
    """Print a line on the error output for what takes seconds to compile, and for unusable caches."""
    if warnings.showwarning is not _show_warning:
        _usual_warning.append(warnings.showwarning)
        warnings.showwarning = _show_warning
    for name in ("rankduel.compiling", "rankduel.cluster"):
        log = logging.getLogger(name)
        if not any(isinstance(handler, LogLines) for handler in log.handlers):
            log.addHandler(LogLines())
        log.setLevel(logging.INFO)


_usual_warning: list[Callable[..., None]] = []


def _show_warning(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
    if issubclass(category, CacheNotice):
        errors.print(f"[yellow]note:[/] {escape(str(message))}", soft_wrap=True)
    else:
        _usual_warning[-1](message, category, *place, **more)


@contextmanager
def notices() -> Iterator[None]:
    """Print what policies give notice of, at the end."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", PolicyNotice)
        yield
    for notice in found:
        errors.print(f"[yellow]note:[/] {escape(str(notice.message))}", soft_wrap=True)


def show_data_notes(notes: Iterable[str]) -> None:
    """Print on the error output what the owner of data should know."""
    for note in notes:
        errors.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def command_typed() -> str:
    return shlex.join(["rankduel", *sys.argv[1:]])


def show_next(folder: Path, out: Path) -> None:
    kept = escape(str(folder))
    all_kept = escape(str(out))
    screen.print(f"\nrecords in [bold]{kept}[/]; next: [bold]rankduel report {all_kept}[/]")
