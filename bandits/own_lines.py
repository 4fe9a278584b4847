"""The lines of a user's file in the traceback of an error."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path


def frames_below(problem: BaseException, file: str | Path) -> list[traceback.FrameSummary]:
    """Return the frames of the traceback in the folder of `file`, the innermost call last.

    The list is empty if compiled code raised the error, because its traceback has no lines.
    """
    folder = Path(file).resolve().parent
    return [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if not frame.filename.startswith("<") and Path(frame.filename).resolve().is_relative_to(folder)
    ]


def frames_text(frames: Iterable[traceback.FrameSummary]) -> str:
    """Return file, line number, function and source line of each frame, as in a traceback."""
    return "".join(
        f"\n  {frame.filename}, line {frame.lineno}, in {frame.name}\n    {frame.line}" for frame in frames
    )
