"""Written text is read back bit by bit, and a file is complete or absent."""

import bz2
import dataclasses
import gzip
import lzma
import math
import sys

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import Letor, narrowest
from rankduel.letor_data.synthetic.generate import blocks, shape, synthesize
from rankduel.letor_data.text.writer import ISTELLA_MISSING, write_folds, write_letor

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

finite = st.floats(allow_nan=False, allow_infinity=False)
decimals = st.builds(lambda m, d: m / 10.0**d, st.integers(-(10**15), 10**15), st.integers(0, 9))
limits = st.sampled_from([2.0**53, -(2.0**53), 2.0**53 / 1e6, 2.0**50 / 1e6, 2.0**63, 2.0**64])
near_limits = st.builds(lambda limit, k: limit + k, limits, st.integers(-5, 5))
awkward = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308])
narrow = st.floats(width=32, allow_nan=False, allow_infinity=False)
values = st.one_of(finite, decimals, near_limits, awkward, narrow)


def table(columns, sizes, /, **changes):
    """Return a Letor with the given columns; grades are 0, 1, 2, 0, ..."""
    offsets = np.cumsum([0, *sizes])
    n = int(offsets[-1])
    letor = Letor(
        labels=(np.arange(n) % 3).astype(np.int8),
        offsets=offsets,
        columns=tuple(narrowest(np.array(column, np.float64)) for column in columns),
        feature_names=tuple(str(i + 1) for i in range(len(columns))),
        query_ids=np.array([f"q{i}" for i in range(len(sizes))], object),
        splits=np.full(len(sizes), "", object),
        records=np.arange(n),
    )
    return dataclasses.replace(letor, **changes)


