"""Read text files and lists of numbers, and format counts and short text for messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike

from rankduel.base.errors import RankduelError, UsageError

_SPAN = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_MOST_FEATURES = 1_000_000
_TO_IES = re.compile("[^aeiou]y$")


def read_text(
    path: str | PathLike[str], error: type[RankduelError], at_most: int, errors: str = "strict"
) -> str:
    """Return the text of a file in UTF-8, without its byte-order mark.

    Parameters
    ----------
    path : str or path-like
        The file.
    error : type
        Class of the error to raise.
    at_most : int
        Largest number of bytes; no more are read.
    errors : str, default "strict"
        What to do with bytes that are not UTF-8, as for `bytes.decode`.

    Raises
    ------
    RankduelError
        The given `error`, which names the file, if it cannot be read, is larger, or is not UTF-8.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(at_most + 1)
    except FileNotFoundError:
        raise error(f"{path}: there is no such file") from None
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror or problem}") from None
    if len(content) > at_most:
        raise error(f"{path}: larger than {at_most:,} bytes, which is too large for a file of this kind")
    try:
        return content.decode("utf-8-sig", errors)
    except UnicodeDecodeError as problem:
        raise error(f"{path}: not UTF-8 text: {problem.reason} at byte {problem.start + 1}") from None


def with_line_feeds(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a text with every line end, LF, CR LF or CR, as LF.

    Readers of lines use this, so that a file of any system, or with mixed line ends, has the same lines.
    """
    after_return = False
    for piece in pieces:
        text = piece[1:] if after_return and piece.startswith(b"\n") else piece
        after_return = piece.endswith(b"\r") or (after_return and not piece)
        yield text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def counted(n: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural: '1 pair', '2,000 queries'."""
    if n == 1:
        return f"{n:,} {noun}"
    return f"{n:,} {noun[:-1]}ies" if _TO_IES.search(noun) else f"{n:,} {noun}s"


def shortened(text: str, at_most: int = 60) -> str:
    """Return text that is short enough for a message."""
    return text if len(text) <= at_most else text[: at_most - 3] + "..."


def printable(text: str) -> str:
    """Return text that does nothing but appear: other characters, which a terminal may obey, are escaped."""
    return text if text.isprintable() else ascii(text)[1:-1]


def feature_list(text: str) -> list[str]:
    """Return the feature numbers and names that `text` lists: '1-5,110' -> ['1', ..., '5', '110']."""
    chosen: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        span = _SPAN.fullmatch(part)
        if span is None:
            chosen.append(part)
            continue
        first = int(span[1])
        last = int(span[2])
        if last - first + len(chosen) >= _MOST_FEATURES:
            raise UsageError(
                f"rankers '{part}' are more than {_MOST_FEATURES:,}; expected fewer, such as '1-136'"
            )
        chosen += [str(number) for number in range(first, last + 1)]
    return chosen
