"""Identify the code of a computed part, so that values of an earlier version of the code are not used again.

The digest covers the function of the part, and the functions, classes and constants of
`rankduel.experiments.studies` that it reaches, by bytecode. So comments, docstrings, claims and figures do
not count, not even in the same file, and an edit to a helper in another file of the studies does. Bytecode is
that of the code that computes: if a file is edited during a long run, the values are still those of the code
before the edit. A text that names a policy, such as 'scb(alpha=0.51)', counts with all the code of the
policy.

Functions of other packages count by their names only. They are shared by all studies, and would make every
value depend on nearly every file; a change that alters their numbers increases NUMBERS of
experiments/runs/study_file.py, which is part of the digest. Another version of Python has other bytecode, and
computes the values again.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from collections.abc import Callable, Mapping, Set
from types import FunctionType, ModuleType
from typing import Any

from rankduel.bandits.catalogue import POLICIES
from rankduel.base.reached import NotCacheable, Reach, digest_of
from rankduel.experiments.runs.study_file import NUMBERS

_PACKAGE = __name__.rpartition(".")[0]
_POLICY = re.compile(r"([a-z][a-z0-9_]*)(\(.*)?", re.DOTALL)


def code_version(make: Callable[..., Any], package: str = _PACKAGE) -> str:
    """Return a digest of `make` and of all it reaches in `package`."""
    text = _StudyCode(package).text(make)
    return hashlib.sha256(f"{NUMBERS}\n{text}".encode()).hexdigest()[:16]


class _StudyCode(Reach):
    """The text of everything that a function reaches in one package."""

    def __init__(self, package: str) -> None:
        super().__init__()
        self._package = package

    def value(self, value: Any, names: tuple[str, ...] = ()) -> str:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        if isinstance(value, str):
            return f"{value!r} {_policy_code(value)}"
        if isinstance(value, functools.partial):
            return f"partial {self.value((value.func, value.args, value.keywords))}"
        if isinstance(value, Mapping):
            return f"{kind} {[(self.value(key), self.value(one)) for key, one in value.items()]}"
        if isinstance(value, (list, Set)):
            items = [self.value(one) for one in value]
            return f"{kind} {items if isinstance(value, list) else sorted(items)}"
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
            return f"{kind} {self.value(fields)}"
        if self._is_of_other_package(value):
            return f"{kind} {getattr(value, '__module__', '')}.{value.__name__}"
        try:
            return super().value(value, names)
        except NotCacheable:  # such as a path or a file; it counts by its type
            return kind

    def _is_of_other_package(self, value: Any) -> bool:
        if not (isinstance(value, (FunctionType, ModuleType, type)) or hasattr(value, "py_func")):
            return False
        home = value.__name__ if isinstance(value, ModuleType) else str(value.__module__)
        return not f"{home}.".startswith(f"{self._package}.")

    def class_(self, value: type) -> str:
        """Return the text of a class with its methods."""
        members = [getattr(one, "fget", one) for one in vars(value).values()]
        methods = [one for one in members if isinstance(one, FunctionType)]
        return f"{super().class_(value)} {[self.value(one) for one in methods]}"


@functools.cache
def _policy_code(text: str) -> str:
    """Return a digest of the code of a policy, if `text` names one of this package; otherwise ''."""
    found = _POLICY.fullmatch(text)
    if found is None or found[1] not in POLICIES:
        return ""
    try:
        return digest_of(*POLICIES[found[1]].functions)
    except NotCacheable:
        return ""
