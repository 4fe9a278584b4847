"""Passes of Soft-Seq-Elim: the anchor has a match with each arm of Q; even arms remain in Q.

Falahatgar, Jain, Orlitsky, Pichapati and Ravindrakumar, "The Limits of Maxing, Ranking, and Preference
Learning", ICML 2018, Algorithm 1; Opt-Max consists of such passes. The arms that remain in Q after their
match are moved to the front of the queue, so that arms need not be marked for removal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.matches.match import BETTER, EVEN
from rankduel.bandits.parts.picks import NO_ARM
from rankduel.base.compiling import kernel, record


class PassesNow(NamedTuple):
    anchor: int = NO_ARM  # r
    n_retained: int = 0  # arms that remain in Q after their match in this pass
    place: int = 0  # place of the challenger in `queue`
    end: int = 0  # place in `queue` after the last arm to come


class Passes(NamedTuple):
    now: np.recarray  # (1,), fields of PassesNow
    queue: np.ndarray  # (arms - 1,) int64, Q: retained arms; from `place` to `end` arms to come


def new_passes(order: np.ndarray) -> Passes:
    """Return the first pass of these arms, with the first of them as the anchor."""
    return Passes(record(PassesNow(anchor=int(order[0]), end=len(order) - 1)), order[1:].copy())


@kernel
def error_per_match(delta, n_arms):
    """Return the share of delta in each match, of which there are at most n_arms^2 / 2."""
    return 2.0 * delta / (n_arms * n_arms)


@kernel
def challenger_of(passes):
    return passes.queue[passes.now[0].place]


@kernel
def apply_verdict(passes, verdict):
    """Retain the challenger, remove it, or begin a pass with it as the anchor."""
    now, challenger = passes.now[0], challenger_of(passes)
    now.place += 1
    if verdict == EVEN:
        retain(passes, challenger)
    elif verdict == BETTER:
        now.anchor = challenger
        begin_pass(passes)


@kernel
def retain(passes, arm):
    now = passes.now[0]
    passes.queue[now.n_retained] = arm
    now.n_retained += 1


@kernel
def begin_pass(passes):
    """Queue the retained arms, and the arms without a match in this pass, for the next pass."""
    now = passes.now[0]
    for place in range(now.place, now.end):
        retain(passes, passes.queue[place])
    now.end, now.place, now.n_retained = now.n_retained, 0, 0


@kernel
def is_pass_complete(passes):
    """Return whether every arm of Q had a match with the anchor: then the pass is complete, and the last."""
    return passes.now[0].place == passes.now[0].end


@kernel
def n_candidates(passes):
    """Return the number of arms that may be the answer: the anchor and Q."""
    now = passes.now[0]
    return 1 + now.n_retained + now.end - now.place
