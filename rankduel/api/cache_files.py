"""List and remove cache files: compiled code, parsed data, and scores of models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from rankduel.base.cache_folders import code_folder, data_folder
from rankduel.base.code_cache import code_files
from rankduel.letor_data.cache import FOLDER, cache_files


def caches(data: Sequence[str | Path] = (), *, clear: bool = False) -> pd.DataFrame:
    """List the cache files, or remove them.

    Compiled code is stored in the user's cache folder, which is ``$RANKDUEL_CACHE`` if that is set. Parsed
    data, and scores of models on them, are stored beside their source in a folder called ``.rankduel``, or in
    the user's cache folder if that folder cannot be written or is not the user's own. Removed files are
    made again when they are needed.

    Parameters
    ----------
    data : sequence of str or Path, optional
        Data files, or folders of them, whose caches beside them are listed too.
    clear : bool, default False
        Remove the files.

    Returns
    -------
    DataFrame
        One row per folder: kind ("code" or "data"), folder, number of files, and their size in bytes. With
        `clear`, these were removed.

    Examples
    --------
    >>> found = rankduel.caches()
    >>> found["kind"].tolist()
    ['code', 'data']
    """
    folders = [("code", code_folder(), code_files(code_folder()))]
    for folder in (data_folder(), *(_beside(Path(path)) for path in data)):
        folders.append(("data", folder, cache_files(folder)))
    rows = [
        {"kind": kind, "folder": str(folder), "files": len(files), "bytes": _size(files)}
        for kind, folder, files in folders
    ]
    if clear:
        for _, _, files in folders:
            for file in files:
                file.unlink(missing_ok=True)
    return pd.DataFrame(rows)


def _beside(path: Path) -> Path:
    """Return the folder of parsed copies of a data file, or of the files in a folder."""
    return (path if path.is_dir() else path.parent) / FOLDER


def _size(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.is_file())
