"""Print to the terminal: consoles for output and errors, progress bars, tables, JSON and CSV."""

from __future__ import annotations

import codecs
import io
import json
import logging
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Table

from rankduel.base.errors import CacheNotice, PolicyNotice
from rankduel.base.results import Result, plain
from rankduel.base.text import counted
from rankduel.base.watch import Watch

if TYPE_CHECKING:
    from rankduel.experiments.matrix.build import BuildStatus
    from rankduel.experiments.runs.play import InPlay
    from rankduel.experiments.winners.verdict import Verdict

# Replacements of characters that control a terminal or the direction of text. Line ends and tabs stay.
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
    """Return text with control characters replaced by visible ones; text may come from a file."""
    return text.translate(_PICTURES)


class _Terminal(Console):
    """A console that prints control characters as visible ones, so that text cannot control it."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # handled in `endings`; Rich would exit


screen = _Terminal(highlight=False)
errors = _Terminal(stderr=True, highlight=False)


def prepare_streams() -> None:
    """Replace characters that the terminal's encoding lacks; read UTF-8 from standard input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ENCODING_ERRORS)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="strict")
    elif sys.stdin is None:  # closed
        sys.stdin = io.StringIO()


def _replaced(problem: UnicodeError) -> tuple[str | bytes, int]:
    """Return a replacement of characters that an encoding lacks, and the position after them."""
    assert isinstance(problem, UnicodeEncodeError)
    lacking = problem.object[problem.start : problem.end]
    known = "".join(_IN_ASCII.get(one, one) for one in lacking)
    return known.encode("ascii", "backslashreplace").decode("ascii"), problem.end


_ENCODING_ERRORS = "rankduel"
codecs.register_error(_ENCODING_ERRORS, _replaced)


def print_data(text: str) -> None:
    """Print text for other programs, unchanged and in UTF-8; on a terminal, as `visible`."""
    if sys.stdout is None:
        return
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(visible(text))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.flush()


def print_result(found: Result, as_json: bool, as_csv: bool) -> bool:
    """Print a result as JSON or CSV if one of them is requested; return whether it was printed.

    JSON is exactly ``found.to_dict()``, and CSV exactly ``found.to_pandas()``.
    """
    if as_json:
        print_data(json.dumps(found.to_dict(), indent=1, allow_nan=False) + "\n")
    elif as_csv:
        print_data(_csv(plain(found.to_pandas())))
    return as_json or as_csv


def print_table(
    as_json: bool,
    as_csv: bool,
    rows: Callable[[], Any],
    everything: Callable[[], Any] | None = None,
) -> bool:
    """Print a table as JSON or CSV if one of them is requested; return whether it was printed.

    Parameters
    ----------
    as_json, as_csv : bool
        The options `AsJson` and `AsCsv`, of which at most one is true.
    rows : callable
        Returns the rows of the table, as objects with the same keys or as a DataFrame.
    everything : callable, optional
        Returns the values to print as JSON; by default the rows.
    """
    if as_json:
        values = plain((everything or rows)())
        print_data(json.dumps(values, indent=1, allow_nan=False) + "\n")
    elif as_csv:
        print_data(_csv(plain(rows())))
    return as_json or as_csv


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    from rankduel.experiments.judge.spreadsheet import to_csv

    columns = list(dict.fromkeys(key for row in rows for key in row))
    return to_csv([{key: _cell(value) for key, value in row.items()} for row in rows], columns)


def _cell(value: Any) -> Any:
    """Return the content of a CSV cell: empty for None, JSON for values other than numbers and text."""
    if value is None:
        return ""
    return (
        value if isinstance(value, (str, int, float)) and not isinstance(value, bool) else json.dumps(value)
    )


@contextmanager
def watching(what: str = "runs", total: int = 0) -> Iterator[Watch]:
    """Show bars for long work; yield the object for the parameter `watch` of public functions.

    A bar appears when its work starts and is removed when it ends. `what` and `total` are the name and the
    number of the runs, or of the pages.
    """
    with bar(TextColumn("{task.fields[rate]}")) as shown:
        yield _Bars(shown, what, total)


