"""Declare, check, parse and format the settings of policies, interleavers and other named things.

Policies, interleavers, multileavers, click models, built-in matrices and problems of studies are written
`name` or `name(key=value,key=value)`. Each of them declares its settings once, as fields of a NamedTuple:

    class Params(NamedTuple):
        alpha: Annotated[float, Setting("width of the confidence bounds", above=0)] = 0.51

A switch is an `IntEnum`, whose members are written in lower case. Values are plain text without , ( ) or =,
so no quotes are needed; spaces around the parts are ignored. `str` of a `Configured` can be parsed again.
"""

from __future__ import annotations

import difflib
import enum
import functools
import importlib
import math
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral
from types import ModuleType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast, get_type_hints

from rankduel.base.arguments import check_type
from rankduel.base.errors import RankduelError, UsageError
from rankduel.base.text import shortened

_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,4000}\s*")

T = TypeVar("T")


class Setting(NamedTuple):
    """Meaning and allowed values of a setting; its type is that of its default."""

    about: str
    above: float = -math.inf
    at_least: float = -math.inf
    at_most: float = math.inf
    choices: tuple[str, ...] = ()  # allowed words; those of an IntEnum are found automatically
    read: Callable[[Any], Any] | None = None  # text or value -> value, for further types
    write: Callable[[Any], str] | None = None  # value -> text that `read` accepts


class Thing(Protocol):
    """A policy, interleaver, multileaver or click model, which has settings.

    It may also have `variants`: named sets of settings that 'variant=...' selects.
    """

    @property
    def name(self) -> str: ...
    @property
    def params(self) -> type: ...  # a NamedTuple of settings, every field with a default


ThingT = TypeVar("ThingT", bound=Thing)


class NoParams(NamedTuple):
    """The settings of a thing that has none."""


def settings_of(thing: Thing) -> Mapping[str, Setting]:
    """Return the declared settings of a thing by name."""
    return declared(thing.params)


def variants_of(thing: Thing) -> Mapping[str, Mapping[str, Any]]:
    """Return the named sets of settings of a thing."""
    found: Mapping[str, Mapping[str, Any]] = getattr(thing, "variants", {})
    return found


@functools.cache
def declared(params: type) -> Mapping[str, Setting]:
    """Return the settings that the fields of a NamedTuple declare; a switch gets the choices of its enum."""
    found: dict[str, Setting] = {}
    for name, hint in get_type_hints(params, include_extras=True).items():
        setting = next(
            (extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Setting)), None
        )
        kind = getattr(hint, "__origin__", hint)
        if setting is None:
            setting = Setting("")
        if isinstance(kind, type) and issubclass(kind, enum.IntEnum):
            setting = setting._replace(choices=tuple(member.name.lower() for member in kind))
        found[name] = setting
    return found


