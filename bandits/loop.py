"""The one loop: a policy, a duel, counts at checkpoints.

A policy may be made to hear of outcomes late: after every so many steps only, or some steps after the duel.
Meanwhile it chooses by what it has heard.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bandits.agenda import N_PAIRS, PLAYED, TIMES, is_over, times_within
from bandits.agenda import rounds as agenda_rounds
from bandits.contract import Policy
from bandits.trace import Counts, Trace, count, empty_counts, empty_trace
from rankduel.base.compiling import bound_kernel, bound_loop, kernel
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured, kernel_params

TIED = 2  # a duel may return this for True or False: the step counts, and the policy hears nothing of it
ONE = np.int64(1)  # a literal 1 is a type of its own, for which Numba would compile again

# What `play` calls; `_bind` puts the functions of a policy and a duel in their place.
select: Callable = NotImplemented
update: Callable = NotImplemented
recommend: Callable = NotImplemented
survivors: Callable = NotImplemented
idle: Callable = NotImplemented
answers: Callable = NotImplemented
finished: Callable = NotImplemented
rounds: Callable = NotImplemented
duel: Callable = NotImplemented
measure: Callable = NotImplemented
play_ahead: Callable = NotImplemented
# And what `play_agenda` calls.
plan: Callable = NotImplemented
learn: Callable = NotImplemented
many: Callable = NotImplemented


class Duel(NamedTuple):
    """Where duels come from. The loop knows nothing else about them."""

    play: Callable  # env, first, second, users -> True when `first` wins, or TIED
    env: Any
    measure: Callable | None = None  # env, out: write what was counted besides, so far
    n_measured: int = 0
    many: Callable | None = None  # env, first, second, n, users -> in how many of n duels `first` wins


class Feedback(NamedTuple):
    """When a policy hears of outcomes: after every so many steps, of duels so many steps ago."""

    every: int = 1
    delay: int = 0


AT_ONCE = Feedback()


class Post(NamedTuple):
    """Outcomes on their way to the policy, oldest first; a ring."""

    when: np.ndarray  # (2,) int64: `every` and `delay` of Feedback
    waiting: np.ndarray  # (room, 3) int64: first, second, outcome


class Room(NamedTuple):
    """What `play` needs besides the policy and the duel: what it counts, who waits, and how it goes on."""

    counts: Counts
    post: Post
    chosen: np.ndarray  # (arms,) bool: room for the arms of an answer
    fast_forward: bool  # may steps be skipped whose course is known?


def play(state, params, env, room, trace, rng, users):
    """Fill `trace`. The policy's arm a is labels[a] to everybody else."""
    counts, post, chosen, fast_forward = room
    labels = counts.labels
    every, delay, waiting = post.when[0], post.when[1], post.waiting
    t, oldest, n_waiting, until_next = 0, 0, 0, every
    for row in range(len(trace.steps)):
        while t < trace.steps[row]:
            if fast_forward:
                t += idle(state, params, trace.steps[row] - t, counts.selves, rng)
                t += play_ahead(state, params, env, counts, trace.steps[row] - t, rng, users)
                if t == trace.steps[row]:
                    break
            first, second = select(state, params, rng)
            t += 1
            won = 1  # of an arm against itself
            if first == second:
                counts.selves[first] += 1
            else:
                count(counts, first, second, ONE)
                won = int(duel(env, labels[first], labels[second], users))
            newest = oldest + n_waiting
            newest -= len(waiting) if newest >= len(waiting) else 0
            waiting[newest, 0], waiting[newest, 1], waiting[newest, 2] = first, second, won
            n_waiting += 1
            until_next -= 1
            if until_next > 0:
                continue
            until_next = every
            while n_waiting > delay:
                first, second, won = waiting[oldest, 0], waiting[oldest, 1], waiting[oldest, 2]
                oldest = oldest + 1 if oldest + 1 < len(waiting) else 0
                n_waiting -= 1
                if won != TIED:
                    update(state, first, second, won == 1)
        answer = recommend(state)
        trace.recommended[row] = labels[answer] if answer >= 0 else -1
        trace.survivors[row] = survivors(state)
        trace.finished[row] = finished(state)
        trace.rounds[row] = rounds(state)
        trace.most[row] = counts.most[0]
        answers(state, chosen)
        for arm in range(len(labels)):
            trace.duels[row, labels[arm]] = counts.duels[arm]
            trace.better[row, labels[arm]] = counts.better[arm]
            trace.selves[row, labels[arm]] = counts.selves[arm]
            trace.answers[row, labels[arm]] = chosen[arm] or arm == answer
            chosen[arm] = False
        measure(env, trace.measured[row])


