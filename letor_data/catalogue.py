"""Formats of judged data by name, the conventions of published collections, and recognition of a file.

Sources: LETOR 3.0 and 4.0 (Qin and Liu), MSLR-WEB10K/30K (Microsoft Research), the Yahoo! Learning to
Rank Challenge (Chapelle and Chang 2011), Istella LETOR (Dato et al. 2016), Yandex Internet Mathematics
2009, LightGBM's query files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rankduel.base.errors import DataError
from rankduel.base.settings import OnePerFile, find
from rankduel.letor_data import formats
from rankduel.letor_data.contract import Evidence, Format, Profile

# A format is loaded when it is first used, because it may import modules that import this one.
FORMATS: Mapping[str, Format] = OnePerFile([formats], "FORMAT")
_USUAL = "svmlight"  # reads files without any evidence, and says what is wrong in them


class _Profiles(Mapping[str, Profile]):
    """Profiles of the formats that have one, by name."""

    def __getitem__(self, name: str) -> Profile:
        profile = FORMATS[name].profile
        if profile is None:
            raise KeyError(name)
        return profile

    def __iter__(self) -> Iterator[str]:
        return (name for name, form in FORMATS.items() if form.profile is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


PROFILES: Mapping[str, Profile] = _Profiles()


def profile_named(name: str) -> Profile:
    return find(name, PROFILES, "profile", DataError)


def profile_for(path: str) -> Profile:
    """Return the profile of text that `path` matches by name; 'svmlight' if it matches none."""
    return _profile_by(path, Evidence.NAME)


def profile_beside(path: str) -> Profile:
    """Return the profile of text at `path`, by name or by a file beside it; 'svmlight' without either."""
    return _profile_by(path, Evidence.BESIDE)


def _profile_by(path: str, least: Evidence) -> Profile:
    texts = [form for form in FORMATS.values() if form.read is FORMATS[_USUAL].read]
    form, evidence = _strongest(texts, b"", Path(path))
    found = form.profile if evidence >= least else None
    return PROFILES[_USUAL] if found is None else found


def format_of(head: bytes, path: Path, profile: str | None = None) -> Format:
    """Return the format that reads a file, by its first bytes and its path.

    A `profile` chooses its format unless another one is certain.
    """
    form, evidence = _strongest(FORMATS.values(), head, path)
    if profile is not None and evidence < Evidence.CERTAIN:
        return FORMATS[profile_named(profile).name]
    return form if evidence > Evidence.NONE else FORMATS[_USUAL]


def format_of_content(head: bytes) -> Format | None:
    """Return the format of a file by its first bytes alone; None if they are of no known format."""
    form, evidence = _strongest(FORMATS.values(), head, Path())
    return form if evidence > Evidence.NONE else None


def _strongest(formats: Iterable[Format], head: bytes, path: Path) -> tuple[Format, Evidence]:
    """Return the format with the strongest evidence, the first of equal ones."""
    found = [(form, form.matches(head, path)) for form in formats]
    return max(found, key=lambda pair: pair[1])


def size_note(path: str, splits: set[str], queries: int, documents: int) -> str | None:
    """Return a note if a whole collection, or a split of known size, differs from its published size."""
    sizes = [size for form in FORMATS.values() for size in form.sizes]
    known = [c for c in sizes if re.search(c.files, path, re.IGNORECASE)]
    known = [c for c in known if c.files.endswith(".txt") or {"train", "test"} <= splits]
    expected = sum(c.queries for c in known), sum(c.documents for c in known)
    if not known or (queries, documents) == expected:
        return None
    names = " with ".join(c.name for c in known)
    return (
        f"{path}: {queries:,} queries and {documents:,} documents, but {names} is published with "
        f"{expected[0]:,} and {expected[1]:,}"
    )
