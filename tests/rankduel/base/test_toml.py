"""Test reading of tables by declared fields, and that errors state the place of a wrong value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import DataError
from rankduel.base.settings import Setting
from rankduel.base.toml import load_toml, read_table


class Point(NamedTuple):
    x: float
    y: Annotated[float, Setting("height", at_least=0, at_most=9)] = 1.0


@dataclass(frozen=True)
class Shape:
    name: str
    kind: Annotated[str, Setting("what it is", choices=("line", "area"))] = "line"
    n: Annotated[int, Setting("how many", at_least=1)] = 1
    filled: bool = False
    points: Sequence[Point] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    scale: Sequence[float] | str = "log"
    middle: Point | None = None


def read(**table):
    return read_table(Shape, {"name": "s", **table}, "it", DataError)


def test_values_that_fit_are_read():
    assert read() == Shape("s")
    points = {"points": [{"x": 1}], "middle": {"x": 2}}
    whole = read(kind="area", n=2.0, filled=True, sizes={"a": 1}, scale=[1], **points)
    assert whole == Shape("s", "area", 2, True, (Point(1),), {"a": 1}, (1.0,), Point(2.0))
    assert [type(whole.n), type(whole.middle.x)] == [int, float]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"name": None}, "it: name is nothing; expected text"),
        ({"name": "\x1b[0m"}, "it: name is the text '?[0m'; expected text without control characters"),
        ({"nam": 1}, "it: no field 'nam'; did you mean 'name'?"),
        ({"kind": "lin"}, "it: kind is the text 'lin'; expected line or area; did you mean 'line'?"),
        ({"kind": 3}, "it: kind is 3; expected line or area"),
        ({"n": 1.5}, "it: n is 1.5; expected a whole number at least 1"),
        ({"n": 0}, "it: n is 0; expected a whole number at least 1"),
        ({"n": float("inf")}, "it: n is inf; expected a whole number at least 1"),
        ({"n": True}, "it: n is true; expected a whole number at least 1"),
        ({"filled": 1}, "it: filled is 1; expected true or false"),
        ({"points": {}}, "it: points is a table; expected a list"),
        ({"points": [{"x": 1}, 3]}, "it: points 2 is 3; expected a table"),
        ({"points": [{"x": 1}, {}]}, "it, points 2: 'x' is missing; needed are x"),
        ({"points": [{"x": "1"}]}, "it, points 1: x is the text '1'; expected a number"),
        ({"points": [{"x": 10**400}]}, "it, points 1: x is a huge number; expected a number"),
        ({"middle": {"x": 1, "y": 10}}, "it, middle: y is 10; expected a number at least 0 and at most 9"),
        ({"sizes": {"a": "b"}}, "it: sizes.a is the text 'b'; expected a whole number"),
        ({"scale": 3}, "it: scale is 3; expected a list or text"),
        ({"scale": ["a" * 99]}, f"it: scale 1 is the text '{'a' * 57}...'; expected a number"),
    ],
)
def test_errors_name_the_wrong_field(table, message):
    with pytest.raises(DataError) as refused:
        read(**table)
    assert str(refused.value) == message


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from([*Shape.__dataclass_fields__, "x"]), VALUES) | VALUES)
def test_any_value_is_read_or_an_error(table):
    try:
        assert isinstance(read_table(Shape, table, "it", DataError), Shape)
    except DataError as refused:
        assert str(refused).startswith("it")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a = ", "not TOML: Invalid value"),
        (b"a = \xff", "not UTF-8 text: invalid start byte at byte 5"),
        (b"a = " + b"[" * 20_000, "nested too deeply"),
        (b"a = " + b"{a = " * 20_000, "nested too deeply"),
        (b"a." * 20_000 + b"a = 1", "a key has more than 100 parts"),
        (b"[" + b'"="."\\"". ' * 20_000 + b"a]", "a key has more than 100 parts"),
        (b"a = " + b"1" * 5000, "not TOML"),
        (b" " * (2**20 + 1), "larger than 1,048,576 bytes"),
    ],
    ids=["value", "bytes", "lists", "tables", "key", "quoted key", "digits", "size"],
)
def test_files_that_are_not_toml_are_errors(tmp_path, content, says):
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(DataError, match=says) as refused:
        load_toml(tmp_path / "a.toml", DataError)
    assert str(refused.value).startswith(f"{tmp_path / 'a.toml'}: ")


def test_dots_in_lists_and_text_are_no_deep_keys(tmp_path):
    rows = ", ".join(["0.5"] * 500)
    (tmp_path / "a.toml").write_text(f"row = [{rows}]\ntext = '{'etc. ' * 500}'", "utf-8-sig")
    found = load_toml(tmp_path / "a.toml", DataError)
    assert len(found["row"]) == 500 and len(found["text"]) == 2500


def test_unreadable_files_are_errors(tmp_path):
    with pytest.raises(DataError, match="none.toml: there is no such file"):
        load_toml(tmp_path / "none.toml", DataError)
    with pytest.raises(DataError, match="cannot be read"):
        load_toml(tmp_path, DataError)
