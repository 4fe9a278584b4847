"""Digests of plain values, and JSON objects from files that may hold anything."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_DEEPEST = 50  # objects and lists within each other


def plain_text(value: Any) -> str:
    """Return the one JSON text that equal plain values have, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a plain value."""
    return hashlib.sha256(plain_text(value).encode()).hexdigest()


def json_object(content: bytes) -> dict[str, Any]:
    """Return the JSON object that `content` holds; raise a ValueError that says what is wrong."""
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
    """Raise a ValueError for what functions that call themselves could not follow."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [item for one in level for item in (one.values() if isinstance(one, dict) else one)]
        level = [item for item in level if isinstance(item, (dict, list))]
    if level:
        raise ValueError("nested too deep")
