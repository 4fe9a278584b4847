"""The one loop: a policy, a duel, counts at checkpoints.

Only whole numbers are counted, per arm: in how many real duels it stood, in how many of them it was the
better of the two, and how often it was chosen against itself. Every regret is a product of these counts with
a loss per arm (bandits/regret.py), exact at any horizon, and a skipped stretch is an addition.
"""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.core.errors import NumbaError

from bandits.kept import is_ours, keep
from bandits.policy import Configured, Policy, kernel, kernel_params

TIED = 2  # a duel may return this for True or False: the step counts, and the policy hears nothing of it

# What `play` calls; `_bind` puts the functions of a policy and a duel in their place.
select: Callable = NotImplemented
update: Callable = NotImplemented
recommend: Callable = NotImplemented
survivors: Callable = NotImplemented
idle: Callable = NotImplemented
duel: Callable = NotImplemented
measure: Callable = NotImplemented


class PolicyNotice(UserWarning):
    """Something about a policy that its owner may want to know."""


class Trace(NamedTuple):
    """What one run left at each checkpoint (rows); arms (columns) as the caller numbers them."""

    steps: np.ndarray  # (checkpoints,) int64
    duels: np.ndarray  # (checkpoints, arms) int64: real duels in which the arm stood
    better: np.ndarray  # (checkpoints, arms) int64: real duels in which it was the arm with the smaller loss
    selves: np.ndarray  # (checkpoints, arms) int64: steps in which it was chosen against itself
    recommended: np.ndarray  # (checkpoints,) int64: the answer at that time; -1 if the policy has none
    survivors: np.ndarray  # (checkpoints,) int64: arms not yet given up; -1 if the policy never gives up
    measured: np.ndarray  # (checkpoints, n) float64: what the duels' owner counts, if anything; see `Duel`


class Duel(NamedTuple):
    """Where duels come from. The loop knows nothing else about them."""

    play: Callable  # env, first, second, users -> True when `first` wins, or TIED
    env: Any
    measure: Callable | None = None  # env, out: write what was counted besides, so far
    n_measured: int = 0


def empty_trace(steps: np.ndarray, n_arms: int, n_measured: int = 0) -> Trace:
    steps = np.ascontiguousarray(steps, np.int64)
    duels, better, selves = np.zeros((3, len(steps), n_arms), np.int64)
    recommended, survivors = np.zeros((2, len(steps)), np.int64)
    measured = np.zeros((len(steps), n_measured))
    return Trace(steps, duels, better, selves, recommended, survivors, measured)


def play(state, params, env, labels, loss, counts, trace, fast_forward, rng, users):
    """Fill `trace`. The policy's arm a is labels[a] to everybody else; `counts` is room for three rows."""
    duels, better, selves = counts[0], counts[1], counts[2]
    t = 0
    for row in range(len(trace.steps)):
        while t < trace.steps[row]:
            if fast_forward:
                t += idle(state, params, trace.steps[row] - t, selves, rng)
                if t == trace.steps[row]:
                    break
            first, second = select(state, params, rng)
            t += 1
            if first == second:
                selves[first] += 1
                update(state, first, second, first == second)  # a literal True would be compiled apart
                continue
            left, right = labels[first], labels[second]
            duels[first] += 1
            duels[second] += 1
            better[first if loss[left] <= loss[right] else second] += 1
            won = duel(env, left, right, users)
            if won != TIED:
                update(state, first, second, won == 1)
        for arm in range(len(labels)):
            trace.duels[row, labels[arm]] = duels[arm]
            trace.better[row, labels[arm]] = better[arm]
            trace.selves[row, labels[arm]] = selves[arm]
        answer = recommend(state)
        trace.recommended[row] = labels[answer] if answer >= 0 else -1
        trace.survivors[row] = survivors(state)
        measure(env, trace.measured[row])


@kernel
def never_idle(state, params, limit, selves, rng):
    return 0


@kernel
def no_answer(state):
    return -1


