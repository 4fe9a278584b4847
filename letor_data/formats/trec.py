"""TREC runs, which are read together with relevance judgments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankduel.base.errors import DataError
from rankduel.letor_data.contract import Evidence, Format, Profile, Request, first_line

if TYPE_CHECKING:
    from rankduel.letor_data.letor import Letor

_LINES = {
    "a TREC run": re.compile(rb"\S+[ \t]+Q0[ \t]+\S+[ \t]+\d+[ \t]+[-+.\d]\S*[ \t]+\S+\s*$"),
    "TREC judgments": re.compile(
        rb"(?!.*\s(?:\d+|qid):)\S+[ \t]+\S+[ \t]+\S*[^-+.\d\s]\S*[ \t]+-?\d+\s*$"  # no tokens of features
    ),
}


def kind(head: bytes) -> str:
    """Return 'a TREC run' or 'TREC judgments' by the first line; "" for any other."""
    line = first_line(head)
    return next((kind for kind, pattern in _LINES.items() if pattern.match(line)), "")


def matches(head: bytes, path: Path) -> Evidence:
    return Evidence.LAYOUT if kind(head) else Evidence.NONE


def read(files: Sequence[str | Path], request: Request) -> Letor:
    from rankduel.letor_data.trec import read_trec

    if request.qrels is None:
        if request.options.profile is not None:
            raise DataError(
                f"{files[0]}: profile 'trec' is for TREC runs, which are read together with judgments: give "
                "these with qrels=..., or leave the profile out",
                parameter="profile",
            )
        raise DataError(
            f"{files[0]}: TREC runs are read together with judgments: name the runs, and the judgments with "
            "qrels=...",
            parameter="qrels",
        )
    unjudged, cuts = request.unjudged or "zero", request.options.grade_cuts
    return read_trec(request.qrels, list(files), request.candidates, unjudged, request.run_ties, cuts)


PROFILE = Profile("trec", "TREC runs and relevance judgments", lists_may_end=True)
FORMAT = Format(*PROFILE[:2], matches, read, profile=PROFILE, kind=kind, typed="RUN... --qrels QRELS")
