"""Write and read files with a format and a digest: JSON here, tables in stored_tables.py.

A file appears whole or not at all. A file that is damaged, edited, too large, foreign, or of another format
is an error that names the file and what to do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rankduel.base.errors import RankduelError, RecordsError
from rankduel.base.files import convert_write_errors, write_text

DIGEST, FORMAT = "digest", "format"  # fields that every file has besides its content
_MAX_DEPTH = 50  # nested objects and lists
_DIGEST_BYTES = 32
T = TypeVar("T")


class Kind(NamedTuple):
    """A kind of file that rankduel writes."""

    what: str  # for messages: 'a saved policy'
    advice: str  # for messages: what to do about a file that cannot be used
    format: int = 1  # increase it when the layout changes
    most_bytes: int = 1 << 26  # larger JSON files are not read
    error: type[RankduelError] = RecordsError

    def unusable(self, path: Path, reason: str) -> RankduelError:
        """Return the error for a file of this kind that cannot be used."""
        return self.error(f"{path}: {reason}; {self.advice}")

    def other_format(self, found: object) -> str:
        """Return the reason why a file of another format cannot be used."""
        return f"written by another version of rankduel, in format {shown(found)}; expected {self.format}"


def plain_text(value: Any) -> str:
    """Return canonical JSON text: equal values have equal text, regardless of the order of keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON text of `value`."""
    return hashlib.sha256(plain_text(value).encode()).hexdigest()


def with_digest(body: bytes) -> bytes:
    """Return `body` after its SHA-256, for `without_digest` to verify."""
    return hashlib.sha256(body).digest() + body


def without_digest(content: bytes) -> bytes | None:
    """Return the bytes that `with_digest` was called with; None if they are damaged."""
    body = content[_DIGEST_BYTES:]
    return body if hashlib.sha256(body).digest() == content[:_DIGEST_BYTES] else None


def json_object(content: bytes) -> dict[str, Any]:
    """Return the JSON object in `content`; raise ValueError with the reason if there is none."""
    try:
        value = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("not text in UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    except ValueError as problem:
        raise ValueError(f"not JSON: {problem}") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    _check_depth(value)
    return value


def _check_depth(value: Any) -> None:
    """Raise ValueError if `value` is nested so deep that recursive functions could fail."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [item for one in level for item in (one.values() if isinstance(one, dict) else one)]
        level = [item for item in level if isinstance(item, (dict, list))]
    if level:
        raise ValueError("nested too deep")


def write_json(path: str | Path, kind: Kind, content: Mapping[str, Any]) -> None:
    """Write `content` with the format of its kind and the digest of both, completely or not at all."""
    whole = {FORMAT: kind.format, **content}
    text = json.dumps({**whole, DIGEST: digest_of(whole)}, indent=1)
    with convert_write_errors(path, kind.error):
        write_text(path, text + "\n")


def read_json(path: str | Path, kind: Kind) -> Fields:
    """Return the content of a file that `write_json` wrote.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    RankduelError
        Of the class `kind.error`: if the file cannot be read, is too large, is no JSON, does not have the
        digest that it states, or is of another format.
    """
    path = Path(path)
    try:
        content = json_object(read_at_most(path, kind.most_bytes))
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise kind.error(f"{path}: cannot be read: {problem.strerror}") from None
    except RankduelError as problem:
        raise kind.error(str(problem)) from None
    except ValueError as problem:
        raise kind.unusable(path, f"not {kind.what}, or damaged: {problem}") from None
    if DIGEST not in content:
        raise kind.unusable(path, f"not {kind.what}, or damaged: there is no digest in it")
    if content.pop(DIGEST) != digest_of(content):
        raise kind.unusable(path, "damaged or edited: its content does not have the digest in it")
    found = content.pop(FORMAT, None)
    if type(found) is not int or found != kind.format:
        raise kind.unusable(path, kind.other_format(found))
    return Fields(path, kind, content)


def read_at_most(path: str | Path, most_bytes: int) -> bytes:
    """Return the content of a file; raise an error if it has more than `most_bytes` bytes."""
    with open(path, "rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise RecordsError(f"{path}: more than {most_bytes:,} bytes; expected a smaller file")
    return data


class Fields:
    """Fields of a JSON file by name; a missing field, a wrong type or a value out of range is an error."""

    def __init__(self, path: Path, kind: Kind, content: Mapping[str, Any]) -> None:
        self.path, self._kind, self.content = path, kind, content

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
        return self._checked(name, dict, "an object")

    def integer(self, name: str) -> int:
        return self._checked(name, int, "a whole number")

    def whole(self, name: str, least: int, most: float = float("inf")) -> int:
        """Return a whole number from `least` to `most`."""
        expected = f"a whole number from {least:,}" + (f" to {most:,}" if most < float("inf") else "")
        found = self._checked(name, int, expected)
        if not least <= found <= most:
            raise self.wrong(name, shown(found), expected)
        return found

    def wrong(self, name: str, found: str, expected: str) -> RankduelError:
        """Return the error for a field whose value is not the expected one."""
        return self._kind.unusable(self.path, f"'{name}' is {found}; expected {expected}")

    def _checked(self, name: str, kind: type[T], expected: str) -> T:
        if name not in self.content:
            raise self._kind.unusable(self.path, f"there is no '{name}' in it; expected {expected}")
        value = self.content[name]
        if type(value) is not kind:
            raise self.wrong(name, shown(value), expected)
        return value


def shown(value: Any) -> str:
    """Return a value in at most 40 characters."""
    if isinstance(value, (dict, list)):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
