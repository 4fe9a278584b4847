"""Names of run sets, made from the names of their input files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rankduel.experiments.matrix.builtin import is_built_in

_MOST_NAMED, _LONGEST_NAME = 4, 60  # most files in the name of a run set, and most characters


def run_set_name(files: Sequence[str], mode: str, duels: float, seed: int) -> str:
    """Return a name that keeps run sets apart, such as 'arxiv6-1e6' or 'bm25-neural-live-1e7-seed3'."""
    parts = [problem_name(files), mode, f"{duels:g}".replace("e+0", "e"), f"seed{seed}" if seed else ""]
    return "-".join(part for part in parts if part)


def problem_name(files: Sequence[str]) -> str:
    """Return the names of the files without endings; of many files, the name of their folder."""
    stems = [_stem(file) for file in files]
    name = "-".join(stems)
    if len(files) == 1 or (len(files) <= _MOST_NAMED and len(name) <= _LONGEST_NAME):
        return name
    folders = {Path(file).absolute().parent for file in files}
    folder = folders.pop().name if len(folders) == 1 else ""
    return folder or f"{stems[0][:_LONGEST_NAME]}-and-{len(files) - 1}-more"


def _stem(file: str) -> str:
    """Return a file name without endings; of a family of matrices, 'btl-k-20-spread-0.5'."""
    if is_built_in(file):
        return re.sub(r"[^\w.-]+", "-", file).strip("-")[:_LONGEST_NAME]
    return Path(file.rstrip("/")).name.split(".")[0] or "study"
