"""Conversion of rankers to and from text."""

import numpy as np
import pandas as pd
import pytest

from rankduel.base.errors import DataError, RankduelError, UsageError
from rankduel.letor_data.catalogue import PROFILES
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import feature, linear, parse, scores
from rankduel.letor_data.rankers.texts import KINDS
from rankduel.letor_data.synthetic.generate import shape, synthesize

ODD = ["tf-idf", 'say "x"', "a*b", "run:1", "x,name=y", "(z)", " padded "]


@pytest.fixture(scope="module")
def mslr():
    return synthesize(shape("small", queries=3))


@pytest.fixture(scope="module")
def odd():
    """Return data with feature names that contain every special character of the grammar."""
    rng = np.random.default_rng(1)
    columns = {name: rng.normal(size=6) for name in (*ODD, "plain")}
    return Letor.from_pandas(pd.DataFrame({"qid": [*"aaabbb"], "label": 0, **columns}))


@pytest.mark.parametrize(
    ("text", "name", "written", "same"),
    [
        ("39", "39", "39", feature(39)),
        (" 39 ", "39", "39", feature(39)),
        ("-39", "-39", "-39", feature(39, -1)),
        ("+39", "39", "39", feature(39)),
        ("BM25, whole document", "110", "110", feature(110)),
        ("bm25 WHOLE_document", "110", "110", feature(110)),
        ("-PageRank", "-130", "-130", feature(130, -1)),
        ("110,name=BM25", "BM25", "110,name=BM25", feature(110)),
        ("BM25, body,name=mine", "mine", "106,name=mine", feature(106)),
        ("0.7*39+0.3*23", "0.7*39+0.3*23", "0.7*39+0.3*23", linear({39: 0.7, 23: 0.3})),
        ("-2e-3 * 39 - 1 * PageRank", "-0.002*39-1*130", "-0.002*39-1*130", linear({39: -0.002, 130: -1})),
        ('.5*"TF-IDF sum, body"', "0.5*71", "0.5*71", linear({71: 0.5})),
        ("minmax(1*39+2*23),name=m", "m", "minmax(1*39+2*23),name=m", linear({39: 1, 23: 2}, normalize=True)),
    ],
)
def test_what_a_text_asks_for(mslr, text, name, written, same):
    ranker = parse(text, mslr)
    assert (ranker.name, ranker.text) == (name, written)
    assert np.array_equal(ranker.score(mslr), same.score(mslr))


@pytest.mark.parametrize("name", ODD)
def test_a_lone_feature_needs_no_quotes(odd, name):
    ranker = parse(name, odd)
    assert ranker.name == name and np.array_equal(ranker.score(odd), odd.column(name))


@pytest.mark.parametrize("name", [*ODD, "plain"])
@pytest.mark.parametrize("normalize", [False, True])
def test_a_sum_is_read_back_as_it_was_written(odd, name, normalize):
    made = linear({name: -0.1, "plain" if name != "plain" else "a*b": 1e-7}, normalize, "sum")
    read = parse(made.text, odd)
    assert (read.name, read.text) == ("sum", made.text)
    assert read.score(odd).tobytes() == made.score(odd).tobytes()


def test_the_profile_says_which_way_a_feature_ranks(odd):
    turned = Letor.from_pandas(odd.to_pandas(), profile="letor_agg")
    for text, name, written in (("plain", "-plain", "-plain"), ("+plain", "plain", "+plain")):
        ranker = parse(text, turned)
        assert (ranker.name, ranker.text) == (name, written)
        assert np.array_equal(parse(written, turned).score(turned), ranker.score(turned))


def test_a_file_of_scores(tmp_path, odd):
    path = tmp_path / "other, model.txt"
    path.write_text("1\n2\n3\n4\n5\n6\n")
    ranker = parse(f"scores:{path},name=mine", odd)
    assert (ranker.name, ranker.text) == ("mine", f"scores:{path},name=mine")
    assert ranker.text == scores(path, "mine").text and ranker.score(odd).tolist() == [1, 2, 3, 4, 5, 6]
    assert parse(f"scores:{path}", odd).name == "other, model"


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("bm25 boddy", DataError, "no feature 'bm25 boddy'; did you mean 'BM25, body'?"),
        ("lightgbmm", DataError, "did you mean 'lightgbm:FILE'?"),
        ("999", DataError, "no feature '999'; there are 136: 1, 2, 3"),
        ("", DataError, "no feature ''"),
        ("1-5", DataError, "no feature '1-5'; a sum has weights, as in '0.7*39+0.3*23', and a range"),
        ("39+23", DataError, "a sum has weights"),
        ("1*39+1*x", DataError, "no feature 'x'"),
        ("0.7*39+", UsageError, "expected a weight, as in '0.7*39+0.3*23', found the end"),
        ("0.7*", UsageError, "expected a feature, by number or name"),
        ("*39", UsageError, "found '*' at position 1"),
        ("0.7*39)", UsageError, "expected '+' or '-', found ')' at position 7"),
        ("0.7*39+0.3*39", UsageError, "expected feature '39' only once"),
        ("nan*39", UsageError, "expected a weight"),
        ("1e999*39", DataError, "a weight must be a finite number, not inf"),
        ("minmax()", UsageError, "expected a weighted feature"),
        ("lightgb:m.txt", UsageError, "no kind of ranker named 'lightgb'; did you mean 'lightgbm'?"),
        ("pickle:m.pkl", UsageError, "no kind of ranker named 'pickle'"),
        ("lightgbm:", UsageError, "expected the name of a file after 'lightgbm:'"),
        ("python:mine", UsageError, "was made in Python"),
        ("39,name=", UsageError, "the name of a ranker is ''"),
        ("39,name=a,b", UsageError, "without commas"),
        ("39,name=a\x1b[2J", UsageError, "printable"),
        ("39,name=" + "x" * 201, UsageError, "at most 200 characters"),
    ],
)
def test_what_cannot_be_read_says_where(mslr, text, error, told):
    with pytest.raises(error) as refused:
        parse(text, mslr)
    assert told in str(refused.value) and "\x1b" not in str(refused.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_not_there_is_named(mslr, kind):
    with pytest.raises(RankduelError, match=r"nowhere/m.x: [Nn]o such file"):
        parse(f"{kind}:nowhere/m.x", mslr)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_titles_are_told_apart_without_marks(profile):
    loose = ["".join(filter(str.isalnum, title)).casefold() for title in profile.titles]
    assert len(set(loose)) == len(loose) and not set(loose) & {str(n) for n in range(1000)}


def test_a_title_belongs_to_a_number():
    mslr = PROFILES["mslr"]
    assert (mslr.title("110"), mslr.title("1")) == ("BM25, whole document", "covered query terms, body")
    assert [mslr.title(name) for name in ("0", "137", "-1", "x", "²", "9" * 5000)] == [""] * 6
