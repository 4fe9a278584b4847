"""The loop that plays duels of a policy and records counts at checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.bandits.agenda import is_over, n_agendas, times_within
from rankduel.bandits.contract import Policy
from rankduel.bandits.feedback import (
    AT_ONCE,
    Feedback,
    PendingOutcomes,
    check_feedback,
    make_deliver,
    no_pending_outcomes,
)
from rankduel.bandits.plain import compiled_errors, compiled_loop, first_state
from rankduel.bandits.trace import Counts, Trace, copy_counts, count_duels, empty_counts, empty_trace
from rankduel.base.compiling import (
    Call,
    entry,
    kernel,
    labelled,
    loop,
    may_allocate,
    record,
)
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured, kernel_params


class Duel(NamedTuple):
    """Source of duels; all that the loop uses of it."""

    play: Callable  # env, first, second, users -> True if `first` wins, or TIED
    env: Any
    measure: Callable | None = None  # env, out: write further totals up to this step, such as NDCG
    n_measured: int = 0  # number of these totals
    many: Callable | None = None  # env, first, second, n, users -> number of n duels that `first` wins


class Progress(NamedTuple):
    """Fields of Room.progress: the step being played, and the result of the policy if it is illegal.

    Other threads may read the step while the loop runs. It is not updated while steps are being skipped.
    """

    step: int = 0
    first: int = 0
    second: int = 0
    illegal: bool = False  # (first, second), returned by select, is not a pair of arms
    illegal_answer: bool = False  # first, returned by recommend, is not an arm


class Room(NamedTuple):
    """Arguments of `play` besides those of the policy and the duel."""

    counts: Counts
    pending: PendingOutcomes
    chosen: np.ndarray  # (arms,) bool: workspace for the arms of an answer
    progress: np.recarray  # (1,), fields of Progress
    fast_forward: bool  # whether steps may be skipped


def make_play(policy: Policy, duel: Duel, *, late: bool, plain: bool) -> Callable[..., Any]:
    """Return the loop of a policy and a duel.

    `late`: outcomes may reach the policy later than at once. `plain`: the loop is not compiled.
    """
    as_kernel, as_loop = (_uncompiled, _uncompiled) if plain else _decorators(policy, duel)
    select, idle, play_duel = policy.select, policy.idle or never_idle, duel.play
    deliver = make_deliver(policy.update, late, as_kernel)
    play_ahead = make_play_ahead(policy, duel, as_kernel)
    write_checkpoint = make_write_checkpoint(policy, duel, as_kernel)

    @as_loop
    def play(state, params, env, room, trace, rng, users):
        """Fill `trace`. Arm a of the policy is arm labels[a] of the duel and of the trace."""
        counts, labels, progress, t = room.counts, room.counts.labels, room.progress[0], 0
        for row in range(len(trace.steps)):
            checkpoint = trace.steps[row]
            while t < checkpoint:
                if room.fast_forward:
                    t += idle(state, params, checkpoint - t, counts.selves, rng)
                    t += play_ahead(state, params, env, counts, checkpoint - t, rng, users)
                    if t >= checkpoint:
                        break
                t += 1
                progress.step = t
                first, second = select(state, params, rng)
                if not is_pair_of_arms(first, second, len(labels)):
                    progress.first, progress.second, progress.illegal = first, second, True
                    return
                outcome = 1  # without meaning for an arm against itself
                if first == second:
                    counts.selves[first] += 1
                else:
                    count_duels(counts, first, second, 1)
                    outcome = int(play_duel(env, labels[first], labels[second], users))
                deliver(state, params, room.pending, first, second, outcome)
            progress.step = t
            write_checkpoint(state, params, env, room, trace, row)
            if progress.illegal_answer:
                return

    return play if plain else labelled(play, policy.name)


@kernel
def is_pair_of_arms(first, second, n_arms):
    return 0 <= first < n_arms and 0 <= second < n_arms


def make_play_ahead(policy: Policy, duel: Duel, as_kernel: Any) -> Callable[..., Any]:
    """Return a kernel that plays many steps of the policy's agenda at once.

    It plays no steps if the policy has no agenda, or if the duel has no function `many`.
    """
    plan, learn, many = policy.plan, policy.learn, duel.many
    if plan is None or learn is None or many is None:
        return play_nothing_ahead

    @as_kernel
    def play_ahead(state, params, env, counts, limit, rng, users):
        """Play up to `limit` steps of the agenda, with one draw per pair; return the number of steps."""
        agenda, labels = state.agenda, counts.labels
        if limit > 0 and is_over(agenda):
            plan(state, params, rng)
        now = agenda.now[0]
        n = min(limit, now.n_pairs * now.times - now.played)
        for index in range(now.n_pairs if n > 0 else 0):
            times = times_within(agenda, index, n)
            first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
            if first == second:
                counts.selves[first] += times
            elif times > 0:
                count_duels(counts, first, second, times)
                agenda.wins[index] += many(env, labels[first], labels[second], times, users)
        now.played += n
        if n > 0 and is_over(agenda):
            learn(state, params)
        return n

    return play_ahead


def make_write_checkpoint(policy: Policy, duel: Duel, as_kernel: Any) -> Callable[..., Any]:
    """Return a kernel that writes the counts and the answer of one checkpoint to a row of the trace."""
    recommend, survivors = policy.recommend or no_answer, policy.survivors or no_answer
    finished, answers = policy.finished or never_finished, policy.answers or mark_no_answers
    rounds = n_agendas if policy.plan else no_answer
    measure = duel.measure or no_measure

    @as_kernel
    def write_checkpoint(state, params, env, room, trace, row):
        answer = recommend(state, params)
        if not -1 <= answer < len(room.chosen):
            progress = room.progress[0]
            progress.first, progress.illegal_answer = answer, True
            answer = -1
        answers(state, params, room.chosen)
        trace.survivors[row] = survivors(state, params)
        trace.finished[row] = finished(state, params)
        trace.rounds[row] = rounds(state, params)
        copy_counts(room.counts, answer, room.chosen, trace, row)
        measure(env, trace.measured[row])

    return write_checkpoint


def _decorators(policy: Policy, duel: Duel) -> tuple[Any, Any]:
    """Return the decorators of the kernels and of the loop, by whether the policy or the duel allocates."""
    allocates = may_allocate((*policy.functions, duel.play, duel.many, duel.measure))
    return (entry, entry) if allocates else (kernel, loop)


def _uncompiled(function: Any) -> Any:
    return function


@kernel
def play_nothing_ahead(state, params, env, counts, limit, rng, users):
    return 0


@kernel
def never_idle(state, params, limit, self_duels, rng):
    return 0


@kernel
def no_answer(state, params):
    return -1


@kernel
def never_finished(state, params):
    return False


@kernel
def mark_no_answers(state, params, chosen):
    pass


@kernel
def no_measure(env, out):
    pass


_loops: dict[Any, Callable[..., Any]] = {}


def loop_of(policy: Policy, duel: Duel, feedback: Feedback = AT_ONCE) -> Callable[..., Any]:
    """Return the loop of a policy and a duel: compiled if the policy's functions are, else plain Python."""
    late = feedback != AT_ONCE
    key = (policy.name, *policy.functions, duel.play, duel.measure, duel.many, late)
    if key not in _loops:
        _loops[key] = compiled_loop(
            lambda policy, plain: make_play(policy, duel, late=late, plain=plain), policy
        )
    return _loops[key]


