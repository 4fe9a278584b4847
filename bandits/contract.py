"""What a policy is: a name, its parameters, and a few functions. The loop and the tests ask for nothing else.

    init(n_arms, params, rng) -> state              a NamedTuple of arrays; nothing else changes during a run
    select(state, params, rng) -> (first, second)   the pair to duel now; all chance is drawn here
    update(state, first, second, first_won)         what is learned, written into the state's arrays
    recommend(state) -> arm                         the answer, if play stopped now; optional
    survivors(state) -> n                           arms not yet given up; only where a policy eliminates
    idle(state, params, limit, selves, rng) -> n    see below; optional
    answers(state, chosen)                          marks the arms of the answer; if they may be several
    finished(state) -> bool                         nothing is left to compare; only where that happens

`select` is followed by `update` before the next `select`, except that a tied duel may be passed over in
silence: then `select` comes again. An arm chosen against itself is not played, and `first_won` means nothing
then: an algorithm that wants a coin for it flips it in `select`.

`idle` may play up to `limit` coming steps at once, provided each of them is an arm against itself and nothing
is learned: it adds them to selves[arm], moves the policy's clock, and returns how many they were. Steps drawn
that way must follow the law of plain steps, the one after them included: if it is known not to be idle,
`select` has to be told so through the state.

A policy that works in batches has `plan` and `learn` besides (bandits/agenda.py). One that is `finished`
chooses an arm of its answer against itself from then on.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from numba import njit

# Without Numba's reference counting, which costs some 5 ns per array of a state and call. For functions that
# allocate nothing.
_compile: Any = njit  # whose annotations leave out _nrt
kernel = _compile(_nrt=False)


class PolicyError(ValueError):
    """A policy, parameter, matrix or horizon that cannot be used. The message says what to do."""


class Setting(NamedTuple):
    """What a parameter means, and which values it may take (its type is that of its default)."""

    about: str
    above: float = -math.inf
    at_least: float = -math.inf
    at_most: float = math.inf
    choices: tuple[str, ...] = ()  # for a switch; kernels see the number of the choice


class Policy(NamedTuple):
    name: str
    params: type  # NamedTuple of tunables, every field with a default
    init: Callable
    select: Callable
    update: Callable
    recommend: Callable | None = None
    survivors: Callable | None = None
    idle: Callable | None = None
    answers: Callable | None = None
    finished: Callable | None = None
    plan: Callable | None = None
    learn: Callable | None = None
    late: bool = False  # may hear of outcomes after choosing other pairs
    about: str = ""  # one line
    source: str = ""  # authors, year, venue, the algorithm's number
    assumes: str = ""  # what must hold for its guarantees
    settings: Mapping[str, Setting] = {}
    variants: Mapping[str, Mapping[str, Any]] = {}  # named bundles of parameters: 'variant=...'
    horizon_when: Callable | None = None  # params -> is the parameter `horizon` used? None: always


class Configured(NamedTuple):
    """A policy with its parameters. Printed, it is the text that asks for it."""

    policy: Any  # a Policy, or a MultiPolicy (bandits/multi_dueling)
    params: Any

    def __str__(self) -> str:
        defaults = self.policy.params()
        changed = [
            f"{name}={written(value)}"
            for name, value, default in zip(defaults._fields, self.params, defaults)
            if value != default
        ]
        return f"{self.policy.name}({','.join(changed)})" if changed else self.policy.name

    @property
    def needs_horizon(self) -> bool:
        """Whether the algorithm has to know how long it will play; a run tells it."""
        if "horizon" not in self.params._fields:
            return False
        return self.policy.horizon_when is None or self.policy.horizon_when(self.params)


def configure(policy: Any, **settings: Any) -> Configured:
    """The policy with these settings, given as values or as text; `variant` names a bundle of them."""
    chosen: dict[str, Any] = {}
    if "variant" in settings:
        chosen.update(suggest(str(settings.pop("variant")), policy.variants, f"variant of {policy.name}"))
    defaults = policy.params()
    for name, value in settings.items():
        suggest(name, dict.fromkeys(defaults._fields), f"parameter of {policy.name}")
        chosen[name] = value
    checked = {name: _checked(policy, name, value, getattr(defaults, name)) for name, value in chosen.items()}
    return Configured(policy, defaults._replace(**checked))


def kernel_params(configured: Configured, horizon: int) -> Any:
    """The parameters as kernels see them: switches as numbers, the horizon filled in, one type per field."""
    policy, params = configured
    values = []
    for name, value, default in zip(params._fields, params, policy.params()):
        choices = _setting(policy, name).choices
        if choices:
            values.append(choices.index(value))
        elif name == "horizon":
            values.append(int(value) or int(horizon))
        else:
            values.append(type(default)(value))
    return type(params)(*values)


def suggest(name: str, table: Mapping[str, Any], what: str) -> Any:
    """table[name], or an error that names the nearest."""
    if name in table:
        return table[name]
    close = difflib.get_close_matches(name, table, n=1)
    known = f"known: {', '.join(table)}" if table else "there are none"
    raise PolicyError(f"no {what} named '{name}'; " + (f"did you mean '{close[0]}'?" if close else known))


def _setting(policy: Policy, name: str) -> Setting:
    return policy.settings.get(name, Setting(""))


def _checked(policy: Policy, name: str, value: Any, default: Any) -> Any:
    """The value in the type of its default, or an error that says what was expected."""
    setting = _setting(policy, name)
    where = f"{policy.name}: {name}"
    if setting.choices:
        if value not in setting.choices:
            raise PolicyError(f"{where} is '{value}'; expected {' or '.join(setting.choices)}")
        return value
    number = _converted(value, type(default))
    if number is None:
        expected = {bool: "true or false", int: "a whole number", float: "a number"}[type(default)]
        raise PolicyError(f"{where} is '{value}'; expected {expected}")
    inside = number > setting.above and setting.at_least <= number <= setting.at_most
    if not inside:
        raise PolicyError(f"{where} is {written(number)}; expected {_range(setting)}")
    return number


def _converted(value: Any, kind: type) -> Any:
    """`value`, perhaps text, as this kind of number; None if it is none, or would lose something."""
    if kind is bool:
        return {"true": True, "false": False}.get(str(value).lower())
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if isinstance(value, bool) or math.isnan(number):
        return None
    if kind is float:
        return number
    return int(number) if math.isfinite(number) and number == int(number) else None


def _range(setting: Setting) -> str:
    bounds = [
        f"above {setting.above:g}" if setting.above > -math.inf else "",
        f"at least {setting.at_least:g}" if setting.at_least > -math.inf else "",
        f"at most {setting.at_most:g}" if setting.at_most < math.inf else "",
    ]
    return " and ".join(bound for bound in bounds if bound)


def written(value: Any) -> str:
    """Short text that reads back as the same value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        short = f"{value:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
        return short if float(short) == value else repr(value)
    return str(value)


class MultiPolicy(NamedTuple):
    """Like Policy, but for the arms of a step, which may be many.

        init(n_arms, params, rng) -> state
        select(state, params, arms, copies, rng) -> n     the arms to compare: arms[:n], all different, and
                                                          how often each stands in the set; one arm is shown
                                                          alone
        update(state, arms, n, won)                       won[x, y] of the duels of arms[x] and arms[y] went
                                                          to x
        recommend(state) -> arm
        idle(state, params, limit, alone, rng) -> n       up to `limit` coming steps with one arm alone,
                                                          nothing learned, are added to alone[arm]; optional

    A step is one page, however many arms share it. Arms that stand in a set with a and b copies have a times
    b duels in it. A page without a verdict on a pair gives neither a win.
    """

    name: str
    params: type  # NamedTuple of tunables, every field with a default
    init: Callable
    select: Callable
    update: Callable
    recommend: Callable
    idle: Callable | None = None
    about: str = ""
    source: str = ""
    assumes: str = ""
    settings: Mapping[str, Setting] = {}
    variants: Mapping[str, Mapping[str, Any]] = {}
    horizon_when: Callable | None = None
