"""Rankers by given scores, one for each document of the data's source."""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from rankduel.base.errors import DataError, encodable
from rankduel.base.text import with_line_feeds
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.packed.packing import guard
from rankduel.letor_data.rankers.by_docid import run
from rankduel.letor_data.rankers.contract import Ranker, named_text

_N_RUN_FIELDS = 6  # qid Q0 docno rank score tag
_PIECE = 1 << 16  # bytes that contain the first line


def scores(source: str | Path | Sequence[float] | np.ndarray, name: str | None = None) -> Ranker:
    """Rank by given scores.

    Parameters
    ----------
    source : str, Path, sequence or ndarray
        Scores, or a text file with one score per line: one for each document of the data's source, in that
        order, including documents that the data no longer contain. A file whose first line has the six
        columns of a TREC run is read by `run`.
    name : str, optional
        Name of the ranker. By default the file name without its suffix, or "scores".

    Returns
    -------
    Ranker
        The ranker. When data are ranked, it raises DataError if there are fewer scores than documents.

    Raises
    ------
    DataError
        If the file cannot be read, or a score is not finite.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": ["a", "b", "a"], "label": [1, 0, 2]})
    >>> data = rankduel.Letor.from_pandas(frame)  # query by query: rows 0, 2 and 1 of the frame
    >>> rankduel.rankers.scores([0.5, 0.25, 0.75]).score(data)
    array([0.5 , 0.75, 0.25])
    """
    if not isinstance(source, (str, Path)):
        title = name or "scores"
        return Ranker(title, _by_record(_checked(source, title), title))
    usual = Path(encodable(str(source))).stem
    text = named_text(f"scores:{encodable(str(source))}", name or usual, usual)
    if _looks_like_run(Path(source)):
        return run(source, name or usual)._replace(text=text)
    return Ranker(name or usual, _by_record(_read_scores(Path(source)), str(source)), text)


def _by_record(values: np.ndarray, where: str) -> Callable[[Letor], np.ndarray]:

    def score(letor: Letor) -> np.ndarray:
        n_records = int(letor.records.max()) + 1 if letor.n_docs else 0
        if len(values) < n_records:
            raise DataError(
                f"{where}: {len(values)} scores, but the data's source has at least {n_records} documents; "
                f"give one score per document line of {letor.source or 'the source'}"
            )
        return values[letor.records]

    return score


def _looks_like_run(path: Path) -> bool:
    with guard(path), open(path, "rb") as file:
        lines = file.read(_PIECE).removeprefix(codecs.BOM_UTF8).lstrip().splitlines()
    return bool(lines) and len(lines[0].split()) == _N_RUN_FIELDS


def _checked(source: Sequence[float] | np.ndarray, title: str) -> np.ndarray:
    values = np.asarray(source)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if values.ndim != 1:
        raise DataError(f"{title}: scores must be one row of numbers, not an array of shape {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise DataError(f"{title}: score {bad[0]} must be a finite number, not {values[bad[0]]}")
    return values


def _read_scores(path: Path) -> np.ndarray:
    with guard(path):
        text = b"".join(with_line_feeds([path.read_bytes()]))
    lines = text.removeprefix(codecs.BOM_UTF8).rstrip().split(b"\n")
    if lines == [b""]:
        raise DataError(f"{path}: no scores")
    return np.array([_read_score(path, number, line) for number, line in enumerate(lines, 1)])


def _read_score(path: Path, number: int, line: bytes) -> float:
    first, *others = line.split() or [b""]
    if not first:
        raise _bad_score(path, number, line, "blank line where a score should be", b"", 0)
    end = line.index(first) + len(first)
    if others:
        raise _bad_score(path, number, line, "one score per line", others[0], end)
    try:
        value = float(first) if b"_" not in first else math.nan  # float() accepts 1_000
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _bad_score(path, number, line, "a score must be a finite number", first, 0)
    return value


def _bad_score(
    path: Path, number: int, line: bytes, problem: str, token: bytes, start: int
) -> LetorFormatError:
    """Return the error for the first occurrence of `token` from byte `start` on."""
    column, text = line.index(token, start) + 1, line.decode("latin-1")
    return LetorFormatError(path, number, column, problem, token.decode("latin-1"), text=text)
