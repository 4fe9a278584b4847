"""What people see: the two consoles, progress bars, and small pieces of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from experiments.matrix.build import BuildStatus

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

    def render(self, task):
        return f"{task.speed:,.0f}/s" if task.speed else ""


def file_size(path: Path) -> str:
    size = float(path.stat().st_size)
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
    """The rate, the time left and how many pairs are decided; call it with what `build_matrix` tells."""
    with bar(TextColumn("{task.fields[rate]}")) as shown:
        task = shown.add_task("pairs", total=None, rate="")

        def update(told: BuildStatus) -> None:
            speed = shown.tasks[0].speed or 0.0
            shown.update(
                task,
                completed=told.done,
                total=told.total,
                description=f"{told.decided:,} of {told.pairs:,} pairs decided",
                rate=f"{speed * told.pairs / told.total:,.1f} pairs/s" if speed else "",
            )

        yield update
