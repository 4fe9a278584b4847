"""Click models as text and TOML: reading gives the model, and writing gives the text back."""

import numpy as np
import pytest

from rankduel.base.errors import ClickModelError
from rankduel.clickmodels import click_model, custom_model, geometric, load_model, reciprocal
from rankduel.clickmodels.catalogue import USERS
from rankduel.clickmodels.position_based import MEASURED, attention_from_text
from rankduel.clickmodels.rows import row_text
from rankduel.clickmodels.written import model_from_text


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("name", "settings", "grades", "model"),
    [
        ("perfect", {}, 3, click_model("perfect", 3)),
        ("navigational", {"stop": "any"}, 5, click_model("navigational", 5, stop="any")),
        ("random", {"attention": "measured"}, 2, click_model("random", 2, attention=MEASURED)),
        ("perfect", {"grade_map": "even"}, 3, custom_model([0, 0.4, 1], [0, 0, 0])),
        ("perfect", {"grade_map": "0/1/3/4"}, 4, custom_model([0, 0.2, 0.8, 1], [0] * 4)),
        ("custom", {"p_click": "0/0.5", "p_stop": "1/0"}, 2, custom_model([0, 0.5], [1, 0])),
        ("custom", {"p_click": "1", "p_stop": "1", "stop": "never"}, 1, custom_model([1], [0])),
    ],
)
def test_settings_as_text(name, settings, grades, model):
    assert same(model_from_text(name, settings, grades), model)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("everywhere", [1]),
        ("reciprocal:1", reciprocal(1.0)),
        ("geometric:0.8", geometric(0.8)),
        ("measured", MEASURED),
        ("1/.5", [1, 0.5]),
        (".5", [0.5]),
    ],
)
def test_attention_as_text(text, values):
    assert attention_from_text(text).tolist() == list(values)


