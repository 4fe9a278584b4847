"""The loop for policies that choose sets of arms: one page per step, sums at checkpoints.

The regret of a step is the mean loss of the arms of the set, each counted as often as it is in the set. So
the trace holds, per arm, the sum over all steps of its share of the set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.bandits.contract import Policy
from rankduel.bandits.loop import no_answer, no_measure
from rankduel.bandits.plain import compiled_errors, compiled_loop, first_state
from rankduel.base.compiling import Call, entry, kernel, labelled, record
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured, kernel_params


class SetsTrace(NamedTuple):
    """Counts of one run at each checkpoint (rows); the columns are the arms as numbered by the caller."""

    steps: np.ndarray  # (checkpoints,) int64
    shares: np.ndarray  # (checkpoints, arms) float64: sum over the steps of the arm's share of the set
    compared: np.ndarray  # (checkpoints,) int64: sum of the sizes of all sets of two or more arms
    pages: np.ndarray  # (checkpoints,) int64: number of these sets
    alone: np.ndarray  # (checkpoints, arms) int64: steps in which the arm was alone
    recommended: np.ndarray  # (checkpoints,) int64
    measured: np.ndarray  # (checkpoints, n) float64: written by Pages.measure


class Pages(NamedTuple):
    """Source of comparisons of sets of arms."""

    compare: Callable  # env, arms, copies, n, won, users: fill won[:n, :n]; see rankduel.bandits.contract
    env: Any
    measure: Callable | None = None  # env, out: write further totals up to this step, such as NDCG
    n_measured: int = 0  # number of these totals


class SetsProgress(NamedTuple):
    """Fields of Room.progress: the step being played, and the result of the policy if it is illegal."""

    step: int = 0
    chosen: int = 0  # size of the set, or the recommended arm
    illegal: bool = False  # the set is not a set of arms
    illegal_answer: bool = False  # the recommended arm is not an arm


class Room(NamedTuple):
    labels: np.ndarray  # (arms,) int64: arm a of the policy is arm labels[a] of the caller
    arms: np.ndarray  # (arms,) int64: the set of a step, as numbered by the policy
    names: np.ndarray  # (arms,) int64: the same set, as numbered by the caller
    copies: np.ndarray  # (arms,) int64: how often each arm is in the set
    won: np.ndarray  # (arms, arms) int64: outcome of the step, by place in the set
    shares: np.ndarray  # (arms,) float64: sum of the arm's shares of sets of two or more arms
    alone: np.ndarray  # (arms,) int64: steps in which the arm was alone
    progress: np.recarray  # (1,), fields of SetsProgress


def make_play_sets(policy: Policy, pages: Pages, *, plain: bool) -> Callable[..., Any]:
    """Return the loop of a policy for sets and a source of pages."""
    select, update, recommend = policy.select, policy.update, policy.recommend or no_answer
    idle, compare, measure = policy.idle or never_idle, pages.compare, pages.measure or no_measure

    def play_sets(state, params, env, room, trace, fast_forward, rng, users):
        """Fill `trace`. Arm a of the policy is arm labels[a] of the pages and of the trace."""
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
    """Return whether the first `n` places hold arms, each with at least one copy."""
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
    """Draw every duel of the set independently, and write the wins to won[:n, :n]."""
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
    """Play one run of a policy for sets of arms, and return its trace.

    The parameters are those of `rankduel.bandits.loop.run_loop`, with pages in place of duels.
    """
    run = prepare_sets_run(configured, pages, labels, steps, rng, users, fast_forward=fast_forward)
    if len(labels) == 1:
        run.trace.shares[:, 0] = run.trace.alone[:, 0] = run.trace.steps
    else:
        _play(configured, run)
    return run.trace


def _play(configured: Configured, run: SetsRun) -> None:
    """Play a run; if a result of the policy is illegal, raise an error that names policy, step and value."""
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
    """A run that has not been played: the call fills the trace."""

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
    """Return a run with its loop, initial state and empty trace."""
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
    """Return the loop of a policy and a source of pages: compiled if the policy is, else plain Python."""
    if policy.recommend is None:
        raise PolicyError(f"{policy.name}: a policy for sets of arms needs a function `recommend`")
    key = (policy.name, *policy.functions, pages.compare, pages.measure)
    if key not in _loops:
        _loops[key] = compiled_loop(lambda policy, plain: make_play_sets(policy, pages, plain=plain), policy)
    return _loops[key]
