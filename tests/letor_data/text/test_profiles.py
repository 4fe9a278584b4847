"""Samples of every published collection, queries by counts, and several files."""

import numpy as np
import pytest
from support.reading import cut_into, documents, parse

from rankduel.base.errors import DataError
from rankduel.letor_data.catalogue import PROFILES, profile_for, size_note
from rankduel.letor_data.errors import LetorFormatError
from rankduel.letor_data.text import columns
from rankduel.letor_data.text.tokenizer import VALUES

pytestmark = pytest.mark.kernel


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text, name):
    with open(name, "wb") as stream:
        stream.write(text if isinstance(text, bytes) else text.encode())
    return name


def error(paths, **options):
    with pytest.raises(DataError) as caught:
        parse(paths, **options)
    return str(caught.value)


# profile: (file name that selects it, text, documents, number of features)
SAMPLES = {
    "letor3": (
        "OHSUMED.txt", "1 qid:7 1:0.5 2:0.0 3:0.125 64:0.03125 #docid = G12-34-5678901\n",
        [(1, "7", {1: 0.5, 3: 0.125, 64: 0.03125}, "docid = G12-34-5678901")], 64,
    ),
    "letor4": (
        "MQ2007.txt", "2 qid:10031 1:0.5 2:NULL 46:0.25 #docid = GX011-22-3344556 inc = 0.5 prob = 0.31\n",
        [(2, "10031", {1: 0.5, 2: None, 46: 0.25}, "docid = GX011-22-3344556 inc = 0.5 prob = 0.31")], 46,
    ),
    "letor_agg": (
        "MQ2007-agg.txt", "1 qid:10031 1:12 2:NULL 3:3 21:NULL #docid = GX011-22-3344556 inc = 0.5\r\n",
        [(1, "10031", {1: 12.0, 2: None, 3: 3.0, 21: None}, "docid = GX011-22-3344556 inc = 0.5")], 21,
    ),
    "mslr": (
        "MSLR-WEB10K.txt", "3 qid:16 1:2 2:0 3:1 135:0 136:1.5 \n",
        [(3, "16", {1: 2.0, 3: 1.0, 136: 1.5}, "")], 136,
    ),
    "yahoo": (
        "C14/set3.txt", "0 qid:20001 3:0.5 17:0.0625 699:1\n",
        [(0, "20001", {3: 0.5, 17: 0.0625, 699: 1.0}, "")], 700,
    ),
    "istella": (
        "istella.txt", "0 qid:5 1:0 2:1.79769313486232e+308 3:14 4:1.79769313486e+308 5:-1e300 6:9e299\n",
        [(0, "5", {2: None, 3: 14.0, 4: None, 5: None, 6: 9e299}, "")], 220,
    ),
    "yandex": (
        "imat2009.txt", "1.000000 1:0.5 245:0.75 # 181\n0 1:1 #181 \n4 #\t9 b\n",
        [(1, "181", {1: 0.5, 245: 0.75}, " 181"), (0, "181", {1: 1.0}, "181 "), (4, "9 b", {}, "\t9 b")], 245,
    ),
}  # fmt: skip


@pytest.mark.parametrize("profile", SAMPLES)
def test_sample_lines(profile, folder):
    name, text, expected, n_features = SAMPLES[profile]
    (folder / name).parent.mkdir(exist_ok=True)
    letor = parse(write(text, name))
    assert (letor.profile, letor.n_features) == (profile, n_features)
    assert documents(letor) == expected and letor.notes == ()


def test_document_ids_are_found_in_comments():
    name, text, _, _ = SAMPLES["letor4"]
    assert parse(write(text, name)).doc_ids.tolist() == ["GX011-22-3344556"]