@pytest.mark.parametrize(
    ("name", "settings", "grades", "message"),
    [
        ("perfct", {}, 5, "no click model named 'perfct'; did you mean 'perfect'?"),
        ("costum", {}, 5, "did you mean 'custom'?"),
        ("perfect", {"stp": "any"}, 5, "no setting of perfect named 'stp'; did you mean 'stop'?"),
        ("perfect", {"p_click": "0/1"}, 2, "no setting of perfect named 'p_click'"),
        ("custom", {"grade_map": "0/1"}, 2, "no setting of custom named 'grade_map'"),
        ("perfect", {}, 4, "has published tables for 2, 3, 5 grades, not for 4; ask for one of"),
        ("perfect", {"grade_map": "even"}, 1, "needs 2 grades or more, not 1"),
        ("perfect", {"grade_map": "0/x"}, 2, "grade_map should be 'even' or grades such as"),
        ("custom", {"p_click": "0/1"}, 2, "custom needs p_stop: a probability per grade"),
        ("custom", {"p_click": "0/y", "p_stop": "0/0"}, 2, "p_click should be numbers such as 0/0.5/1"),
        ("custom", {"p_click": "0/nan", "p_stop": "0/0"}, 2, "p_click of grade 1 is nan"),
        ("custom", {"p_click": "0/1", "p_stop": "0/0"}, 5, "the click model has 2 grades, but 5 are needed"),
        ("perfect", {"attention": "recipocal:1"}, 5, "'recipocal'; did you mean 'reciprocal'?"),
        ("perfect", {"attention": "reciprocal"}, 5, "should be written as reciprocal:ETA"),
        ("perfect", {"attention": "measured:2"}, 5, "should be written as measured"),
        ("perfect", {"attention": "geometric:x"}, 5, "p of geometric should be a number, not 'x'"),
        ("perfect", {"attention": "geometric:0.5/3"}, 5, "p of geometric should be a number, not '0.5/3'"),
        ("perfect", {"attention": "geometric:2"}, 5, "p must lie between 0 and 1"),
        ("perfect", {"attention": "-1"}, 5, "attention of rank 1 is -1"),
    ],
)
def test_bad_settings(name, settings, grades, message):
    with pytest.raises(ClickModelError) as refused:
        model_from_text(name, settings, grades)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("toml", "model"),
    [
        ("p_click = [0, 0.5, 1]\np_stop = [0, 0, 0]", custom_model([0, 0.5, 1], [0, 0, 0])),
        ("p_click = [1]\np_stop = [0.5]\nstop = 'any'", custom_model([1], [0.5], "any")),
        ("p_click=[1]\np_stop=[1]\nattention=[1, 0.5]", custom_model([1], [1], attention=[1, 0.5])),
        ("p_click=[1]\np_stop=[1]\nattention='measured'", custom_model([1], [1], attention=MEASURED)),
    ],
)
def test_toml(tmp_path, toml, model):
    (tmp_path / "mine.toml").write_text(toml)
    assert same(load_model(tmp_path / "mine.toml"), model)
    assert same(load_model(str(tmp_path / "mine.toml"), len(model.p_click)), model)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (b"p_click = 0 1", "line 1"),
        (b"# \xff", "not UTF-8 text"),
        (b"p_click = [0, 1]", "'p_stop' is missing; needed are p_click, p_stop"),
        (b"p_click = [0, 1]\np_stop = [0, 0]\nstopp = 'any'", "no field 'stopp'; did you mean 'stop'?"),
        (b"p_click = [0, 1]\np_stop = [0, 0]\nname = 'me'", "no field 'name'; expected p_click, p_stop"),
        (b"p_click = [0, 1]\np_stop = [0, 0]\nself = 'me'", "no field 'self'"),
        (b"p_click = [0, 1]\np_stop = [0, 0]\nstop = 3", "stop is 3; expected click or any"),
        (b"p_click = [0, 1]\np_stop = [0, 0]\nstop = ['any']", "stop is a list; expected click or any"),
        (b"p_click = [0, 1]\np_stop = [0, 0]\nstop = 'nevr'", "did you mean 'never'?"),
        (b"p_click = [0, 1]\np_stop = [0, 0]\nattention = 1979-05-27", "attention is a date or a time"),
        (b"p_click = [0, 1]\np_stop = {a = 1}", "p_stop is a table; expected a list or text"),
        (b"p_click = [0, '1']\np_stop = [0, 0]", "p_click 2 is the text '1'; expected a number"),
        (b"p_click = [" + b"9" * 400 + b"]\np_stop = [0]", "p_click 1 is a huge number; expected a number"),
        (b"p_click = 0x" + b"f" * 9000, "'p_stop' is missing"),
        (b"p_click = " + b"9" * 5000, "not TOML"),
        (b"p_click = " + b"[" * 20_000, "nested too deeply"),
        (b"p_click" + b".a" * 20_000 + b" = 1", "a key has more than 100 parts"),
        (b"# " + b"x" * 2**20, "larger than 1,048,576 bytes"),
        (b"p_click = [0, 1]\np_stop = [0]", "p_click has 2 grades and p_stop 1"),
        (b"p_click = [0, nan]\np_stop = [0, 0]", "p_click of grade 1 is nan"),
        (b"p_click = '0/x'\np_stop = [0, 0]", "p_click should be numbers such as 0/0.5/1, not '0/x'"),
        (b"p_click = 1\np_stop = [0, 0]", "p_click is 1; expected a list or text"),
        (b"p_click = [true, true]\np_stop = [0, 0]", "p_click 1 is true; expected a number"),
        (b"p_click = [0, 1]\np_stop = [0, 0]", "the click model has 2 grades, but 3 are needed"),
    ],
)
def test_bad_toml_names_the_file(tmp_path, toml, message):
    (tmp_path / "mine.toml").write_bytes(toml)
    with pytest.raises(ClickModelError) as refused:
        load_model(tmp_path / "mine.toml", 3)
    assert str(refused.value).startswith(f"{tmp_path / 'mine.toml'}: ") and message in str(refused.value)


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(ClickModelError, match="none.toml: there is no such file"):
        load_model(tmp_path / "none.toml")
    with pytest.raises(ClickModelError, match="cannot be read: Is a directory"):
        load_model(tmp_path)


def test_a_byte_order_mark_is_skipped(tmp_path):
    (tmp_path / "mine.toml").write_bytes(b"\xef\xbb\xbfp_click = [1]\np_stop = [0.5]")
    assert same(load_model(tmp_path / "mine.toml"), custom_model([1], [0.5]))


def test_rows_keep_every_digit():
    assert row_text([0.0, 0.5, 1, 0.1 + 0.2]) == "0/0.5/1/0.30000000000000004"


@pytest.mark.parametrize("text", ["navigational(grade_map=0/1/3/4)", "navigational(grade_map=even)"])
def test_a_user_with_a_grade_map_is_written_as_it_is_read(text):
    assert str(USERS.parsed(text)) == text
