"""Policies that run as plain Python: what they do wrong is said with the policy, the step and the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bandits.contract import OPTIONAL, Policy
from rankduel.base.compiling import compiled_or_plain, is_compiled, labelled, notice_plain, python_version
from rankduel.base.errors import PolicyError


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


def compiled_loop(make: Callable[[Policy, bool], Callable[..., Any]], policy: Policy) -> Callable[..., Any]:
    """Return the loop make(policy, plain): compiled if the functions of the policy are, else plain Python.

    If Numba cannot compile the policy of a user, the loop runs as plain Python with a `PolicyNotice`.
    """

    def plain(*arguments: Any) -> Any:
        return make(as_plain(policy), True)(*arguments)  # made anew: it counts the steps of one run

    if is_plain(policy):
        notice_plain(policy.name, "its functions are not decorated with @numba.njit")
        return plain
    compiled = make(policy, False)
    return compiled if policy.is_built_in else compiled_or_plain(compiled, plain, policy.name)


def stepping(policy: Policy) -> Policy:
    """Return a policy whose functions are called one by one: compiled if they can be, else plain Python."""
    if is_plain(policy):
        return as_plain(policy)
    for name in ("select", "update"):
        labelled(getattr(policy, name), f"{policy.name}.{name}")
    if policy.is_built_in:
        return policy
    plain = as_plain(policy)
    functions: dict[str, Any] = {
        name: compiled_or_plain(getattr(policy, name), getattr(plain, name), policy.name)
        for name in ("select", "update")
    }
    return policy._replace(**functions)


class _Steps:
    """Counts the steps of one run."""

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
                raise PolicyError(
                    f"{self._where(name)} raised {type(problem).__name__}: {problem}{_line(problem)}"
                ) from problem
            if name == "select" and not self._policy.sets:
                self._check_pair(result)
            elif name == "idle":
                self._check_skipped(result, arguments[2])
                self._step += int(result)
            return result

        return call

    def _check_pair(self, pair: Any) -> None:
        """Check the types; whether they are arms is checked by the loop."""
        try:
            first, second = pair
            whole = first == int(first) and second == int(second)
        except (TypeError, ValueError, OverflowError):
            whole = False
        if not whole:
            raise PolicyError(f"{self._where('select')} returned {pair!r}; expected two arms")

    def _check_skipped(self, n: Any, limit: int) -> None:
        if not isinstance(n, int) and not hasattr(n, "__index__") or not 0 <= n <= limit:
            raise PolicyError(f"{self._where('idle')} returned {n}; expected a number from 0 to {limit}")

    def _where(self, name: str) -> str:
        return f"{self._policy.name}: step {self._step}: {name}"


def _line(problem: Exception) -> str:
    """Return the line of the error in the file where it was raised."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_frame.f_code.co_filename == __file__:
        return ""
    return f" ({trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno})"
