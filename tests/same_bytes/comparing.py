"""Compare two folders of outputs: every value, bit for bit, except times and versions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

# Places of the versions that wrote a file, and of digests and checksums, which depend on the versions. (The
# digested values are compared themselves.) Places, not names: a policy may have a parameter named 'version'.
_VERSIONS = re.compile(
    r"(rankduel\.)?(versions\..*|(settings|matrix)\.version|format|numbers|digest)|rankduel\.(study|seed)"
    r"|rankduel|sha256|of\.(code|version|numbers)"
)
# Descriptions in the list of policies, which contain no results.
_WORDS = re.compile(r"\[\w+\]\.(about|source|assumes|parameters\.\w+\.about)")
_LIST_OF_POLICIES = "policies.json"
# A file that contains only the time of a run.
_TIME_FILE = ".seconds"
# Charts of running times in a report, by the ends of their names.
_TIME_CHART = "-time"
_EMBEDDED = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.DOTALL)

Parts = dict[str, bytes]


class Comparison(NamedTuple):
    files: int
    values: int  # parts of files: columns, arrays, single values of JSON, or whole files
    size: int  # bytes of these
    differences: list[str]  # one per file, which names the first part that differs


def compare_folders(base: Path, new: Path) -> Comparison:
    """Compare all files under two folders; a file that only one of them has is a difference."""
    names = {folder: set(_files(folder)) for folder in (base, new)}
    differences = [f"{name}: only in the base" for name in sorted(names[base] - names[new])]
    differences += [f"{name}: only in the working tree" for name in sorted(names[new] - names[base])]
    common, values, size = sorted(names[base] & names[new]), 0, 0
    for name in common:
        parts, other = (file_parts(folder / name) for folder in (base, new))
        found = list(_different(parts, other))
        differences += [f"{name}: {found[0]}" + _more(found)] if found else []
        values, size = values + len(parts), size + sum(map(len, parts.values()))
    return Comparison(len(common), values, size, differences)


def _files(folder: Path) -> Iterator[str]:
    return (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _different(base: Parts, new: Parts) -> Iterator[str]:
    for name in [*base, *(name for name in new if name not in base)]:
        if name not in new:
            yield f"{name} is only in the base"
        elif name not in base:
            yield f"{name} is only in the working tree"
        elif base[name] != new[name]:
            yield f"{name} differs{_details(base[name], new[name])}"


def _more(found: Sequence[str]) -> str:
    return f"; {len(found) - 1} more parts differ" if len(found) > 1 else ""


def _details(base: bytes, new: bytes) -> str:
    both = base + new
    if len(both) <= 160 and both.isascii() and both.decode().isprintable():
        return f": {base.decode()} in the base, {new.decode()} in the working tree"
    first = next((i for i, pair in enumerate(zip(base, new)) if pair[0] != pair[1]), min(len(base), len(new)))
    return f" from byte {first} on; {len(base)} bytes in the base, {len(new)} in the working tree"


def file_parts(path: Path) -> Parts:
    """Return the comparable parts of a file by name, without times and versions."""
    if path.suffix == _TIME_FILE:
        return {}
    readers = {".parquet": _parquet_parts, ".json": _json_parts, ".html": _page_parts}
    reader = readers.get(path.suffix)
    return reader(path) if reader else {"the file": path.read_bytes()}


def _json_or_text(value: bytes) -> Any:
    """Return the value of a metadata entry: JSON, or text such as a digest."""
    try:
        return json.loads(value)
    except ValueError:
        return value.decode()


def _parquet_parts(path: Path) -> Parts:
    table = pq.read_table(path)
    metadata = {key.decode(): _json_or_text(text) for key, text in (table.schema.metadata or {}).items()}
    schema = str(table.schema.remove_metadata()).encode()
    columns = {f"column {name}": _column_bytes(table[name]) for name in table.column_names}
    return {"schema": schema, **columns, **_json_values(metadata)}


def _column_bytes(column: pa.ChunkedArray) -> bytes:
    """Return the missing rows and the values, any NaN as the same NaN; text and lists as JSON."""
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return json.dumps(column.to_pylist()).encode()
    missing = column.is_null().to_numpy().tobytes() if column.null_count else b""
    return missing + _array_bytes(column.fill_null(False if pa.types.is_boolean(kind) else 0).to_numpy())


def _array_bytes(values: np.ndarray) -> bytes:
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    return values.tobytes()


def _json_parts(path: Path) -> Parts:
    values = _json_values(json.loads(path.read_text("utf-8")))
    if path.name != _LIST_OF_POLICIES:
        return values
    return {place: value for place, value in values.items() if not _WORDS.fullmatch(place)}


def _page_parts(path: Path) -> Parts:
    """Return the values of the data embedded in a page; a page without data has none."""
    found: Parts = {}
    for number, text in enumerate(_EMBEDDED.findall(path.read_text("utf-8"))):
        found |= _json_values({f"data {number}": _without_times(json.loads(text))})
    return found


def _without_times(report: dict[str, Any]) -> dict[str, Any]:
    """Leave out charts of running times and the data that only these charts use."""
    charts = {name: chart for name, chart in report["charts"].items() if not name.endswith(_TIME_CHART)}
    used = {
        data for chart in charts.values() for spec in chart["charts"].values() for data in spec["datasets"]
    }
    datasets = {name: rows for name, rows in report["datasets"].items() if name in used}
    return {**report, "charts": charts, "datasets": datasets}


def _json_values(values: Any) -> Parts:
    """Return single values by their places, such as 'matrix.names[3]', without versions."""
    places = {place: json.dumps(value).encode() for place, value in _places(values)}
    return {place: text for place, text in places.items() if not _VERSIONS.fullmatch(place)}


def _places(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value with its place; entries of a list that have a name are placed by it, not by order.

    An empty list or object is yielded as a value, so that its absence is a difference.
    """
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _places(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            named = isinstance(inner, dict) and isinstance(inner.get("name"), str)
            yield from _places(inner, f"{place}[{inner['name'] if named else number}]")
    else:
        yield place, value
