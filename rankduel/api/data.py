"""Read, describe, generate and write judged data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rankduel.api.unused import refuse_unused
from rankduel.base.arguments import check_type
from rankduel.letor_data import read as reading
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.output import PARQUET, output_format
from rankduel.letor_data.parquet_files import write_parquet
from rankduel.letor_data.rankers import rankers_of
from rankduel.letor_data.summary import Summary, summarize
from rankduel.letor_data.synthetic.generate import Synthetic, shape, synthesize
from rankduel.letor_data.text.writer import write_letor
from rankduel.letor_data.trec import read_trec

__all__ = ["describe_data", "read_data", "synthetic_data", "write_data"]


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
    jobs: int = 0,
    progress: Callable[[int, int], None] | None = None,
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
        Whether to use a cache beside the data, or the folder of the cache.
    jobs : int, default 0
        Number of threads that parse; 0 uses all cores. The result does not depend on it.
    progress : callable, optional
        Called with the number of bytes read and the number of all bytes.

    Returns
    -------
    Letor
        Judged documents as columns, with the queries' offsets.

    Raises
    ------
    RankduelError
        If a file cannot be read (the message names the file, line and column), or if a parameter does not
        apply to these files.

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
    for_text = {
        "profile": profile,
        "nonfinite": nonfinite,
        "label_round": label_round,
        "index_base": index_base,
        "max_features": max_features,
        "merge_files": merge_files,
        "split_prefix": split_prefix,
    }
    for_runs = {"candidates": candidates, "run_ties": run_ties}
    if qrels is None:
        refuse_unused(
            for_runs, _usual(for_runs), "TREC runs; give their judgments with --qrels, or leave it out"
        )
        how = {"unjudged": unjudged or "refuse", "grade_cuts": tuple(grade_cuts)}
        return reading.read_data(*files, **for_text, **how, cache=cache, jobs=jobs, progress=progress)
    usual = _usual(for_text) | {"profile": "trec", "cache": True}
    refuse_unused(for_text | {"cache": cache}, usual, "files of features; TREC runs have none: leave it out")
    return read_trec(qrels, list(files), candidates, unjudged or "zero", run_ties, tuple(grade_cuts))


def _usual(names: Iterable[str]) -> dict[str, Any]:
    """Return the defaults of `read_data`."""
    known = inspect.signature(read_data).parameters
    return {name: known[name].default for name in names}


def describe_data(
    data: Letor,
    cutoff: int = 10,
    *,
    rankers: Sequence[object] | Mapping[str, object] = (),
    progress: Callable[[int], None] | None = None,
) -> Summary:
    """Count queries, documents and grades, and measure every feature as a ranker.

    Parameters
    ----------
    data : Letor
        Judged documents.
    cutoff : int, default 10
        Cut-off of NDCG.
    rankers : sequence or mapping, default ()
        Further rankers to measure, of any kind that `open_arena` accepts.
    progress : callable, optional
        Called with the number of features done since the last call.

    Returns
    -------
    Summary
        Sizes, grades, for every feature its NDCG, ties and missing values, and for every other ranker its
        NDCG and ties. ``to_dict()`` gives plain values.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> summary = rankduel.describe_data(data)
    >>> summary.queries, summary.n_features
    (20, 136)
    >>> max(summary.features, key=lambda feature: feature.ndcg).name
    '110'
    >>> mix = rankduel.describe_data(data, rankers=["0.7*110+0.3*115"]).rankers[0]
    >>> mix.name, mix.ndcg > 0.5
    ('0.7*110+0.3*115', True)
    """
    check_type("data", data, Letor, "judged data from read_data")
    return summarize(data, cutoff, progress=progress, rankers=rankers_of(rankers, data) if rankers else ())


def synthetic_data(
    kind: str = "small",
    *,
    queries: int | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Letor:
    """Generate synthetic judged data in the shape of a published collection.

    Parameters
    ----------
    kind : str, default "small"
        The shape, such as ``"mslr-web10k"`` or ``"yahoo"``.
    queries : int, optional
        Number of queries. The default is that of the shape.
    seed : int, default 0
        Seed of all random numbers.
    progress : callable, optional
        Called with the number of documents done since the last call.

    Returns
    -------
    Letor
        Judged documents with correlated features, ties and a best ranker.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=5, seed=1)
    >>> data.n_queries, data.n_features
    (5, 136)
    """
    return synthesize(_settings(kind, queries, seed), progress)


def _settings(kind: str, queries: int | None, seed: int) -> Synthetic:
    return shape(kind, seed=seed) if queries is None else shape(kind, seed=seed, queries=queries)


def write_data(
    data: Letor,
    path: str | Path,
    *,
    sparse: bool = False,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write judged data as Parquet or as LETOR text, with exactly the same values.

    Parameters
    ----------
    data : Letor
        Judged documents.
    path : str or Path
        ``NAME.parquet``, or text: ``NAME.txt``, ``NAME.txt.gz``, ``.bz2``, ``.xz`` or ``.zst``. The file
        appears when it is complete.
    sparse : bool, default False
        Whether to omit zeros from text.
    progress : callable, optional
        Called with the number of documents done since the last call.

    Raises
    ------
    RankduelError
        If the file cannot be written, or its name has another ending.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=3)
    >>> rankduel.write_data(data, "three.parquet")
    >>> rankduel.read_data("three.parquet").n_queries
    3
    """
    if output_format(path) == PARQUET:
        refuse_unused({"sparse": sparse}, {}, "text, and Parquet has every value: leave it out")
        write_parquet(data, path)
    else:
        write_letor(data, path, sparse, progress=progress)
