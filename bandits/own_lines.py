"""The lines of a user's file that led to an error."""

from __future__ import annotations

import traceback
from pathlib import Path


def own_lines(problem: BaseException, file: str | Path) -> str:
    """Return the lines that were running in a file, or in others of its folder, each with its text.

    Nothing if none was: compiled code keeps no lines.
    """
    folder = Path(file).resolve().parent
    frames = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if not frame.filename.startswith("<") and Path(frame.filename).resolve().is_relative_to(folder)
    ]
    return "".join(
        f"\n  {frame.filename}, line {frame.lineno}, in {frame.name}\n    {frame.line}" for frame in frames
    )
