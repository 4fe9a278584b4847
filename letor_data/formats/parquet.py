"""Parquet with a row per document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankduel.base.errors import DataError
from rankduel.base.unused import refuse_unused
from rankduel.letor_data.contract import Evidence, Format, Request

if TYPE_CHECKING:
    from rankduel.letor_data.letor import Letor

_MAGIC = b"PAR1"
_SUFFIX = ".parquet"


def matches(head: bytes, path: Path) -> Evidence:
    return Evidence.CERTAIN if head.startswith(_MAGIC) or path.suffix == _SUFFIX else Evidence.NONE


def read(files: Sequence[str | Path], request: Request) -> Letor:
    from rankduel.letor_data.cache import cache_folder
    from rankduel.letor_data.catalogue import profile_named
    from rankduel.letor_data.parquet_files import read_parquet
    from rankduel.letor_data.text.parse import ReadOptions

    first, *more = files
    if not isinstance(request.cache, bool):
        raise DataError(f"{first}: Parquet is read without a cache; leave cache=... out", parameter="cache")
    if more:
        raise DataError(f"expected one Parquet file, found {first} and {more[0]}; read them one by one")
    letor, profile = read_parquet(first), request.options.profile
    if request.options._replace(profile=None) != ReadOptions():
        raise DataError(f"{first}: Parquet is read as it is; of the options, only 'profile' applies")
    letor = letor if profile is None else replace(letor, profile=profile_named(profile).name, scale=0)
    return replace(letor, cache=cache_folder(Path(first), request.cache))


def write(letor: Letor, path: Path, sparse: bool, progress: Callable[[int], object]) -> None:
    from rankduel.letor_data.parquet_files import write_parquet

    refuse_unused({"sparse": sparse}, {}, "text, and Parquet has every value: leave it out")
    write_parquet(letor, path)


FORMAT = Format("parquet", "Parquet", matches, read, write, suffixes=(_SUFFIX,))
