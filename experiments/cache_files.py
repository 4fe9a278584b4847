"""List and remove cache files: compiled code, parsed data, and scores of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from rankduel.base.cache_folders import code_folder, data_folder
from rankduel.base.code_cache import code_files
from rankduel.base.results import plain
from rankduel.letor_data.cache import FOLDER, cache_files


@dataclass(frozen=True, eq=False, repr=False)
class Caches:
    """Folders of cache files; made by `caches`."""

    folders: pd.DataFrame  # one row per folder: kind, folder, number of files, and their size in bytes
    removed: bool  # whether the files were removed

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per folder."""
        return self.folders

    def to_dict(self) -> dict[str, Any]:
        """Return the folders, and whether their files were removed, as plain Python objects."""
        return {"removed": self.removed, "caches": plain(self.folders)}

    def __repr__(self) -> str:
        return f"Caches(removed={self.removed})\n{self.folders}"

    def _repr_html_(self) -> str:
        return str(self.folders.to_html())


def caches(data: Sequence[str | Path] = (), *, clear: bool = False) -> Caches:
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
    Caches
        ``to_pandas()`` has one row per folder: kind ("code" or "data"), folder, number of files, and their
        size in bytes. With `clear`, these were removed.

    Examples
    --------
    >>> found = rankduel.caches()
    >>> found.folders["kind"].tolist()
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
    return Caches(pd.DataFrame(rows), clear)


def _beside(path: Path) -> Path:
    """Return the folder of parsed copies of a data file, or of the files in a folder."""
    return (path if path.is_dir() else path.parent) / FOLDER


def _size(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.is_file())