class Configured(NamedTuple):
    """A thing with its settings; `str` returns text that can be parsed again."""

    thing: Any
    params: Any

    @property
    def name(self) -> str:
        return str(self.thing.name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a setting, the word of a switch; `default` if the thing has no such setting."""
        value = getattr(self.params, name, default)
        return written(value) if isinstance(value, enum.IntEnum) else value

    def code(self, name: str) -> int:
        """Return the value of a switch as the integer that kernels receive; 0 if there is no such switch."""
        return int(getattr(self.params, name, 0))

    @property
    def needs_horizon(self) -> bool:
        """Whether the algorithm needs the horizon, which a run sets."""
        if "horizon" not in self.params._fields:
            return False
        return self.thing.needs_horizon is None or self.thing.needs_horizon(self.params)

    def __str__(self) -> str:
        defaults = self.thing.params()
        changed = {
            name: _text(_setting(self.thing, name), value)
            for name, value, default in zip(defaults._fields, self.params, defaults)
            if value != default
        }
        return written_spec(self.name, changed)


class OnePerFile(Mapping[str, T]):
    """Things by name, one per file of some folders; a file is loaded when its thing is first used."""

    def __init__(self, packages: Iterable[ModuleType], attribute: str) -> None:
        self._attribute = attribute
        self._modules = {
            name: f"{package.__name__}.{name}" for package in packages for name in _names_in(package)
        }

    def __getitem__(self, name: str) -> T:
        return cast(T, getattr(importlib.import_module(self._modules[name]), self._attribute))

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def _names_in(package: ModuleType) -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


class Catalogue(Mapping[str, ThingT], Generic[ThingT]):
    """Things of one kind, such as policies, by name."""

    def __init__(
        self, kind: str, error: type[RankduelError], things: Iterable[ThingT] | OnePerFile[ThingT]
    ) -> None:
        self.kind, self.error = kind, error
        self._things: Mapping[str, ThingT] = (
            things if isinstance(things, OnePerFile) else {thing.name: thing for thing in things}
        )

    def __getitem__(self, name: str) -> ThingT:
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def find(self, name: str) -> ThingT:
        """Return a thing by name; raise an error that suggests the nearest name."""
        return find(name, self._things, self.kind, self.error)

    def configured(self, name: str, /, **settings: Any) -> Configured:
        """Return a thing by name with settings, given as values or as text.

        The name may contain settings, as in 'dts(alpha=0.6)'; `settings` take precedence.
        """
        written: dict[str, str] = {}
        if isinstance(name, str) and "(" in name:
            name, written = parse_spec(name)
        return configure(self.find(name), self.error, **{**written, **settings})

    def parsed(self, text: str) -> Configured:
        """Return the thing and settings that text such as 'name(key=value)' specifies."""
        name, settings = parse_spec(text)
        return self.configured(name, **settings)


def discovered(package: ModuleType, attribute: str) -> list[Any]:
    """Return the `attribute` of every module in a package's folder that has one, by the module's name."""
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in _names_in(package)]
    return [getattr(module, attribute) for module in modules if hasattr(module, attribute)]


def find(name: Any, table: Mapping[str, T], what: str, error: type[RankduelError] = UsageError) -> T:
    """Return table[name]; raise an error that suggests the nearest name if there is none."""
    if isinstance(name, str) and name in table:  # a name from a file may have any type
        return table[name]
    known = f"known: {', '.join(table)}" if table else "there are none"
    raise error(f"no {what} named '{shortened(str(name))}'; {did_you_mean(name, table) or known}")


def did_you_mean(name: Any, names: Iterable[str], before: str = "") -> str:
    """Return a question that suggests the nearest name; an empty text if no name is near."""
    close = difflib.get_close_matches(str(name), names, n=1)
    return f"{before}did you mean '{close[0]}'?" if close else ""


def configure(thing: Thing, error: type[RankduelError] = UsageError, /, **settings: Any) -> Configured:
    """Return a thing with settings, given as values or as text; `variant` names a set of them."""
    chosen: dict[str, Any] = {}
    if "variant" in settings:
        variant = str(settings.pop("variant"))
        chosen.update(find(variant, variants_of(thing), f"variant of {thing.name}", error))
    defaults: Any = thing.params()
    for name, value in settings.items():
        find(name, dict.fromkeys(defaults._fields), f"setting of {thing.name}", error)
        chosen[name] = value
    checked = {
        name: _checked(thing, name, value, getattr(defaults, name), error) for name, value in chosen.items()
    }
    return Configured(thing, defaults._replace(**checked))


def kernel_params(configured: Configured, horizon: int) -> Any:
    """Return parameters for kernels: switches as integers, the horizon set, the type of each default."""
    thing, params = configured
    values: list[Any] = []
    for name, value, default in zip(params._fields, params, thing.params()):
        if isinstance(value, enum.IntEnum):  # Numba treats a member as a type and would compile again
            values.append(int(value))
        elif name == "horizon":
            values.append(int(value) or int(horizon))
        else:
            values.append(type(default)(value))
    return type(params)(*values)


def _setting(thing: Thing, name: str) -> Setting:
    return settings_of(thing).get(name, Setting(""))


def _checked(thing: Thing, name: str, value: Any, default: Any, error: type[RankduelError]) -> Any:
    """Return the value in the type of its default; raise an error if that is impossible."""
    setting, where = _setting(thing, name), f"{thing.name}: {name}"
    if setting.read is not None:
        return setting.read(value)
    if setting.choices:
        return _choice(value, setting, default, where, error)
    if isinstance(default, str):
        return str(value)
    number = _number(value, type(default))
    if number is None:
        expected = {bool: "true or false", int: "a whole number", float: "a number"}[type(default)]
        raise error(f"{where} is '{_shown(value)}'; expected {expected}")
    if type(default) is int and not -(2**63) <= number < 2**63:  # kernels receive int64
        raise error(f"{where} is {_shown(value)}; expected a whole number from -2^63 to 2^63 - 1")
    if not in_range(number, setting):
        raise error(f"{where} is {written(number)}; expected {range_text(setting)}")
    return number


def _choice(value: Any, setting: Setting, default: Any, where: str, error: type[RankduelError]) -> Any:
    """Return the word of a switch, or the member of its enum."""
    word = value.name.lower() if isinstance(value, enum.IntEnum) else value
    if word not in setting.choices:
        expected = f"expected {' or '.join(setting.choices)}"
        raise error(f"{where} is '{word}'; {expected}{did_you_mean(word, setting.choices, '; ')}")
    return type(default)[word.upper()] if isinstance(default, enum.IntEnum) else word


def _shown(value: Any) -> str:
    try:
        return shortened(str(value))
    except ValueError:  # Python writes whole numbers of up to 4,300 digits
        return "a number of thousands of digits"


def _number(value: Any, kind: type) -> Any:
    """Return a value or text as a number of type `kind`; None if it is not one or would be rounded."""
    if kind is bool:
        return {"true": True, "false": False}.get(str(value).lower())
    if isinstance(value, bool):
        return None
    try:
        if kind is int and (isinstance(value, Integral) or _WHOLE.fullmatch(str(value))):
            return int(value)  # exact: a float has 53 bits
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if kind is float:
        return None if math.isnan(number) else number
    return int(number) if number.is_integer() else None


def in_range(number: float, setting: Setting) -> bool:
    """Return whether a number is in the range of a setting; NaN never is."""
    return (
        number > setting.above or setting.above == -math.inf
    ) and setting.at_least <= number <= setting.at_most


def range_text(setting: Setting) -> str:
    """Return the range of a number in words; an empty text if there is none."""
    bounds = [
        f"above {setting.above:g}" if setting.above > -math.inf else "",
        f"at least {setting.at_least:g}" if setting.at_least > -math.inf else "",
        f"at most {setting.at_most:g}" if setting.at_most < math.inf else "",
    ]
    return " and ".join(bound for bound in bounds if bound)


def _text(setting: Setting, value: Any) -> str:
    return setting.write(value) if setting.write is not None else written(value)


def written(value: Any) -> str:
    """Return short text that reads back as the same value."""
    if isinstance(value, enum.IntEnum):
        return value.name.lower()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        short = f"{value:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
        return short if float(short) == value else repr(float(value))
    return str(value)


_NAME = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*")
_KEY = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*")
_VALUE = re.compile(r"\s*([^\s,()=](?:[^,()=]*[^\s,()=])?)\s*")
_OPEN, _CLOSE, _EQUALS, _NEXT = (re.compile(rf"\s*({mark})\s*") for mark in (r"\(", r"\)", "=", "[,)]"))


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Split 'dts(alpha=0.5,batch=16)' into ('dts', {'alpha': '0.5', 'batch': '16'})."""
    check_type("the specification", text, str, "text such as 'name(key=value)'")
    name, at = take(_NAME, text, 0, "a name")
    settings: dict[str, str] = {}
    if at < len(text):
        _, at = take(_OPEN, text, at, "'('")
        empty = _CLOSE.match(text, at)
        at = empty.end() if empty else _parse_settings(text, at, settings)
    if at < len(text):
        raise unexpected(text, at, "nothing after ')'")
    return name, settings


def written_spec(name: str, settings: Mapping[str, str]) -> str:
    """Return the text of a name with settings."""
    inside = ",".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}({inside})" if inside else name


