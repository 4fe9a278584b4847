"""Define errors and warnings: a base class, and a subclass for each kind of wrong input.

Every message states where the problem is, what was found, what was expected, and what to do next. The command
prints it and exits with code 2.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")  # how Python represents bytes that are not UTF-8


class RankduelError(ValueError):
    """Base class of the errors that wrong input causes.

    There is a subclass for each kind of input, such as data, policies or matrices. The message states where
    the problem is, what was found, what is expected, and what to do next. It can always be printed: bytes of
    file names that are not UTF-8 are escaped.

    Parameters
    ----------
    message : object, default ""
        The message, converted to text.
    *more : object
        Further arguments of the exception.
    parameter : str, default ""
        Name of the Python parameter that is wrong, which the message writes as ``NAME=...``. The command line
        prints ``NAME=...`` as ``--NAME``.

    Examples
    --------
    >>> try:
    ...     rankduel.policy("rucp")
    ... except rankduel.RankduelError as problem:
    ...     print(problem)
    no policy named 'rucp'; did you mean 'rucb'?
    """

    def __init__(self, message: object = "", *more: object, parameter: str = "") -> None:
        super().__init__(encodable(str(message)), *more)
        self.parameter = parameter


def encodable(text: str) -> str:
    """Return text that can be encoded: bytes of a file name that are not UTF-8 are shown as '\\xff'."""
    return _SURROGATE.sub(lambda found: _escaped(ord(found[0])), text)


def _escaped(code: int) -> str:
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


class DataError(RankduelError):
    """Judged data, or a file of it, that cannot be used."""


class ClickModelError(RankduelError):
    """A click model that is unknown, or whose probabilities do not fit."""


class InterleaveError(RankduelError):
    """An interleaving or multileaving method that is unknown, or that does not fit its rankings."""


class PolicyError(RankduelError):
    """A policy or parameter that is unknown, or a policy that cannot be run with these settings."""


class MatrixError(RankduelError):
    """A table that is not a preference matrix, or a matrix of other rankers than needed."""


class RecordsError(RankduelError):
    """A folder of records or a session that is damaged, missing, or made for another purpose."""


class StudyError(RankduelError):
    """A study that is unknown, written wrongly, or that lacks its data."""


class UsageError(RankduelError):
    """An option or argument out of its range, or text that cannot be parsed."""


class DataWarning(UserWarning):
    """Data that can be used but have unexpected content."""


class PolicyNotice(UserWarning):
    """A policy that can be run, but not as expected."""


class CacheNotice(UserWarning):
    """A cache folder or a checkpoint that cannot be used."""
