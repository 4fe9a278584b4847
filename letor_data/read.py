"""`read_data`: judged data from text, archives and Parquet, through the cache."""

from __future__ import annotations

import inspect
import warnings
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from rankduel.base.arguments import check_type
from rankduel.base.errors import DataError, DataWarning, encodable
from rankduel.base.memory import release_freed_memory
from rankduel.base.unused import refuse_unused
from rankduel.base.watch import SILENT, Watch
from rankduel.letor_data import cache as cache_files
from rankduel.letor_data.formats import profile_named
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.packed.archive import find_files
from rankduel.letor_data.packed.packing import guard
from rankduel.letor_data.parquet_files import read_parquet
from rankduel.letor_data.text.parse import ReadOptions, check_options, parse_text
from rankduel.letor_data.trec import read_trec

_ATTEMPTS = 3  # at reading files that change meanwhile
# Of data that were read with a cache. Data that are derived from them, such as some of their queries, have
# no cache file.
_cache_stems: weakref.WeakKeyDictionary[Letor, Path] = weakref.WeakKeyDictionary()


def read_data(
    *files: str | Path,
    profile: str | None = None,
    nonfinite: Literal["refuse", "missing"] = "refuse",
    unjudged: Literal["refuse", "drop", "zero"] | None = None,
    label_round: Literal["refuse", "nearest", "floor"] = "refuse",
    grade_cuts: Sequence[float] = (),
    index_base: int | None = None,
    max_features: int = 100_000,
    merge_files: bool = False,
    split_prefix: bool = False,
    qrels: str | Path | None = None,
    candidates: Literal["union", "judged", "all"] = "all",
    run_ties: Literal["tie_mode", "trec_eval"] = "tie_mode",
    cache: bool | str | Path = True,
    jobs: int = -1,
    watch: Watch = SILENT,
) -> Letor:
    """Read judged data: LETOR, MSLR, Yahoo!, Istella, svmlight, LightGBM or Parquet files, or TREC runs.

    Text is parsed once and stored in a binary cache, which later calls map into memory.

    Parameters
    ----------
    *files : str or Path
        Files, folders or archives. ``ARCHIVE::PATTERN`` chooses members of an archive. With `qrels`, TREC
        runs.
    profile : str, optional
        Format of the files, such as ``"mslr"`` or ``"yahoo"``. By default it follows from their names.
    nonfinite : {"refuse", "missing"}, default "refuse"
        Whether ``nan`` and ``inf`` are errors or missing values.
    unjudged : {"refuse", "drop", "zero"}, optional
        Whether documents with label -1 are errors (the default), dropped, or have grade 0. With `qrels`, the
        same for documents of a run without a judgment; the default is then "zero".
    label_round : {"refuse", "nearest", "floor"}, default "refuse"
        Whether labels such as 1.5 are errors or rounded.
    grade_cuts : sequence of float, default ()
        Limits that turn labels into grades: ``(10, 50)`` gives 0 below 10, 1 below 50 and 2 from there.
    index_base : int, optional
        The smallest feature number, 0 or 1. By default it follows from the profile.
    max_features : int, default 100_000
        Largest feature number that is accepted.
    merge_files : bool, default False
        Whether a query id in two files is one query.
    split_prefix : bool, default False
        Whether the split is put in front of query ids, as in ``train/17``.
    qrels : str or Path, optional
        TREC relevance judgments; `files` are then TREC runs, each of which is a ranker. Of the other
        parameters, `unjudged`, `grade_cuts`, `candidates` and `run_ties` apply.
    candidates : {"union", "judged", "all"}, default "all"
        With `qrels`, the documents of a query: those that some run lists, those that are judged, or all of
        both. With "all", NDCG counts relevant documents that no run lists, as trec_eval does. A run owns only
        the documents it lists.
    run_ties : {"tie_mode", "trec_eval"}, default "tie_mode"
        With `qrels`, equal scores in a run: ties between documents, as in other data, or ordered as
        trec_eval does, the larger document id first. Scores that are equal in single precision are then
        equal.
    cache : bool, str or Path, default True
        Whether to use a cache beside the data, or in the user's cache folder if that is not writable or not
        the user's; or the folder of the cache, to which nobody else may write.
    jobs : int, default -1
        Number of threads that parse; -1 uses all cores. The result does not depend on it.
    watch : Watch, optional
        Receives the number of bytes read so far, and of all bytes.

    Returns
    -------
    Letor
        Judged documents as columns, with the queries' offsets.

    Raises
    ------
    RankduelError
        If a file cannot be read (the message names the file, line and column), or if a parameter does not
        apply to these files.

    Warns
    -----
    DataWarning
        For each remark about the files, which the result has in its ``notes``, and if the cache cannot be
        written.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("two.txt").write_text("2 qid:1 1:0.5 2:1\\n0 qid:1 1:0.1 2:3\\n1 qid:2 1:1 2:0\\n")
    >>> data = rankduel.read_data("two.txt", cache=False)
    >>> data.n_queries, data.n_docs, data.n_features
    (2, 3, 2)
    """
    for file in files:
        check_type("a file", file, (str, Path), "its name; or give several files, one after the other")
    for_text: dict[str, Any] = {
        "profile": profile,
        "nonfinite": nonfinite,
        "label_round": label_round,
        "index_base": index_base,
        "max_features": max_features,
        "merge_files": merge_files,
        "split_prefix": split_prefix,
    }
    for_runs = {"candidates": candidates, "run_ties": run_ties}
    cuts = tuple(float(cut) for cut in grade_cuts)
    if qrels is not None:
        usual = _usual(for_text) | {"profile": "trec", "cache": True}
        refuse_unused(
            for_text | {"cache": cache}, usual, "files of features; TREC runs have none: leave it out"
        )
        return read_trec(qrels, list(files), candidates, unjudged or "zero", run_ties, cuts)
    refuse_unused(
        for_runs, _usual(for_runs), "TREC runs; give their judgments with qrels=..., or leave it out"
    )
    if not files:
        raise DataError("nothing to read: name at least one file")
    how = ReadOptions(**for_text, unjudged=unjudged or "refuse", grade_cuts=cuts)
    with guard(", ".join(str(file) for file in files)):
        if _is_parquet(files[0]):
            letor = _read_table(files, how, cache)
            letor = replace(letor, cache=_folder(Path(files[0]), cache))
        else:
            letor = _read_text(list(files), how, cache, jobs, watch)
    for note in letor.notes:
        warnings.warn(note, DataWarning, stacklevel=2)
    return letor


