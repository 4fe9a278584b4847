"""The user's data folder, and the search for files in it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from rankduel.base.errors import UsageError

VARIABLE = "RANKDUEL_DATA"


def data_folder(given: Path | None) -> Path | None:
    """Return the data folder: `given` (--data) or $RANKDUEL_DATA; raise an error if it does not exist."""
    text = str(given) if given is not None else os.environ.get(VARIABLE, "")
    if not text:
        return None
    if not Path(text).is_dir():
        source = "--data" if given is not None else f"${VARIABLE}"
        raise UsageError(f"{source} is {text}: there is no such folder; expected a folder with data files")
    return Path(text)


def find_file(names: tuple[str, ...], folder: Path | None) -> Path | None:
    """Return the first of these files in the folder or one of its subfolders; None if there is none.

    A file with exactly this name is preferred to one that differs in case, or has '_' for '-'.
    """
    if folder is None:
        return None
    for name in names:
        for path in (folder / name, *sorted(folder.glob(f"*/{name}"))):
            if path.is_file():
                return path
        for pattern in (any_spelling(name), f"*/{any_spelling(name)}") if Path(name).name == name else ():
            for path in sorted(folder.glob(pattern)):
                if path.is_file():
                    return path
    return None


def any_spelling(name: str) -> str:
    """Return a glob pattern of `name` in upper or lower case, with '-' or '_'."""
    return re.sub(r"[a-zA-Z]|[-_]", _any_of, name)


def _any_of(found: re.Match[str]) -> str:
    letter = found[0]
    return f"[{letter.lower()}{letter.upper()}]" if letter.isalpha() else "[_-]"