PATHS = {
    "data/MSLR-WEB30K/Fold1/train.txt": "mslr", "mslr.zip::Fold1/vali.txt": "mslr", "C14B/x.txt": "yahoo",
    "set1.train.txt.gz": "yahoo", "abc14/x.txt": "svmlight", "c145.txt": "svmlight", "train.txt": "svmlight",
    "MQ2008-agg/Fold1": "letor_agg", "MQ2008/Fold1/test.txt": "letor4", "Gov/TD2004/a.txt": "letor3",
    "istella-s-letor.tar.gz::sample/test.txt": "istella", "imat2009_learning.txt": "yandex",
}  # fmt: skip


@pytest.mark.parametrize("path, profile", PATHS.items(), ids=PATHS)
def test_the_path_tells_the_profile(path, profile):
    assert profile_for(path) == PROFILES[profile]


def test_small_values_are_better_only_in_rank_aggregation():
    assert [profile.name for profile in PROFILES.values() if profile.sign < 0] == ["letor_agg"]


def test_sizes_that_differ_from_the_published_ones_are_noted():
    assert size_note("set1.train.txt", {"train"}, 19_944, 473_134) is None
    assert size_note("set1.train.txt, set1.valid.txt", {"train", "valid"}, 22_938, 544_217) is None
    assert size_note("MSLR-WEB10K/Fold1/train.txt", {"train"}, 6_000, 723_412) is None  # a part
    assert size_note("MSLR-WEB10K", {"train", "vali", "test"}, 9_999, 7) == (
        "MSLR-WEB10K: 9,999 queries and 7 documents, but MSLR-WEB10K is published with 10,000 and 1,200,192"
    )
    assert "Yahoo set 1 train with Yahoo set 1 test is published with 26,927 and 638,794" in size_note(
        "a/set1.train.txt, a/set1.test.txt", {"train", "test"}, 1, 2
    )


def test_fractional_labels_of_yandex():
    name = write("1.5 1:1 # a\n0.25 1:1 # a\n", "imat2009.txt")
    assert error(name).startswith("imat2009.txt:1:1: the label is not a whole number (1.5)\n")
    assert parse(name, label_round="nearest").labels.tolist() == [2, 0]
    assert parse(name, label_round="floor").labels.tolist() == [1, 0]


def test_listwise_labels_become_grades_by_cuts():
    name = write("0 qid:1\n33 qid:1\n34 qid:1\n57.5 qid:1\n1e6 qid:1\n", "MQ2007-list.txt")
    assert error(name).startswith(
        "MQ2007-list.txt:2:1: the label is above 2, the top grade of profile 'letor4'"
    )
    assert parse(name, grade_cuts=(34.0, 58.0)).labels.tolist() == [0, 0, 1, 1, 2]
    assert parse(name, grade_cuts=(0.0,)).labels.tolist() == [1, 1, 1, 1, 1]


# --- counts in a side file


def lightgbm(counts, text="2 0:0.5 14:0.25\n0 1:1\n1 0:3 # c\n", side="train.txt.query", **options):
    write(counts, side)
    return parse(write(text, "train.txt"), **options)


@pytest.mark.parametrize("side", ["train.txt.query", "train.txt.group", "train.query", "train.group"])
def test_counts_beside_the_data(side):
    letor = lightgbm("2\n1\n", side=side)
    assert (letor.profile, letor.n_features, letor.feature_names[0]) == ("lightgbm", 15, "0")
    first, second = [(2, "1", {0: 0.5, 14: 0.25}, ""), (0, "1", {1: 1.0}, "")], [(1, "2", {0: 3.0}, " c")]
    assert documents(letor) == first + second


def test_counts_may_have_blank_lines_spaces_and_windows_line_ends():
    assert lightgbm(b"\xef\xbb\xbf 2\r\n\r\n1 \r\n").offsets.tolist() == [0, 2, 3]
    assert lightgbm(b"2\r1\r").offsets.tolist() == [0, 2, 3]


def test_features_may_be_counted_from_one():
    letor = lightgbm("3\n", "1 1:5\n0 2:6\n0 1:7\n", index_base=1)
    assert letor.feature_names == ("1", "2") and letor.column(1).tolist() == [5, 0, 7]


