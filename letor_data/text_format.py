"""Formats of text with a document per line, which one parser reads by the profile of a collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankduel.letor_data.contract import Evidence, Format, Profile, Request

if TYPE_CHECKING:
    from rankduel.letor_data.letor import Letor


def text_format(profile: Profile, matches: Callable[[bytes, Path], Evidence], **more: Any) -> Format:
    """Return the format of text with the conventions of `profile`."""
    return Format(profile.name, profile.about, matches, read_text, profile=profile, **more)


def read_text(files: Sequence[str | Path], request: Request) -> Letor:
    """Read text through the cache; the profile follows from the first text, which may be in an archive."""
    from rankduel.letor_data.cached_text import read_cached

    return read_cached(files, request)
