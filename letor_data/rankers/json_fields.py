"""Fields of a JSON model from outside: every value is read with its type and range."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.text import shortened

_WHOLE = re.compile(r"-?[0-9]{1,18}")


class Fields:
    """An object of a JSON file; errors name the file, the field, what was found, and what is expected."""

    def __init__(self, content: dict[str, Any], at: str, where: str) -> None:
        self._content, self._at, self._where = content, at, where

    def __contains__(self, name: str) -> bool:
        return name in self._content

    def names(self) -> Iterator[str]:
        for name in self._content:
            if not name.isprintable() or len(name) > 60:
                raise self.wrong(ascii(shortened(name)), "unknown", "a field of XGBoost's")
            yield name

    def inside(self, name: str) -> Fields:
        """Return an object inside this one."""
        return Fields(self._checked(name, dict, "an object"), self._path(name), self._where)

    def items(self, name: str) -> list[Fields]:
        """Return a list of objects."""
        found = self._checked(name, list, "a list of objects")
        for place, one in enumerate(found):
            if not isinstance(one, dict):
                raise self.wrong(f"{name}[{place}]", _shown(one), "an object")
        return [Fields(one, f"{self._path(name)}[{place}]", self._where) for place, one in enumerate(found)]

    def text(self, name: str, pattern: re.Pattern[str], expected: str) -> str:
        found: str = self._checked(name, str, expected)
        if pattern.fullmatch(found) is None:
            raise self.wrong(name, _shown(found), expected)
        return found

    def whole(self, name: str, least: int, most: int, expected: str = "") -> int:
        """Return a whole number, which may be written as text."""
        expected = expected or _range(least, most)
        found = self._value(name, expected)
        if isinstance(found, str) and _WHOLE.fullmatch(found):
            found = int(found)
        if type(found) is not int or not least <= found <= most:
            raise self.wrong(name, _shown(found), expected)
        return found

    def wholes(self, name: str, n: int | None, least: int, most: int) -> np.ndarray:
        """Return a list of `n` whole numbers; of any length if `n` is None."""
        expected = _range(least, most)
        values = self._array(name, n, {int, bool}, expected)
        self.check(name, values, (values >= least) & (values <= most), expected)
        return values.astype(np.int64)

    def numbers(self, name: str, n: int | None, finite: bool = True) -> np.ndarray:
        """Return a list of `n` numbers; of any length if `n` is None."""
        values = self._array(name, n, {int, float}, "a number")
        if finite:
            self.check(name, values, np.isfinite(values), "a finite number")
        return values

    def check(self, name: str, values: np.ndarray, fits: np.ndarray, expected: str) -> None:
        """Raise an error for the first of the values that does not fit."""
        bad = np.flatnonzero(~fits)
        if len(bad):
            raise self.wrong(f"{name}[{bad[0]}]", f"{values[bad[0]]:.17g}", expected)

    def wrong(self, name: str, found: str, expected: str) -> DataError:
        """Return the error for a field whose value is not the expected one."""
        return DataError(f"{self._where}: {self._path(name)} is {found}; expected {expected}")

    def _array(self, name: str, n: int | None, kinds: set[type], expected: str) -> np.ndarray:
        found = self._checked(name, list, "a list")
        if n is not None and len(found) != n:
            raise self.wrong(name, f"a list of {len(found)}", f"{n} values")
        if not set(map(type, found)) <= kinds:
            place = next(place for place, one in enumerate(found) if type(one) not in kinds)
            raise self.wrong(f"{name}[{place}]", _shown(found[place]), expected)
        try:
            return np.array(found, np.float64)
        except OverflowError:
            raise self.wrong(name, "a list with a number of more than 308 digits", expected) from None

    def _checked(self, name: str, kind: type, expected: str) -> Any:
        found = self._value(name, expected)
        if type(found) is not kind:
            raise self.wrong(name, _shown(found), expected)
        return found

    def _value(self, name: str, expected: str) -> Any:
        if name not in self._content:
            raise DataError(f"{self._where}: there is no {self._path(name)} in it; expected {expected}")
        return self._content[name]

    def _path(self, name: str) -> str:
        return f"{self._at}.{name}" if self._at else name


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"a whole number from {least} to {most}"


def _shown(value: Any) -> str:
    """Return a value in a few characters that can be printed."""
    if isinstance(value, (dict, list)):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and abs(value) > 10**40:
        return "a number of more than 40 digits"
    return json.dumps(shortened(value, 40) if isinstance(value, str) else value)