def play_agenda(state, params, env, counts, limit, rng, users):
    """Up to `limit` steps of the policy's agenda, those of each pair in one draw; how many they were."""
    agenda, labels = state.agenda, counts.labels
    if limit > 0 and is_over(agenda):
        plan(state, params, rng)
    n = min(limit, agenda.now[N_PAIRS] * agenda.now[TIMES] - agenda.now[PLAYED])
    for index in range(agenda.now[N_PAIRS] if n > 0 else 0):
        times = times_within(agenda, index, n)
        first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
        if first == second:
            counts.selves[first] += times
        elif times > 0:
            count(counts, first, second, times)
            agenda.wins[index] += many(env, labels[first], labels[second], times, users)
    agenda.now[PLAYED] += n
    if n > 0 and is_over(agenda):
        learn(state)
    return n


@kernel
def nothing_ahead(state, params, env, counts, limit, rng, users):
    return 0


@kernel
def never_idle(state, params, limit, selves, rng):
    return 0


@kernel
def no_answer(state):
    return -1


@kernel
def never_finished(state):
    return False


@kernel
def no_more_answers(state, chosen):
    pass


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
    *,
    fast_forward: bool = True,
    feedback: Feedback = AT_ONCE,
) -> Trace:
    """One run of one policy. `fast_forward=False` never skips: the same law, slower, for checking."""
    check_feedback(configured, feedback)
    n_arms = len(labels)
    trace = empty_trace(steps, n_arms, duel.n_measured)
    if n_arms == 1:  # nothing to choose, whatever the policy
        trace.selves[:, 0], trace.survivors[:], trace.answers[:], trace.finished[:] = (
            trace.steps,
            1,
            True,
            True,
        )
        return trace
    policy, params = configured.thing, kernel_params(configured, int(trace.steps[-1]))
    loop = compiled(policy, duel)
    state = policy.init(n_arms, params, rng)
    room = Room(
        counts=empty_counts(labels, loss),
        post=Post(np.array(feedback, np.int64), np.zeros((sum(feedback), 3), np.int64)),
        chosen=np.zeros(n_arms, np.bool_),
        fast_forward=bool(fast_forward) and feedback == AT_ONCE,
    )
    loop(state, params, duel.env, room, trace, rng, users)
    if policy.plan is None:
        trace.rounds[:] = trace.steps // feedback.every
    return trace


def check_feedback(configured: Configured, feedback: Feedback) -> None:
    """An error if the policy cannot hear of outcomes that late, or not of duels at all."""
    every, delay = feedback
    if configured.thing.sets:
        raise PolicyError(f"{configured} compares whole sets of arms; this takes policies for duels only")
    if every < 1 or delay < 0:
        raise PolicyError(f"feedback every {every} steps after {delay}; expected from 1 and from 0")
    if feedback != AT_ONCE and not configured.thing.late:
        raise PolicyError(
            f"{configured} has to hear of every duel before it chooses the next; late feedback is for "
            "policies whose choice needs counts only: 'rankduel policies' marks them"
        )


def select_once(state, params, rng):
    return select(state, params, rng)


def update_once(state, first, second, first_won):
    update(state, first, second, first_won)


def compiled(policy: Policy, duel: Duel) -> Callable[..., Any]:
    """Return `play` with this policy and duel bound in: machine code kept on disk, or plain Python."""
    functions = {
        "select": policy.select,
        "update": policy.update,
        "recommend": policy.recommend or no_answer,
        "survivors": policy.survivors or no_answer,
        "idle": policy.idle or never_idle,
        "answers": policy.answers or no_more_answers,
        "finished": policy.finished or never_finished,
        "rounds": agenda_rounds if policy.plan else no_answer,
        "duel": duel.play,
        "measure": duel.measure or no_measure,
        "play_ahead": nothing_ahead,
    }
    if policy.plan and policy.learn and duel.many and hasattr(policy.plan, "py_func"):
        functions["play_ahead"] = _ahead(policy.plan, policy.learn, duel.many)
    return bound_loop(play, policy.name, duel.play.__name__, **functions)


@functools.cache
def _ahead(
    plan: Callable[..., Any], learn: Callable[..., Any], many: Callable[..., Any]
) -> Callable[..., Any]:
    """Return `play_agenda` of this policy and duel."""
    name = f"{plan.__module__}.{many.__name__}"
    return bound_kernel(play_agenda, name, plan=plan, learn=learn, many=many)


def compiled_step(policy: Policy) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the policy's select and update, likewise."""
    return (
        bound_loop(select_once, policy.name, select=policy.select),
        bound_loop(update_once, policy.name, update=policy.update),
    )
