"""`read`: judged data from wherever it is, through the cache."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from letor_data import cache as cache_files
from letor_data.archive import find_sources
from letor_data.errors import DataError, DataWarning
from letor_data.files import replacing
from letor_data.letor import Letor
from letor_data.reader import Progress, ReadOptions, check_options, parse_text
from letor_data.table import from_table, to_table


def read(
    *paths: str | Path,
    cache: bool | str | Path = True,
    jobs: int = 0,
    progress: Progress | None = None,
    **options,
) -> Letor:
    """Judged data of one or more files, folders or archives (`ARCHIVE::PATTERN` chooses members).

    cache    True: beside the source (or in the user's cache folder); a folder: there; False: none.
    jobs     threads that parse; 0 = all cores. The result does not depend on it.
    progress called with (bytes done, bytes in all) while parsing.
    options  see ReadOptions: profile, nonfinite, unjudged, label_round, grade_cuts, index_base, ...

    What the owner of the data should know is in `.notes`, and raised as DataWarning.
    """
    if not paths:
        raise DataError("nothing to read: name at least one file")
    how = _options(options)
    if str(paths[0]).endswith(".parquet"):
        letor = read_parquet(_only(paths))
    else:
        letor = _read_text(list(paths), how, cache, jobs, progress)
    for note in letor.notes:
        warnings.warn(note, DataWarning, stacklevel=2)
    return letor


def _read_text(paths: list, options: ReadOptions, cache: bool | str | Path, jobs: int, progress) -> Letor:
    if cache is False:
        return parse_text(paths, options, jobs, progress)
    check_options(options)
    sources = [source for path in paths for source in find_sources(path)]
    digest = cache_files.source_digest(sources)
    folder = None if cache is True else Path(cache)
    path = cache_files.cache_path(sources, digest, options, folder)
    letor = cache_files.load(path)
    if letor is None:
        letor = replace(parse_text(paths, options, jobs, progress), digest=digest)
        try:
            cache_files.store(letor, path)
        except OSError as problem:  # a full or read-only disk costs speed, not the data
            warnings.warn(f"no cache was written: {problem}", DataWarning, stacklevel=3)
            return letor
        letor = cache_files.load(path) or letor  # memory-mapped, so the parsed copy can go
    return replace(letor, source=", ".join(str(path) for path in paths))


def _options(options: dict) -> ReadOptions:
    unknown = [name for name in options if name not in ReadOptions._fields]
    if unknown:
        raise TypeError(f"read() has no option '{unknown[0]}'; known: {', '.join(ReadOptions._fields)}")
    options = dict(options)
    if "grade_cuts" in options:
        options["grade_cuts"] = tuple(float(cut) for cut in options["grade_cuts"])
    return ReadOptions(**options)


def _only(paths: tuple) -> str | Path:
    if len(paths) > 1:
        raise DataError(f"one Parquet file at a time: {paths[0]} came with {paths[1]}")
    return paths[0]


def read_parquet(path: str | Path) -> Letor:
    try:
        return from_table(pq.read_table(path), str(path))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file or folder") from None
    except (pa.ArrowInvalid, OSError) as problem:
        raise DataError(f"{path}: not a readable Parquet file ({str(problem).splitlines()[0]})") from None


def write_parquet(letor: Letor, path: str | Path) -> None:
    """All of it, compressed; `read` gives back exactly the same."""
    with replacing(path) as temporary:
        pq.write_table(to_table(letor), temporary, compression="zstd")
