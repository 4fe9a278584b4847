"""Text that the reader accepts, and text that it refuses with its message: one row per case."""

import bz2
import gzip
import lzma
import zlib

import numpy as np
import pytest
from support.reading import documents, parse

from rankduel.base.errors import DataError, UsageError
from rankduel.letor_data import read_data
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.packed.packing import zstd

pytestmark = pytest.mark.kernel


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to the folder of the files, because messages contain their paths as given."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text, name="data.txt"):
    with open(name, "wb") as stream:
        stream.write(text if isinstance(text, bytes) else text.encode())
    return name


# id: (text, options, `documents` of the result)
ACCEPTED = {
    "plain": ("2 qid:1 1:0.5 2:3", {}, [(2, "1", {1: 0.5, 2: 3.0}, "")]),
    "absent index is 0": ("0 qid:1 3:1\n1 qid:1\n", {}, [(0, "1", {3: 1.0}, ""), (1, "1", {}, "")]),
    "underflow to 0": ("0 qid:1 1:1e-400 2:1", {}, [(0, "1", {2: 1.0}, "")]),
    "underflow to a denormal": ("0 qid:1 1:1e-320", {}, [(0, "1", {1: 1e-320}, "")]),
    "nan as missing": ("0 qid:1 1:nan", {"nonfinite": "missing"}, [(0, "1", {1: None}, "")]),
    "inf as missing": ("0 qid:1 1:inf 2:-inf", {"nonfinite": "missing"}, [(0, "1", {1: None, 2: None}, "")]),
    "NULL in letor3": ("0 qid:1 1:NULL 2:1", {"profile": "letor3"}, [(0, "1", {1: None, 2: 1.0}, "")]),
    "NULL in letor4": ("0 qid:1 1:NULL 46:1", {"profile": "letor4"}, [(0, "1", {1: None, 46: 1.0}, "")]),
    "NULL in letor_agg": ("0 qid:1 1:NULL 2:1", {"profile": "letor_agg"}, [(0, "1", {1: None, 2: 1.0}, "")]),
    "overflow in istella": ("0 qid:1 1:1e999 2:1", {"profile": "istella"}, [(0, "1", {1: None, 2: 1.0}, "")]),
    "index 0": ("0 qid:1 0:5 1:6", {"index_base": 0}, [(0, "1", {0: 5.0, 1: 6.0}, "")]),
    "highest index": ("0 qid:1 7:5", {"max_features": 7}, [(0, "1", {7: 5.0}, "")]),
    "leading zeros": ("0 qid:1 007:5", {}, [(0, "1", {7: 5.0}, "")]),
    "label 2.0": ("2.0 qid:1 1:1", {}, [(2, "1", {1: 1.0}, "")]),
    "label +2": ("+2 qid:1 1:1", {}, [(2, "1", {1: 1.0}, "")]),
    "label 02e0": ("02e0 qid:1 1:1", {}, [(2, "1", {1: 1.0}, "")]),
    "label -0": ("-0.0 qid:1 1:1", {}, [(0, "1", {1: 1.0}, "")]),
    "label 127": ("127 qid:1 1:1", {}, [(127, "1", {1: 1.0}, "")]),
    "label 1.5, nearest": ("1.5 qid:1 1:1", {"label_round": "nearest"}, [(2, "1", {1: 1.0}, "")]),
    "label 1.4, nearest": ("1.4 qid:1 1:1", {"label_round": "nearest"}, [(1, "1", {1: 1.0}, "")]),
    "label just below a half": ("0.49999999999999994 qid:1", {"label_round": "nearest"}, [(0, "1", {}, "")]),
    "label 1.9, floor": ("1.9 qid:1 1:1", {"label_round": "floor"}, [(1, "1", {1: 1.0}, "")]),
    "unjudged as zero": ("-1 qid:1 1:1", {"unjudged": "zero"}, [(0, "1", {1: 1.0}, "")]),
    "unjudged dropped": ("-1 qid:1 1:1\n1 qid:2 1:2", {"unjudged": "drop"}, [(1, "2", {1: 2.0}, "")]),
    "no last line feed": ("0 qid:1 1:1\n0 qid:1 1:25", {}, [(0, "1", {1: 1}, ""), (0, "1", {1: 25}, "")]),
    "CR LF": ("0 qid:1 1:1\r\n1 qid:1 1:2\r\n", {}, [(0, "1", {1: 1.0}, ""), (1, "1", {1: 2.0}, "")]),
    "CR LF after a comment": ("0 qid:1 1:1 # a\r\n\r\n", {}, [(0, "1", {1: 1.0}, " a")]),
    "CR LF after the label and qid": ("0 qid:1\r\n", {}, [(0, "1", {}, "")]),
    "CR": ("0 qid:1 1:1\r1 qid:1 1:2\r", {}, [(0, "1", {1: 1.0}, ""), (1, "1", {1: 2.0}, "")]),
    "CR after a comment": ("0 qid:1 # a\r\r1 qid:1", {}, [(0, "1", {}, " a"), (1, "1", {}, "")]),
    "UTF-8 byte order mark": (b"\xef\xbb\xbf0 qid:1 1:1\n", {}, [(0, "1", {1: 1.0}, "")]),
    "tabs and many spaces": ("\t0 \t qid:1\t\t1:1  2:2 \t\n", {}, [(0, "1", {1: 1.0, 2: 2.0}, "")]),
    "comment-only and blank lines": ("# top\n\n \t\n0 qid:1 1:1\n#end\n\n", {}, [(0, "1", {1: 1.0}, "")]),
    "comment right after a token": ("0 qid:1 1:1#a#b", {}, [(0, "1", {1: 1.0}, "a#b")]),
    "comment right after the qid": ("0 qid:1#a", {}, [(0, "1", {}, "a")]),
    "empty comment": ("0 qid:1 1:1 #\n", {}, [(0, "1", {1: 1.0}, "")]),
    "UTF-8 comment": ("0 qid:1 1:1 # é", {}, [(0, "1", {1: 1.0}, " é")]),
    "Latin-1 comment": (b"0 qid:1 1:1 # \xe9\n0 qid:1 1:1 # \xc3\xa9", {}, [(0, "1", {1: 1.0}, " é")] * 2),
    "UTF-8 query id": ("0 qid:straße 1:1", {}, [(0, "straße", {1: 1.0}, "")]),
    "any query id": ("0 qid:a:b=c,d 1:1", {}, [(0, "a:b=c,d", {1: 1.0}, "")]),
    "single document": ("1 qid:1 1:1\n0 qid:2 1:2", {}, [(1, "1", {1: 1.0}, ""), (0, "2", {1: 2.0}, "")]),
    "all labels equal": ("1 qid:1 1:1\n1 qid:1 1:2", {}, [(1, "1", {1: 1.0}, ""), (1, "1", {1: 2.0}, "")]),
}  # fmt: skip


