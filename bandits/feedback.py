"""When the outcomes of duels reach the policy: at once, in batches, or with a delay.

Until an outcome has reached the policy, it chooses by earlier outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import record
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured

_LARGEST = 10**7  # largest `every` and `delay`; all pending outcomes are stored in memory
TIED = 2  # returned by a duel instead of True or False: the step counts, but `update` is not called


class Feedback(NamedTuple):
    """Outcomes reach the policy after every `every` steps, each at least `delay` steps after its duel."""

    every: int = 1
    delay: int = 0


AT_ONCE = Feedback()


class PendingNow(NamedTuple):
    every: int = 1
    delay: int = 0
    oldest: int = 0  # row of the oldest pending outcome
    n_pending: int = 0
    until_next: int = 1  # steps until outcomes reach the policy


class PendingOutcomes(NamedTuple):
    """Ring buffer of the outcomes that have not reached the policy yet."""

    now: np.recarray  # (1,), fields of PendingNow
    duels: np.ndarray  # (every + delay, 3) int64: first, second, outcome


def no_pending_outcomes(feedback: Feedback) -> PendingOutcomes:
    every, delay = feedback
    now = PendingNow(every=int(every), delay=int(delay), until_next=int(every))
    return PendingOutcomes(record(now), np.zeros((every + delay, 3), np.int64))


def make_deliver(update: Callable[..., Any], late: bool, as_kernel: Any) -> Callable[..., Any]:
    """Return a kernel that passes the outcome of a step to `update`, or all outcomes that are due at it."""

    @as_kernel
    def deliver_at_once(state, params, pending, first, second, outcome):
        if outcome != TIED:
            update(state, params, first, second, outcome == 1)

    @as_kernel
    def deliver_late(state, params, pending, first, second, outcome):
        now, duels = pending.now[0], pending.duels
        newest = now.oldest + now.n_pending
        newest -= len(duels) if newest >= len(duels) else 0
        duels[newest, 0], duels[newest, 1], duels[newest, 2] = first, second, outcome
        now.n_pending += 1
        now.until_next -= 1
        if now.until_next > 0:
            return
        now.until_next = now.every
        while now.n_pending > now.delay:
            oldest = now.oldest
            now.oldest = oldest + 1 if oldest + 1 < len(duels) else 0
            now.n_pending -= 1
            if duels[oldest, 2] != TIED:
                update(state, params, duels[oldest, 0], duels[oldest, 1], duels[oldest, 2] == 1)

    return deliver_late if late else deliver_at_once


def check_feedback(configured: Configured, feedback: Feedback) -> None:
    """Raise an error if the policy does not choose duels, or needs its outcomes earlier than `feedback`."""
    every, delay = feedback
    if configured.thing.sets:
        raise PolicyError(f"{configured} compares whole sets of arms; this takes policies for duels only")
    if not (1 <= every <= _LARGEST and 0 <= delay <= _LARGEST):
        raise PolicyError(
            f"feedback every {every} steps with a delay of {delay}; expected every 1 to {_LARGEST:,} steps "
            f"with a delay of 0 to {_LARGEST:,}"
        )
    if feedback != AT_ONCE and not configured.thing.late_feedback:
        raise PolicyError(
            f"{configured} needs the outcome of every duel before it chooses the next pair; late feedback is "
            "for policies that choose by counts only, which 'rankduel policies' marks"
        )
