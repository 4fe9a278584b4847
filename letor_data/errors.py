"""What goes wrong with judged data, said so that a person can fix it."""

from __future__ import annotations

from pathlib import Path

from rankduel.base.errors import DataError


class LetorFormatError(DataError):
    """A line that breaks its format, reported as a compiler would.

    `column` is the 1-based byte column of the offending token; `text` is the line itself.
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
    """Return text that is printable and short: control characters escaped, long text cut."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text.rstrip())
    return text if len(text) <= width else text[: width - 3] + "..."