@pytest.mark.parametrize("counts, total", [("2\n2\n", "4"), ("1\n1\n", "2"), ("1000\n", "1,000")])
def test_counts_that_do_not_add_up(counts, total):
    with pytest.raises(DataError) as caught:
        lightgbm(counts)
    assert str(caught.value) == (
        f"train.txt.query: its counts add up to {total}, but train.txt has 3 documents\n"
        "  one of the two is incomplete, or belongs to another file"
    )


@pytest.mark.parametrize("count", ["0", "-1", "x", "1.0", "1 2", "9" * 13])
def test_what_is_not_a_count(count):
    with pytest.raises(LetorFormatError) as caught:
        lightgbm(f"2\n  {count}\n")
    expected = f"train.txt.query:2:3: expected a query's number of documents, 1 or more ({count})\n"
    assert str(caught.value).startswith(expected)


def test_no_counts():
    with pytest.raises(DataError, match="^train.txt.query: no counts in it; each line should hold"):
        lightgbm("\n\n")
    name = write("1 0:1\n", "alone.txt")
    assert error(name, profile="lightgbm").endswith(
        "  put a file alone.txt.query beside it, one line per query: how many documents it has"
    )


IDS = "0 qid:a 0:1\n1 qid:a 0:2\n2 qid:b 0:3\n3 qid:c 0:4\n"


def test_query_ids_that_agree_with_the_counts():
    assert [query for _, query, _, _ in documents(lightgbm("2\n1\n1\n", IDS))] == ["1", "1", "2", "3"]


# counts: position at which they contradict the ids of IDS
DISAGREEING = {
    "1\n1\n1\n1\n": ("2:7", "this is query 2, whose id is that of query 1, too (a)"),
    "3\n1\n": ("3:7", "this is query 1, whose id is 'a' (b)"),
    "4\n": ("3:7", "this is query 1, whose id is 'a' (b)"),
    "2\n2\n": ("4:7", "this is query 2, whose id is 'b' (c)"),
}


@pytest.mark.parametrize("counts", DISAGREEING)
@pytest.mark.parametrize("block", [1, 30, 1 << 20])
def test_query_ids_that_disagree_with_the_counts(counts, block, monkeypatch):
    cut_into(monkeypatch, block, piece=8)
    with pytest.raises(LetorFormatError) as caught:
        lightgbm(counts, IDS)
    place, problem = DISAGREEING[counts]
    assert str(caught.value).startswith(
        f"train.txt:{place}: by the counts in train.txt.query {problem}\n"
        "  correct the counts, or remove train.txt.query to go by the ids\n"
    )


def test_dropped_documents_still_count():
    letor = lightgbm("2\n1\n2\n", "1 0:1\n-1 0:2\n-1 0:3\n-1 0:1e-320\n3 0:5\n", unjudged="drop")
    assert documents(letor) == [(1, "1", {0: 1.0}, ""), (3, "3", {0: 5.0}, "")]
    assert letor.records.tolist() == [0, 4]


def test_a_number_float_must_read_goes_to_its_own_document():
    text = "-1 qid:1 1:1e-320 2:3e-320\n1 qid:1 1:5 2:1e-310\n-1 qid:1 3:2e-320\n2 qid:1 1:7 3:4e-320\n"
    letor = parse(write(text, "a.txt"), unjudged="drop")
    assert documents(letor) == [(1, "1", {1: 5.0, 2: 1e-310}, ""), (2, "1", {1: 7.0, 3: 4e-320}, "")]


# --- several files


def two_files(first="0 qid:1 1:1\n0 qid:2 1:2\n", second="1 qid:2 1:3\n1 qid:3 3:4\n"):
    return [write(first, "train.txt"), write(second, "test.txt")]


def test_the_same_query_in_two_files_is_refused():
    assert error(two_files()).startswith(
        "test.txt:1:7: query '2' is also in train.txt (2)\n"
        "  load only one of them; or choose merge_files (--merge-files) if it is one query, "
        "split_prefix (--split-prefix) if train and test number theirs alike\n"
    )


