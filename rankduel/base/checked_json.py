"""Read and write JSON files with a checksum; every field is read with its type and range."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from rankduel.base.errors import RecordsError
from rankduel.base.files import write_text

_DIGEST = "sha256"
T = TypeVar("T")


def write_checked_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write `content` and the SHA-256 of it, completely or not at all."""
    whole = {**content, _DIGEST: _digest(content)}
    write_text(path, json.dumps(whole, indent=1) + "\n")


class Fields:
    """Fields of a JSON file by name; a missing field, a wrong type or a value out of range is an error."""

    def __init__(self, path: Path, content: Mapping[str, Any]) -> None:
        self.path, self._content = path, content

    def text(self, name: str) -> str:
        return self._checked(name, str, "text")

    def flag(self, name: str) -> bool:
        return self._checked(name, bool, "true or false")

    def texts(self, name: str) -> list[str]:
        found: list[Any] = self._checked(name, list, "a list of texts")
        if not all(isinstance(one, str) for one in found):
            raise self.wrong(name, "another list", "a list of texts")
        return found

    def mapping(self, name: str) -> dict[str, Any]:
        return self._checked(name, dict, "names with values")

    def whole(self, name: str, least: int, most: float = float("inf")) -> int:
        """Return a whole number from `least` to `most`."""
        expected = f"a whole number from {least:,}" + (f" to {most:,}" if most < float("inf") else "")
        found = self._checked(name, int, expected)
        if not least <= found <= most:
            raise self.wrong(name, _shown(found), expected)
        return found

    def wrong(self, name: str, found: str, expected: str) -> RecordsError:
        """Return the error for a field whose value is not the expected one."""
        return RecordsError(f"{self.path}: {name} is {found}; expected {expected}")

    def _checked(self, name: str, kind: type[T], expected: str) -> T:
        if name not in self._content:
            raise RecordsError(f"{self.path}: there is no '{name}' in it; expected {expected}")
        value = self._content[name]
        if type(value) is not kind:
            raise self.wrong(name, _shown(value), expected)
        return value


def read_checked_json(path: str | Path, what: str, most_bytes: int) -> Fields:
    """Return the fields of a file that `write_checked_json` wrote.

    Parameters
    ----------
    path : str or Path
        The file.
    what : str
        What the file should be, for messages: 'a saved policy'.
    most_bytes : int
        Size of the largest file that is read.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    RecordsError
        If the file cannot be read, is too large, is no JSON, or its content does not have its checksum.
    """
    path = Path(path)
    content = _parsed(path, what, most_bytes)
    if _DIGEST not in content:
        raise RecordsError(
            f"{path}: there is no checksum in it; it is not {what}, or another version of rankduel wrote it"
        )
    stated = content.pop(_DIGEST)
    if stated != _digest(content):
        raise RecordsError(f"{path}: damaged or edited; its content does not have the SHA-256 that it states")
    return Fields(path, content)


def read_at_most(path: str | Path, most_bytes: int) -> bytes:
    """Return the content of a file; raise an error if it has more than `most_bytes` bytes."""
    with open(path, "rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise RecordsError(f"{path}: more than {most_bytes:,} bytes; expected a smaller file")
    return data


def _parsed(path: Path, what: str, most_bytes: int) -> dict[str, Any]:
    try:
        content = json.loads(read_at_most(path, most_bytes).decode("utf-8"))
    except FileNotFoundError:
        raise
    except RecordsError:
        raise
    except OSError as problem:
        raise RecordsError(f"{path}: cannot be read: {problem.strerror}") from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise RecordsError(f"{path}: not {what}, or damaged")
    return content


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _shown(value: Any) -> str:
    """Return a value in at most 40 characters."""
    if isinstance(value, (dict, list)):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
