"""Errors in lines of judged data."""

from __future__ import annotations

from pathlib import Path

from rankduel.base.errors import DataError


class LetorFormatError(DataError):
    """Error in a line of text, with its path, line and column as in a compiler's message.

    `column` is the 1-based byte column of the invalid token, and `text` is the line.
    """

    def __init__(
        self,
        path: str | Path,
        line: int,
        column: int,
        problem: str,
        token: str = "",
        hint: str = "",
        text: str = "",
    ) -> None:
        self.path, self.line, self.column = str(path), line, column
        message = f"{path}:{line}:{column}: {problem}"
        if token:
            message += f" ({_shown(token, 40)})"
        if hint:
            message += f"\n  {hint}"
        if text:
            message += f"\n    {_shown(text, 76)}"
        super().__init__(message)


def _shown(text: str, width: int) -> str:
    """Return `text` with unprintable characters escaped, cut to `width` characters."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text.rstrip())
    return text if len(text) <= width else text[: width - 3] + "..."
