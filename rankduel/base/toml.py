"""Read TOML files, and tables by the declared fields of a NamedTuple or a dataclass.

    class Size(NamedTuple):
        horizon: Annotated[float, Setting("duels per run", at_least=1, at_most=1e12)]
        runs: int = 1

    read_table(Size, {"horizon": 1e4}, "mine.toml, sizes", StudyError)

A field is text, a number, true or false, a list, a table of any keys, a table with declared fields, or one of
several of these; a `Setting` gives its range or its choices. A field without a default must be given. Every
error states where the field is, what was found and what was expected. JSON has the same values, so
`read_table` serves both.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Annotated, Any, NamedTuple, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from rankduel.base.errors import RankduelError
from rankduel.base.settings import Setting, did_you_mean, in_range, range_text
from rankduel.base.text import read_text, shortened

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")
_ANY = Setting("")  # only the type is declared
LARGEST = 1 << 20  # bytes of a TOML file
DEEPEST = 100  # parts of a key; the time of the parser grows with the square of their number
# Comments and strings, without their end if it is missing: no text is scanned twice.
_QUOTED = re.compile(
    r"#[^\n]*"
    r'|"""(?:[^"\\]|\\(?:.|\Z)|"(?!""))*(?:"""|\Z)'
    r"|'''(?:[^']|'(?!''))*(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\(?:[^\n]|(?=\n)|\Z))*"?'
    r"|'[^'\n]*'?",
    re.DOTALL,
)
_BETWEEN_KEYS = re.compile(r"[=,\n\[\]{}]")
# Control characters except tab and newline, and surrogates, which terminals and text files do not accept.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LARGEST_SHOWN = 10**50  # largest whole number that a message shows


def load_toml(path: str | PathLike[str], error: type[RankduelError]) -> dict[str, Any]:
    """Return the tables of a TOML file in UTF-8, with or without a byte-order mark.

    Raises
    ------
    RankduelError
        The given `error`, which names the file, if it cannot be read or is not TOML.
    """
    text = read_text(path, error, LARGEST)
    if _has_deep_key(text):
        raise error(f"{path}: not TOML that can be read: a key has more than {DEEPEST} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise error(f"{path}: not TOML that can be read: lists or tables are nested too deeply") from None
    except ValueError as problem:
        raise error(f"{path}: not TOML: {problem}") from None


def _has_deep_key(text: str) -> bool:
    pieces = _BETWEEN_KEYS.split(_QUOTED.sub("", text))
    return any(piece.count(".") > DEEPEST for piece in pieces)


def read_table(kind: Callable[..., T], table: Any, where: str, error: type[RankduelError]) -> T:
    """Return a NamedTuple or dataclass with the values of a table.

    Parameters
    ----------
    kind : type
        Class whose annotated fields declare the keys of the table.
    table : dict
        The table, as a parser of TOML or JSON returned it.
    where : str
        The file and the table, for messages.
    error : type
        Class of the error to raise.

    Raises
    ------
    RankduelError
        The given `error`, if a key is unknown or missing or its value does not fit the declaration.
    """
    if not isinstance(table, dict):
        raise error(f"{where} is {_described(table)}; expected a table")
    needed = _fields(kind)
    for key in table:
        if key not in needed:
            hint = did_you_mean(key, needed) or f"expected {', '.join(needed)}"
            raise error(f"{where}: no field {_shown(key)}; {hint}")
    for key, is_needed in needed.items():
        if is_needed and key not in table:
            wanted = ", ".join(name for name in needed if needed[name])
            raise error(f"{where}: '{key}' is missing; needed are {wanted}")
    hints = get_type_hints(kind, include_extras=True)
    return kind(**{key: _read(hints[key], value, _Place(where, key, error)) for key, value in table.items()})


def _fields(kind: Any) -> dict[str, bool]:
    """Return the fields of a class, and whether they must be given."""
    if dataclasses.is_dataclass(kind):
        none = dataclasses.MISSING
        return {
            field.name: field.default is none and field.default_factory is none
            for field in dataclasses.fields(kind)
        }
    return {name: name not in kind._field_defaults for name in kind._fields}


class _Place(NamedTuple):
    """The place of a value in a file, for messages."""

    where: str  # the file and the table
    key: str  # or the entry of a list
    error: type[RankduelError]

    def refuse(self, value: Any, expected: str) -> NoReturn:
        raise self.error(f"{self.where}: {self.key} is {_described(value)}; expected {expected}")


def _read(hint: Any, value: Any, place: _Place) -> Any:
    """Return a value of the type that the hint declares."""
    setting = _ANY
    if get_origin(hint) is Annotated:
        hint, setting = get_args(hint)[:2]
    if get_origin(hint) in (Union, types.UnionType):
        fitting = [option for option in get_args(hint) if _has_type(option, value)]
        if not fitting:
            place.refuse(value, " or ".join(_expected(option) for option in get_args(hint)))
        return _read(fitting[0], value, place)
    if not _has_type(hint, value):
        place.refuse(value, _expected(hint, setting))
    return _READERS.get(get_origin(hint) or hint, _nested)(hint, setting, value, place)


def _has_type(hint: Any, value: Any) -> bool:
    """Return whether the outermost type of a value is the one that the hint declares."""
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if hint in (int, float):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint in (str, bool):
        return isinstance(value, hint)
    if get_origin(hint) is Sequence:
        return isinstance(value, list)
    return hint is not type(None) and isinstance(value, dict)


def _expected(hint: Any, setting: Setting = _ANY) -> str:
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if setting.choices:
        return " or ".join(setting.choices)
    if get_origin(hint) is Sequence:
        return "a list"
    words = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
    return f"{words.get(hint, 'a table')} {range_text(setting)}".rstrip()


def _text(hint: Any, setting: Setting, value: str, place: _Place) -> str:
    if _UNPRINTABLE.search(value):
        place.refuse(value, "text without control characters")
    if setting.choices and value not in setting.choices:
        hinted = did_you_mean(value, setting.choices, "; ")
        place.refuse(value, f"{' or '.join(setting.choices)}{hinted}")
    return value


def _number(hint: Any, setting: Setting, value: Any, place: _Place) -> Any:
    try:
        number = hint(value)
    except (OverflowError, ValueError):  # an integer beyond the range of a float; infinity or NaN as an int
        place.refuse(value, _expected(hint, setting))
    if (hint is int and number != value) or (setting != _ANY and not in_range(number, setting)):
        place.refuse(value, _expected(hint, setting))
    return number


def _flag(hint: Any, setting: Setting, value: bool, place: _Place) -> bool:
    return value


def _list(hint: Any, setting: Setting, value: list[Any], place: _Place) -> tuple[Any, ...]:
    (each,) = get_args(hint)
    return tuple(
        _read(each, one, place._replace(key=f"{place.key} {number}")) for number, one in enumerate(value, 1)
    )


def _mapping(hint: Any, setting: Setting, value: dict[str, Any], place: _Place) -> dict[str, Any]:
    keys, values = get_args(hint)
    return {
        _read(keys, key, place._replace(key=f"a key of {place.key}")): _read(
            values, one, place._replace(key=f"{place.key}.{key}")
        )
        for key, one in value.items()
    }


def _nested(hint: Any, setting: Setting, value: dict[str, Any], place: _Place) -> Any:
    return read_table(hint, value, f"{place.where}, {place.key}", place.error)


_READERS: dict[Any, Callable[[Any, Setting, Any, _Place], Any]] = {
    str: _text,
    int: _number,
    float: _number,
    bool: _flag,
    Sequence: _list,
    Mapping: _mapping,
}


def _described(value: Any) -> str:
    """Return a short description of any value for a message."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value) if abs(value) < _LARGEST_SHOWN or isinstance(value, float) else "a huge number"
    if isinstance(value, str):
        return f"the text {_shown(value)}"
    kinds = {list: "a list", dict: "a table", type(None): "nothing"}
    return kinds.get(type(value), "a date or a time")


def _shown(text: str) -> str:
    return "'" + _UNPRINTABLE.sub("?", shortened(text)) + "'"
