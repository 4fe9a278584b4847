"""What people see: the two consoles, progress bars, and small pieces of tables."""

from __future__ import annotations

import logging
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
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

from experiments.matrix.build import BuildStatus
from rankduel.base.errors import CacheNotice, PolicyNotice

screen = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


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


def bar(*columns: ProgressColumn) -> Progress:
    """A bar with a share, these columns and the time left."""
    # Progress goes to the error stream, so that output can be piped; it leaves no trace when done.
    return Progress(
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


def number_ranges(names: Sequence[str]) -> str:
    """'6-10, 41' for ['6', '7', ..., '10', '41']; names that are not numbers stand alone."""
    spans: list[list[str]] = []
    for name in names:
        if spans and name.isdigit() and spans[-1][-1].isdigit() and int(name) == int(spans[-1][-1]) + 1:
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


@contextmanager
def runs_progress(what: str, total: int) -> Iterator[RunsProgress]:
    """Show a bar for runs or impressions, and one for a matrix; each appears when its work begins."""
    with bar(TextColumn("{task.fields[rate]}")) as shown:
        tasks: list[TaskID] = []

        def advance(done: int) -> None:
            if not tasks:
                tasks.append(shown.add_task(what, total=total, rate=""))
            shown.advance(tasks[0], done)

        yield RunsProgress(advance, _build_status(shown))


def _build_status(shown: Progress) -> Callable[[BuildStatus], None]:
    """Return a function that shows the status of a matrix; its bar appears with the first call."""
    tasks: list[TaskID] = []

    def update(status: BuildStatus) -> None:
        if not tasks:
            tasks.append(shown.add_task("pairs", total=None, rate=""))
        speed = shown.tasks[shown.task_ids.index(tasks[0])].speed or 0.0
        shown.update(
            tasks[0],
            completed=status.done,
            total=status.total,
            description=f"{status.decided:,} of {status.pairs:,} pairs decided",
            rate=f"{speed * status.pairs / status.total:,.1f} pairs/s" if speed else "",
        )

    return update


class CompilingLines(logging.Handler):
    """Prints a line for everything that takes seconds to compile."""

    def emit(self, record: logging.LogRecord) -> None:
        errors.print(f"[dim]{escape(record.getMessage())}[/]", soft_wrap=True)


def show_notes() -> None:
    """Print a line on the error output for what takes seconds to compile, and for unusable caches."""
    if warnings.showwarning is not _show_warning:
        _usual_warning.append(warnings.showwarning)
        warnings.showwarning = _show_warning
    log = logging.getLogger("rankduel.compiling")
    if not any(isinstance(handler, CompilingLines) for handler in log.handlers):
        log.addHandler(CompilingLines())
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


def command_typed() -> str:
    return shlex.join(["rankduel", *sys.argv[1:]])


def show_next(folder: Path, out: Path) -> None:
    kept = escape(str(folder))
    all_kept = escape(str(out))
    screen.print(f"\nrecords in [bold]{kept}[/]; next: [bold]rankduel report {all_kept}[/]")
