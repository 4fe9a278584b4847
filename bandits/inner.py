"""Kernels as compiled code sees them.

Numba makes every function callable from Python too, which is a third of the work of compiling it. What the
loop calls needs that for none of them.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.extending import is_jitted

_compile: Any = njit  # whose annotations leave out _nrt


@functools.cache
def inner(function: Any) -> Callable:
    """A copy of a kernel, and of the kernels it calls by name, that only compiled code can call."""
    python = function.py_func
    if python.__closure__ or "_nrt" not in function.targetoptions:
        return function
    globals = python.__globals__
    called = {name: globals[name] for name in python.__code__.co_names if is_jitted(globals.get(name))}
    scope = globals | {name: inner(kernel) for name, kernel in called.items()}
    copy = types.FunctionType(python.__code__, scope, python.__name__, python.__defaults__)
    return _compile(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(copy)
