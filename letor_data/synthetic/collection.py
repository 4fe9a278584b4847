"""Synthetic judged data: `synthetic_data` in memory, `write_synthetic_data` as files of any size."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rankduel.base.errors import DataError
from rankduel.base.settings import find
from rankduel.base.streams import checked_seed
from rankduel.base.watch import SILENT, Watch
from rankduel.letor_data.catalogue import FORMATS
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.output import output_format
from rankduel.letor_data.synthetic.generate import blocks, docs_per_query, synthesize
from rankduel.letor_data.synthetic.settings import Synthetic, shape
from rankduel.letor_data.text.writer import write_folds, write_letor

_SETTABLE = {
    field.name: field.default
    for field in dataclasses.fields(Synthetic)
    if isinstance(field.default, (bool, int, float)) or field.name in ("grade_shares", "cycle_levels")
}


class SyntheticFile(NamedTuple):
    """What `write_synthetic_data` wrote."""

    path: Path  # a file, or a folder of folds
    queries: int
    documents: int
    profile: str  # format of the data


def synthetic_data(
    kind: str = "small",
    *,
    queries: int | None = None,
    seed: int = 0,
    settings: Mapping[str, object] | None = None,
    watch: Watch = SILENT,
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
    settings : mapping, optional
        Further settings of the generator, such as ``{"p_norel": 0, "cycle": True}``; values may be text.
    watch : Watch, optional
        Receives the number of documents done since the last call.

    Returns
    -------
    Letor
        Judged documents with correlated features, ties and a best ranker.

    Raises
    ------
    RankduelError
        If there is no such shape or setting, or a value is out of its range.

    See Also
    --------
    write_synthetic_data : Write the data to files, however large they are.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=5, seed=1)
    >>> data.n_queries, data.n_features
    (5, 136)
    """
    chosen = _chosen(kind, queries, seed, settings or {})
    return synthesize(chosen, _counted(watch, int(docs_per_query(chosen).sum())))


def write_synthetic_data(
    output: str | Path,
    kind: str = "small",
    *,
    queries: int | None = None,
    seed: int = 0,
    folds: bool = False,
    settings: Mapping[str, object] | None = None,
    watch: Watch = SILENT,
) -> SyntheticFile:
    """Write synthetic judged data; text is written as it is made, in little memory.

    Parameters
    ----------
    output : str or Path
        File, as for `write_data`; with `folds`, a folder.
    kind : str, default "small"
        The shape, such as ``"mslr-web10k"`` or ``"yahoo"``.
    queries : int, optional
        Number of queries. The default is that of the shape.
    seed : int, default 0
        Seed of all random numbers.
    folds : bool, default False
        Whether to write five folds of train, vali and test, as in MSLR.
    settings : mapping, optional
        Further settings of the generator, as for `synthetic_data`.
    watch : Watch, optional
        Receives the number of documents done since the last call.

    Returns
    -------
    SyntheticFile
        The path, the numbers of queries and documents, and the profile of the data.

    Raises
    ------
    RankduelError
        If the file cannot be written, its name has another ending, or there is no such shape or setting.

    Examples
    --------
    >>> made = rankduel.write_synthetic_data("five.txt", queries=5)
    >>> made.queries, rankduel.read_data("five.txt", profile=made.profile).n_queries
    (5, 5)
    """
    output = Path(output)
    form = FORMATS["svmlight"] if folds else output_format(output)
    if folds and output.suffix:
        raise DataError(
            f"{output}: folds=True writes a folder; give a name without '{output.suffix}'", parameter="folds"
        )
    chosen = _chosen(kind, queries, seed, settings or {})
    documents = int(docs_per_query(chosen).sum())
    progress = _counted(watch, documents)
    if form.name != "svmlight" and form.write is not None:
        form.write(synthesize(chosen, progress), output, False, lambda done: None)
    else:  # block by block, because the data may be larger than the memory
        write = write_folds if folds else write_letor
        write(blocks(chosen), output, chosen.sparse, missing=chosen.missing, progress=progress)
    return SyntheticFile(output, chosen.queries, documents, chosen.profile)


def _counted(watch: Watch, documents: int) -> Callable[[int], None]:
    return partial(_count, watch, documents)


def _count(watch: Watch, documents: int, done: int) -> None:
    watch.counting("making documents", done, documents)


def _chosen(kind: str, queries: int | None, seed: int, settings: Mapping[str, object]) -> Synthetic:
    given: dict[str, Any] = {"seed": checked_seed(seed)} | ({} if queries is None else {"queries": queries})
    return shape(kind, **given | {name: _setting(name, value) for name, value in settings.items()})


def _setting(name: str, value: object) -> Any:
    """Return the value of a setting of the generator, which may be text."""
    default = find(name, _SETTABLE, "setting of the generator", DataError)
    try:
        return _value(value, default) if isinstance(value, str) else value
    except (KeyError, ValueError):
        example = str(default).lower()
        raise DataError(f"{name} is '{value}'; expected a value like {example}") from None


def _value(text: str, default: Any) -> Any:
    if isinstance(default, bool):
        return {"true": True, "false": False}[text.lower()]
    if isinstance(default, tuple):
        return tuple(float(part) for part in text.split(","))
    return type(default)(text)