def _usual(names: Iterable[str]) -> dict[str, Any]:
    """Return the defaults of `read_data`."""
    known = inspect.signature(read_data).parameters
    return {name: known[name].default for name in names}


def _read_text(
    paths: list[str | Path], options: ReadOptions, cache: bool | str | Path, jobs: int, watch: Watch
) -> Letor:
    check_options(options)
    first, digest = _identity(paths, options)
    folder = _folder(first, cache)
    letor = cache_files.load(cache_files.cache_stem(first, digest, folder), digest) if cache else None
    if letor is None:
        letor = _parse_unchanged(paths, options, digest, jobs, watch)
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
        warnings.warn(encodable(f"no cache was written: {problem}"), DataWarning, stacklevel=4)
    return cache_files.load(stem, letor.digest) or letor


def _is_parquet(path: str | Path) -> bool:
    path = Path(path)
    if path.is_file():
        with guard(str(path)), open(path, "rb") as stream:
            if stream.read(4) == b"PAR1":
                return True
    return path.suffix == ".parquet"


def _read_table(paths: tuple[str | Path, ...], options: ReadOptions, cache: bool | str | Path) -> Letor:
    if not isinstance(cache, bool):
        raise DataError(
            f"{paths[0]}: Parquet is read without a cache; leave cache=... out", parameter="cache"
        )
    if len(paths) > 1:
        raise DataError(f"expected one Parquet file, found {paths[0]} and {paths[1]}; read them one by one")
    letor, profile = read_parquet(paths[0]), options.profile
    if options._replace(profile=None) != ReadOptions():
        raise DataError(f"{paths[0]}: Parquet is read as it is; of the options, only 'profile' applies")
    return letor if profile is None else replace(letor, profile=profile_named(profile).name, scale=0)
