"""Test that settings are declared once and checked, that `str` can be parsed again, and catalogues."""

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankduel.base.errors import PolicyError, RankduelError, UsageError
from rankduel.base.settings import (
    Catalogue,
    Setting,
    configure,
    find,
    kernel_params,
    parse_spec,
    settings_of,
    written,
)


class Mode(IntEnum):
    SLOW = 4
    VERY_FAST = 7


class Params(NamedTuple):
    alpha: Annotated[float, Setting("a width", above=0, at_most=2)] = 0.5
    n: Annotated[int, Setting("a number", at_least=1)] = 3
    mode: Annotated[Mode, Setting("how fast")] = Mode.SLOW
    plus: Annotated[bool, Setting("more")] = False
    row: Annotated[tuple, Setting("numbers", read=lambda v: tuple(v.split("/")), write="/".join)] = ()
    horizon: Annotated[int, Setting("steps", at_least=0)] = 0


class Tool(NamedTuple):
    name: str
    params: type = Params
    variants: dict = {"bold": {"alpha": 1.5, "mode": "very_fast"}}


TOOL = Tool("tool")
TOOLS = Catalogue("tool", PolicyError, [TOOL, Tool("hammer")])


def test_a_setting_is_declared_once():
    found = settings_of(TOOL)
    assert list(found) == list(Params._fields)
    assert found["alpha"].about == "a width" and found["alpha"].at_most == 2
    assert found["mode"].choices == ("slow", "very_fast")


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, "tool"),
        ({"alpha": 0.5}, "tool"),
        ({"alpha": "1e0", "n": "7"}, "tool(alpha=1,n=7)"),
        ({"mode": "very_fast", "plus": True}, "tool(mode=very_fast,plus=true)"),
        ({"mode": Mode.VERY_FAST}, "tool(mode=very_fast)"),
        ({"row": "1/2"}, "tool(row=1/2)"),
        ({"n": 1e6}, "tool(n=1000000)"),
        ({"variant": "bold"}, "tool(alpha=1.5,mode=very_fast)"),
        ({"variant": "bold", "alpha": 1.25}, "tool(alpha=1.25,mode=very_fast)"),
    ],
)
def test_printed_settings_can_be_parsed_again(settings, text):
    configured = configure(TOOL, **settings)
    assert str(configured) == text
    name, given = parse_spec(text)
    assert name == "tool" and configure(TOOL, **given) == configured


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alfa": 1}, "no setting of tool named 'alfa'; did you mean 'alpha'?"),
        ({"alpha": 0}, "tool: alpha is 0; expected above 0 and at most 2"),
        ({"alpha": "x"}, "tool: alpha is 'x'; expected a number"),
        ({"alpha": "nan"}, "tool: alpha is 'nan'; expected a number"),
        ({"alpha": True}, "tool: alpha is 'True'; expected a number"),
        ({"n": 1.5}, "tool: n is '1.5'; expected a whole number"),
        ({"n": 0}, "tool: n is 0; expected at least 1"),
        ({"n": 2**63}, "n is 9223372036854775808; expected a whole number from -2^63 to 2^63 - 1"),
        ({"n": "1e30"}, "n is 1e30; expected a whole number from -2^63 to 2^63 - 1"),
        ({"n": 10**400}, "expected a whole number from -2^63"),
        ({"n": 10**5000}, "n is a number of thousands of digits; expected a whole number from -2^63"),
        ({"n": "1" * 9000}, "n is '11111"),
        ({"n": float("inf")}, "n is 'inf'; expected a whole number"),
        ({"plus": "perhaps"}, "tool: plus is 'perhaps'; expected true or false"),
        ({"mode": "slwo"}, "tool: mode is 'slwo'; expected slow or very_fast; did you mean 'slow'?"),
        ({"variant": "old"}, "no variant of tool named 'old'; did you mean 'bold'?"),
    ],
)
def test_wrong_settings_are_errors(settings, message):
    with pytest.raises(UsageError) as refused:
        configure(TOOL, **settings)
    assert message in str(refused.value)


def test_parameters_of_kernels_are_numbers():
    params = kernel_params(configure(TOOL, mode="very_fast"), 50)
    assert params == Params(0.5, 3, 7, False, (), 50)
    assert type(params.mode) is int
    assert kernel_params(configure(TOOL, horizon=9), 50).horizon == 9


def test_words_and_codes_of_switches():
    configured = configure(TOOL, mode="very_fast")
    assert configured.get("mode") == "very_fast" and configured.code("mode") == 7
    assert configured.get("nothing", 1.0) == 1.0 and configured.code("nothing") == 0


def test_a_catalogue_raises_its_own_kind_of_error():
    assert list(TOOLS) == ["tool", "hammer"] and len(TOOLS) == 2
    assert str(TOOLS.parsed("hammer(n=4)")) == "hammer(n=4)"
    with pytest.raises(PolicyError, match="no tool named 'hamer'; did you mean 'hammer'?"):
        TOOLS.find("hamer")
    with pytest.raises(PolicyError, match="tool: n is 0"):
        TOOLS.configured("tool", n=0)


@pytest.mark.parametrize("name", [None, 3, ["a"], {"a": 1}])
def test_a_name_may_have_any_type(name):
    with pytest.raises(RankduelError, match="no tool named"):
        find(name, {"a": 1}, "tool")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_written_numbers_can_be_parsed(value):
    assert float(written(value)) == value


@pytest.mark.parametrize("n", [2**63 - 1, 2**53 + 1, np.int64(2**63 - 1), np.uint64(2**63 - 1)])
def test_whole_numbers_of_64_bits_are_exact(n):
    for value in (n, str(n), f" +{n}"):
        assert configure(TOOL, n=value).params.n == int(n)
    assert configure(TOOL, n="1e3").params.n == configure(TOOL, n=1000.0).params.n == 1000