def run_loop(
    configured: Configured,
    duel: Duel,
    loss: np.ndarray,
    labels: np.ndarray,
    steps: np.ndarray,
    rng: np.random.Generator,
    users: np.random.Generator,
    *,
    fast_forward: bool = True,
    feedback: Feedback = AT_ONCE,
    progress: np.recarray | None = None,
) -> Trace:
    """Play one run of a policy, and return its trace.

    Parameters
    ----------
    configured : Configured
        The policy with its settings.
    duel : Duel
        Source of the duels.
    loss : (K,) array of float
        Loss of each arm, which decides the better arm of a pair in the counts.
    labels : (K,) array of int
        Arm a of the policy is arm labels[a] of `duel`, `loss` and the trace.
    steps : array of int
        Checkpoints, ascending; the last is the horizon.
    rng, users : numpy.random.Generator
        Generators of the policy and of the duels.
    fast_forward : bool, default True
        Whether idle steps are skipped. The distribution of the trace is the same without.
    feedback : Feedback, optional
        When outcomes reach the policy; at once by default.
    progress : (1,) record of Progress, optional
        Updated during the run, so that other threads can read the step.

    Returns
    -------
    Trace
        Counts and answers at each checkpoint.
    """
    check_feedback(configured, feedback)
    if len(labels) == 1:  # policies need at least two arms
        return _trace_of_one_arm(empty_trace(steps, 1, duel.n_measured))
    run = prepare_run(
        configured,
        duel,
        loss,
        labels,
        steps,
        rng,
        users,
        fast_forward=fast_forward,
        feedback=feedback,
        progress=progress,
    )
    _play(configured, run)
    if configured.thing.plan is None:
        run.trace.rounds[:] = run.trace.steps // feedback.every
    return run.trace


