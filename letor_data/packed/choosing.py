"""Selection of the data files in a folder or archive."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from rankduel.base.errors import DataError, encodable
from rankduel.letor_data.packed.packing import PACKINGS

_SPLIT_ORDER = {"train": 0, "vali": 1, "valid": 1, "validation": 1, "test": 2, "heldout": 2}
_TEXT_SUFFIXES = (".txt", ".dat", ".svm", ".svmlight", ".libsvm", ".letor")
_FOLD = re.compile(r"(?:^|/)(fold\d+)(?=/)", re.IGNORECASE)


class Source(NamedTuple):
    """One text to read: a file, or a member of an archive."""

    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        """Name in messages."""
        return encodable(f"{self.path}::{self.member}" if self.member else str(self.path))

    @property
    def split(self) -> str:
        """Split by file name: 'train' for 'Fold1/train.txt.gz' or 'set1.train.txt', otherwise the stem."""
        words = encodable(Path(self.member or self.path).name).split(".")
        return next((word for word in words if word.lower() in _SPLIT_ORDER), words[0])


def choose(names: list[str], pattern: str, path: Path) -> list[str]:
    """Return the names that match `pattern`, or data files if it is "", in the order train, vali, test."""
    visible = [name for name in names if not _is_hidden(name)]
    chosen = [name for name in visible if (_matches(name, pattern) if pattern else _looks_like_data(name))]
    if not chosen and not pattern and len(visible) == 1:
        chosen = visible
    if not chosen:
        wanted = f"nothing in it matches '{pattern}'" if pattern else "no .txt data in it"
        raise DataError(f"{path}: {wanted}; it holds {_listing(visible)}")
    name, times = Counter(chosen).most_common(1)[0]
    if times > 1:
        raise DataError(f"{path}: '{name}' is in it {times} times; unpack it and keep one")
    chosen.sort(key=lambda name: (_SPLIT_ORDER.get(Source(path, name).split.lower(), 3), name))
    if not re.search(r"[*?[]", pattern):  # a wildcard may select all folds, as in Fold*/test.txt
        _check_folds(chosen, path)
    return chosen


def _check_folds(chosen: list[str], path: Path) -> None:
    found = {match[1]: name[: match.end()] for name in reversed(chosen) if (match := _FOLD.search(name))}
    if len(found) > 1:
        join = "/" if path.is_dir() else "::"
        folds = sorted(found)
        split = next(name for name in chosen if name.startswith(found[folds[0]]))
        raise DataError(
            f"{path}: holds {', '.join(folds)}, and every fold repeats the same queries\n"
            f"  choose one: {path}{join}{found[folds[0]]}, or one split: {path}{join}{split}"
        )


def _matches(name: str, pattern: str) -> bool:
    """Return whether a name, without any leading folders, matches: 'Fold1/*.txt', or 'Fold1' for its data."""
    tail = pattern.strip("/")
    if f"/{name}".endswith(f"/{tail}") or fnmatch.fnmatchcase(f"/{name}", f"*/{tail}"):
        return True
    return fnmatch.fnmatchcase(f"/{name}", f"*/{tail}/*") and _looks_like_data(name)


def _is_hidden(name: str) -> bool:
    """Return whether a file is hidden or added by macOS. tar names its working folder '.'."""
    return any(part == "__MACOSX" or (part.startswith(".") and part != ".") for part in name.split("/"))


def _looks_like_data(name: str) -> bool:
    base = name.rsplit("/", 1)[-1].lower()
    for packing in PACKINGS.values():
        base = base.removesuffix(packing.suffixes[0])
    return base.endswith(_TEXT_SUFFIXES) and not base.startswith(("readme", "license", "licence"))


def _listing(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "") or "nothing"
