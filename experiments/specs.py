"""How things are written on the command line: `name` or `name(key=value,key=value)`.

Policies, interleaving methods and click models share this. Values are plain text without , ( ) or =, so
nothing needs quotes of its own; spaces around the parts do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bandits import Configured, configure, load_policy, policy
from clickmodels import ClickModel, describe_model, load_model, model_from_text
from interleave import Interleaving, interleaving
from interleave.multileave import Multileaving, multileaving

_NAME = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*")
_KEY = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*")
_VALUE = re.compile(r"\s*([^\s,()=](?:[^,()=]*[^\s,()=])?)\s*")
_OPEN, _CLOSE, _EQUALS, _NEXT = (re.compile(rf"\s*({mark})\s*") for mark in (r"\(", r"\)", "=", "[,)]"))


class SpecError(ValueError):
    """Text that is not a spec; the message says where, and what was expected."""


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """'dts(alpha=0.5,batch=16)' -> ('dts', {'alpha': '0.5', 'batch': '16'})."""
    name, at = _take(_NAME, text, 0, "a name")
    settings: dict[str, str] = {}
    if at < len(text):
        _, at = _take(_OPEN, text, at, "'('")
        empty = _CLOSE.match(text, at)
        at = empty.end() if empty else _settings(text, at, settings)
    if at < len(text):
        raise _wrong(text, at, "nothing after ')'")
    return name, settings


def format_spec(name: str, settings: Mapping[str, str]) -> str:
    """The text that `parse_spec` reads as this name and these settings."""
    inside = ",".join(f"{key}={value}" for key, value in settings.items())
    text = f"{name}({inside})" if inside else name
    if parse_spec(text) != (name, dict(settings)):
        raise SpecError(f"'{text}' would not be read back as it was meant")
    return text


def parse_model(text: str, grades: int = 5) -> ClickModel:
    """'navigational(stop=any)', 'custom(p_click=0/1,p_stop=0/0)' or a .toml file, on so many grades."""
    if text.endswith(".toml"):
        return load_model(text, grades)
    return model_from_text(*parse_spec(text), grades)


def parse_policy(text: str) -> Configured:
    """'merge_dts(alpha=0.262144,batch=16)', or a file of one's own: 'mine.py', 'folder/mine.py(alpha=1)'."""
    path, ending, settings = text.partition(".py")
    if ending and (not settings or settings.lstrip().startswith("(")):
        return configure(load_policy(path.strip() + ending), **parse_spec("file" + settings)[1])
    name, given = parse_spec(text)
    return policy(name, **{key: value.strip("'\"") for key, value in given.items()})


def parse_interleaving(text: str) -> Interleaving:
    """'team_draft' or 'probabilistic(credit=assignment,tau=2)'."""
    name, settings = parse_spec(text)
    return interleaving(name, **settings)


def parse_multileaving(text: str) -> Multileaving:
    """'sosm' or 'probabilistic(credit=expected)'."""
    name, settings = parse_spec(text)
    return multileaving(name, **settings)


def spec_of(model: ClickModel) -> str:
    """Text that `parse_model` makes the same click model of."""
    return format_spec(*describe_model(model))


def feature_list(text: str) -> list[str]:
    """'1-5,110' -> ['1', ..., '5', '110']."""
    chosen: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        first, dash, last = part.partition("-")
        if dash and first.isdigit() and last.isdigit():
            chosen += [str(number) for number in range(int(first), int(last) + 1)]
        else:
            chosen.append(part)
    return chosen


def _settings(text: str, at: int, settings: dict[str, str]) -> int:
    """Read 'key=value,...)' into `settings`; returns where it ends."""
    mark = ","
    while mark == ",":
        start = at
        key, at = _take(_KEY, text, at, "a setting's name")
        if key in settings:
            raise _wrong(text, start, f"'{key}' only once")
        _, at = _take(_EQUALS, text, at, f"'=' after '{key}'")
        settings[key], at = _take(_VALUE, text, at, f"a value for '{key}'")
        mark, at = _take(_NEXT, text, at, "',' or ')'")
    return at


def _take(pattern: re.Pattern, text: str, at: int, expected: str) -> tuple[str, int]:
    found = pattern.match(text, at)
    if found is None:
        raise _wrong(text, at, expected)
    return found[1], found.end()


def _wrong(text: str, at: int, expected: str) -> SpecError:
    found = f"'{text[at]}' at position {at + 1}" if at < len(text) else "the end"
    return SpecError(f"'{text}': expected {expected}, found {found}")