class Run(NamedTuple):
    """A run that has not been played: the call fills the trace."""

    call: Call
    room: Room
    trace: Trace


def prepare_run(
    configured: Configured,
    duel: Duel,
    loss: np.ndarray,
    labels: np.ndarray,
    steps: np.ndarray,
    rng: np.random.Generator,
    users: np.random.Generator,
    *,
    fast_forward: bool = True,
    feedback: Feedback = AT_ONCE,
    progress: np.recarray | None = None,
) -> Run:
    """Return a run of at least two arms with its loop, initial state and empty trace; see `run_loop`."""
    n_arms = len(labels)
    trace = empty_trace(steps, n_arms, duel.n_measured)
    policy, params = configured.thing, kernel_params(configured, int(trace.steps[-1]))
    room = Room(
        counts=empty_counts(labels, loss),
        pending=no_pending_outcomes(feedback),
        chosen=np.zeros(n_arms, np.bool_),
        progress=record(Progress()) if progress is None else progress,
        fast_forward=bool(fast_forward) and feedback == AT_ONCE,
    )
    state = first_state(configured, n_arms, params, rng)
    arguments = (state, params, duel.env, room, trace, rng, users)
    return Run(Call(loop_of(policy, duel, feedback), arguments), room, trace)


def _trace_of_one_arm(trace: Trace) -> Trace:
    trace.selves[:, 0] = trace.steps
    trace.survivors[:] = 1
    trace.answers[:] = trace.finished[:] = True
    return trace


def _play(configured: Configured, run: Run) -> None:
    """Play a run; if a result of the policy is illegal, raise an error that names policy, step and value."""
    progress = run.room.progress[0]
    with compiled_errors(configured, run.room.progress):
        run.call.function(*run.call.arguments)
    where, last = f"{configured}: step {progress.step}", len(run.room.chosen) - 1
    if progress.illegal:
        raise PolicyError(
            f"{where}: select returned ({progress.first}, {progress.second}); expected two arms from 0 to "
            f"{last}"
        )
    if progress.illegal_answer:
        raise PolicyError(
            f"{where}: recommend returned {progress.first}; expected an arm from 0 to {last}, or -1 for none"
        )
    n_played = run.trace.duels[-1].sum() // 2 + run.trace.selves[-1].sum()
    if n_played != run.trace.steps[-1]:
        raise PolicyError(
            f"{configured}: {n_played:,} steps were counted instead of {run.trace.steps[-1]:,}; "
            "expected idle to return at most `limit`, and to add as many to self_duels"
        )
