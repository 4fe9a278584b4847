"""Digests of plain values, and a JSON parser for untrusted files."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_MAX_DEPTH = 50  # nested objects and lists


def plain_text(value: Any) -> str:
    """Return canonical JSON text: equal values have equal text, regardless of the order of keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON text of `value`."""
    return hashlib.sha256(plain_text(value).encode()).hexdigest()


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
