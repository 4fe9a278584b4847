"""The loops of Algorithm 1 of Komiyama et al. (COLT 2015), and its lists L_C, L_R and L_N of arms.

In a loop, each arm of the current list L_C has one turn. L_R holds the arms of L_C whose turn has not come
yet. At each turn the arms j outside L_R with I_j - I_i* <= ln t + f(K), the condition J_j, are added to L_N,
which is the L_C of the next loop.

If L_C is one arm that leads all others, it duels itself and the next loop is the same, until the first step
at which ln t + f(K) admits another arm. That step is known in advance.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.parts.picks import shuffle
from rankduel.bandits.parts.rmed.divergence import record_win
from rankduel.bandits.parts.rmed.log_time import step_when_log_reaches
from rankduel.bandits.parts.rmed.opponents import leads_all
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

FScale = Annotated[
    float, Setting("f(K) = f_scale * K^f_power; candidates have I within ln t + f(K) of I*", at_least=0)
]
FPower = Annotated[
    float, Setting("exponent of K in f(K); theory requires more than 1", at_least=0, at_most=10)
]
JAfter = Annotated[bool, Setting("evaluate J after the duel of a turn, as the authors' program does")]


class ListsNow(NamedTuple):
    clock: int = 0  # steps played
    f_of_k: float = 0.0  # f(K) = f_scale * K^f_power
    loop_begun: bool = False  # the first turn of this loop has come
    position: int = 0  # in L_C, of the arm whose turn it is; the arms after it are L_R
    n_current: int = 0  # number of arms in L_C


class Lists(NamedTuple):
    now: np.recarray  # (1,), fields of ListsNow
    current: np.ndarray  # (arms,) int64: the n_current arms of L_C, in the order of their turns
    following: np.ndarray  # (arms,) bool, L_N; has no meaning for arms of L_R


def first_lists(n_arms: int, f_scale: float, f_power: float, rng: np.random.Generator) -> Lists:
    """Return lists in which L_C = L_R = all arms, in random order; later loops are in ascending order."""
    return Lists(
        now=record(ListsNow(f_of_k=f_scale * n_arms**f_power, n_current=n_arms)),
        current=rng.permutation(n_arms),
        following=np.zeros(n_arms, np.bool_),
    )


@kernel
def shuffle_loop(lists, rng):
    """Put the arms of L_C in random order, before the first turn of a loop."""
    now = lists.now[0]
    if not now.loop_begun:
        shuffle(lists.current, now.n_current, rng)


@kernel
def next_arm(lists):
    """Return the arm of L_C whose turn it is."""
    now = lists.now[0]
    now.loop_begun = True
    return lists.current[now.position]


@kernel
def record_step(lists, divergences, j_after, winner, loser):
    """Count a step, and update L_C, L_R and L_N at a turn; `j_after`: with the outcome of the duel."""
    now = lists.now[0]
    is_turn = now.loop_begun
    now.clock += 1
    if is_turn and not j_after:
        _end_turn(lists, divergences)
    if winner != loser:
        record_win(divergences, winner, loser)
    if is_turn and j_after:
        _end_turn(lists, divergences)


@kernel
def skip_self_duels(lists, divergences, stop, limit, self_duels):
    """Skip steps before step `stop` in which the only arm of L_C leads all others, and duels itself."""
    now, arm = lists.now[0], lists.current[0]
    if now.n_current != 1 or not leads_all(divergences.rate, arm):
        return 0
    nearest = math.inf
    for other in range(len(divergences.total)):
        if other != arm:
            nearest = min(nearest, divergences.total[other])  # I_i* is 0
    n = min(limit, min(stop, step_when_log_reaches(nearest, now.f_of_k)) - (now.clock + 1))
    if n <= 0:
        return 0
    self_duels[arm] += n
    now.clock += n
    return n


@kernel
def _end_turn(lists, divergences):
    """Remove the arm of this turn from L_R, and add to L_N the arms outside L_R for which J holds.

    Arms of L_R are marked in L_N too, which saves a test; the mark is removed when they leave L_R.
    """
    now, following, total = lists.now[0], lists.following, divergences.total
    following[lists.current[now.position]] = False
    largest = math.log(now.clock) + now.f_of_k
    i_star = divergences.now[0].i_star
    for arm in range(len(following)):
        following[arm] |= total[arm] - total[i_star] <= largest
    now.position += 1
    if now.position == now.n_current:
        _begin_loop(lists)


@kernel
def _begin_loop(lists):
    """Set L_C and L_R to L_N. L_N needs no clearing: all its marks are of arms of L_R now."""
    now, n = lists.now[0], 0
    for arm in range(len(lists.following)):
        if lists.following[arm]:
            lists.current[n] = arm
            n += 1
    now.position, now.n_current, now.loop_begun = 0, n, False
