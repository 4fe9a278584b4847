"""Describe how records were made: the command, the settings in plain words, and the versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

# Descriptions of settings, in the order of the page. A setting of an arena may also be one of its matrix.
_DESCRIPTIONS = {
    "mode": "duels are decided by",
    "problem": "problem",
    "horizon": "duels per run",
    "seed": "random seed",
    "rankers": "rankers",
    "regret": "definition of regret",
    "checkpoints": "evenly spaced recorded steps",
    "feedback.delay": "delay of outcomes, in duels",
    "feedback.every": "outcomes arrive every (duels)",
}
_ARENA_DESCRIPTIONS = {
    "about": "how the probabilities were obtained",
    "alpha": "joint error probability of all intervals",
    "clicks": "user (click model)",
    "data": "data",
    "data_digest": "digest of the data",
    "digest": "digest",
    "decide": "stop sampling decided pairs",
    "duels": "pages or duels per pair",
    "interleave": "interleaving method",
    "length": "documents on a page",
    "measure": "measures of the pages",
    "multileave": "multileaving method",
    "n_docs": "documents",
    "n_queries": "queries",
    "precision": "requested half-width of intervals",
    "preset": "preset",
    "prior": "prior",
    "profile": "data set profile",
    "queries": "order of queries",
    "seed": "random seed",
    "source": "source",
    "simulate": "duels simulated one by one",
    "tied_duels": "duels without a winner",
    "ties": "order of documents with equal scores",
    "version": "rankduel version",
}
_DESCRIPTIONS |= {f"arena.{key}": words for key, words in _ARENA_DESCRIPTIONS.items()}
_DESCRIPTIONS |= {f"matrix.{key}": f"matrix: {words}" for key, words in _ARENA_DESCRIPTIONS.items()}
_VALUES = {
    ("mode", "live"): "simulated clicks (live)",
    ("mode", "proxy"): "draws from the preference matrix (proxy)",
    ("mode", "multileave"): "pages that all rankers share",
}


class Origin(NamedTuple):
    """The command that made records, and its settings and versions as (name, text) pairs."""

    command: str
    settings: Sequence[tuple[str, str]]
    versions: Sequence[tuple[str, str]]


def origin_of(settings: Mapping[str, Any]) -> Origin:
    """Return the origin of a run set with these settings; a setting of arena and matrix is listed once."""
    others = {key: value for key, value in settings.items() if key not in ("command", "versions")}
    flat = dict(_flat(others))
    in_arena = {f"matrix.{key.removeprefix('arena.')}" for key in flat if key.startswith("arena.")}
    listed = {
        key: value
        for key, value in flat.items()
        if key not in in_arena or flat[f"arena.{key.removeprefix('matrix.')}"] != value
    }
    rows = [
        (_DESCRIPTIONS.get(key, key), _text(key, value))
        for key, value in sorted(listed.items(), key=_sort_key)
    ]
    versions = [(key, _text(key, value)) for key, value in _flat(settings.get("versions", {}))]
    return Origin(str(settings.get("command", "unknown")), rows, versions)


def _sort_key(item: tuple[str, Any]) -> tuple[int, str]:
    """Sort settings as in `_DESCRIPTIONS`, then all others by name."""
    key = item[0]
    order = list(_DESCRIPTIONS)
    return (order.index(key), "") if key in _DESCRIPTIONS else (len(order), key)


def _text(key: str, value: Any) -> str:
    if isinstance(value, str):
        return _VALUES.get((key, value), value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "not set"
    return f"{value:,}" if isinstance(value, int) and key != "seed" else json.dumps(value)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the settings of nested tables with dotted keys, such as ('matrix.digest', '1f2e')."""
    for key in sorted(settings):
        value = settings[key]
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
