"""Reading of text through the cache: it is parsed once, and then mapped into memory."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankduel.base.errors import DataError, DataWarning, encodable
from rankduel.base.memory import release_freed_memory
from rankduel.base.watch import Watch
from rankduel.letor_data import cache as cache_files
from rankduel.letor_data.contract import Request
from rankduel.letor_data.letor import CacheFile, Letor
from rankduel.letor_data.packed.archive import find_files
from rankduel.letor_data.text.parse import ReadOptions, check_options, parse_text

_ATTEMPTS = 3  # at reading files that change meanwhile


def read_cached(files: Sequence[str | Path], request: Request) -> Letor:
    """Return the data of text files, memory-mapped from their cache file if one is used."""
    paths, options, cache = list(files), request.options, request.cache
    check_options(options)
    first, digest = _identity(paths, options)
    folder = cache_files.cache_folder(first, cache)
    letor = cache_files.load(cache_files.cache_stem(first, digest, folder), digest) if cache else None
    if letor is None:
        letor = _parse_unchanged(paths, options, digest, request.jobs, request.watch)
        if cache:
            letor = _cached(letor, cache_files.cache_stem(first, letor.digest, folder))
            release_freed_memory()  # that of the parsed copy
    letor = replace(letor, source=encodable(", ".join(str(path) for path in paths)), cache=folder)
    if not cache:
        return letor
    stem = cache_files.cache_stem(first, letor.digest, folder).absolute()
    return replace(letor, file=CacheFile(stem, letor.content))


def _identity(paths: list[str | Path], options: ReadOptions) -> tuple[Path, str]:
    """Return the first of the files, and the digest of all of them."""
    files = [file for path in paths for file in find_files(path)]
    return files[0][0], cache_files.digest_of(files, options)


def _parse_unchanged(
    paths: list[str | Path], options: ReadOptions, before: str, jobs: int, watch: Watch
) -> Letor:
    """Parse files until their digest is the same before and after; it is then that of the data read."""
    for _ in range(_ATTEMPTS):
        # Without the source, because the same data under another path has the same cache file.
        letor = replace(parse_text(paths, options, jobs, watch.reading), source="")
        _, after = _identity(paths, options)
        if after == before:
            return replace(letor, digest=after)
        before = after
    raise DataError(f"{paths[0]}: changed while it was read; read it again when nothing writes to it")


def _cached(letor: Letor, stem: Path) -> Letor:
    """Write a cache file and return its memory-mapped data, so that the parsed copy can be freed."""
    try:
        cache_files.store(letor, stem)
    except OSError as problem:  # the data can be used without a cache
        warnings.warn(encodable(f"no cache was written: {problem}"), DataWarning, stacklevel=5)
    return cache_files.load(stem, letor.digest) or letor