@kernel
def no_measure(env, out):
    pass


def run_loop(
    configured: Configured,
    duel: Duel,
    loss: np.ndarray,
    labels: np.ndarray,
    steps: np.ndarray,
    rng: np.random.Generator,
    users: np.random.Generator,
    fast_forward: bool = True,
) -> Trace:
    """One run of one policy. `fast_forward=False` never skips: the same law, slower, for checking."""
    trace = empty_trace(steps, len(labels), duel.n_measured)
    if len(labels) == 1:  # nothing to choose, whatever the policy
        trace.selves[:, 0], trace.survivors[:] = trace.steps, 1
        return trace
    policy, params = configured.policy, kernel_params(configured, int(trace.steps[-1]))
    loop = compiled(policy, duel.play, duel.measure)
    state = policy.init(len(labels), params, rng)
    labels, loss = np.asarray(labels, np.int64), np.asarray(loss, np.float64)
    counts = np.zeros((3, len(labels)), np.int64)
    loop(state, params, duel.env, labels, loss, counts, trace, bool(fast_forward), rng, users)
    return trace


def select_once(state, params, rng):
    return select(state, params, rng)


def update_once(state, first, second, first_won):
    update(state, first, second, first_won)


def compiled(policy: Policy, duel: Callable, measure: Callable | None = None) -> Callable:
    """`play` with this policy and duel bound in: machine code kept on disk, or plain Python with a notice."""
    functions = {
        "select": policy.select,
        "update": policy.update,
        "recommend": policy.recommend or no_answer,
        "survivors": policy.survivors or no_answer,
        "idle": policy.idle or never_idle,
        "duel": duel,
        "measure": measure or no_measure,
    }
    return _bind(play, policy.name, tuple(functions.items()))


def is_kept(policy: Policy, duel: Duel) -> bool:
    """Is there machine code on disk for this policy and these duels?"""
    loop: Any = compiled(policy, duel.play, duel.measure)
    return hasattr(loop, "stats") and any(Path(loop.stats.cache_path).glob(f"*{loop.__qualname__}-*.nbi"))


def compiled_step(policy: Policy) -> tuple[Callable, Callable]:
    """The policy's select and update, likewise."""
    return (
        _bind(select_once, policy.name, (("select", policy.select),)),
        _bind(update_once, policy.name, (("update", policy.update),)),
    )


@functools.cache
def _bind(template: Any, name: str, functions: tuple[tuple[str, Callable], ...]) -> Callable:
    """A copy of a function of this file that calls these functions."""
    if not all(hasattr(function, "py_func") for _, function in functions):
        _notice(name, "its functions are not decorated with @numba.njit")
        return _plain(template, functions)
    duel_name = getattr(dict(functions).get("duel"), "__name__", "")
    unique = f"{template.__name__}_{name}_{duel_name}"
    if all(is_ours(function) for _, function in functions):
        return keep(template, unique, _scope(functions))
    loop = types.FunctionType(template.__code__, _scope(functions))
    return _compiled_or_plain(njit(nogil=True)(loop), _plain(template, functions), name)


def _compiled_or_plain(compiled: Callable, plain: Callable, name: str) -> Callable:
    """`compiled`, until Numba refuses to compile it."""
    usable = [compiled, plain]

    def call(*arguments):
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


def _plain(template: Any, functions: tuple[tuple[str, Callable], ...]) -> Callable:
    uncompiled = tuple((key, getattr(function, "py_func", function)) for key, function in functions)
    return types.FunctionType(template.__code__, _scope(uncompiled))


def _scope(functions: tuple[tuple[str, Callable], ...]) -> dict[str, Any]:
    return {"__name__": __name__, "__builtins__": __builtins__, "TIED": TIED, **dict(functions)}


def _notice(name: str, reason: str) -> None:
    warnings.warn(f"{name}: {reason}, so it runs as plain Python, slowly", PolicyNotice, stacklevel=2)
