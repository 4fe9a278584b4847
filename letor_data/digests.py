"""Digests of the content of judged data."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankduel.base.threads import ordered_map
from rankduel.letor_data.letor import Letor


def letor_digest(letor: Letor) -> str:
    """Return a SHA-256 of names, types and values of a Letor, independent of their memory layout."""
    total = hashlib.sha256(_texts(letor).encode("utf-8", "backslashreplace"))
    for digest in ordered_map(_array_digest, list(_arrays(letor)), os.cpu_count() or 1):
        total.update(digest)
    return total.hexdigest()


def _texts(letor: Letor) -> str:
    texts = (letor.profile, letor.source, letor.digest, tuple(letor.notes), letor.feature_names)
    return repr((texts, letor.scale, letor.query_ids.tolist(), letor.splits.tolist(), letor.comments is None))


def _arrays(letor: Letor) -> Iterator[np.ndarray | pa.Array]:
    yield from (letor.labels, letor.offsets.astype(np.int64), letor.records, *letor.columns)
    if letor.comments is not None:
        yield letor.comments


def _array_digest(values: np.ndarray | pa.Array) -> bytes:
    if not isinstance(values, np.ndarray):
        return _texts_digest(values)
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), values.dtype.type(np.nan), values)  # Parquet drops NaN payloads
    return hashlib.sha256(values.dtype.str.encode() + np.ascontiguousarray(values).tobytes()).digest()


def _texts_digest(texts: pa.LargeStringArray) -> bytes:
    lengths = pc.binary_length(texts).to_numpy(zero_copy_only=False)
    digest = hashlib.sha256(lengths.astype(np.int64).tobytes())
    _, offsets, content = texts.buffers()
    if content is not None:
        first, last = np.frombuffer(offsets, np.int64)[[texts.offset, texts.offset + len(texts)]]
        digest.update(memoryview(content)[first:last])
    return digest.digest()
