"""The contract of a format: how files of judged data are recognised, read and written.

    matches(head, path) -> Evidence     whether a file is of this format, by its first bytes and its name
    read(files, request) -> Letor       the data of the files
    write(letor, path, sparse, progress)

Each file in formats/ defines one format and ends in FORMAT = Format(...); the catalogue finds it there. It
imports what it reads with in its functions, because the names of all formats are shown in the help.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rankduel.base.watch import Watch
    from rankduel.letor_data.letor import Letor
    from rankduel.letor_data.text.parse import ReadOptions

TOP_LABEL = 127  # grades are stored as int8
HEAD = 4096  # bytes of a file that `matches` receives
_LONGEST = 1000  # bytes of a line that are looked at: matching takes time in proportion to the square


class Evidence(IntEnum):
    """How surely a file is of a format; the format with the strongest evidence reads it."""

    NONE = 0
    LAYOUT = 1  # the first line has the layout of this format, which others may share
    BESIDE = 2  # a file beside it belongs to this format
    NAME = 3  # the path contains the name of a collection
    CERTAIN = 4  # no other format begins or is named so; parameter `profile` does not choose another reader


class Request(NamedTuple):
    """Parameters of `read_data` apart from the files."""

    options: ReadOptions
    unjudged: str | None
    qrels: str | Path | None
    candidates: str
    run_ties: str
    cache: bool | str | Path
    jobs: int
    watch: Watch


class Profile(NamedTuple):
    """Conventions of a collection of judged data."""

    name: str
    about: str
    n_features: int = 0  # number of features that the collection defines; 0: any
    top_grade: int = TOP_LABEL
    query_id: str = "qid"  # place of the query id: "qid" token, "comment", or "side file" of counts
    index_base: int = 1  # smallest feature number
    sparse: bool = False  # files omit zeros, so the last features may occur in no line
    null_is_missing: bool = False  # NULL is a missing value
    huge_is_missing: bool = False  # a value with |value| >= 1e300 is missing
    sign: int = 1  # -1 if small values are better
    lists_may_end: bool = False  # a document without a score is not listed; otherwise it is ranked last
    titles: tuple[str, ...] = ()  # published description of each feature

    def title(self, feature: str) -> str:
        """Return the published description of `feature`; "" if there is none."""
        place = int(feature) - self.index_base if re.fullmatch("[0-9]{1,9}", feature) else -1
        return self.titles[place] if 0 <= place < len(self.titles) else ""


class Collection(NamedTuple):
    """A published collection and its size with all splits."""

    name: str
    files: str  # regular expression to find in the path
    queries: int
    documents: int


def _judged(head: bytes) -> str:
    return "judged data"


class Format(NamedTuple):
    """A format of files of judged data."""

    name: str
    about: str
    # From the first bytes of a file, unpacked (b"" if unknown), and its path (Path() if unknown).
    matches: Callable[[bytes, Path], Evidence]
    read: Callable[[Sequence[str | Path], Request], Letor]
    # Write data; `sparse` omits zeros, and `progress` is called with the number of documents done since.
    write: Callable[[Letor, Path, bool, Callable[[int], object]], object] | None = None
    suffixes: tuple[str, ...] = ()  # of files to write
    packs: bool = False  # `write` compresses by a second suffix, such as '.gz'
    profile: Profile | None = None  # of the data, which users can choose by name; None: any
    sizes: tuple[Collection, ...] = ()  # published sizes of data in this format
    kind: Callable[[bytes], str] = _judged  # what a file with these first bytes is, for messages
    typed: str = ""  # how a command names such files; "": by their path


def named(names: str) -> Callable[[bytes, Path], Evidence]:
    """Return a function `matches` by a regular expression to find in the path.

    Only the file name and the names of two parent folders are searched, as in MSLR-WEB10K/Fold1/train.txt.
    """
    pattern = re.compile(names, re.IGNORECASE)

    def matches(head: bytes, path: Path) -> Evidence:
        near = "/".join(str(path).replace("::", "/").split("/")[-3:])
        return Evidence.NAME if pattern.search(near) else Evidence.NONE

    return matches


def first_line(head: bytes) -> bytes:
    """Return the start of the first line that is not blank."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0][:_LONGEST]
