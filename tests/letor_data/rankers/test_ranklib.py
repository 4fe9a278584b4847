"""RankLib ensembles score as their naive twin, and any other file is refused."""

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import DataError
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import model
from rankduel.letor_data.rankers.ranklib import read_ranklib

pytestmark = pytest.mark.kernel

NUMBERS = st.sampled_from([-1.5, 0.0, 0.1, 0.12345679, 1.0, 2.0, 1e30])
TREES = st.recursive(
    NUMBERS, lambda inner: st.tuples(st.integers(1, 3), NUMBERS, inner, inner), max_leaves=12
)
ENSEMBLES = st.lists(st.tuples(st.sampled_from([0.1, 1.0, -0.5]), TREES), min_size=1, max_size=4)
VALUES = st.sampled_from([-1.5, 0.0, 0.1, 0.123456789, 0.12345679, 1.0, 3.0, np.nan])

ONE_TREE = [(0.1, (2, 1.5, -1.0, (1, 0.5, 2.0, 3.0)))]


@given(ENSEMBLES, st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=6))
def test_naive_equals_fast(trees, rows):
    loaded = read_ranklib(naive.ensemble_text(trees).encode(), "model.txt")
    with loaded.predicting() as predict:
        found = predict(np.array(rows))
    expected = [naive.ensemble_score(trees, row) for row in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_as_a_ranker(tmp_path, end):
    path = tmp_path / "mart.txt"
    path.write_text(naive.ensemble_text(ONE_TREE).replace("\n", end), newline="")
    letor = Letor.from_pandas(
        pd.DataFrame({"qid": 1, "label": 0, "1": [0.5, 0.6, 9], "2": [2.0, 2, 1], "3": 0.0})
    )
    ranker = model("ranklib", path)
    assert ranker.name == "mart"
    np.testing.assert_allclose(ranker.score(letor), [0.2, 0.3, -0.1])
    with pytest.raises(DataError, match="the model expects 2 features and the data have 1"):
        ranker.score(letor.only_features(["1"]))


def test_a_deep_tree_needs_no_recursion():
    tree = 1.0
    for _ in range(500):
        tree = (1, 0.0, 0.0, tree)
    text = naive.ensemble_text([(1.0, tree)])
    deeper = text.replace("\t", "").replace("<output> 1.0 </output>", "<output>2</output>")
    with read_ranklib(deeper.encode(), "m").predicting() as predict:
        assert predict(np.ones((1, 1))).tolist() == [2.0]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("## LambdaMART", "## Random Forests", "found 'Random Forests', expected MART or LambdaMART"),
        ("## LambdaMART", "<ensemble>", "found no such line"),
        ("<ensemble>", '<!DOCTYPE x [<!ENTITY e "x">]><ensemble>', ":4:1: expected one of RankLib's tags"),
        ("<ensemble>", '<?xml version="1.0"?><ensemble>', ":4:1: expected one of RankLib's tags"),
        ("> 1.5 <", "> &lol; <", "expected one of RankLib's tags"),
        ("> 1.5 <", "> nan <", "expected a number of single precision, not 'nan'"),
        ("> 1.5 <", "> 1e39 <", "expected a number of single precision, not '1e39'"),
        ("> 1.5 <", "> 1_0 <", "expected a number"),
        ("> 2 <", "> 0 <", "expected the number of a feature, from 1, not '0'"),
        ("> 2 <", "> 1.5 <", "expected the number of a feature"),
        ("> 2 <", "> 9999999 <", "expected the number of a feature"),
        ('weight="0.1"', "", "expected a weight"),
        ('pos="right"', 'pos="left"', "expected 'left' only once"),
        ('pos="left"', 'pos="top"', "expected <split pos="),
        ("</ensemble>", "", "expected <tree>, or </ensemble>"),
        ("</ensemble>", "</ensemble><tree>", "expected the end"),
        ("\t</tree>\n", "", "expected </tree>"),
        ("<output> 3.0 </output>", "", "expected a split to have"),
        ("<output> 3.0 </output>", "<tree>", "expected feature, threshold, output, split or the end"),
        ("<output> 3.0 </output>", "text", "expected one of RankLib's tags"),
        ("3.0", "\ud800", "not UTF-8 text, at byte"),
    ],
)
def test_anything_else_is_refused(old, new, told):
    text = naive.ensemble_text(ONE_TREE)
    assert old in text
    with pytest.raises(DataError) as refused:
        read_ranklib(text.replace(old, new, 1).encode(errors="surrogatepass"), "model.txt")
    assert told in str(refused.value) and str(refused.value).startswith("model.txt:")


def test_an_ensemble_without_trees():
    with pytest.raises(DataError, match="expected <tree>"):
        read_ranklib(b"## MART\n<ensemble>\n</ensemble>\n", "m")
