"""The preferences by which live runs are measured: from a file, as the run set has them, or made from the
arena."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from experiments.arena import DUEL_SETTINGS, Arena
from experiments.cluster import Workers
from experiments.matrix.build import BuildStatus, build_matrix, write_matrix
from experiments.matrix.preferences import Preferences, read_preferences
from experiments.runs.problem import other_rankers
from experiments.runs.records import ANOTHER_RUN_SET, INCIDENTAL, MATRIX, refuse_old_layout
from rankduel.base.errors import MatrixError, RecordsError
from rankduel.base.files import saying_where


def preferences_for(
    arena: Arena,
    matrix: Preferences | str | Path | None,
    folder: Path | None,
    jobs: Workers,
    progress: Callable[[BuildStatus], object] = lambda status: None,
    *,
    repair: bool = False,
) -> Preferences:
    """Return the given preferences, or those kept in `folder`, or make them (and keep them there).

    With `repair`, preferences kept in `folder` that are damaged are made again.

    Raises
    ------
    MatrixError
        If the given preferences are of other rankers, or say that they were made for other duels.
    RecordsError
        If those kept in `folder` are damaged, or were made for other duels; or if the run set there is of an
        older release.
    """
    if matrix is not None:
        return _given(arena, matrix)
    if folder is None:
        return build_matrix(arena, jobs=jobs, progress=progress)
    refuse_old_layout(folder)  # before a matrix is made
    kept = folder / MATRIX
    if kept.exists():
        try:
            found = read_preferences(kept)
        except MatrixError as problem:
            if not repair:
                again = "the same command with --repair (in Python, repair=True) makes it again"
                raise RecordsError(f"{problem}; {again}") from None
        else:
            return _kept(arena, found, kept)
    with saying_where(folder, RecordsError):
        folder.mkdir(parents=True, exist_ok=True)
    return write_matrix(arena, kept, jobs=jobs, progress=progress)


def _given(arena: Arena, matrix: Preferences | str | Path) -> Preferences:
    """Return given preferences, if they were made for such duels or do not say what they were made for."""
    where = "the matrix" if isinstance(matrix, Preferences) else str(matrix)
    preferences = matrix if isinstance(matrix, Preferences) else read_preferences(matrix)
    if preferences.names != arena.rankings.names:
        raise MatrixError(
            f"{where}: {other_rankers(preferences, arena)}. Give the matrix of these rankers, or none: it is "
            "made from the data"
        )
    if preferences.settings.keys() & set(DUEL_SETTINGS):
        difference = _difference(arena, preferences, DUEL_SETTINGS)
        if difference:
            raise MatrixError(
                f"{where} was made for other duels: {difference}. Give the matrix of these duels, or none: "
                "it is made from the data"
            )
    return preferences


def _kept(arena: Arena, preferences: Preferences, where: Path) -> Preferences:
    """Return preferences of a run set, if they were made for the very duels and data."""
    if preferences.names != arena.rankings.names:
        raise RecordsError(f"{where}: {other_rankers(preferences, arena)}. {ANOTHER_RUN_SET}")
    difference = _difference(arena, preferences, (key for key in arena.settings if key not in INCIDENTAL))
    if difference:
        raise RecordsError(f"{where} was made for other duels: {difference}. {ANOTHER_RUN_SET}")
    return preferences


def _difference(arena: Arena, preferences: Preferences, keys: Iterable[str]) -> str:
    """Return the first of these settings that differs, in words; nothing if all are the same."""
    for key in keys:
        found, wanted = preferences.settings.get(key, "not said"), arena.settings[key]
        if found != wanted:
            return f"{key} is {found} there and {wanted} now"
    return ""
