"""Recognition of a file by its content, for error messages about a file of another kind."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rankduel.base.errors import RankduelError
from rankduel.letor_data.catalogue import format_of_content
from rankduel.letor_data.contract import HEAD
from rankduel.letor_data.packed.archive import find_sources, read_pieces


class Kind(NamedTuple):
    about: str  # such as 'judged data' or 'a TREC run'
    typed: str  # how a command names such files


def kind_of(path: str | Path) -> Kind | None:
    """Return the kind of judged data by the content of a file, folder or archive; None for other files."""
    try:
        _, pieces = next(read_pieces(find_sources(path)[:1]))
        head = next(pieces, b"")[:HEAD]
    except (RankduelError, OSError, StopIteration):
        return None
    form = format_of_content(head)
    return None if form is None else Kind(form.kind(head), form.typed or str(path))
