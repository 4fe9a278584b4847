"""When a policy learns the outcomes of its duels: at once, or late.

Late feedback arrives after every so many steps only, or some steps after the duel. Until then the policy
chooses by the outcomes that have arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import record
from rankduel.base.errors import PolicyError
from rankduel.base.settings import Configured

LATEST = 10**7  # steps that an outcome waits: all that wait are kept in memory
TIED = 2  # a duel may return this for True or False: the step counts, and the policy learns nothing from it


class Feedback(NamedTuple):
    """Outcomes arrive after every `every` steps, and each of them `delay` steps after its duel at least."""

    every: int = 1
    delay: int = 0


AT_ONCE = Feedback()


class MailNow(NamedTuple):
    every: int = 1
    delay: int = 0
    oldest: int = 0  # place of the oldest outcome that waits
    n_waiting: int = 0
    until_next: int = 1  # steps until outcomes arrive


class Mail(NamedTuple):
    """Outcomes that wait to be delivered, in a ring."""

    now: np.recarray  # (1,), fields of MailNow
    waiting: np.ndarray  # (every + delay, 3) int64: first, second, outcome


def new_mail(feedback: Feedback) -> Mail:
    every, delay = feedback
    now = MailNow(every=int(every), delay=int(delay), until_next=int(every))
    return Mail(record(now), np.zeros((every + delay, 3), np.int64))


def make_deliver(update: Callable[..., Any], late: bool, as_kernel: Any) -> Callable[..., Any]:
    """Return a kernel that gives the policy the outcome of a step, or the outcomes that arrive with it."""

    @as_kernel
    def deliver_at_once(state, params, mail, first, second, outcome):
        if outcome != TIED:
            update(state, params, first, second, outcome == 1)

    @as_kernel
    def deliver_late(state, params, mail, first, second, outcome):
        now, waiting = mail.now[0], mail.waiting
        newest = now.oldest + now.n_waiting
        newest -= len(waiting) if newest >= len(waiting) else 0
        waiting[newest, 0], waiting[newest, 1], waiting[newest, 2] = first, second, outcome
        now.n_waiting += 1
        now.until_next -= 1
        if now.until_next > 0:
            return
        now.until_next = now.every
        while now.n_waiting > now.delay:
            oldest = now.oldest
            now.oldest = oldest + 1 if oldest + 1 < len(waiting) else 0
            now.n_waiting -= 1
            if waiting[oldest, 2] != TIED:
                update(state, params, waiting[oldest, 0], waiting[oldest, 1], waiting[oldest, 2] == 1)

    return deliver_late if late else deliver_at_once


def check_feedback(configured: Configured, feedback: Feedback) -> None:
    """Raise an error if the policy cannot be given outcomes that late, or compares no duels at all."""
    every, delay = feedback
    if configured.thing.sets:
        raise PolicyError(f"{configured} compares whole sets of arms; this takes policies for duels only")
    if not (1 <= every <= LATEST and 0 <= delay <= LATEST):
        raise PolicyError(
            f"feedback every {every} steps after {delay}; expected from 1 and from 0, to {LATEST:,} at most"
        )
    if feedback != AT_ONCE and not configured.thing.late_feedback:
        raise PolicyError(
            f"{configured} has to hear of every duel before it chooses the next; late feedback is for "
            "policies whose choice needs counts only: 'rankduel policies' marks them"
        )
