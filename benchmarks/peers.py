"""Import other tools for comparison, if they are installed; `make bench` installs those on PyPI."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np


def peer(name: str) -> ModuleType | None:
    """Return a module of another tool; if it cannot be imported, print the reason and return None."""
    try:
        return importlib.import_module(name)
    except Exception as problem:  # other tools may fail in any way
        reason = str(problem).splitlines()[0] if str(problem) else ""
        print(f"{name} is left out: {type(problem).__name__}: {reason}")
        return None


def duelpy() -> ModuleType | None:
    """Return duelpy's policies.

    Version 1.0.0 uses `np.float`, an alias of `float` that NumPy 1.24 removed; the alias is restored.
    """
    numpy: Any = np
    if not hasattr(np, "float"):
        numpy.float = float
    return peer("duelpy.algorithms")
