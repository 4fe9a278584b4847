"""The lines of a user's file that led to an error."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path


def own_frames(problem: BaseException, file: str | Path) -> list[traceback.FrameSummary]:
    """Return what was running in a file, or in others of its folder, the innermost call last.

    Nothing if nothing was: compiled code keeps no lines.
    """
    folder = Path(file).resolve().parent
    return [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if not frame.filename.startswith("<") and Path(frame.filename).resolve().is_relative_to(folder)
    ]


def in_words(frames: Iterable[traceback.FrameSummary]) -> str:
    """Return where the frames are, each with the text of its line."""
    return "".join(
        f"\n  {frame.filename}, line {frame.lineno}, in {frame.name}\n    {frame.line}" for frame in frames
    )