def test_the_same_query_in_two_files_may_be_merged():
    letor = parse(two_files(), merge_files=True)
    assert letor.query_ids.tolist() == ["1", "2", "3"] and letor.offsets.tolist() == [0, 1, 3, 4]
    assert (letor.column(1).tolist(), letor.column(3).tolist()) == ([1, 2, 3, 0], [0, 0, 0, 4])
    assert letor.splits.tolist() == ["train", "train", "test"]
    assert letor.notes == () and letor.records.tolist() == [0, 1, 2, 3]


def test_the_same_query_in_two_files_may_be_told_apart():
    letor = parse(two_files(), split_prefix=True)
    assert letor.query_ids.tolist() == ["train/1", "train/2", "test/2", "test/3"]
    assert letor.n_features == 3 and letor.column(3).tolist() == [0, 0, 0, 4]


def test_the_prefix_does_not_help_where_the_splits_are_named_alike(folder):
    (folder / "a").mkdir(), (folder / "b").mkdir()
    paths = [write("0 qid:1 1:1\n", "a/train.txt"), write("0 qid:1 1:1\n", "b/train.txt")]
    message = error(paths, split_prefix=True)
    assert message.startswith("b/train.txt:1:7: query 'train/1' is also in a/train.txt (1)\n")


def test_a_query_that_comes_back_in_a_merged_file_is_noted_once():
    letor = parse(two_files(second="0 qid:2\n0 qid:3\n0 qid:2\n"), merge_files=True)
    (note,) = letor.notes
    assert note == "test.txt:3:7: queries that come back after another query were merged into one (1 in all)"


def test_counts_of_two_files():
    write("1\n1\n", "train.txt.query"), write("2\n", "test.txt.query")
    paths = two_files("0 1:1\n0 1:2\n", "1 1:3\n1 2:4\n")
    assert parse(paths).query_ids.tolist() == ["1", "2", "3"]
    assert parse(paths, split_prefix=True).query_ids.tolist() == ["train/1", "train/2", "test/3"]


def test_each_file_must_hold_documents():
    assert error(two_files(second="# nothing\n")).startswith("test.txt: no documents in it\n")


# --- limits of size


def test_features_are_bounded_before_anything_is_allocated(monkeypatch):
    def columns_without_values(tokens, *_):
        assert tokens.found[VALUES] == 0
        return {}

    monkeypatch.setattr("rankduel.letor_data.text.chunks.block_columns", columns_without_values)
    name = write("0 qid:1 99999999999:1\n", "a.txt")
    assert error(name).startswith("a.txt:1:9: the feature number is above 100,000: max_features is 100,000 (")


@pytest.mark.parametrize("block", [1, 1 << 20])
@pytest.mark.parametrize(
    "cells, message",
    [
        (99, "a.txt: 10 documents with 10 features need 0.0 GiB or more"),
        (500, "a.txt: 10 documents with 91 features need"),
    ],
)
def test_a_table_larger_than_memory_is_refused(cells, message, block, monkeypatch):
    monkeypatch.setattr("rankduel.letor_data.text.parse.memory_cells", lambda: cells)
    cut_into(monkeypatch, block, piece=16)
    text = "".join(f"0 qid:1 {1 + 10 * i}:1\n" for i in range(10))
    assert error(write(text, "a.txt")).startswith(message)


def test_memory_is_that_of_this_machine():
    assert 2**26 < columns.memory_cells() < 2**45


def test_a_line_that_never_ends_is_refused_with_its_number(monkeypatch):
    cut_into(monkeypatch, block=10, piece=10)
    monkeypatch.setattr("rankduel.letor_data.text.chunks.MAX_LINE", 100)
    name = write("0 qid:1 1:1\n" * 3 + "0 qid:1 " + "1" * 200 + ":1\n", "a.txt")
    assert error(name).startswith("a.txt:4:1: no line end within ")
    assert np.all(parse(write("0 qid:1 1:1\n" * 3, "b.txt")).labels == 0)
