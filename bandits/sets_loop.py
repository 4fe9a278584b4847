"""The loop for sets of arms: a policy, a page for each step, sums at checkpoints.

The regret of a step is the mean loss of the set, copies counted, so what is kept per arm is the sum of its
shares of the sets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.loop import no_answer, no_measure
from bandits.plain import compiled_errors, compiled_loop, first_state
from rankduel.base.compiling import Call, entry, kernel, labelled, record
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured, kernel_params


class SetsTrace(NamedTuple):
    """What one run left at each checkpoint (rows); arms (columns) as the caller numbers them."""

    steps: np.ndarray  # (checkpoints,) int64
    shares: np.ndarray  # (checkpoints, arms) float64: sum over the steps of the arm's share of the set
    compared: np.ndarray  # (checkpoints,) int64: sum of the sizes of all sets of two and more
    pages: np.ndarray  # (checkpoints,) int64: how many those were
    alone: np.ndarray  # (checkpoints, arms) int64: steps in which the arm was alone
    recommended: np.ndarray  # (checkpoints,) int64
    measured: np.ndarray  # (checkpoints, n) float64: what the owner of the pages counts, if anything


class Pages(NamedTuple):
    """Where comparisons come from."""

    compare: Callable  # env, arms, copies, n, won, users: fill won[:n, :n]; see bandits.contract
    env: Any
    measure: Callable | None = None  # env, out: write what was counted besides, so far
    n_measured: int = 0


class SetsProgress(NamedTuple):
    """Fields of Room.progress: the step being played, and what the policy chose if that cannot be."""

    step: int = 0
    chosen: int = 0  # the size of the set, or the arm recommended
    illegal: bool = False  # the set
    illegal_answer: bool = False


class Room(NamedTuple):
    labels: np.ndarray  # (arms,) int64: how everybody else numbers the policy's arms
    arms: np.ndarray  # (arms,) int64: the set of a step
    names: np.ndarray  # (arms,) int64: the same as the caller numbers them
    copies: np.ndarray  # (arms,) int64
    won: np.ndarray  # (arms, arms) int64
    shares: np.ndarray  # (arms,) float64
    alone: np.ndarray  # (arms,) int64
    progress: np.recarray  # (1,), fields of SetsProgress


def make_play_sets(policy: Policy, pages: Pages, *, plain: bool) -> Callable[..., Any]:
    """Return the loop of a policy for sets and a source of pages."""
    select, update, recommend = policy.select, policy.update, policy.recommend or no_answer
    idle, compare, measure = policy.idle or never_idle, pages.compare, pages.measure or no_measure

    def play_sets(state, params, env, room, trace, fast_forward, rng, users):
        """Fill `trace`. The policy's arm a is labels[a] to everything else."""
        labels, arms, names, copies, won = room.labels, room.arms, room.names, room.copies, room.won
        progress, t, compared, n_pages = room.progress[0], 0, 0, 0
        for row in range(len(trace.steps)):
            while t < trace.steps[row]:
                if fast_forward:
                    t += idle(state, params, trace.steps[row] - t, room.alone, rng)
                    if t == trace.steps[row]:
                        break
                t += 1
                progress.step = t
                n = select(state, params, arms, copies, rng)
                if not is_set_of_arms(arms, copies, n, len(labels)):
                    progress.chosen, progress.illegal = n, True
                    return
                if n == 1:
                    room.alone[arms[0]] += 1
                    won[0, 0] = 0
                else:
                    total = 0
                    for place in range(n):
                        names[place] = labels[arms[place]]
                        total += copies[place]
                    for place in range(n):
                        room.shares[arms[place]] += copies[place] / total
                    compared += n
                    n_pages += 1
                    compare(env, names, copies, n, won, users)
                update(state, params, arms, n, won)
            for arm in range(len(labels)):
                trace.shares[row, labels[arm]] = room.shares[arm] + room.alone[arm]
                trace.alone[row, labels[arm]] = room.alone[arm]
            trace.compared[row], trace.pages[row] = compared, n_pages
            progress.step = t
            answer = recommend(state, params)
            if not 0 <= answer < len(labels):
                progress.chosen, progress.illegal_answer = answer, True
                return
            trace.recommended[row] = labels[answer]
            measure(env, trace.measured[row])

    return play_sets if plain else labelled(entry(play_sets), policy.name)


@kernel
def is_set_of_arms(arms, copies, n, n_arms):
    """True if the first `n` places hold arms, each at least once."""
    if not 1 <= n <= n_arms:
        return False
    for place in range(n):
        if not 0 <= arms[place] < n_arms or copies[place] < 1:
            return False
    return True


