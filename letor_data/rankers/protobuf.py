"""Fields of a protobuf message, read without the description of its type."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

# Values by the number of their field: whole numbers, or the bytes of a text, message or other number.
Message = dict[int, list[Any]]

MOST_FIELDS = 50_000_000
MOST_KEPT = 2_000_000
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5  # wire types


class Reader:
    """Reader of the messages of one file, which bounds their number and so memory and time."""

    def __init__(self) -> None:
        self._fields = self._kept = 0

    def read(self, content: int | bytes | memoryview, wanted: Container[int]) -> Message:
        """Return the wanted fields of a message; raise ValueError if it is damaged."""
        message: Message = {}
        view = memoryview(text_of(content))
        at = 0
        while at < len(view):
            key, at = _varint(view, at)
            value, at = _value(view, at, key & 7)
            self._fields += 1
            if key >> 3 in wanted:
                self._kept += 1
                message.setdefault(key >> 3, []).append(value)
            if self._fields > MOST_FIELDS or self._kept > MOST_KEPT:
                raise ValueError("it has too many parts")
        return message


def text_of(value: int | bytes | memoryview) -> bytes | memoryview:
    """Return the bytes of a text or message; raise ValueError for a number."""
    if isinstance(value, int):
        raise ValueError("a number in place of text")
    return value


def _value(view: memoryview, at: int, kind: int) -> tuple[int | memoryview, int]:
    """Return the value of a field, and the position after it."""
    if kind == _VARINT:
        return _varint(view, at)
    if kind == _BYTES:
        size, at = _varint(view, at)
    elif kind in (_EIGHT, _FOUR):
        size = 8 if kind == _EIGHT else 4
    else:
        raise ValueError(f"a field of wire type {kind}")
    if size > len(view) - at:
        raise ValueError("it ends within a field")
    return view[at : at + size], at + size


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    """Return a number of 7 bits a byte, lowest first, and the position after it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(view):
            raise ValueError("it ends within a number")
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number of more than 10 bytes")