@pytest.mark.parametrize("text, options, expected", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(text, options, expected):
    letor = parse(write(text), **options)
    assert documents(letor) == expected
    assert letor.notes == ()


# Messages and hints, for profile 'svmlight' if they depend on the profile.
VALUE = "the value is not a number", "expected <feature>:<value>, such as 3:0.25 or 3:1e-5"
PAIR = "expected <feature>:<value>, the feature a whole number", "for example 3:0.25"
NO_COLON = "expected <feature>:<value>", "a comment must start with #"
NOT_FINITE = (
    "the value is not finite",
    "choose nonfinite='missing' (--nonfinite missing) to read it as missing",
)
TOO_LARGE = (
    "the number is too large for a double",
    "profile 'istella' (--profile) reads it as missing, like all values from 1e300 on",
)
NULL = (
    "NULL is not a number in profile 'mslr'",
    "choose profile 'letor4' (--profile) to read it as missing, 'letor_agg' if small values are better",
)
NO_QID = (
    "expected qid:<id> after the label",
    "counts in data.txt.query need profile 'lightgbm' (--profile), ids in the comments 'yandex'",
)
EMPTY_QID = "the query id is empty", "expected qid:<id>, such as qid:17, without a space"
NOT_UTF8 = "the query id is not UTF-8", "if the file is Latin-1, convert it: iconv -f LATIN1 -t UTF-8"
INDEX_0 = (
    "the feature number is 0, and features are counted from 1",
    "if this file counts them from 0, choose index_base=0 (--index-base 0)",
)
NEGATIVE_INDEX = (
    "the feature number is negative, and must be a whole number from 1 on",
    "number the features from 1, or from 0 with index_base=0 (--index-base 0)",
)
TWICE = "this feature number occurs twice in the line", "keep one of the two values: they may differ"
RAISE = "if it is right, raise max_features (--max-features)"
ABOVE_7 = "the feature number is above 7: max_features is 7", RAISE
ABOVE_LIMIT = "the feature number is above 100,000: max_features is 100,000", RAISE
ABOVE_LIMIT_FROM_0 = "the feature number is above 99,999: max_features is 100,000", RAISE
LABEL = (
    "expected a label: a whole number from 0 to 127",
    "each line is one document: <label> qid:<id> <feature>:<value> ... # comment",
)
NO_LABEL = (
    "expected a label before the query id",
    "each line is one document: <label> qid:<id> <feature>:<value> ...",
)
UNJUDGED = (
    "the label is -1, which marks an unjudged document",
    "choose unjudged='drop' (--unjudged drop) to leave it out, or 'zero' to take it as irrelevant",
)
NEGATIVE = (
    "the label is negative, and must be a whole number from 0 to 127",
    "only -1 has a meaning, unjudged; grade_cuts (--grade-cuts) is for labels that are positions",
)
NOT_WHOLE = (
    "the label is not a whole number",
    "choose label_round='nearest' or 'floor' (--label-round) to round labels",
)
OTHER_PROFILE = (
    "another profile may fit (--profile); labels that are positions need grade_cuts (--grade-cuts)"
)
ABOVE_4 = "the label is above 4, the top grade of profile 'mslr'", OTHER_PROFILE
ABOVE_127 = "the label is above 127, the top grade of profile 'svmlight'", OTHER_PROFILE
UTF16 = "the file is UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"
NUL = "a NUL byte", "this is not text; was it decompressed rightly?"
NO_COMMENT = (
    "expected # and the query id: profile 'yandex' takes it from the comment",
    "if the lines hold qid:<id> instead, choose profile 'svmlight' (--profile)",
)

# id: (text, options, line and column, message, token)
REFUSED = {
    "1.2.3": ("0 qid:1 1:1.2.3", {}, "1:9", VALUE, "1:1.2.3"),
    "abc": ("0 qid:1 1:0\n0 qid:1 1:0 2:abc", {}, "2:13", VALUE, "2:abc"),
    "nothing after the colon": ("0 qid:1 1: 2:3", {}, "1:9", VALUE, "1:"),
    "lone colon": ("0 qid:1 :", {}, "1:9", PAIR, ":"),
    "no colon": ("0 qid:1 1:1 7", {}, "1:13", NO_COLON, "7"),
    "nan": ("0 qid:1 1:nan", {}, "1:9", NOT_FINITE, "1:nan"),
    "inf": ("0 qid:1 1:inf", {}, "1:9", NOT_FINITE, "1:inf"),
    "-inf": ("0 qid:1 2:-inf", {}, "1:9", NOT_FINITE, "2:-inf"),
    "overflow": ("0 qid:1 1:0 2:1e999", {}, "1:13", TOO_LARGE, "2:1e999"),
    "overflow, dropped": ("-1 qid:1 1:-2e308", {"unjudged": "drop"}, "1:10", TOO_LARGE, "1:-2e308"),
    "NULL": ("0 qid:1 1:NULL", {"profile": "mslr"}, "1:9", NULL, "1:NULL"),
    "no qid": ("0 1:1", {}, "1:3", NO_QID, "1:1"),
    "nothing after the label": ("0 qid:1\n0 \r\n", {}, "2:3", NO_QID, ""),
    "empty qid": ("0 qid: 1:1", {}, "1:3", EMPTY_QID, "qid:"),
    "a second qid": ("0 qid:1 qid:2", {}, "1:9", PAIR, "qid:2"),
    "index 0": ("0 qid:1 0:1", {}, "1:9", INDEX_0, "0:1"),
    "negative index": ("0 qid:1 -2:1", {}, "1:9", NEGATIVE_INDEX, "-2:1"),
    "index not whole": ("0 qid:1 1.5:1", {}, "1:9", PAIR, "1.5:1"),
    "index +1": ("0 qid:1 +1:1", {}, "1:9", PAIR, "+1:1"),
    "index -x": ("0 qid:1 -x:1", {}, "1:9", PAIR, "-x:1"),
    "index twice in a row": ("0 qid:1 3:1 3:1", {}, "1:13", TWICE, "3:1"),
    "index twice, apart": ("0 qid:1 3:1 4:1 2:1 4:7", {}, "1:21", TWICE, "4:7"),
    "index above max_features": ("0 qid:1 8:1", {"max_features": 7}, "1:9", ABOVE_7, "8:1"),
    "index of a million": ("0 qid:1 1000000:1", {}, "1:9", ABOVE_LIMIT, "1000000:1"),
    "a long index": ("0 qid:1 99999999999999999999:1", {}, "1:9", ABOVE_LIMIT, "99999999999999999999:1"),
    "index above, from 0": ("0 qid:1 100000:1", {"index_base": 0}, "1:9", ABOVE_LIMIT_FROM_0, "100000:1"),
    "label -1": ("-1 qid:1 1:1", {}, "1:1", UNJUDGED, "-1"),
    "label -2": ("-2 qid:1 1:1", {}, "1:1", NEGATIVE, "-2"),
    "label -0.5": ("-0.5 qid:1 1:1", {"label_round": "nearest"}, "1:1", NEGATIVE, "-0.5"),
    "label 1.5": (" 1.5 qid:1 1:1", {}, "1:2", NOT_WHOLE, "1.5"),
    "label above the top grade": ("5 qid:1 1:1", {"profile": "mslr"}, "1:1", ABOVE_4, "5"),
    "label rounded up": ("4.5 qid:1", {"profile": "mslr", "label_round": "nearest"}, "1:1", ABOVE_4, "4.5"),
    "label 128": ("128 qid:1 1:1", {}, "1:1", ABOVE_127, "128"),
    "label of no use": ("good qid:1 1:1", {}, "1:1", LABEL, "good"),
    "label nan": ("nan qid:1 1:1", {"nonfinite": "missing"}, "1:1", LABEL, "nan"),
    "label 1e999": ("1e999 qid:1 1:1", {}, "1:1", LABEL, "1e999"),
    "label next to nothing": ("1e-320 qid:1 1:1", {"label_round": "nearest"}, "1:1", LABEL, "1e-320"),
    "no label": ("\n# c\n qid:1 1:1", {}, "3:2", NO_LABEL, "qid:1"),
    "no label, no qid": ("1:1 2:1", {}, "1:1", LABEL, "1:1"),
    "UTF-16": ("0 qid:1 1:1".encode("utf-16"), {}, "1:1", UTF16, ""),
    "UTF-16, other way round": (b"\xfe\xff\0001", {}, "1:1", UTF16, ""),
    "NUL byte": ("0 qid:1 1:1\n0 qid:1 1:\0001\n", {}, "2:11", NUL, "\\x00"),
    "NUL byte in a comment": ("0 qid:1 1:1 # a\0", {}, "1:16", NUL, "\\x00"),
    "not UTF-8 in a value": (b"0 qid:1 1:1\xe9", {}, "1:9", VALUE, "1:1\\xe9"),
    "not UTF-8 in an id": (b"0 qid:1 1:1\n0 qid:a\xe9 1:1", {}, "2:7", NOT_UTF8, "a\\xe9"),
    "after CR, LF and CR LF": ("0 qid:1\r0 qid:1\n0 qid:1\r\n0 qid:1 1:x\r", {}, "4:9", VALUE, "1:x"),
    "byte order mark, then an error": (b"\xef\xbb\xbf0 qid:1 x", {}, "1:9", PAIR, "x"),
    "no comment to name the query": ("1 1:1 # 7\n1 1:1", {"profile": "yandex"}, "2:6", NO_COMMENT, ""),
    "nothing in that comment": ("1 1:1 # \t", {"profile": "yandex"}, "1:7", NO_COMMENT, ""),
}  # fmt: skip


@pytest.mark.parametrize("text, options, place, message, token", REFUSED.values(), ids=REFUSED)
def test_refused(text, options, place, message, token):
    with pytest.raises(LetorFormatError) as caught:
        parse(write(text), **options)
    problem, advice = str(caught.value).split("\n")[:2]
    assert problem == f"data.txt:{place}: {message[0]}" + (f" ({token})" if token else "")
    assert advice == f"  {message[1]}"
    assert f"{caught.value.line}:{caught.value.column}" == place


def test_a_message_ends_with_the_line_itself():
    with pytest.raises(LetorFormatError) as caught:
        parse(write(b"0 qid:1 1:1\n0\tqid:2 1:\xe9 # \xc3\xa9\r\n"))
    assert str(caught.value).split("\n")[2:] == ["    0\\tqid:2 1:\\xe9 # é"]


NO_DOCUMENTS = {"empty": "", "comments and blank lines": "# a\n\n  \n# b", "only a mark": b"\xef\xbb\xbf"}


@pytest.mark.parametrize("text", NO_DOCUMENTS.values(), ids=NO_DOCUMENTS)
def test_no_documents(text):
    with pytest.raises(DataError, match="^data.txt: no documents in it\n  a document is a line '<label> qid"):
        parse(write(text))


def test_no_documents_left():
    with pytest.raises(DataError, match="^data.txt: all 2 documents are unjudged, and dropped\n"):
        parse(write("-1 qid:1 1:1\n-1 qid:2 1:1"), unjudged="drop")


# id: (text, options, notes)
NOTED = {
    "query comes back": (
        "0 qid:1 1:1\n0 qid:2 1:2\n0 qid:1 1:3\n1 qid:1 1:4\n0 qid:2 1:5\n", {},
        ["data.txt:3:7: queries that come back after another query were merged into one (2 in all)"],
    ),
    "decreasing index": (
        "0 qid:1 1:1\n0 qid:1 5:1 2:1 3:1 1:1\n0 qid:1 2:1 1:1", {},
        ["data.txt:2:13: feature numbers out of order (3 in all)"],
    ),
    "index above the profile's": (
        "0 qid:1 136:1\n0 qid:1 137:1 140:2", {"profile": "mslr"},
        ["data.txt:2:9: feature numbers above the 136 that profile 'mslr' declares (2 in all)"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("text, options, notes", NOTED.values(), ids=NOTED)
def test_accepted_with_a_note(text, options, notes):
    assert list(parse(write(text), **options).notes) == notes


def test_a_query_that_comes_back_is_one_query():
    letor = parse(write("0 qid:b 1:1\n0 qid:a 1:2 # x\n0 qid:b 1:3\n"))
    assert documents(letor) == [(0, "b", {1: 1.0}, ""), (0, "b", {1: 3.0}, ""), (0, "a", {1: 2.0}, " x")]
    assert letor.offsets.tolist() == [0, 2, 3] and letor.records.tolist() == [0, 2, 1]


def test_an_unexpected_index_extends_the_table_and_a_short_row_does_not_shrink_it():
    letor = parse(write("0 qid:1 140:2\n0 qid:1 1:1"), profile="mslr")
    assert (letor.n_features, letor.feature_names[-1], letor.column(140).tolist()) == (140, "140", [2.0, 0.0])
    assert parse(write("0 qid:1 1:1"), profile="yahoo").n_features == 700  # a profile whose files omit zeros


def test_a_file_of_few_features_is_not_padded_by_its_profile():
    letor = parse(write("0 qid:1 1:1 2:1 3:0 4:0"), profile="letor4")
    assert letor.feature_names == ("1", "2", "3", "4")
    assert letor.notes == ("data.txt: 4 of the 46 features that profile 'letor4' declares",)


def test_documents_that_a_query_has_twice_are_noted():
    text = "0 qid:a 1:1 # docid = x\n1 qid:b 1:1 # docid = x\n0 qid:b 1:2 #docid=x inc = 1\n0 qid:b 1:3 # y\n"
    letor = parse(write(text + "0 qid:b 1:3 # y\n0 qid:b 1:4 # docid = x\n"))
    assert letor.notes == ("data.txt: query 'b' has document 'x' twice (2 in all repeat another)",)
    assert parse(write("0 qid:a 1:1 # docid = x\n1 qid:a 1:1 # docid = y\n")).notes == ()


def test_limits_that_turn_labels_into_grades_tell_their_number():
    labels = [0, 4, 2]
    text = "".join(f"{label} qid:1 {' '.join(f'{i}:1' for i in range(1, 137))}\n" for label in labels)
    letor = parse(write(text), profile="mslr", grade_cuts=(2.0,))
    assert letor.labels.tolist() == [0, 1, 1] and letor.n_grades == 2
    assert parse(write(text), profile="mslr").n_grades == 5


def test_trec_is_no_profile_of_text():
    with pytest.raises(DataError, match="profile 'trec' is for TREC runs"):
        read_data(write("0 qid:1 1:1"), profile="trec")


@pytest.mark.parametrize("text", ["301 Q0 FT911-3 1 12.5 bm25\n", "301 0 FT911-3 1\n"])
def test_trec_files_are_recognised_without_judgments(text):
    with pytest.raises(DataError, match="TREC runs are read together with judgments: name the runs"):
        read_data(write(text))


def test_a_feature_is_float32_only_where_nothing_is_lost():
    text = "0 qid:1 1:0.5 2:0.1 3:16777217 4:1e39\n0 qid:1 1:2 2:0.10000000149011612 3:16777216 4:1"
    letor = parse(write(text))
    assert [column.dtype for column in letor.columns] == [np.float32, np.float64, np.float64, np.float64]
    assert letor.column(2).tolist() == [0.1, 0.10000000149011612]
    assert letor.column(3).tolist() == [16777217, 16777216]


def test_a_long_line_is_shown_where_it_is_wrong():
    line = "0 qid:1 " + " ".join(f"{i}:0.123456" for i in range(1, 500)) + " 500:x 501:" + "7" * 300
    with pytest.raises(LetorFormatError) as caught:
        parse(write(line))
    shown = str(caught.value).splitlines()[-1]
    assert shown.startswith("    ...") and " 500:x 501:777" in shown and len(shown) <= 80


# suffix: (compress, decompress the start of a stream)
PACKERS = {
    ".gz": (gzip.compress, lambda data: zlib.decompressobj(wbits=31).decompress(data)),
    ".bz2": (bz2.compress, lambda data: bz2.BZ2Decompressor().decompress(data)),
    ".xz": (lzma.compress, lambda data: lzma.LZMADecompressor().decompress(data)),
    ".zst": (zstd.compress, lambda data: zstd.ZstdDecompressor().decompress(data)),
}
LINES = b"".join(b"%d qid:%d 1:%d 2:0.%d\n" % (i % 3, i // 10, i, 7919 * i) for i in range(20_000))


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_cut_file_is_refused_with_the_line_reached(suffix):
    compress, decompress = PACKERS[suffix]
    cut = compress(LINES)[:-1000]
    reached = decompress(cut).count(b"\n")
    name = write(cut, f"data.txt{suffix}")
    expected = rf"^{name}: .*ends before its end mark.*\n  reached after line {reached:,}; nothing was kept$"
    with pytest.raises(DataError, match=expected):
        parse(name)


def test_a_wrong_checksum_is_refused():
    packed = gzip.compress(LINES)
    expected = "^data.txt.gz: .*incorrect data check.*\n  reached after line .*; nothing was kept$"
    with pytest.raises(DataError, match=expected):
        parse(write(packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:], "data.txt.gz"))


def test_an_error_before_the_damage_is_told_first():
    packed = gzip.compress(LINES.replace(b"1:42 ", b"1:x "))
    with pytest.raises(LetorFormatError, match=r"^data.txt.gz:43:9: the value is not a number \(1:x\)"):
        parse(write(packed[: len(packed) * 2 // 3], "data.txt.gz"))


CHOICES = {
    "nonfinite": ("zero", "nonfinite must be one of refuse, missing, not 'zero'"),
    "unjudged": ("keep", "unjudged must be one of refuse, drop, zero, not 'keep'"),
    "label_round": ("up", "label_round must be one of refuse, nearest, floor, not 'up'"),
    "grade_cuts": (
        (2.0, 1.0),
        "grade_cuts must be different numbers, at most 127, ascending; not (2.0, 1.0)",
    ),
    "max_features": (0, "max_features must be from 1 to 10,000,000, not 0"),
    "index_base": (2, "index_base must be 0 or 1, not 2"),
    "profile": ("mlsr", "no profile named 'mlsr'; did you mean 'mslr'?"),
}


@pytest.mark.parametrize("option", CHOICES)
def test_options_are_checked(option):
    value, message = CHOICES[option]
    with pytest.raises(DataError) as caught:
        parse(write("0 qid:1 1:1"), **{option: value})
    assert str(caught.value) == message


def test_the_number_of_threads_is_checked():
    with pytest.raises(UsageError, match="^jobs is 0; expected a whole number from 1 to 1,024, or -1"):
        parse(write("0 qid:1 1:1"), jobs=0)
    assert parse(write("0 qid:1 1:1"), jobs=-1).n_docs == 1


@pytest.mark.parametrize("cuts", [(float("nan"),), (1.0, 1.0), tuple(float(i) for i in range(128))])
def test_more_cuts_that_do_not_divide_labels(cuts):
    with pytest.raises(DataError, match="grade_cuts must be different numbers, at most 127"):
        parse(write("0 qid:1 1:1"), grade_cuts=cuts)
