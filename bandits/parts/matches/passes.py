"""Passes of Soft-Seq-Elim: an anchor meets the others, and who was neither better nor worse stays in.

Falahatgar, Jain, Orlitsky, Pichapati and Ravindrakumar, "The Limits of Maxing, Ranking, and Preference
Learning", ICML 2018, Algorithm 1; Opt-Max consists of such passes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.parts.matches.match import BETTER, EVEN
from rankduel.base.compiling import kernel

ANCHOR, N_STAYED, PLACE, END = range(4)  # entries of Passes.now


class Passes(NamedTuple):
    queue: np.ndarray  # (arms,) int64: who met the anchor and stays; from PLACE to END who is yet to meet it
    now: np.ndarray  # (4,) int64: the anchor; how many stayed in this pass; see above


@kernel
def share_of_error(delta, n_arms):
    """Of each match, of which there are at most half the square of n_arms."""
    return 2.0 * delta / (n_arms * n_arms)


@kernel
def judge(passes, verdict):
    """What becomes of the arm that has just met the anchor."""
    queue, now = passes.queue, passes.now
    challenger = queue[now[PLACE]]
    now[PLACE] += 1
    if verdict == EVEN:
        stay(passes, challenger)
    elif verdict == BETTER:
        now[ANCHOR] = challenger
        start_over(passes)


@kernel
def stay(passes, arm):
    passes.queue[passes.now[N_STAYED]] = arm
    passes.now[N_STAYED] += 1


@kernel
def start_over(passes):
    """The next pass: who stayed in this one, and who has not met the anchor."""
    now = passes.now
    for place in range(now[PLACE], now[END]):
        stay(passes, passes.queue[place])
    now[END], now[PLACE], now[N_STAYED] = now[N_STAYED], 0, 0


@kernel
def is_last_pass_over(passes):
    return passes.now[PLACE] == passes.now[END]


@kernel
def n_in(passes):
    """The anchor, and who may still replace it."""
    return 1 + passes.now[N_STAYED] + passes.now[END] - passes.now[PLACE]
