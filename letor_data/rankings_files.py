"""Rankings on disk: a folder of memory-mapped .npy files.

MSLR-WEB30K ranked by its 136 features takes 3 GB, of which a run reads the queries that it uses. A folder is
written under a temporary name and renamed when complete. Compiled code uses the values as indices without
checking bounds, so everything is checked when a folder is opened.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.files import convert_write_errors, file_checksum
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.packed.packing import guard
from rankduel.letor_data.rankers import Ranker
from rankduel.letor_data.rankings import Progress, Rankings, Row, check_rankers, query_keys, ranked_rows
from rankduel.letor_data.sorting import index_dtype, is_ranking, is_unlisted, read_only

FORMAT, VERSION = "rankduel rankings", 3

_ABOUT = "rankings.json"
_ROWS = ("order", "positions", "ties")
_ARRAYS = ("offsets", "query_keys", *_ROWS)
_LENGTHS = "lengths"  # absent if every list contains all documents


def save(rankings: Rankings, path: str | Path) -> None:
    """Write rankings as a folder; a folder of rankings with this name is replaced."""
    lengths = [None] * rankings.n_rankers if rankings.lengths is None else rankings.lengths
    rows = zip(rankings.order, rankings.positions, rankings.ties, lengths)
    _write(path, rankings.names, rankings.offsets, rankings.query_keys, rankings.digest, rows)


def rank_to_folder(
    letor: Letor,
    rankers: Sequence[Ranker],
    path: str | Path,
    jobs: int = -1,
    progress: Progress | None = None,
) -> None:
    """Write the same folder as ``save(rank(letor, rankers), path)``, with few rankers in memory at a time."""
    check_rankers(rankers)
    names = [ranker.name for ranker in rankers]
    rows = ranked_rows(letor, rankers, jobs, progress)
    _write(path, names, letor.offsets, query_keys(letor), letor.digest, rows)


def load(path: str | Path) -> Rankings:
    """Return the rankings of a folder, memory-mapped and read-only."""
    path = Path(path)
    with guard(path):
        about = _read_about(path)
        names = [*_ARRAYS, *([_LENGTHS] if _LENGTHS in about["checksums"] else [])]
        arrays = {name: _map_array(path / f"{name}.npy") for name in names}
        lengths = arrays.pop(_LENGTHS, None)
        _check(path, len(about["names"]), **arrays)
        if lengths is not None:
            _check_lengths(path, arrays["offsets"], arrays["ties"], lengths)
        _check_checksums(path, about["checksums"], names)
        _check_rows(path, arrays)
    return Rankings(tuple(about["names"]), **arrays, digest=about["digest"], lengths=lengths)


def _write(
    path: str | Path,
    names: Sequence[str],
    offsets: np.ndarray,
    query_keys: np.ndarray,
    digest: str,
    rows: Iterable[Row],
) -> None:
    about = {"format": FORMAT, "version": VERSION, "digest": digest, "names": list(names)}
    with convert_write_errors(path, DataError), _new_folder(Path(path)) as folder:
        np.save(folder / "offsets.npy", offsets)
        np.save(folder / "query_keys.npy", query_keys)
        written = list(_ARRAYS)
        lengths = _write_rows(folder, (len(names), int(offsets[-1])), index_dtype(offsets), rows)
        if len(lengths) and (lengths < np.diff(offsets)).any():
            np.save(folder / f"{_LENGTHS}.npy", lengths)
            written.append(_LENGTHS)
        about["checksums"] = {name: file_checksum(folder / f"{name}.npy") for name in written}
        about["checksum"] = _about_checksum(about)
        (folder / _ABOUT).write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")


def _about_checksum(about: dict) -> int:
    return zlib.crc32(json.dumps(about, sort_keys=True).encode())


def _write_rows(folder: Path, shape: tuple[int, int], dtype: type, rows: Iterable[Row]) -> np.ndarray:
    """Write the rows and return the lengths of the lists, an empty array if rows have none.

    Files are written, not mapped, because written pages of a map count as memory of the process until they
    are flushed.
    """
    lengths = []
    header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape}
    with ExitStack() as stack:
        files = [stack.enter_context(open(folder / f"{name}.npy", "wb")) for name in _ROWS]
        for file in files:
            np.lib.format.write_array_header_1_0(file, header)
        for *row, n_listed in rows:
            for file, values in zip(files, row):
                file.write(values.data)
            lengths += [] if n_listed is None else [n_listed]
    return np.array(lengths, np.int32)


@contextmanager
def _new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder and rename it to `path`; after an error, `path` is unchanged."""
    _check_replaceable(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _beside(path)
    partial.mkdir()
    try:
        yield partial
        _put_in_place(partial, path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put_in_place(partial: Path, path: Path) -> None:
    """Rename `partial` to `path`; of concurrent writers, one complete folder remains."""
    while True:
        try:
            partial.rename(path)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        _check_replaceable(path)
        old = _beside(path)
        with suppress(FileNotFoundError):  # a concurrent writer has moved it
            path.rename(old)
        shutil.rmtree(old, ignore_errors=True)


def _check_replaceable(path: Path) -> None:
    """Raise an error if `path` exists and holds something else than rankings, which would be lost."""
    try:
        inside = os.listdir(path)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        inside = [path.name]
    if inside and _ABOUT not in inside:
        raise DataError(f"{path} exists and does not hold rankings; choose another name or remove it")


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")


def _read_about(path: Path) -> dict:
    try:
        about = json.loads((path / _ABOUT).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"{path} holds no rankings: there is no {_ABOUT} in it") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path / _ABOUT}: {error}") from None
    if not isinstance(about, dict):
        raise DataError(f"{path / _ABOUT}: expected a JSON object; rank the data again")
    found = about.get("format"), about.get("version")
    if found != (FORMAT, VERSION):
        raise DataError(f"{path}: format {found}, expected {(FORMAT, VERSION)}; rank the data again")
    expected = about.pop("checksum", None)
    types = {"names": list, "checksums": dict, "digest": str}
    sound = expected == _about_checksum(about) and all(
        isinstance(about.get(key), types[key]) for key in types
    )
    if not sound or not all(isinstance(name, str) for name in about["names"]):
        raise DataError(f"{path / _ABOUT}: damaged, or changed by hand; rank the data again")
    return about


def _map_array(path: Path) -> np.ndarray:
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except Exception as error:  # NumPy's reader of headers raises TokenError, TypeError and more
        raise DataError(f"{path}: {str(error) or 'damaged'}; rank the data again") from None


def _check_checksums(path: Path, expected: dict, names: Iterable[str]) -> None:
    for name in names:
        if expected.get(name) != file_checksum(path / f"{name}.npy"):
            raise DataError(f"{path / name}.npy: does not match its checksum; rank the data again")


def _check_rows(path: Path, arrays: dict[str, np.ndarray]) -> None:
    bounds = read_only(arrays["offsets"])
    for row in zip(*(arrays[name] for name in _ROWS)):
        if not is_ranking(bounds, *(read_only(values) for values in row)):
            raise DataError(f"{path}: its arrays are not valid rankings; rank the data again")


def _check(
    path: Path, n_rankers: int, offsets: np.ndarray, query_keys: np.ndarray, **rows: np.ndarray
) -> None:
    """Raise an error unless types and shapes of the arrays agree: kernels do not check them."""
    whole = offsets.ndim == 1 and len(offsets) > 0 and offsets.dtype == np.int64
    if not whole or offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any():  # differences could overflow
        raise DataError(f"{path / 'offsets.npy'}: offsets must be int64 and rise from 0; rank the data again")
    _check_array(path / "query_keys.npy", query_keys, (len(offsets) - 1,), np.uint64)
    for name, array in rows.items():
        _check_array(path / f"{name}.npy", array, (n_rankers, int(offsets[-1])), index_dtype(offsets))


def _check_lengths(path: Path, offsets: np.ndarray, ties: np.ndarray, lengths: np.ndarray) -> None:
    """Raise an error if a list is longer than its query, or documents that are not listed are tied."""
    _check_array(path / f"{_LENGTHS}.npy", lengths, (len(ties), len(offsets) - 1), np.int32)
    sound = (lengths >= 0).all() and (lengths <= np.diff(offsets)).all()
    if not sound or any(row[is_unlisted(offsets, length)].any() for row, length in zip(ties, lengths)):
        raise DataError(f"{path}: its arrays are not valid rankings; rank the data again")


def _check_array(path: Path, array: np.ndarray, shape: tuple[int, ...], dtype: type) -> None:
    if (array.shape, array.dtype) != (shape, np.dtype(dtype)):
        found, expected = f"{array.dtype} {array.shape}", f"{np.dtype(dtype)} {shape}"
        raise DataError(f"{path}: found {found}, expected {expected}; rank the data again")
