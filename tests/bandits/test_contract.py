"""Test names and settings of policies: which texts are accepted, how they print, and which are refused."""

import math

import pytest

from rankduel.bandits import POLICIES, configure, policy
from rankduel.base.errors import PolicyError, UsageError
from rankduel.base.settings import kernel_params, settings_of
from rankduel.experiments.specs import parse_policy


@pytest.mark.parametrize("name", POLICIES)
def test_bare_names_print_back(name):
    assert str(parse_policy(name)) == name


@pytest.mark.parametrize("name", POLICIES)
def test_every_variant_prints_back(name):
    for variant in POLICIES[name].variants:
        configured = parse_policy(f"{name}(variant={variant})")
        assert parse_policy(str(configured)) == configured == policy(name, variant=variant)


@pytest.mark.parametrize("name", POLICIES)
def test_every_parameter_prints_back(name):
    """Settings change one by one: a switch to its last choice, a flag to its opposite, a number by 1/30."""
    defaults = POLICIES[name].params()
    for field, value in defaults._asdict().items():
        setting = settings_of(POLICIES[name]).get(field)
        if setting and setting.choices:
            changed = setting.choices[-1]
        elif isinstance(value, bool):
            changed = not value
        else:
            least = max(setting.at_least, setting.above, 0) if setting else 0
            changed = int(least) + 1 if isinstance(value, int) else min(value + 0.1 / 3, setting.at_most)
        configured = policy(name, **{field: changed})
        assert parse_policy(str(configured)) == configured
        assert configured.get(field) == changed


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("rucb(alpha=0.6)", {"alpha": 0.6}),
        (" rucb ( alpha = 6e-1 , use_b=FALSE ) ", {"alpha": 0.6, "use_b": False}),
        ("rucb(unvisited_u=inf)", {"unvisited_u": math.inf}),
        ('rucb(variant="rcs-paper")', {"alpha": 0.501}),
        ("rucb(variant=rcs-paper,alpha=2)", {"alpha": 2.0}),
    ],
)
def test_what_is_understood(text, params):
    assert parse_policy(text) == policy("rucb", **params)


def test_numbers_print_as_short_as_they_parse_back():
    assert str(parse_policy("rucb(alpha=4000000.0)")) == "rucb(alpha=4e6)"
    assert str(parse_policy("rucb(alpha=0.1000000000000001)")) == "rucb(alpha=0.1000000000000001)"
    assert str(parse_policy("rucb(alpha=1e-7)")) == "rucb(alpha=1e-7)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rucbb", "no policy named 'rucbb'; did you mean 'rucb'?"),
        ("nothing-like-it", "known: "),
        ("rucb(alfa=1)", "no setting of rucb named 'alfa'; did you mean 'alpha'?"),
        ("rucb(alpha=0)", "rucb: alpha is 0; expected above 0"),
        ("rucb(alpha=-1)", "rucb: alpha is -1; expected above 0"),
        ("rucb(alpha=nan)", "rucb: alpha is 'nan'; expected a number"),
        ("rucb(alpha=wide)", "rucb: alpha is 'wide'; expected a number"),
        ("rucb(use_b=maybe)", "rucb: use_b is 'maybe'; expected true or false"),
        ("rucb(variant=papper)", "no variant of rucb named 'papper'; did you mean 'paper'?"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(PolicyError) as refused:
        parse_policy(text)
    assert message in str(refused.value)


def test_broken_text_is_refused():
    with pytest.raises(UsageError):
        parse_policy("rucb(alpha=1")


def test_kernels_see_numbers_of_one_type():
    params = kernel_params(policy("rucb", alpha=1), horizon=7)
    assert [type(value) for value in params] == [float, float, bool]


def test_python_values_are_checked_like_text():
    with pytest.raises(PolicyError, match="expected above 0"):
        configure(POLICIES["rucb"], alpha=0)
    with pytest.raises(PolicyError, match="expected a number"):
        configure(POLICIES["rucb"], alpha=True)
    with pytest.raises(PolicyError, match="expected a number"):
        configure(POLICIES["rucb"], alpha=None)