class _Bar(Progress):
    """A progress bar that calls `before_drawing`, in the thread that draws it."""

    before_drawing: Callable[[], None] | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        if self.before_drawing is not None:
            self.before_drawing()
        yield from super().get_renderables()


def bar(*columns: ProgressColumn) -> _Bar:
    """Return a bar with the share done, `columns` and the time left."""
    # On the error stream, so that output can be piped; removed when done.
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


def title(text: str, remark: str = "") -> None:
    """Print a heading, and a remark beside it."""
    screen.print(f"[bold]{text}[/]" + (f" [dim]({remark})[/]" if remark else ""))


def show_rows(rows: dict[str, str], gap: int = 0) -> None:
    """Print names and descriptions as two columns; long text wraps in its column."""
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


_WIDEST = 10_000  # columns


def print_fitted(table: Table) -> None:
    """Print a plain table, with smaller gaps between the columns if it is wider than the screen."""
    unlimited = screen.options.update(width=_WIDEST)  # a measure is at most the width of its options
    if screen.measure(table, options=unlimited).maximum > screen.width:
        table.padding = (0, 1, 0, 0)
    screen.print(table)


def file_size(path: Path) -> str:
    return byte_text(path.stat().st_size)


def byte_text(n: float) -> str:
    """Return a number of bytes with a unit, such as '1.5 MB'."""
    size = float(n)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} bytes" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1000
    return f"{size:,.2f} GB"


_FEATURE_NUMBER = re.compile("[0-9]{1,18}")


def number_ranges(names: Sequence[str]) -> str:
    """Return '6-10, 41' for ['6', '7', ..., '10', '41']; names that are not numbers are not merged."""
    spans: list[list[str]] = []
    for name in names:
        before = spans[-1][-1] if spans else ""
        # At most 18 digits: Python refuses to convert thousands of digits.
        if all(_FEATURE_NUMBER.fullmatch(text) for text in (before, name)) and int(name) == int(before) + 1:
            spans[-1].append(name)
        else:
            spans.append([name])
    return ", ".join(span[0] if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)


class _Bars(Watch):
    """A bar for every kind of work, on the error output."""

    def __init__(self, shown: _Bar, what: str, total: int) -> None:
        self.command = command_typed()
        self._shown = shown
        self._tasks: dict[str, TaskID] = {}
        self._runs = _Counted(shown, what, total)
        shown.before_drawing = self._runs.look

    def reading(self, done: int, total: int) -> None:
        speed = self._update("reading", total, completed=done)
        self._rate(
            "reading", f"{byte_text(done)} of {byte_text(total)}", speed, lambda n: f"{byte_text(n)}/s"
        )

    def counting(self, what: str, done: int, total: int) -> None:
        speed = self._update(what, total, advance=done)
        completed = self._task(what).completed
        self._rate(what, f"{completed:,.0f} of {total:,}", speed, lambda n: f"{n:,.0f}/s")

    def matrix(self, status: BuildStatus) -> None:
        speed = self._update("pairs", status.total, completed=status.done)
        rate = f"{speed * status.pairs / status.total:,.1f} pairs/s" if speed else ""
        self._shown.update(
            self._tasks["pairs"],
            description=f"{status.decided:,} of {counted(status.pairs, 'pair')} decided",
            rate=_with_workers(rate, status.workers) if status.workers else rate,
        )

    def playing(self, in_play: InPlay) -> None:
        self._runs.watch(in_play)

    def runs(self, done: int) -> None:
        self._runs.advance(done)

    def _update(self, what: str, total: int, **change: Any) -> float:
        """Update a bar, which disappears when its work is done; return its units per second."""
        if what not in self._tasks:
            self._tasks[what] = self._shown.add_task(what, total=total, rate="")
        self._shown.update(self._tasks[what], total=total, **change)
        task = self._task(what)
        self._shown.update(self._tasks[what], visible=not task.finished)
        return task.speed or 0.0

    def _task(self, what: str) -> Task:
        return self._shown.tasks[self._shown.task_ids.index(self._tasks[what])]

    def _rate(self, what: str, so_far: str, speed: float, text: Callable[[float], str]) -> None:
        self._shown.update(self._tasks[what], rate=f"{so_far} {text(speed)}" if speed else so_far)


