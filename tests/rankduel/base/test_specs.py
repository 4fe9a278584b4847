"""Test parsing and printing of text such as name(key=value,...), and errors with the position."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import UsageError
from rankduel.base.settings import format_spec, parse_spec
from rankduel.clickmodels import STOP_RULES, USERS, click_model, custom_model, geometric, reciprocal
from rankduel.clickmodels.position_based import MEASURED
from rankduel.experiments.specs import parse_model, spec_of

NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,8}", fullmatch=True)
KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
VALUES = st.text(st.characters(exclude_characters=",()=", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text == text.strip()
)
CHANCES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("rucb", "rucb", {}),
        ("rucb()", "rucb", {}),
        (" rucb ( ) ", "rucb", {}),
        ("merge_dts(alpha=0.262144,batch=16)", "merge_dts", {"alpha": "0.262144", "batch": "16"}),
        (" a ( b = c d , e = 1/2 ) ", "a", {"b": "c d", "e": "1/2"}),
        ("case-a(x=reciprocal:1)", "case-a", {"x": "reciprocal:1"}),
        ("x(path=~/my file's.toml)", "x", {"path": "~/my file's.toml"}),
    ],
)
def test_specs_are_parsed(text, name, settings):
    assert parse_spec(text) == (name, settings)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected a name, found the end"),
        ("(a=1)", "expected a name, found '(' at position 1"),
        ("3x", "expected a name, found '3' at position 1"),
        ("a b", "expected '(', found 'b' at position 3"),
        ("a=1", "expected '(', found '=' at position 2"),
        ("a(", "expected a setting's name, found the end"),
        ("a(1=2)", "expected a setting's name, found '1' at position 3"),
        ("a(b)", "expected '=' after 'b', found ')' at position 4"),
        ("a(b=)", "expected a value for 'b', found ')' at position 5"),
        ("a(b=1", "expected ',' or ')', found the end"),
        ("a(b=1=2)", "expected ',' or ')', found '=' at position 6"),
        ("a(b=1,)", "expected a setting's name, found ')' at position 7"),
        ("a(b=1, b=2)", "expected 'b' only once, found 'b' at position 8"),
        ("a(b=c(d))", "expected ',' or ')', found '(' at position 6"),
        ("a(b=1)c", "expected nothing after ')', found 'c' at position 7"),
    ],
)
def test_errors_state_the_position(text, says):
    with pytest.raises(UsageError) as refused:
        parse_spec(text)
    assert str(refused.value) == f"'{text}': {says}"


@given(NAMES, st.dictionaries(KEYS, VALUES))
def test_printed_specs_can_be_parsed(name, settings):
    assert parse_spec(format_spec(name, settings)) == (name, settings)


@given(st.text("ab1(),= "))
def test_any_text_is_parsed_or_an_error(text):
    try:
        name, settings = parse_spec(text)
    except UsageError as refused:
        assert str(refused).startswith(f"'{text}': expected ")
    else:
        assert parse_spec(format_spec(name, settings)) == (name, settings)


@pytest.mark.parametrize(
    ("name", "settings"),
    [("", {}), ("a", {"b": ""}), ("a", {"b": " 1"}), ("a", {"b": "1,c=2"}), ("a", {"b": "(1)"}), ("a b", {})],
)
def test_specs_that_cannot_be_parsed_are_not_printed(name, settings):
    with pytest.raises(UsageError):
        format_spec(name, settings)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("grades", [2, 3, 5])
@pytest.mark.parametrize("stop", STOP_RULES)
@pytest.mark.parametrize("name", USERS)
def test_named_users_print_as_their_names(name, stop, grades):
    text = format_spec(name, {} if stop == "click" else {"stop": stop})
    model = parse_model(text, grades)
    printed = spec_of(model)
    assert same(model, click_model(name, grades, stop)) and same(parse_model(printed, grades), model)
    # These users never leave, so stop=never is the default and is not printed.
    assert printed == (name if stop == "never" and name in ("perfect", "random") else text)


@pytest.mark.parametrize(
    ("text", "grades"),
    [
        ("navigational(attention=reciprocal:1)", 5),
        ("navigational(attention=reciprocal:0.05)", 5),  # -log2 of its second value is not quite 0.05
        ("informational(stop=never,attention=geometric:0.8)", 3),
        ("random(attention=measured)", 2),
        ("perfect(attention=1/0.5/0.2)", 5),
        ("navigational(grade_map=0/1/3/4)", 4),
        ("informational(stop=any,grade_map=0/1/3/4,attention=0.5)", 4),
        ("perfect(grade_map=even)", 3),
        ("navigational(grade_map=even)", 4),
        ("navigational(stop=any,grade_map=even)", 11),
        ("custom(p_click=0/0.25/1,p_stop=0/0/0.125)", 3),
        ("custom(p_click=0.3/0.1,p_stop=0/0.5,stop=any,attention=geometric:0.5)", 2),
    ],
)
def test_models_print_as_they_were_written(text, grades):
    assert spec_of(parse_model(text, grades)) == text


@given(st.data())
def test_printed_models_can_be_parsed(data):
    grades = data.draw(st.integers(1, 6))
    p_click, p_stop = (data.draw(st.lists(CHANCES, min_size=grades, max_size=grades)) for _ in range(2))
    attention = data.draw(
        st.lists(CHANCES, min_size=1, max_size=4)
        | st.floats(0, 50).map(reciprocal)
        | CHANCES.map(geometric)
        | st.just(MEASURED)
    )
    stop = data.draw(st.sampled_from(list(STOP_RULES)))
    model = custom_model(p_click, p_stop, stop, attention)
    assert same(parse_model(spec_of(model), grades), model)


@given(
    st.sampled_from(list(USERS)),
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    st.sampled_from(list(STOP_RULES)),
)
def test_printed_models_with_a_grade_map_can_be_parsed(name, grade_map, stop):
    model = click_model(name, len(grade_map), stop, grade_map=grade_map)
    assert same(parse_model(spec_of(model), len(grade_map)), model)


def test_a_model_from_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("p_click = [0, 1]\np_stop = [0.5, 0.25]\n")
    assert spec_of(parse_model(str(path), 2)) == "custom(p_click=0/1,p_stop=0.5/0.25)"
