"""Data and errors do not depend on block boundaries or threads, and agree with the naive reader."""

import gzip

import naive
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.reading import assert_same, cut_into, documents, parse

from rankduel.base.errors import DataError
from rankduel.letor_data.errors import LetorFormatError

pytestmark = pytest.mark.kernel

SIZES = [1, 2, 7, 30, 64, 1000]

GOOD = b"""# a comment first
0 qid:1 1:0.5 2:3 # one
1 qid:1 1:0.25 3:1e-320

2 qid:2 5:1\r
-1 qid:2 2:9 1:8 # unjudged, and out of order
0 qid:b\xc3\xa4r 1:16777217
0 qid:b\xc3\xa4r 1:1#last of b
1 qid:1 4:0.1
1 qid:3"""


def outcome(path, jobs=1, **options):
    """Return the data or error of reading as one comparable value."""
    try:
        letor = parse(path, jobs, **options)
    except DataError as problem:
        return str(problem)
    return documents(letor), letor.notes, letor.records.tolist(), letor.offsets.tolist()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_data_do_not_depend_on_blocks_or_threads(size, jobs, tmp_path, monkeypatch):
    path = tmp_path / "data.txt"
    path.write_bytes(GOOD)
    for unjudged in ("drop", "zero"):
        whole = outcome(path, unjudged=unjudged)
        assert len(whole[1]) == 2  # notes: features out of order, and a query that is not contiguous
        with monkeypatch.context() as patch:
            cut_into(patch, size, piece=min(size, 16))
            assert outcome(path, jobs, unjudged=unjudged) == whole


# Lines with one error of each kind: (line, column of the error)
WRONG = {
    b"0 qid:1 1:x": 9, b"0 qid:1 1:1e999": 9, b"0 qid:1 1:\0": 11, b"0 qid:\xff 1:2": 7, b"5.5 qid:1": 1,
    b"0 qid:1 100001:1": 9,
}  # fmt: skip


@pytest.mark.parametrize("line, column", WRONG.items(), ids=map(repr, WRONG))
def test_the_first_error_is_told_whatever_follows(line, column, tmp_path, monkeypatch):
    path = tmp_path / "data.txt"
    good = b"".join(b"1 qid:%d 1:%d\n# and more\n" % (i, i) for i in range(9))
    for other in WRONG:
        path.write_bytes(good + line + b"\n" + good + other + b"\n" + good)
        for size, jobs in [(1, 1), (1, 4), (16, 2), (100, 1), (300, 2), (1 << 20, 1)]:
            with monkeypatch.context() as patch:
                cut_into(patch, size, piece=min(size, 50))
                with pytest.raises(LetorFormatError) as caught:
                    parse(path, jobs)
            assert (caught.value.line, caught.value.column) == (19, column)


def test_damage_is_told_after_errors_before_it_and_with_its_line(tmp_path, monkeypatch):
    text = b"".join(b"1 qid:%d 1:%d\n" % (i, i * i) for i in range(4000))
    for bad in (b"", b"0 qid:\xff\n", b"0 qid:1 1:1e999\n"):
        path, packed = tmp_path / "data.txt.gz", gzip.compress(text[:600] + b"\n" + bad + text)
        path.write_bytes(packed[:-2000])
        whole = outcome(path)
        assert ("reached after line" in whole) == (bad == b"")
        for size, jobs in [(1, 1), (1000, 1), (1000, 4)]:
            with monkeypatch.context() as patch:
                cut_into(patch, size, piece=100)
                assert outcome(path, jobs) == whole


# --- random files

usual = ["0", "-0.0", "1", "0.5", "1e-3", "1e-320", "9007199254740993", "0.1", "2.5e+2"]
numbers = st.one_of(
    st.sampled_from([*usual * 3, "NULL", "nan", "1e999"]),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)
blank = st.sampled_from([" ", "  ", "\t", " \t "])


@st.composite
def lines(draw):
    kind = draw(st.integers(0, 40))
    if kind < 5:
        return draw(st.sampled_from(["", " ", "\t", "\r", "# only a comment", " #"]))
    if kind == 5:
        return draw(st.text("01 qid:1.#\t\rx", max_size=20))  # invalid with high probability
    label = draw(st.sampled_from(["0", "1", "2"] * 5 + ["3", "2.0", "+1", "-1", "1.5"]))
    query = draw(st.sampled_from(["qid:1", "qid:2", "qid:3", "qid:ä", "qid:long-id"]))
    indices = draw(st.lists(st.integers(1, 13), max_size=6, unique=kind != 6))
    indices = [index % 13 if kind == 7 else index for index in indices]
    if draw(st.booleans()):
        indices.sort()
    words = [label, query, *(f"{index}:{draw(numbers)}" for index in indices)]
    comment = draw(st.sampled_from(["", " ", "# x", "#docid = é", " #", " # a # b"]))
    return draw(blank).join(words) + comment + draw(st.sampled_from(["", "", "\r"]))


ends = st.sampled_from(["", "\n"])
some_lines = st.lists(lines(), min_size=1, max_size=9)
files = st.builds(lambda some, end: ("\n".join(some) + end).encode(), some_lines, ends)
choices = st.fixed_dictionaries(
    {
        "nonfinite": st.sampled_from(["refuse", "missing"]),
        "unjudged": st.sampled_from(["refuse", "drop", "zero"]),
        "label_round": st.sampled_from(["refuse", "nearest", "floor"]),
        "index_base": st.sampled_from([0, 1]),
        "max_features": st.sampled_from([12, 13, 50]),
    }
)
# profile: options of the naive reader
PROFILES = {
    "svmlight": {},
    "mslr": {"top_grade": 4},
    "letor3": {"null": True, "top_grade": 2},
    "istella": {"huge": True, "top_grade": 4},
    "yandex": {"query_by": "comment", "top_grade": 4},
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files, choices, st.sampled_from(list(PROFILES)), st.sampled_from(SIZES), st.sampled_from([1, 2, 4]))
def test_the_naive_reader_reads_the_same(tmp_path, text, options, profile, size, jobs):
    path = tmp_path / "data.txt"
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patch:
        cut_into(patch, size, piece=min(size, 16))
        try:
            expected = naive.read_letor(text, **options, **PROFILES[profile])
        except naive.BadLine as bad:
            with pytest.raises(LetorFormatError) as caught:
                parse(path, jobs, profile=profile, **options)
            assert (caught.value.line, caught.value.column) == bad.args
            return
        if not expected:
            with pytest.raises(DataError, match="no documents in it|documents are unjudged, and dropped"):
                parse(path, jobs, profile=profile, **options)
            return
        assert_same(parse(path, jobs, profile=profile, **options), expected)
