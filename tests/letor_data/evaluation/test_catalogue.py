"""Conversion of measures to and from text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import UsageError
from rankduel.base.settings import settings_of
from rankduel.letor_data.evaluation.catalogue import MEASURES, measure_text, parse_measure


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ndcg@10", "ndcg@10"),
        ("nDCG@10", "ndcg@10"),
        (" NDCG ( gain = linear ) @ 5 ", "ndcg(gain=linear)@5"),
        ("ndcg(gain=exponential,discount=log2)", "ndcg"),
        ("P", "p@10"),
        ("p(rel=2)@5", "p(rel=2)@5"),
        ("MAP(rel=1)", "map"),
        ("RBP(p=0.95)", "rbp(p=0.95)"),
        ("err(no_relevant=skip)@20", "err(no_relevant=skip)@20"),
    ],
)
def test_one_way_to_write_each(text, written):
    assert measure_text(parse_measure(text)) == written
    assert parse_measure(written) == parse_measure(text)


@given(st.sampled_from(list(MEASURES)), st.integers(0, 1000), st.integers(1, 9), st.floats(0, 1), st.data())
def test_what_is_written_is_read_back(name, k, grade, share, data):
    measure = MEASURES[name]
    values = {"k": max(k, int(name == "p")), "rel": grade, "top": grade, "p": share}
    chosen = {
        key: data.draw(st.sampled_from(setting.choices)) if setting.choices else values[key]
        for key, setting in settings_of(measure).items()
    }
    configured = MEASURES.configured(name, **chosen)
    assert parse_measure(measure_text(configured)) == configured


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ap", "no measure named 'ap'; did you mean 'map'?"),
        ("rr", "did you mean 'mrr'?"),
        ("ndgc@10", "did you mean 'ndcg'?"),
        ("ndcg@0", "'ndcg@0': expected a whole number from 1 after '@'"),
        ("ndcg@ten", "as in ndcg@10 or ndcg(gain=linear)@10"),
        ("ndcg@5@6", "expected a whole number from 1 after '@'"),
        ("ndcg@10(gain=linear)", "expected a whole number from 1 after '@' and nothing else"),
        ("ndcg@" + "9" * 5000, "expected a whole number from 1 after '@'"),
        ("ndcg@9999999999", "ndcg: k is 9999999999; expected at least 0 and at most 1e+09"),
        ("ndcg(k=3)", "'ndcg(k=3)': expected the cut-off after '@', as in ndcg@10"),
        ("ndcg(gain=linaer)", "expected exponential or linear; did you mean 'linear'?"),
        ("map(rle=2)", "no setting of map named 'rle'; did you mean 'rel'?"),
        ("map(rel=0)", "map: rel is 0; expected at least 1"),
        ("rbp(p=1.5)", "rbp: p is 1.5; expected at least 0 and at most 1"),
        ("@10", "expected a name"),
        ("", "expected a name, found the end"),
    ],
)
def test_what_cannot_be_read_is_refused(text, problem):
    with pytest.raises(UsageError) as refused:
        parse_measure(text)
    assert problem in str(refused.value) and len(str(refused.value)) < 500
