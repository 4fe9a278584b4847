"""Options that every command reading judged data takes, declared once.

`@reads_data` hands their values to the command as `how`, a dictionary of keyword arguments for
`letor_data.read_data`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from experiments.options import with_options
from experiments.screen import byte_progress
from letor_data import PROFILES, DataError, DataWarning, Letor, read_data

_PANEL = "How to read"


def _option(help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL, show_default=False, **more)


def _profiles(incomplete: str) -> list[tuple[str, str]]:
    return [(p.name, p.about) for p in PROFILES.values() if p.name.startswith(incomplete)]


READING: dict[str, tuple[Any, Any]] = {
    "profile": (
        Annotated[str | None, _option("What kind of files these are; by their names if not given: "
                                      f"{', '.join(PROFILES)}.", autocompletion=_profiles)],
        None,
    ),
    "nonfinite": (Annotated[str, _option("nan and inf: refuse or missing.")], "refuse"),
    "unjudged": (Annotated[str, _option("Label -1: refuse, drop or zero.")], "refuse"),
    "label_round": (Annotated[str, _option("Labels such as 1.5: refuse, nearest or floor.")], "refuse"),
    "grade_cuts": (
        Annotated[str, _option("Turn labels into grades: '10,50' gives 0 below 10, 1 below 50, 2 above.")], ""
    ),
    "index_base": (Annotated[int | None, _option("Smallest feature number, 0 or 1.")], None),
    "max_features": (Annotated[int, _option("Largest feature number believed (100,000).")], 100_000),
    "merge_files": (Annotated[bool, _option("An id in two files is one query.", "--merge-files")], False),
    "split_prefix": (Annotated[bool, _option("Query ids become 'train/17'.", "--split-prefix")], False),
    "qrels": (Annotated[Path | None, _option("TREC judgments; the files are then TREC runs.")], None),
    "cache": (Annotated[Path | None, _option("Folder for the binary cache (beside the data).")], None),
    "no_cache": (Annotated[bool, _option("Neither use nor write a cache.", "--no-cache")], False),
}  # fmt: skip


def reads_data(command: Callable) -> Callable:
    """Give a command the options of READING; it receives them as `how`."""
    return with_options(READING, "how")(command)


def load(files: list[str], how: dict) -> Letor:
    """Read as the options say, with a progress bar; notes are left to whoever shows the data."""
    how = dict(how)
    qrels, cache, no_cache = how.pop("qrels"), how.pop("cache"), how.pop("no_cache")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if qrels is not None:
            return _load_trec(files, qrels)
        how["grade_cuts"] = _cuts(how["grade_cuts"])
        with byte_progress("reading") as progress:
            return read_data(*files, cache=False if no_cache else cache or True, progress=progress, **how)


def load_plain(path: Path) -> Letor:
    """Read one file with no options given."""
    return load([str(path)], {name: default for name, (_, default) in READING.items()})


def _load_trec(files: list[str], qrels: Path) -> Letor:
    from letor_data.trec import read_trec

    return read_trec(qrels, files)


def _cuts(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(cut) for cut in text.split(",") if cut.strip())
    except ValueError:
        raise DataError(f"--grade-cuts takes numbers such as '10,50', not '{text}'") from None
