"""A small Letor with every kind of value, bitwise comparison, and packed files."""

import bz2
import dataclasses
import gzip
import io
import lzma
import sys
import tarfile
import zipfile

import numpy as np
import pyarrow as pa

from rankduel.letor_data.letor import Letor

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def assert_same_letor(a, b, but=()):
    """Assert equality of all fields except `but` and the cache: also types, NaN and the sign of zero."""
    for field in dataclasses.fields(Letor):
        if field.name not in (*but, "cache", "file"):
            assert _exact(getattr(a, field.name)) == _exact(getattr(b, field.name)), field.name


def _exact(value):
    """Return a value that is equal only for the same type and bits."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype, value.shape, np.ascontiguousarray(value).tobytes()
    if isinstance(value, np.ndarray):
        return [(type(item), item) for item in value]
    if isinstance(value, pa.Array):
        return value.type, value.to_pylist()
    if isinstance(value, tuple):
        return tuple(_exact(item) for item in value)
    return type(value), value


def words(text):
    """Return `text` with single spaces between words, independent of wrapping."""
    return " ".join(text.split())


def small_letor(**changes):
    """Return two splits, three queries and six documents, with every kind of value."""
    letor = Letor(
        labels=np.array([0, 4, 1, 2, 0, 127], np.int8),
        offsets=np.array([0, 3, 4, 6]),
        columns=(
            np.array([1, -0.0, np.nan, 0, 1e-45, 3], np.float32),
            np.array([0.1, -0.0, np.nan, 5e-324, 1e300, 3]),
            np.full(6, np.nan, np.float32),
        ),
        feature_names=("1", "2", "BM25 Körper"),
        query_ids=np.array(["17", "q b", "ü"], object),
        splits=np.array(["train", "train", "test"], object),
        records=np.array([5, 0, 2, 7, 1, 3]),
        comments=pa.array([" docid = GX1 x", "", "größer", "#", "", "日本"], pa.large_string()),
        profile="letor4",
        source="somewhere",
        digest="abc",
        notes=("a note", "größer"),
    )
    return dataclasses.replace(letor, **changes)


# --- compressed files and archives

COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zst": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
}


def tarred(members, format=tarfile.USTAR_FORMAT):
    """Return the bytes of a tar archive of (name, content) pairs; a pair with content None is a folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=format) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            info.size = len(content or b"")
            archive.addfile(info, io.BytesIO(content or b""))
    return packed.getvalue()


def zipped(members, method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content or b"")
    return packed.getvalue()


PACK = {
    "zip": zipped,
    "tar": tarred,
    **{f"tar.{kind}": lambda members, c=compress: c(tarred(members)) for kind, compress in COMPRESS.items()},
}
