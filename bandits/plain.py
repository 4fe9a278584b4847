"""Policies that run as plain Python, and errors that name the policy, the step and the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankduel.bandits.contract import OPTIONAL, Policy
from rankduel.bandits.own_lines import frames_below, frames_text
from rankduel.base.compiling import compiled_or_plain, is_compiled, labelled, notice_plain, python_version
from rankduel.base.errors import PolicyError, RankduelError
from rankduel.base.settings import Configured

_RETURN_INTEGERS = ("recommend", "survivors")


def is_plain(policy: Policy) -> bool:
    """Return whether a policy has functions that are not compiled."""
    return not all(is_compiled(function) for function in policy.functions)


def as_plain(policy: Policy) -> Policy:
    """Return a policy of plain Python functions, whose errors name the policy, the function and the step."""
    steps = _Steps(policy)
    functions: dict[str, Any] = {
        name: steps.checked(name, python_version(getattr(policy, name)))
        for name in ("select", "update", *OPTIONAL)
        if getattr(policy, name) is not None and name != "needs_horizon"
    }
    return policy._replace(**functions)


def uncompiled(configured: Configured) -> Configured:
    """Return the same policy with functions of plain Python, whose errors keep their own form."""
    policy = configured.thing
    functions = {
        name: python_version(getattr(policy, name))
        for name in ("init", "select", "update", *OPTIONAL)
        if getattr(policy, name) is not None
    }
    return configured._replace(thing=policy._replace(**functions))


def first_state(configured: Configured, n_arms: int, params: Any, rng: Any) -> Any:
    """Return the initial state of a policy; errors of a user's policy show the lines of the user's file."""
    policy = configured.thing
    if policy.is_built_in:
        try:
            return policy.init(n_arms, params, rng)
        except ArithmeticError as problem:
            raise too_extreme(configured, 1, problem) from problem
    python = python_version(policy.init)
    init = compiled_or_plain(policy.init, python, policy.name) if is_compiled(policy.init) else python
    try:
        return init(n_arms, params, rng)
    except RankduelError:
        raise
    except Exception as problem:
        problem = _raised_by(python, n_arms, params, rng) or problem  # compiled code has no traceback
        raise _own_error(policy, f"{policy.name}: init", problem) from problem


def _raised_by(function: Callable[..., Any], *arguments: Any) -> Exception | None:
    """Return the error that a call raises; None if it raises none."""
    try:
        function(*arguments)
    except Exception as problem:
        return problem
    return None


def _own_error(policy: Policy, where: str, problem: Exception) -> PolicyError:
    lines = frames_text(frames_below(problem, python_version(policy.init).__code__.co_filename))
    return PolicyError(f"{where} raised {type(problem).__name__}: {problem}{lines}")


class CompiledPolicyError(PolicyError):
    """An error raised by compiled code of a user's policy, whose traceback has no lines."""

    def __init__(self, message: str, step: int = 0) -> None:
        super().__init__(message)
        self.step = step


def too_extreme(configured: Configured, step: int, problem: ArithmeticError) -> PolicyError:
    """Return the error for settings with which a policy divides by zero or overflows."""
    return PolicyError(f"{configured}: step {step}: {problem}; expected less extreme settings")


@contextmanager
def compiled_errors(configured: Configured, progress: np.recarray) -> Iterator[None]:
    """Turn an error of a policy into one that names the policy and the step in `progress`.

    For built-in policies only arithmetic errors are turned, which extreme settings cause. Any other error of
    a built-in policy is a bug, and keeps its traceback.
    """
    try:
        yield
    except RankduelError:
        raise
    except Exception as problem:
        step = int(progress[0].step)
        if configured.thing.is_built_in and isinstance(problem, ArithmeticError):
            raise too_extreme(configured, step, problem) from problem
        if configured.thing.is_built_in:
            raise
        raise CompiledPolicyError(
            f"{configured}: step {step}: {type(problem).__name__}: {problem}", step
        ) from problem


def compiled_loop(make: Callable[[Policy, bool], Callable[..., Any]], policy: Policy) -> Callable[..., Any]:
    """Return the loop make(policy, plain): compiled if the functions of the policy are, else plain Python.

    If Numba cannot compile the policy of a user, the loop runs as plain Python with a `PolicyNotice`.
    """

    def plain(*arguments: Any) -> Any:
        return make(as_plain(policy), True)(*arguments)  # made for each run, because it counts its steps

    if is_plain(policy):
        notice_plain(policy.name, "its functions are not decorated with @numba.njit")
        return plain
    compiled = make(policy, False)
    return compiled if policy.is_built_in else compiled_or_plain(compiled, plain, policy.name)


def stepping(policy: Policy) -> Policy:
    """Return a policy for calls from Python, step by step: compiled if possible, otherwise plain Python."""
    if is_plain(policy):
        return as_plain(policy)
    for name in ("select", "update"):
        labelled(getattr(policy, name), f"{policy.name}.{name}")
    if policy.is_built_in:
        return policy
    plain = as_plain(policy)
    functions: dict[str, Any] = {
        name: _naming_errors(
            policy, name, compiled_or_plain(getattr(policy, name), getattr(plain, name), policy.name)
        )
        for name in ("select", "update")
    }
    return policy._replace(**functions)


def _naming_errors(policy: Policy, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a compiled function of a user's policy with errors that name the policy and the function."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except RankduelError:
            raise
        except Exception as problem:
            raise _own_error(policy, f"{policy.name}: {name}", problem) from problem

    return call


class _Steps:
    """Count the steps of one run, and check the results of the policy's functions."""

    def __init__(self, policy: Policy) -> None:
        self._policy, self._step = policy, 0

    def checked(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            self._step += name == "select"
            try:
                result = function(*arguments)
            except PolicyError:
                raise
            except Exception as problem:
                raise _own_error(self._policy, self._where(name), problem) from problem
            if name == "select" and not self._policy.sets:
                self._check_pair(result)
            elif name in _RETURN_INTEGERS or (name == "select" and self._policy.sets):
                self._check_integer(name, result)
            elif name == "idle":
                self._check_skipped(result, arguments[2])
                self._step += int(result)
            return result

        return call

    def _check_pair(self, pair: Any) -> None:
        """Raise an error unless `pair` is two integers; the loop checks that they are arms."""
        try:
            first, second = pair
            whole = first == int(first) and second == int(second)
        except (TypeError, ValueError, OverflowError):
            whole = False
        if not whole:
            raise PolicyError(f"{self._where('select')} returned {pair!r}; expected two arms")

    def _check_integer(self, name: str, result: Any) -> None:
        if not hasattr(result, "__index__"):
            raise PolicyError(f"{self._where(name)} returned {result!r}; expected a whole number")

    def _check_skipped(self, n: Any, limit: int) -> None:
        if not isinstance(n, int) and not hasattr(n, "__index__") or not 0 <= n <= limit:
            raise PolicyError(f"{self._where('idle')} returned {n}; expected a number from 0 to {limit}")

    def _where(self, name: str) -> str:
        return f"{self._policy.name}: step {self._step}: {name}"
