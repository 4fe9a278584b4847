"""Text of LightGBM: without qid tokens, with a side file of the documents per query."""

from __future__ import annotations

from pathlib import Path

from rankduel.letor_data.contract import Evidence, Profile
from rankduel.letor_data.text_format import text_format


def matches(head: bytes, path: Path) -> Evidence:
    from rankduel.letor_data.packed.choosing import Source
    from rankduel.letor_data.text.queries import side_file

    is_beside = path.name and side_file(Source(path)) is not None
    return Evidence.BESIDE if is_beside else Evidence.NONE


FORMAT = text_format(
    Profile(
        "lightgbm",
        "no qid tokens; documents per query in a .query or .group file",
        query_id="side file",
        index_base=0,
    ),
    matches,
)
