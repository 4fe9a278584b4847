"""The loop: a policy, a duel, and counts at checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bandits.agenda import is_over, n_agendas, times_within
from bandits.contract import Policy
from bandits.feedback import AT_ONCE, Feedback, Mail, check_feedback, make_deliver, new_mail
from bandits.plain import compiled_errors, compiled_loop, first_state
from bandits.trace import Counts, Trace, copy_counts, count, empty_counts, empty_trace
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
    """Source of duels. The loop knows nothing else about them."""

    play: Callable  # env, first, second, users -> True if `first` wins, or TIED
    env: Any
    measure: Callable | None = None  # env, out: write what was counted besides, so far
    n_measured: int = 0
    many: Callable | None = None  # env, first, second, n, users -> in how many of n duels `first` wins


class Progress(NamedTuple):
    """Fields of Room.progress: the step being played, and the pair chosen if it is no pair of arms.

    Another thread may look at the step while the loop runs; skipped steps count from the next one on.
    """

    step: int = 0
    first: int = 0
    second: int = 0
    illegal: bool = False  # the pair
    illegal_answer: bool = False  # `first`, as recommended


class Room(NamedTuple):
    """What `play` needs besides the policy and the duel."""

    counts: Counts
    mail: Mail
    chosen: np.ndarray  # (arms,) bool: workspace for the arms of an answer
    progress: np.recarray  # (1,), fields of Progress
    fast_forward: bool  # whether steps may be skipped


def make_play(policy: Policy, duel: Duel, *, late: bool, plain: bool) -> Callable[..., Any]:
    """Return the loop of a policy and a duel; `late`: outcomes may reach the policy late."""
    as_kernel, as_loop = (_uncompiled, _uncompiled) if plain else _decorators(policy, duel)
    select, idle, play_duel = policy.select, policy.idle or never_idle, duel.play
    deliver = make_deliver(policy.update, late, as_kernel)
    play_ahead = make_play_ahead(policy, duel, as_kernel)
    write_checkpoint = make_write_checkpoint(policy, duel, as_kernel)

    @as_loop
    def play(state, params, env, room, trace, rng, users):
        """Fill `trace`. The policy's arm a is labels[a] to everything else."""
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
                outcome = 1  # of an arm against itself
                if first == second:
                    counts.selves[first] += 1
                else:
                    count(counts, first, second, 1)
                    outcome = int(play_duel(env, labels[first], labels[second], users))
                deliver(state, params, room.mail, first, second, outcome)
            progress.step = t
            write_checkpoint(state, params, env, room, trace, row)
            if progress.illegal_answer:
                return

    return play if plain else labelled(play, policy.name)


@kernel
def is_pair_of_arms(first, second, n_arms):
    return 0 <= first < n_arms and 0 <= second < n_arms


def make_play_ahead(policy: Policy, duel: Duel, as_kernel: Any) -> Callable[..., Any]:
    """Return a kernel that plays steps of the policy's agenda, if it has one and the duel can draw many."""
    plan, learn, many = policy.plan, policy.learn, duel.many
    if plan is None or learn is None or many is None:
        return nothing_ahead

    @as_kernel
    def play_ahead(state, params, env, counts, limit, rng, users):
        """Play up to `limit` steps of the agenda, those of each pair in one draw; return how many."""
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
                count(counts, first, second, times)
                agenda.wins[index] += many(env, labels[first], labels[second], times, users)
        now.played += n
        if n > 0 and is_over(agenda):
            learn(state, params)
        return n

    return play_ahead


def make_write_checkpoint(policy: Policy, duel: Duel, as_kernel: Any) -> Callable[..., Any]:
    """Return a kernel that writes one row of a trace."""
    recommend, survivors = policy.recommend or no_answer, policy.survivors or no_answer
    finished, answers = policy.finished or never_finished, policy.answers or no_more_answers
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
    """Return how kernels and the loop are compiled: methods that call Python and users' policies allocate."""
    allocates = may_allocate((*policy.functions, duel.play, duel.many, duel.measure))
    return (entry, entry) if allocates else (kernel, loop)


def _uncompiled(function: Any) -> Any:
    return function


@kernel
def nothing_ahead(state, params, env, counts, limit, rng, users):
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
def no_more_answers(state, params, chosen):
    pass


@kernel
def no_measure(env, out):
    pass


_loops: dict[Any, Callable[..., Any]] = {}


def loop_of(policy: Policy, duel: Duel, feedback: Feedback = AT_ONCE) -> Callable[..., Any]:
    """Return the loop of this policy and duel: compiled if the policy's functions are, else plain Python."""
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
    """Play one run of one policy; `fast_forward=False` never skips: the same distribution, slower.

    `progress` is a record of `Progress` that tells other threads how far the run is.
    """
    check_feedback(configured, feedback)
    if len(labels) == 1:  # nothing to choose, whatever the policy
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
    """A run that is ready to be played: the call fills the trace."""

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
    """Return a run of at least two arms with its loop, its first state and its empty trace."""
    n_arms = len(labels)
    trace = empty_trace(steps, n_arms, duel.n_measured)
    policy, params = configured.thing, kernel_params(configured, int(trace.steps[-1]))
    room = Room(
        counts=empty_counts(labels, loss),
        mail=new_mail(feedback),
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
    """Play a run; raise an error that names the policy, the step and the value if the policy is wrong."""
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
