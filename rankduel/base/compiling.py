"""Compile kernels, bind functions into loops, and keep the loops on disk.

Numba makes every function callable from Python too, which is a third of the work of compiling it; kernels
that only compiled code calls need none of that. Its cache notices edits to the function's own file only; the
digest of the packages that kernels come from, in the name of what is kept, notices all.

Compiled code is linked by name: of two kernels with one name, one fresh and one from disk, the linker may
take either for both. So every kernel that is made several times, of the same text around other functions,
gets a name of its own.
"""

from __future__ import annotations

import functools
import hashlib
import re
import types
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.core.errors import NumbaError
from numba.extending import is_jitted

from rankduel.base.errors import PolicyNotice

Compiled = Any  # a function that Numba compiles; its own types say too little
_compile: Any = njit  # whose annotations leave out some options

# Without Numba's reference counting, which costs some 5 ns per array of a state and call. For functions that
# allocate nothing.
kernel = _compile(_nrt=False)
inlined = _compile(
    _nrt=False, inline="always"
)  # before type inference: the caller's arrays stay in registers
force_inlined = _compile(_nrt=False, forceinline=True)  # by LLVM, which compiles faster

_ROOT = Path(__file__).parents[2]
_FOLDERS = ("bandits", "clickmodels", "interleave", "letor_data", "experiments/matrix", "rankduel/base")
_PACKAGES = [_ROOT / name for name in _FOLDERS]
_SOURCES = [path for package in _PACKAGES for path in sorted(package.rglob("*.py"))]

Functions = tuple[tuple[str, Callable[..., Any]], ...]


def record(values: NamedTuple) -> np.recarray:
    """Return an aligned record of whole numbers, (1,), with the fields of a NamedTuple.

    `now = records[0]` is a view, compiled or not: `now.field += 1` writes into the record. Names that NumPy's
    records have already are refused, since plain Python would read NumPy's.
    """
    taken = [name for name in values._fields if hasattr(np.record, name)]
    if taken:
        raise ValueError(
            f"a record of NumPy has a '{taken[0]}' of its own; choose another name for the field"
        )
    dtype = np.dtype([(name, np.int64) for name in values._fields], align=True)
    return np.array([tuple(values)], dtype).view(np.recarray)


def named_apart(name: str) -> Any:
    """Decorate a kernel that is made several times, below its compiling decorator, with a name of its own."""

    def rename(function: Any) -> Any:
        function.__qualname__ = f"{function.__qualname__}.{name}"
        return function

    return rename


def bound_kernel(template: Any, name: str, **functions: Callable[..., Any]) -> Compiled:
    """Return a kernel for use inside loops: `template` calling these functions by their names in it."""
    copy = types.FunctionType(template.__code__, template.__globals__ | functions, template.__name__)
    copy.__qualname__ = f"{template.__name__}.{name}"
    return kernel(copy)


def bound_loop(template: Any, name: str, part: str = "", **functions: Callable[..., Any]) -> Compiled:
    """Return an outermost function: `template` calling these functions, without the GIL.

    `name` and `part` tell apart what is made of one template; a notice is about `name`.

    The machine code is kept on disk if all functions are of this project. If Numba cannot compile one of
    them, the loop runs as plain Python and a `PolicyNotice` is issued.
    """
    return _bound_loop(template, name, part, tuple(functions.items()))


@functools.cache
def _bound_loop(template: Any, name: str, part: str, functions: Functions) -> Compiled:
    if not all(hasattr(function, "py_func") for _, function in functions):
        _notice(name, "its functions are not decorated with @numba.njit")
        return _plain(template, functions)
    scope = template.__globals__ | dict(functions)
    if all(_is_ours(function) for _, function in functions):
        return _kept_on_disk(template, f"{template.__name__}_{name}_{part}", scope)
    loop = types.FunctionType(template.__code__, scope)
    return _compiled_or_plain(njit(nogil=True)(loop), _plain(template, functions), name)


def is_on_disk(loop: Any) -> bool:
    """Return whether there is machine code on disk for this loop."""
    return hasattr(loop, "stats") and any(Path(loop.stats.cache_path).glob(f"*{loop.__qualname__}-*.nbi"))


def _kept_on_disk(template: Any, name: str, scope: Mapping[str, Any]) -> Any:
    copy = types.FunctionType(template.__code__, {key: _inner(value) for key, value in scope.items()})
    return njit(nogil=True, cache=True)(named_by_digest(copy, name))


def named_by_digest(function: Any, name: str) -> Any:
    """Rename a function, with a digest of our sources; Numba files what it keeps under the qualified name."""
    unique = re.sub(r"\W", "_", f"{name}_{_digest()}")
    function.__code__ = function.__code__.replace(co_name=unique)
    function.__name__ = function.__qualname__ = unique
    return function


def _is_ours(function: Any) -> bool:
    """Return whether an edit of the function changes the digest."""
    source = Path(function.py_func.__code__.co_filename)
    return any(package in source.parents for package in _PACKAGES)


def _inner(value: Any) -> Any:
    return inner(value) if is_jitted(value) else value


@functools.cache
def inner(function: Any) -> Compiled:
    """Return a copy of a kernel, and of the kernels it calls by name, that only compiled code can call."""
    python, options = function.py_func, function.targetoptions
    if python.__closure__ or "inline" in options:
        return function
    globals = python.__globals__
    called = {name: globals[name] for name in python.__code__.co_names if is_jitted(globals.get(name))}
    scope = globals | {name: inner(kernel) for name, kernel in called.items()}
    copy = types.FunctionType(python.__code__, scope, python.__name__, python.__defaults__)
    copy.__qualname__ = python.__qualname__  # two copies of one template differ only in it
    options = {name: value for name, value in options.items() if name != "nopython"}
    return _compile(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True)(copy)


@functools.cache
def _digest() -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()[:12]


def _compiled_or_plain(compiled: Callable[..., Any], plain: Callable[..., Any], name: str) -> Compiled:
    """Return `compiled`, until Numba refuses to compile it, and `plain` from then on."""
    usable = [compiled, plain]

    def call(*arguments: Any) -> Any:
        try:
            return usable[0](*arguments)
        except NumbaError as problem:
            reasons = [
                line for line in str(problem).splitlines() if line and not line.startswith("Failed in")
            ]
            _notice(name, f"Numba could not compile it ({reasons[0] if reasons else problem})")
            usable[0] = plain
            return plain(*arguments)

    return call


def _plain(template: Any, functions: Functions) -> Compiled:
    uncompiled = {key: getattr(function, "py_func", function) for key, function in functions}
    return types.FunctionType(template.__code__, template.__globals__ | uncompiled)


def _notice(name: str, reason: str) -> None:
    warnings.warn(f"{name}: {reason}, so it runs as plain Python, slowly", PolicyNotice, stacklevel=2)