def format_spec(name: str, settings: Mapping[str, str]) -> str:
    """Return text that `parse_spec` parses into `name` and `settings`; raise an error if there is none."""
    text = written_spec(name, settings)
    if parse_spec(text) != (name, dict(settings)):
        raise UsageError(f"'{text}' cannot be parsed back into its name and settings")
    return text


def _parse_settings(text: str, at: int, settings: dict[str, str]) -> int:
    """Parse 'key=value,...)' into `settings`; return the position of its end."""
    mark = ","
    while mark == ",":
        start = at
        key, at = take(_KEY, text, at, "a setting's name")
        if key in settings:
            raise unexpected(text, start, f"'{key}' only once")
        _, at = take(_EQUALS, text, at, f"'=' after '{key}'")
        settings[key], at = take(_VALUE, text, at, f"a value for '{key}'")
        mark, at = take(_NEXT, text, at, "',' or ')'")
    return at


def take(pattern: re.Pattern[str], text: str, at: int, expected: str) -> tuple[str, int]:
    """Return the first group of `pattern` at position `at` of `text`, and the end of the match.

    Raise an error that names `expected` if the pattern does not match.
    """
    found = pattern.match(text, at)
    if found is None:
        raise unexpected(text, at, expected)
    return found[1], found.end()


def unexpected(text: str, at: int, expected: str) -> UsageError:
    """Return the error to raise for a text that cannot be parsed at this place."""
    found = f"'{text[at]}' at position {at + 1}" if at < len(text) else "the end"
    return UsageError(f"'{shortened(text, 300)}': expected {expected}, found {found}")
