"""Other tools, where they are installed and can be imported; `make bench` installs what PyPI has of them."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np


def peer(name: str) -> ModuleType | None:
    """Return a module of another tool; without it, print why it is left out and return None."""
    try:
        return importlib.import_module(name)
    except Exception as problem:  # other tools may fail in any way
        reason = str(problem).splitlines()[0] if str(problem) else ""
        print(f"{name} is left out: {type(problem).__name__}: {reason}")
        return None


def duelpy() -> ModuleType | None:
    """Return duelpy's policies.

    Version 1.0.0 names `np.float`, which NumPy removed in 1.24; it is given back as what it was, `float`.
    """
    numpy: Any = np
    if not hasattr(np, "float"):
        numpy.float = float
    return peer("duelpy.algorithms")
