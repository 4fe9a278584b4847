"""`read_data`: judged data from text, archives and Parquet, through the cache."""

from __future__ import annotations

import warnings
import weakref
from dataclasses import replace
from pathlib import Path

from rankduel.base.errors import DataError, DataWarning, encodable
from rankduel.base.memory import release_freed_memory
from rankduel.letor_data import cache as cache_files
from rankduel.letor_data.formats import profile_named
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.packed.archive import Progress, find_files
from rankduel.letor_data.packed.packing import guard
from rankduel.letor_data.parquet_files import read_parquet
from rankduel.letor_data.text.parse import ReadOptions, check_options, parse_text

_ATTEMPTS = 3  # at reading files that change meanwhile
# Of data that were read with a cache. Data that are derived from them, such as some of their queries, have
# no cache file.
_cache_stems: weakref.WeakKeyDictionary[Letor, Path] = weakref.WeakKeyDictionary()


def read_data(
    *paths: str | Path,
    cache: bool | str | Path = True,
    jobs: int = 0,
    progress: Progress | None = None,
    **options,
) -> Letor:
    """Read judged data from one or more files, folders or archives.

    Parameters
    ----------
    *paths : str or Path
        Files, folders or archives; ``ARCHIVE::PATTERN`` selects members of an archive.
    cache : bool, str or Path, default True
        Whether to use a cache beside the source, or in the user's cache folder if that is not writable or
        not the user's; or the folder of the cache, to which nobody else may write.
    jobs : int, default 0
        Number of threads that parse; 0 uses all cores. The result does not depend on it.
    progress : callable, optional
        Called with the bytes done and the total bytes while parsing.
    **options
        Fields of `rankduel.letor_data.text.parse.ReadOptions`: `profile`, `nonfinite`, `unjudged`,
        `label_round`, `grade_cuts`, `index_base`, `max_features`, `merge_files` and `split_prefix`.

    Returns
    -------
    Letor
        Judged documents. Remarks about the files are in its `notes`.

    Raises
    ------
    DataError
        If a file cannot be read. The message names the file, and the line and column if there is one.
    TypeError
        If there is no such option.

    Warns
    -----
    DataWarning
        For each of the notes, and if the cache cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from rankduel.letor_data import read_data
    >>> _ = Path("two.txt").write_text("2 qid:1 1:0.5 2:1\\n0 qid:1 1:0.1 2:3\\n1 qid:2 1:1 2:0\\n")
    >>> read_data("two.txt", cache=False).docs_per_query
    array([2, 1])
    """
    if not paths:
        raise DataError("nothing to read: name at least one file")
    how = _options(options)
    with guard(", ".join(str(path) for path in paths)):
        if _is_parquet(paths[0]):
            letor = _read_table(paths, how, cache)
            letor = replace(letor, cache=_folder(Path(paths[0]), cache))
        else:
            letor = _read_text(list(paths), how, cache, jobs, progress)
    for note in letor.notes:
        warnings.warn(note, DataWarning, stacklevel=2)
    return letor


def _read_text(paths: list, options: ReadOptions, cache: bool | str | Path, jobs: int, progress) -> Letor:
    check_options(options)
    first, digest = _identity(paths, options)
    folder = _folder(first, cache)
    letor = cache_files.load(cache_files.cache_stem(first, digest, folder), digest) if cache else None
    if letor is None:
        letor = _parse_unchanged(paths, options, digest, jobs, progress)
        if cache:
            letor = _cached(letor, cache_files.cache_stem(first, letor.digest, folder))
            release_freed_memory()  # that of the parsed copy
    letor = replace(letor, source=encodable(", ".join(str(path) for path in paths)), cache=folder)
    if cache:
        _cache_stems[letor] = cache_files.cache_stem(first, letor.digest, folder).absolute()
    return letor


def cache_stem_of(letor: Letor) -> Path | None:
    """Return the absolute path of the cache file of `letor`, without its checksum and '.arrow'.

    None if `letor` was not read from text with a cache. The file may be absent, if it could not be written.
    """
    return _cache_stems.get(letor)


def _folder(first: Path, cache: bool | str | Path) -> Path | None:
    """Return the folder of the cache; None without a cache."""
    if isinstance(cache, bool):
        return cache_files.default_folder(first) if cache else None
    return Path(cache)


def _identity(paths: list, options: ReadOptions) -> tuple[Path, str]:
    """Return the first of the files, and the digest of all of them."""
    files = [file for path in paths for file in find_files(path)]
    return files[0][0], cache_files.digest_of(files, options)


def _parse_unchanged(paths: list, options: ReadOptions, before: str, jobs: int, progress) -> Letor:
    """Parse files until their digest is the same before and after; it is then that of the data read."""
    for _ in range(_ATTEMPTS):
        # Without the source, because the same data under another path has the same cache file.
        letor = replace(parse_text(paths, options, jobs, progress), source="")
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


def _options(options: dict) -> ReadOptions:
    unknown = [name for name in options if name not in ReadOptions._fields]
    if unknown:
        raise TypeError(f"read_data() has no option '{unknown[0]}'; known: {', '.join(ReadOptions._fields)}")
    options = dict(options)
    if "grade_cuts" in options:
        options["grade_cuts"] = tuple(float(cut) for cut in options["grade_cuts"])
    return ReadOptions(**options)


def _is_parquet(path: str | Path) -> bool:
    path = Path(path)
    if path.is_file():
        with guard(str(path)), open(path, "rb") as stream:
            if stream.read(4) == b"PAR1":
                return True
    return path.suffix == ".parquet"


def _read_table(paths: tuple[str | Path, ...], options: ReadOptions, cache: bool | str | Path) -> Letor:
    if not isinstance(cache, bool):
        raise DataError(f"{paths[0]}: Parquet is read without a cache; leave --cache (in Python, cache) out")
    if len(paths) > 1:
        raise DataError(f"expected one Parquet file, found {paths[0]} and {paths[1]}; read them one by one")
    letor, profile = read_parquet(paths[0]), options.profile
    if options._replace(profile=None) != ReadOptions():
        raise DataError(f"{paths[0]}: Parquet is read as it is; of the options, only 'profile' applies")
    return letor if profile is None else replace(letor, profile=profile_named(profile).name, scale=0)
