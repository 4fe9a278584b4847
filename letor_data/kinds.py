"""Detection of the kind of a file by its first line, for error messages about a file of another kind."""

from __future__ import annotations

import re
from pathlib import Path

from rankduel.base.errors import RankduelError
from rankduel.letor_data.packed.archive import find_sources, read_pieces

_LONGEST = 1000  # bytes of the line that are looked at: matching takes time in proportion to the square
JUDGED, RUN, QRELS = "judged data", "a TREC run", "TREC judgments"
_LINES = {
    JUDGED: re.compile(rb"[-+.\d]\S*[ \t]+qid:\S"),
    RUN: re.compile(rb"\S+[ \t]+Q0[ \t]+\S+[ \t]+\d+[ \t]+[-+.\d]\S*[ \t]+\S+\s*$"),
    QRELS: re.compile(rb"\S+[ \t]+\S+[ \t]+\S*[^-+.\d\s]\S*[ \t]+-?\d+\s*$"),
}


def kind_of(path: str | Path) -> str:
    """Return JUDGED, RUN or QRELS by the first line of a file, folder or archive; "" for any other."""
    try:
        _, pieces = next(read_pieces(find_sources(path)[:1]))
        line = next(pieces, b"").lstrip().partition(b"\n")[0][:_LONGEST]
    except (RankduelError, OSError, StopIteration):
        return ""
    return next((kind for kind, pattern in _LINES.items() if pattern.match(line)), "")
