"""Compute a digest of everything that the machine code of a function depends on.

These are bytecode, constants, defaults, closure cells and options of the function and of all functions that
it reaches through globals, closures and modules; the field names of the NamedTuples and the members of the
enums among them; and the types of the arguments. Files, line numbers, comments and docstrings do not count.
A value of a kind that is not known here is refused, so that no change is missed.
"""

from __future__ import annotations

import dis
import enum
import functools
import hashlib
import types as python_types
import weakref
from typing import Any

import numpy as np
from numba import types

LIBRARIES = {"builtins", "cmath", "math", "numba", "numpy", "operator"}  # identified by name and version


class NotCacheable(Exception):
    """A function reaches a value that has no digest, so it is compiled again in every process."""


def digest_of(*values: Any) -> str:
    """Return the digest of functions, types and constants, and of all they reach."""
    return hashlib.sha256(Reach().text(*values).encode()).hexdigest()[:32]


_digests: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()


def function_digest(python: Any) -> str:
    """Return `digest_of` a Python function, computed once."""
    if python not in _digests:
        _digests[python] = digest_of(python)
    return _digests[python]


class Reach:
    """Text of everything that compiled code may depend on; functions are numbered as they are found."""

    def __init__(self) -> None:
        self._found: dict[Any, int] = {}

    def text(self, *roots: Any) -> str:
        parts, n_done = [self.value(root) for root in roots], 0
        while n_done < len(self._found):  # the text of a function may find further functions
            parts.append(self.function(list(self._found)[n_done]))
            n_done += 1
        return "\n".join(parts)

    def value(self, value: Any, names: tuple[str, ...] = ()) -> str:
        """Return the text of a constant, function, class or type; of a module, that of attributes `names`."""
        kind = type(value).__name__
        if _is_of_library(value):
            return f"{kind} {value.__module__}.{value.__name__}"
        if isinstance(value, types.Type):
            return self.numba_type(value)
        if isinstance(value, type):
            return self.class_(value)
        if isinstance(value, python_types.FunctionType) or hasattr(value, "py_func"):
            return f"function {self._found.setdefault(value, len(self._found))}"
        if isinstance(value, python_types.ModuleType):
            return self.module(value, names)
        if isinstance(value, python_types.CodeType):
            return self.code(value)
        if isinstance(value, enum.Enum):
            return f"{self.class_(type(value))}.{value.name}"
        return self.constant(value)

    def constant(self, value: Any) -> str:
        kind = type(value).__name__
        if isinstance(value, tuple):
            return f"{self.value(type(value))} {[self.value(item) for item in value]}"
        if isinstance(value, frozenset):
            return f"{kind} {sorted(self.value(item) for item in value)}"
        if isinstance(value, (int, float, complex, str, bytes, type(None), type(...), np.dtype, np.ufunc)):
            return f"{kind} {value!r}"
        if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
            return f"{kind} {value.dtype!r} {value.shape} {value.tobytes()!r}"
        raise NotCacheable(f"a {kind}")

    def class_(self, value: type) -> str:
        members = [f"{one.name}={one.value!r}" for one in value] if issubclass(value, enum.Enum) else []
        return f"class {value.__module__}.{value.__qualname__} {getattr(value, '_fields', members)}"

    def function(self, function: Any) -> str:
        python = getattr(function, "py_func", function)
        options = getattr(function, "targetoptions", {})
        code, scope = python.__code__, python.__globals__
        names = tuple(name for one in _nested(code) for name in one.co_names)
        used = {name: scope[name] for name in _globals(code) if name in scope}
        used |= {name: cell.cell_contents for name, cell in zip(code.co_freevars, python.__closure__ or ())}
        defaults = (python.__defaults__, *sorted((python.__kwdefaults__ or {}).items()))
        parts = [str(python.__module__), python.__qualname__, repr(sorted(options.items()))]
        parts += [self.code(code, python.__doc__), self.value(defaults)]
        return "\n".join([*parts, *(f"{name}: {self.value(value, names)}" for name, value in used.items())])

    def code(self, code: Any, docstring: str | None = None) -> str:
        """Return the text of bytecode and its constants, without line numbers and docstring."""
        variables = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount)
        instructions = (code.co_code, getattr(code, "co_exceptiontable", b""), code.co_flags)
        constants = list(code.co_consts)
        if docstring is not None and constants and constants[0] == docstring:
            constants[0] = None
        return repr((variables, instructions, [self.value(constant) for constant in constants]))

    def module(self, module: Any, names: tuple[str, ...]) -> str:
        if module.__name__.partition(".")[0] in LIBRARIES:
            return f"module {module.__name__}"
        used = {name: vars(module)[name] for name in sorted(set(names)) if name in vars(module)}
        inside = [f"{name}: {self.value(one, tuple(set(names) - {name}))}" for name, one in used.items()]
        return f"module {module.__name__} {inside}"

    def numba_type(self, kind: Any) -> str:
        if isinstance(kind, types.Dispatcher):
            return self.value(kind.dispatcher)
        owner = getattr(kind, "instance_class", None)  # of NamedTuples and members of enums
        inside = [self.numba_type(one) for one in getattr(kind, "types", ())]
        return f"{kind} {self.class_(owner) if isinstance(owner, type) else ''} {inside}"


def _is_of_library(value: Any) -> bool:
    library = str(getattr(value, "__module__", "")).partition(".")[0]
    return library in LIBRARIES and hasattr(value, "__name__")


def _nested(code: Any) -> list[Any]:
    """Return a code object and those of the functions inside it."""
    return [code, *(deeper for one in code.co_consts if hasattr(one, "co_code") for deeper in _nested(one))]


@functools.cache
def _globals(code: Any) -> tuple[str, ...]:
    """Return the names of globals that a code object loads."""
    steps = [step for one in _nested(code) for step in dis.get_instructions(one)]
    return tuple(dict.fromkeys(step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")))