class _Counted:
    """Progress of runs or impressions. With `watch`, runs are measured in duels."""

    def __init__(self, shown: Progress, what: str, total: int) -> None:
        self.shown, self.what, self.total = shown, what, total
        self.n_done = 0
        self.in_play: InPlay | None = None
        self.task: TaskID | None = None

    def watch(self, in_play: InPlay) -> None:
        self.in_play = in_play

    def advance(self, done: int) -> None:
        self.n_done += done
        if self.task is None:  # finished runs that were found must not count for the rate
            done, total = self.n_done * self.unit, self.total * self.unit
            self.task = self.shown.add_task(self.what, total=total, completed=done, rate="")
        elif self.in_play is None:
            self.shown.advance(self.task, done)
        self.look()

    @property
    def unit(self) -> int:
        return 1 if self.in_play is None else self.in_play.horizon

    def look(self) -> None:
        """Update the bar with the duels of finished and unfinished runs."""
        if self.task is None or self.in_play is None:
            return
        task = self.shown.tasks[self.shown.task_ids.index(self.task)]
        played = self.n_done * self.unit + self.in_play.n_steps()
        # A run that has just ended is no longer in play, and is counted a moment later.
        self.shown.update(self.task, completed=max(task.completed, min(played, self.total * self.unit)))
        runs = f"{self.n_done:,} of {counted(self.total, self.what.removesuffix('s'))}"
        rate = f"{task.speed:,.0f} duels/s" if task.speed else ""
        if self.in_play.cluster is not None:
            rate = _with_workers(rate, self.in_play.cluster.status().n_workers)
        self.shown.update(self.task, description=runs, rate=rate)


def _with_workers(rate: str, n_workers: int) -> str:
    """Return a rate with the number of workers that a cluster has."""
    return ", ".join(filter(None, [rate, counted(n_workers, "worker")]))


class LogLines(logging.Handler):
    """Log handler that prints a line for each function that takes seconds to compile, and for clusters."""

    def emit(self, record: logging.LogRecord) -> None:
        errors.print(f"[dim]{escape(record.getMessage())}[/]", soft_wrap=True)


def show_notes() -> None:
    """Print log messages about compiling and warnings about caches on the error output."""
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
    """Collect warnings about policies, and print them at the end of the block."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", PolicyNotice)
        yield
    for notice in found:
        errors.print(f"[yellow]note:[/] {escape(str(notice.message))}", soft_wrap=True)


def show_data_notes(notes: Iterable[str]) -> None:
    """Print notes about data on the error output."""
    for note in notes:
        errors.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def command_typed() -> str:
    return shlex.join(["rankduel", *sys.argv[1:]])


def show_next(folder: Path, out: Path) -> None:
    records = escape(str(folder))
    all_records = escape(str(out))
    screen.print(f"\nrecords in [bold]{records}[/]; next: [bold]rankduel report {all_records}[/]")


def show_verdict(verdict: Verdict) -> None:
    """Print the winner in a line of its own, and how certain that is in the lines below."""
    screen.print(f"[bold]{escape(verdict.won)}[/]")
    for sentence in verdict.sentences[1:]:
        screen.print(escape(sentence))


_TEXTS = ("interleaving", "user", "Condorcet winner", "duels", "policy")  # columns of text


def show_sweep(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table of several kinds of duels; columns of `_TEXTS` are text."""
    table = plain_table()
    for heading in headings:
        is_text = heading in _TEXTS
        table.add_column(heading, header_style="dim", justify="left" if is_text else "right", overflow="fold")
    for row in rows:
        table.add_row(*(escape(text) for text in row))
    screen.print(table)