@kernel
def never_idle(state, params, limit, alone, rng):
    return 0


@kernel
def compare_by_matrix(prefs, names, copies, n, won, users):
    """Every duel of the set is a draw of its own."""
    for x in range(n):
        for y in range(x):
            n_duels, n_won = copies[x] * copies[y], 0
            for _ in range(n_duels):
                n_won += users.random() < prefs[names[x], names[y]]
            won[x, y], won[y, x] = n_won, n_duels - n_won


def pages_by_matrix(prefs: np.ndarray) -> Pages:
    return Pages(compare_by_matrix, prefs)


def run_sets(
    configured: Configured,
    pages: Pages,
    labels: np.ndarray,
    steps: np.ndarray,
    rng: np.random.Generator,
    users: np.random.Generator,
    *,
    fast_forward: bool = True,
) -> SetsTrace:
    """Play one run of one policy; `fast_forward=False` never skips."""
    run = prepare_sets_run(configured, pages, labels, steps, rng, users, fast_forward=fast_forward)
    if len(labels) == 1:
        run.trace.shares[:, 0] = run.trace.alone[:, 0] = run.trace.steps
    else:
        _play(configured, run)
    return run.trace


def _play(configured: Configured, run: SetsRun) -> None:
    """Play a run; raise an error that names the policy, the step and the value if the policy is wrong."""
    progress, n_arms = run.room.progress[0], len(run.room.labels)
    with compiled_errors(configured, run.room.progress):
        run.call.function(*run.call.arguments)
    where = f"{configured}: step {progress.step}"
    if progress.illegal:
        places = slice(0, min(max(progress.chosen, 0), n_arms))
        chosen = run.room.arms[places].tolist()
        copies = run.room.copies[places].tolist()
        raise PolicyError(
            f"{where}: select returned {progress.chosen} with arms {chosen} and copies {copies}; expected "
            f"1 to {n_arms} arms from 0 to {n_arms - 1}, each once or more"
        )
    if progress.illegal_answer:
        raise PolicyError(
            f"{where}: recommend returned {progress.chosen}; expected an arm from 0 to {n_arms - 1}"
        )


class SetsRun(NamedTuple):
    """A run that is ready to be played: the call fills the trace."""

    call: Call
    room: Room
    trace: SetsTrace


def prepare_sets_run(
    configured: Configured,
    pages: Pages,
    labels: np.ndarray,
    steps: np.ndarray,
    rng: np.random.Generator,
    users: np.random.Generator,
    *,
    fast_forward: bool = True,
) -> SetsRun:
    """Return a run with its loop, its first state and its empty trace."""
    n_arms = len(labels)
    trace = _empty_trace(np.ascontiguousarray(steps, np.int64), n_arms, pages.n_measured)
    policy: Any = configured.thing
    params = kernel_params(configured, int(trace.steps[-1]))
    arms, names, copies, alone = np.zeros((4, n_arms), np.int64)
    room = Room(
        labels=np.asarray(labels, np.int64),
        arms=arms,
        names=names,
        copies=copies,
        won=np.zeros((n_arms, n_arms), np.int64),
        shares=np.zeros(n_arms),
        alone=alone,
        progress=record(SetsProgress()),
    )
    state = first_state(configured, n_arms, params, rng) if n_arms > 1 else ()
    arguments = (state, params, pages.env, room, trace, bool(fast_forward), rng, users)
    return SetsRun(Call(sets_loop_of(policy, pages), arguments), room, trace)


def _empty_trace(steps: np.ndarray, n_arms: int, n_measured: int) -> SetsTrace:
    n = len(steps)
    return SetsTrace(
        steps=steps,
        shares=np.zeros((n, n_arms)),
        compared=np.zeros(n, np.int64),
        pages=np.zeros(n, np.int64),
        alone=np.zeros((n, n_arms), np.int64),
        recommended=np.zeros(n, np.int64),
        measured=np.zeros((n, n_measured)),
    )


_loops: dict[Any, Callable[..., Any]] = {}


def sets_loop_of(policy: Policy, pages: Pages) -> Callable[..., Any]:
    """Return the loop of this policy and source of pages: compiled if its functions are."""
    if policy.recommend is None:
        raise PolicyError(f"{policy.name}: a policy for sets of arms needs a function `recommend`")
    key = (policy.name, *policy.functions, pages.compare, pages.measure)
    if key not in _loops:
        _loops[key] = compiled_loop(lambda policy, plain: make_play_sets(policy, pages, plain=plain), policy)
    return _loops[key]
