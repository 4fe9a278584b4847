"""`read_data`: judged data from files of any format."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from rankduel.base.arguments import check_type
from rankduel.base.errors import DataError, DataWarning, RankduelError
from rankduel.base.unused import refuse_unused
from rankduel.base.watch import SILENT, Watch
from rankduel.letor_data.catalogue import FORMATS, format_of
from rankduel.letor_data.contract import HEAD, Format, Request
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.packed.archive import find_files, first_bytes
from rankduel.letor_data.packed.packing import guard
from rankduel.letor_data.text.parse import ReadOptions


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
        for_text |= {"profile": None}
    else:
        refuse_unused(
            for_runs, _usual(for_runs), "TREC runs; give their judgments with qrels=..., or leave it out"
        )
        if not files:
            raise DataError("nothing to read: name at least one file")
    options = ReadOptions(**for_text, unjudged=unjudged or "refuse", grade_cuts=cuts)
    request = Request(options, unjudged, qrels, candidates, run_ties, cache, jobs, watch)
    if qrels is not None:
        return FORMATS["trec"].read(files, request)
    with guard(", ".join(str(file) for file in files)):
        letor = _format_of(files[0], profile).read(files, request)
    for note in letor.notes:
        warnings.warn(note, DataWarning, stacklevel=2)
    return letor


def _format_of(file: str | Path, profile: str | None) -> Format:
    """Return the format that reads a file, a folder or an archive, which is not opened."""
    try:
        first = find_files(file)[0][0]
    except (RankduelError, OSError):  # the reader raises it again, unless it reads folders as a whole
        return format_of(b"", Path(file), profile)
    path = Path(file) if Path(file).is_dir() else first
    return format_of(first_bytes(first, HEAD), path, profile)


def _usual(names: Iterable[str]) -> dict[str, Any]:
    """Return the defaults of `read_data`."""
    known = inspect.signature(read_data).parameters
    return {name: known[name].default for name in names}
