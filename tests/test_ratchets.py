"""Test the rules of tests/ratchets.py on code that breaks and code that follows them."""

import pytest
import ratchets


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("from rankduel.bandits.loop import _ahead", "private names"),
        ("def f(a, b, c, d, e, g, h, i, j) -> None: ...", "parameters"),
        ("class A:\n    def f(self, a, b, c, d, e, g, h, i, j) -> None: ...", "parameters"),
        ("def f(): ...", "return types"),
        ("@cache\ndef f(): ...", "return types"),
        ("a, b = f(), g()", "tuple assignment"),
        ("a, b, c = f(), 1, g()", "tuple assignment"),
    ],
)
def test_code_that_breaks_a_rule_is_reported(source, rule):
    assert [found[1] for found in ratchets.problems_in(source)] == [rule]


@pytest.mark.parametrize(
    "source",
    [
        "from numpy import _core",
        "from rankduel.bandits.loop import play",
        "def f(a, b, c, d, e, g, h, i, *, j) -> None: ...",
        "class A:\n    def f(self, a, b, c, d, e, g, h, i) -> None: ...",
        "@njit\ndef f(): ...",
        "@(entry if slow else kernel)\ndef f(): ...",
        "def init(n_arms, params, rng): ...",
        "def f(): ...\ncompiled = kernel(f)",
        "a, b = f(), 1",
        "a, b = f()",
        "a = f(), g()",
        "a, b = f(), g()  # ratchet: tuple assignment, one line of the paper",
    ],
)
def test_code_that_follows_the_rules_is_accepted(source):
    assert ratchets.problems_in(source) == []
