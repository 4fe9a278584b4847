"""Text with qid tokens: svmlight, and the layout of LETOR, MSLR and Yahoo!."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rankduel.letor_data.contract import Evidence, Profile, first_line
from rankduel.letor_data.text_format import text_format

if TYPE_CHECKING:
    from rankduel.letor_data.letor import Letor

_LINE = re.compile(rb"[-+.\d]\S*[ \t]+qid:\S")


def matches(head: bytes, path: Path) -> Evidence:
    return Evidence.LAYOUT if _LINE.match(first_line(head)) else Evidence.NONE


def write(letor: Letor, path: Path, sparse: bool, progress: Callable[[int], object]) -> None:
    from rankduel.letor_data.text.writer import write_letor

    write_letor(letor, path, sparse, progress=progress)


FORMAT = text_format(
    Profile("svmlight", "svmlight text with qid tokens, any features and grades"),
    matches,
    write=write,
    suffixes=(
        *(".txt", "", ".dat", ".data", ".letor", ".svm", ".svmlight", ".libsvm"),
        *(".train", ".vali", ".valid", ".test"),
    ),
    packs=True,
)
