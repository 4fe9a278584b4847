"""How records were made, in words: the command, settings and versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

# What settings mean. Those of an arena are said of the arena and of its matrix.
_WORDS = {
    "mode": "winners of duels",
    "problem": "problem",
    "horizon": "duels per run",
    "seed": "seed",
    "rankers": "rankers",
    "regret": "notion of regret",
    "checkpoints": "evenly spaced steps recorded",
    "feedback.delay": "outcomes told late by (duels)",
    "feedback.every": "outcomes told every (duels)",
}
_WORDS_OF_ARENAS = {
    "about": "its probabilities are",
    "alpha": "error probability of all intervals together",
    "clicks": "user",
    "data": "data",
    "data_digest": "digest of the data",
    "digest": "digest",
    "decide": "stopped once pairs are decided",
    "duels": "pages or duels per pair",
    "interleave": "interleaving",
    "length": "documents on a page",
    "measure": "measured of the pages",
    "multileave": "pages of more than two rankers",
    "n_docs": "documents",
    "n_queries": "queries",
    "precision": "half-width asked for",
    "preset": "preset",
    "prior": "prior",
    "profile": "profile of the data",
    "queries": "next query",
    "seed": "seed",
    "source": "source",
    "simulate": "duels played one by one",
    "tied_duels": "duel without a winner",
    "ties": "documents with equal scores",
    "version": "made by rankduel",
}
_WORDS |= {f"arena.{key}": words for key, words in _WORDS_OF_ARENAS.items()}
_WORDS |= {f"matrix.{key}": f"matrix: {words}" for key, words in _WORDS_OF_ARENAS.items()}
_VALUES = {
    ("mode", "live"): "simulated clicks (live)",
    ("mode", "proxy"): "draws from the matrix (proxy)",
    ("mode", "multileave"): "pages shared by all rankers",
}


class Origin(NamedTuple):
    """How records were made: the command, and settings and versions as pairs of name and text."""

    command: str
    settings: Sequence[tuple[str, str]]
    versions: Sequence[tuple[str, str]]


def origin_of(settings: Mapping[str, Any]) -> Origin:
    others = {key: value for key, value in settings.items() if key not in ("command", "versions")}
    flat = dict(_flat(others))
    # A matrix that was made from the arena repeats the settings of the arena.
    repeated = {f"matrix.{key.removeprefix('arena.')}" for key in flat if key.startswith("arena.")}
    said = {
        key: value
        for key, value in flat.items()
        if key not in repeated or flat[f"arena.{key.removeprefix('matrix.')}"] != value
    }
    rows = [(_WORDS.get(key, key), _text(key, value)) for key, value in sorted(said.items(), key=_place)]
    versions = [(key, _text(key, value)) for key, value in _flat(settings.get("versions", {}))]
    return Origin(str(settings.get("command", "unknown")), rows, versions)


def _place(item: tuple[str, Any]) -> tuple[int, str]:
    """Settings that have words in their order, then others by name."""
    key = item[0]
    order = list(_WORDS)
    return (order.index(key), "") if key in _WORDS else (len(order), key)


def _text(key: str, value: Any) -> str:
    if isinstance(value, str):
        return _VALUES.get((key, value), value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "not set"
    return f"{value:,}" if isinstance(value, int) and key != "seed" else json.dumps(value)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield ('matrix.digest', '1f2e') and so on."""
    for key in sorted(settings):
        value = settings[key]
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