def bits(rows):
    return np.array(rows, np.float64).view(np.uint64)


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a Letor and returns the text."""

    def write(letor, **options):
        write_letor(letor, tmp_path / "x.txt", **options)
        return (tmp_path / "x.txt").read_text(encoding="utf-8")

    return write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("text")


@pytest.mark.kernel
@given(st.lists(st.lists(values, min_size=3, max_size=3), min_size=1, max_size=6))
def test_any_finite_double_comes_back(folder, rows):
    letor = table(np.array(rows).T, [len(rows)])
    write_letor(letor, folder / "x.txt")
    text = (folder / "x.txt").read_text()
    assert text == naive.letor_text(letor)
    np.testing.assert_array_equal(bits(naive.parse_letor(text, 3)[2]), bits(rows))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (100.0, "100"),
        (-12.5, "-12.5"),
        (0.250, "0.25"),
        (1e-6, "0.000001"),
        (1e-7, "1e-07"),
        (999999.999999, "999999.999999"),
        (0.1 + 0.2, "0.30000000000000004"),
        (np.float32(0.1), "0.10000000149011612"),
        (2.0**53 - 1, "9007199254740991"),
        (2.0**53, "9007199254740992.0"),
        (5e-324, "5e-324"),
    ],
)
def test_numbers_are_short(written, value, text):
    assert written(table([[value]], [1])) == f"0 qid:q0 1:{text}\n"


@pytest.mark.kernel
@pytest.mark.parametrize("options", [{}, {"sparse": True}, {"missing": ISTELLA_MISSING}])
@pytest.mark.parametrize("name", ["small", "yahoo", "istella", "letor-agg"])
def test_shapes_equal_the_naive_text(written, name, options):
    letor = synthesize(shape(name, queries=6, docs_median=20))
    assert written(letor, **options) == naive.letor_text(letor, **options)


@pytest.mark.parametrize(
    "names, numbers",
    [(("0", "1"), (0, 1)), (("3", "110"), (3, 110)), (("110", "3"), (1, 2)), (("bm25", "7"), (1, 2))],
)
def test_features_keep_their_numbers_where_they_have_them(written, names, numbers):
    letor = dataclasses.replace(table([[1], [2]], [1]), feature_names=names)
    assert written(letor) == f"0 qid:q0 {numbers[0]}:1 {numbers[1]}:2\n"


@pytest.mark.parametrize("missing", ["NULL", ISTELLA_MISSING])
def test_sparse_leaves_out_plus_zero_only(written, missing):
    rows = [[0.0, -0.0, math.nan, 1.5], [0.0, 0.0, 0.0, 0.0]]
    text = written(table(np.array(rows).T, [2]), sparse=True, missing=missing)
    assert text == f"0 qid:q0 2:-0 3:{missing} 4:1.5\n1 qid:q0\n"
    np.testing.assert_array_equal(bits(naive.parse_letor(text, 4, missing=missing)[2]), bits(rows))


def test_comments_come_back_as_they_were(written):
    comments = ["docid = GX01 inc = 0.5", "", " spaced  #twice ", "größer"]
    letor = table([[1, 2, 3, 4]], [3, 1], comments=pa.array(comments, pa.large_string()))
    text = written(letor)
    assert text.splitlines()[0] == "0 qid:q0 1:1 #docid = GX01 inc = 0.5"
    assert naive.parse_letor(text, 1)[3] == comments
    assert text == naive.letor_text(letor)
    assert written(letor.take_queries([1])) == "0 qid:q1 1:4 #größer\n"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"comments": pa.array(["fine", "two\nlines"], pa.large_string())}, "line break"),
        ({"comments": pa.array(["fine", "back\r"], pa.large_string())}, "line break"),
        ({"query_ids": np.array(["a b"], object)}, "'a b'"),
        ({"query_ids": np.array(["a#b"], object)}, "'a#b'"),
        ({"query_ids": np.array([""], object)}, "''"),
        ({"columns": (np.array([1.0, np.inf]),)}, "inf"),
    ],
)
def test_what_would_not_read_back_is_refused(tmp_path, changes, message):
    (tmp_path / "x.txt").write_text("before")
    with pytest.raises(DataError, match=message):
        write_letor(table([[1, 2]], [2], **changes), tmp_path / "x.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]
    assert (tmp_path / "x.txt").read_text() == "before"


def test_nothing_is_left_when_the_data_fail_half_way(tmp_path):
    def failing():
        yield from blocks(shape("small", queries=30))
        raise RuntimeError("the source broke")

    for write, target in ((write_letor, "x.txt.gz"), (write_folds, "folds")):
        with pytest.raises(RuntimeError, match="broke"):
            write(failing(), tmp_path / target)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("suffix", "opened"), [(".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open), (".zst", zstd.open)]
)
def test_the_suffix_compresses(tmp_path, suffix, opened):
    letor = synthesize(shape("small", queries=5))
    write_letor(letor, tmp_path / f"x.txt{suffix}")
    with opened(tmp_path / f"x.txt{suffix}", "rt") as file:
        assert file.read() == naive.letor_text(letor)


def test_gzip_bytes_do_not_depend_on_time_or_name(tmp_path, monkeypatch):
    letor = synthesize(shape("small", queries=5))
    write_letor(letor, tmp_path / "x.txt.gz")
    monkeypatch.setattr("time.time", lambda: 2e9)
    write_letor(letor, tmp_path / "other.gz", threads=1)
    assert (tmp_path / "x.txt.gz").read_bytes() == (tmp_path / "other.gz").read_bytes()


@pytest.mark.kernel
def test_blocks_and_pieces_leave_no_seam(tmp_path):
    letor = synthesize(shape("small", queries=60))
    assert letor.n_docs > 3 * 2048  # so that the writer divides it
    told = []
    write_letor(letor, tmp_path / "whole.txt", progress=told.append)
    write_letor(blocks(shape("small", queries=60), queries_per_block=7), tmp_path / "blocks.txt", threads=1)
    assert (tmp_path / "whole.txt").read_text() == naive.letor_text(letor)
    assert (tmp_path / "whole.txt").read_bytes() == (tmp_path / "blocks.txt").read_bytes()
    assert sum(told) == letor.n_docs and len(told) > 1


def test_folds_rotate_five_parts(tmp_path):
    letor = synthesize(shape("letor-agg", queries=23))
    write_folds(letor, tmp_path)
    parts = [letor.take_queries(np.arange(part, 23, 5)) for part in range(5)]
    for fold in range(1, 6):
        turned = parts[fold - 1 :] + parts[: fold - 1]
        expected = {"train": turned[:3], "vali": turned[3:4], "test": turned[4:]}
        for split, members in expected.items():
            ids = {query for part in members for query in part.query_ids}
            chosen = letor.take_queries(np.array([query in ids for query in letor.query_ids]))
            assert (tmp_path / f"Fold{fold}" / f"{split}.txt").read_text() == naive.letor_text(chosen)


def test_fold_one_is_the_tables_own_split(tmp_path):
    settings = shape("small", queries=11)
    write_folds(blocks(settings), tmp_path, suffix=".txt.gz")
    for split in ("train", "vali", "test"):
        with gzip.open(tmp_path / "Fold1" / f"{split}.txt.gz", "rt") as file:
            assert file.read() == naive.letor_text(synthesize(settings).only_split(split))
