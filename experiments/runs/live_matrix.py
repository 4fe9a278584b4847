"""The preferences by which live runs are measured: from a file, as the run set has them, or made from the
arena."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.arena import Arena
from experiments.matrix.build import BuildStatus, build_matrix, write_matrix
from experiments.matrix.preferences import Preferences, read_preferences
from experiments.runs.records import MATRIX
from rankduel.base.errors import RecordsError


def preferences_for(
    arena: Arena,
    matrix: Preferences | str | Path | None,
    folder: Path | None,
    jobs: int,
    progress: Callable[[BuildStatus], object] = lambda status: None,
) -> Preferences:
    """Return the given preferences, or those kept in `folder`, or make them (and keep them there)."""
    if matrix is not None:
        return matrix if isinstance(matrix, Preferences) else read_preferences(matrix)
    if folder is None:
        return build_matrix(arena, jobs=jobs, progress=progress)
    kept = folder / MATRIX
    if kept.exists():
        return _made_for(arena, read_preferences(kept), folder)
    folder.mkdir(parents=True, exist_ok=True)
    return write_matrix(arena, kept, jobs=jobs, progress=progress)


def _made_for(arena: Arena, preferences: Preferences, folder: Path) -> Preferences:
    for key, wanted in arena.settings.items():
        found = preferences.settings.get(key, "not said")
        if key != "data" and found != wanted:
            raise RecordsError(
                f"{folder / MATRIX} was made for other duels: {key} is {found} there and {wanted} now. "
                "Choose another folder or name, or remove it"
            )
    return preferences
