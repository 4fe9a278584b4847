"""Preferences that measure the regret of live runs: given, stored in the run set, or built from the arena."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rankduel.base.errors import MatrixError, RecordsError
from rankduel.base.files import convert_write_errors
from rankduel.base.watch import SILENT, Watch
from rankduel.experiments.arena import DUEL_SETTINGS, Arena
from rankduel.experiments.cluster import Workers
from rankduel.experiments.matrix.build import build_matrix, write_matrix
from rankduel.experiments.matrix.preferences import Preferences, read_preferences
from rankduel.experiments.runs.problem import other_rankers
from rankduel.experiments.runs.run_folder import MATRIX
from rankduel.experiments.runs.study_file import ANOTHER_RUN_SET, INCIDENTAL, refuse_old_layout


def preferences_for(
    arena: Arena,
    matrix: Preferences | str | Path | None,
    folder: Path | None,
    jobs: Workers,
    watch: Watch = SILENT,
    *,
    repair: bool = False,
) -> Preferences:
    """Return the preferences `matrix`; if None, those stored in `folder`; otherwise build and store them.

    With `repair`, damaged preferences in `folder` are built again.

    Raises
    ------
    MatrixError
        If `matrix` has other rankers, or its settings are those of other duels.
    RecordsError
        If the preferences in `folder` are damaged or were made for other duels, or if the run set there was
        written by an older release.
    """
    if matrix is not None:
        return _given(arena, matrix)
    if folder is None:
        return build_matrix(arena, jobs=jobs, progress=watch.matrix)
    refuse_old_layout(folder)  # before the time is spent on a matrix
    path = folder / MATRIX
    if path.exists():
        try:
            found = read_preferences(path)
        except MatrixError as problem:
            if not repair:
                again = "the same command with --repair (in Python, repair=True) makes it again"
                raise RecordsError(f"{problem}; {again}") from None
        else:
            return _stored(arena, found, path)
    with convert_write_errors(folder, RecordsError):
        folder.mkdir(parents=True, exist_ok=True)
    return write_matrix(arena, path, jobs=jobs, progress=watch.matrix)


def _given(arena: Arena, matrix: Preferences | str | Path) -> Preferences:
    """Return the preferences `matrix`; raise MatrixError if their settings are those of other duels."""
    where = "the matrix" if isinstance(matrix, Preferences) else str(matrix)
    preferences = matrix if isinstance(matrix, Preferences) else read_preferences(matrix)
    if preferences.names != arena.rankings.names:
        raise MatrixError(
            f"{where}: {other_rankers(preferences, arena)}. Give the matrix of these rankers; without one, "
            "it is made from the data"
        )
    if preferences.settings.keys() & set(DUEL_SETTINGS):
        difference = _difference(arena, preferences, DUEL_SETTINGS)
        if difference:
            raise MatrixError(
                f"{where} was made for other duels: {difference}. Give the matrix of these duels; without "
                "one, it is made from the data"
            )
    return preferences


def _stored(arena: Arena, preferences: Preferences, where: Path) -> Preferences:
    """Return the preferences of a run set; raise RecordsError unless their settings are those of `arena`."""
    if preferences.names != arena.rankings.names:
        raise RecordsError(f"{where}: {other_rankers(preferences, arena)}. {ANOTHER_RUN_SET}")
    difference = _difference(arena, preferences, (key for key in arena.settings if key not in INCIDENTAL))
    if difference:
        raise RecordsError(f"{where} was made for other duels: {difference}. {ANOTHER_RUN_SET}")
    return preferences


def _difference(arena: Arena, preferences: Preferences, keys: Iterable[str]) -> str:
    """Return text on the first setting in `keys` that differs; "" if none does."""
    for key in keys:
        found, wanted = preferences.settings.get(key, "not set"), arena.settings[key]
        if found != wanted:
            return f"{key} is {found} there and {wanted} now"
    return ""
