"""Compiled functions that are kept on disk, and the kernels inside them.

Numba makes every function callable from Python too, which is a third of the work of compiling it; kernels
that only compiled code calls need none of that. And its cache notices edits to the function's own file
only; the digest of the packages that kernels come from, in its name, notices all.
"""

from __future__ import annotations

import functools
import hashlib
import re
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from numba import njit
from numba.extending import is_jitted

_compile: Any = njit  # whose annotations leave out some options

_ROOT = Path(__file__).parents[1]
_PACKAGES = [_ROOT / name for name in ("bandits", "clickmodels", "interleave", "letor_data")]
_SOURCES = [path for package in _PACKAGES for path in sorted(package.rglob("*.py"))]


def cached_copy(template: Any, name: str, scope: Mapping[str, Any]) -> Any:
    """A copy of a function that finds its globals in `scope`: without the GIL, and kept on disk."""
    copy = types.FunctionType(template.__code__, {key: _inner(value) for key, value in scope.items()})
    return njit(nogil=True, cache=True)(named_by_digest(copy, name))


def named_by_digest(function: Any, name: str) -> Any:
    """Under a name that changes with our sources; Numba files what it keeps under the qualified name."""
    unique = re.sub(r"\W", "_", f"{name}_{_digest()}")
    function.__code__ = function.__code__.replace(co_name=unique)
    function.__name__ = function.__qualname__ = unique
    return function


def is_cacheable(function: Any) -> bool:
    """May it be kept? What lies elsewhere can be edited without the digest noticing."""
    source = Path(function.py_func.__code__.co_filename)
    return any(package in source.parents for package in _PACKAGES)


def _inner(value: Any) -> Any:
    return inner(value) if is_jitted(value) else value


@functools.cache
def inner(function: Any) -> Callable:
    """A copy of a kernel, and of the kernels it calls by name, that only compiled code can call."""
    python, options = function.py_func, function.targetoptions
    if python.__closure__ or "inline" in options:
        return function
    globals = python.__globals__
    called = {name: globals[name] for name in python.__code__.co_names if is_jitted(globals.get(name))}
    scope = globals | {name: inner(kernel) for name, kernel in called.items()}
    copy = types.FunctionType(python.__code__, scope, python.__name__, python.__defaults__)
    copy.__qualname__ = python.__qualname__  # which may say more than the code does
    options = {name: value for name, value in options.items() if name != "nopython"}
    return _compile(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True)(copy)


@functools.cache
def _digest() -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()[:12]
