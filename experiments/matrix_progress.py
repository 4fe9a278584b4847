"""A progress bar for a preference matrix in the making."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import TextColumn

from experiments.matrix import Progress
from experiments.screen import bar


@contextmanager
def matrix_progress() -> Iterator[Callable[[Progress], None]]:
    """The rate, the time left and how many pairs are decided; call it with what `build_matrix` tells."""
    with bar(TextColumn("{task.fields[rate]}")) as shown:
        task = shown.add_task("pairs", total=None, rate="")

        def update(told: Progress) -> None:
            speed = shown.tasks[0].speed or 0.0
            shown.update(
                task,
                completed=told.done,
                total=told.total,
                description=f"{told.decided:,} of {told.pairs:,} pairs decided",
                rate=f"{speed * told.pairs / told.total:,.1f} pairs/s" if speed else "",
            )

        yield update
