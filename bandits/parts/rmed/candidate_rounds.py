"""Rounds of the arms that may still be the winner: the common course of the RMED policies.

First every pair is compared a fixed number of times, in tours of all pairs. Then come rounds: each arm of the
round has one turn, in which it meets an opponent of the policy's choice. With every turn, the arms whose turn
is not still to come are looked at: who is nearly as plausible as the most plausible winner,
I_j - I* <= ln t + f, is in the next round. A policy may insist on another tour before a round.

When the round is one arm that leads everybody, it plays itself and the next round is the same, up to a step
that is known in advance: the first at which ln t + f admits somebody else.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from bandits.parts.bounds import NEVER
from bandits.parts.rmed.divergence import note_win, worst_opponent
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

_LAST_LOG = 36.0  # of steps up to 4e15: beyond, a double cannot tell them apart

CLOCK, POSITION, LENGTH, OPENED, LATE = range(5)  # entries of Rounds.now
FIRST, SECOND, SEEN, FEWEST = range(4)  # entries of Rounds.tour

SETTINGS = {
    "f_scale": Setting("arms within ln t + f_scale * K^f_power of the most plausible one stay", at_least=0),
    "f_power": Setting("see f_scale; theory wants it above 1", at_least=0, at_most=10),
    "j_after": Setting("look who is plausible after the duel of a turn, as the authors' program does"),
}


class Rounds(NamedTuple):
    order: np.ndarray  # (arms,) int64: the arms of this round, in its first LENGTH entries
    invited: np.ndarray  # (arms,) bool: in the next round; means nothing while an arm's turn is to come
    now: np.ndarray  # (5,) int64: steps played; turns taken in this round, of how many; whether its first
    #   turn has come; whether invitations wait for the outcome of the duel
    tour: np.ndarray  # (4,) int64: the pair i < j a tour has come to, the fewest duels of the pairs it went
    #   by; the fewest duels of a pair at the end of the last tour
    slack: np.ndarray  # (1,) float64: f


def first_round(n_arms: int, params: Any, rng: np.random.Generator) -> Rounds:
    """Everybody, in a random order; later rounds go by number."""
    return Rounds(
        order=rng.permutation(n_arms),
        invited=np.zeros(n_arms, np.bool_),
        now=np.array([0, 0, n_arms, 0, params.j_after], np.int64),
        tour=np.array([0, 1, NEVER, 0], np.int64),
        slack=np.array([params.f_scale * n_arms**params.f_power]),
    )


@kernel
def initial_pair(tour, wins, times):
    """Whether some pair has had fewer than so many duels; if so, the tour is at the next of them."""
    while tour[FEWEST] < times:
        if pair_below(tour, wins, float(tour[FEWEST] + 1)):
            return True
    return False


@kernel
def pair_below(tour, wins, target):
    """Go on to the next pair with fewer than `target` duels; False when the tour is over, or not needed."""
    if target <= tour[FEWEST]:
        return False
    last = len(wins) - 1
    while tour[FIRST] < last:
        n = wins[tour[FIRST], tour[SECOND]] + wins[tour[SECOND], tour[FIRST]]
        if n < target:
            return True
        tour[SEEN] = min(tour[SEEN], n)
        tour[SECOND] += 1
        if tour[SECOND] > last:
            tour[FIRST] += 1
            tour[SECOND] = tour[FIRST] + 1
    tour[FIRST], tour[SECOND], tour[SEEN], tour[FEWEST] = 0, 1, NEVER, tour[SEEN]
    return False


@kernel
def whose_turn(now, order):
    now[OPENED] = 1
    return order[now[POSITION]]


@kernel
def play_step(rounds, table, winner, loser):
    """What the step under way changes: the invitations of a turn, and the counts of a real duel."""
    now = rounds.now
    now[CLOCK] += 1
    if now[OPENED] and not now[LATE]:
        _end_turn(rounds, table.total, table.best[0])
    if winner != loser:
        note_win(table, winner, loser)
    if now[OPENED] and now[LATE]:
        _end_turn(rounds, table.total, table.best[0])


@kernel
def play_alone(rounds, table, stop, limit, selves):
    """Up to `limit` steps, before step `stop`, of a round of one that leads everybody; how many they were."""
    now, alone = rounds.now, rounds.order[0]
    if now[LENGTH] != 1 or table.rate[alone, worst_opponent(table.rate, alone)] <= 0.5:
        return 0
    nearest = math.inf
    for arm in range(len(table.total)):
        if arm != alone:
            nearest = min(nearest, table.total[arm])  # its own is zero, and nobody else's
    n = min(limit, min(stop, admitted_from(nearest, rounds.slack[0])) - (now[CLOCK] + 1))
    if n <= 0:
        return 0
    selves[alone] += n
    now[CLOCK] += n
    return n


@kernel
def admitted_from(distance, slack):
    """The first step t >= 1 with distance <= ln t + slack; NEVER if no run gets there."""
    if distance - slack > _LAST_LOG:
        return NEVER
    t = max(int(math.exp(distance - slack)), 1)
    while t > 1 and distance <= math.log(t - 1) + slack:
        t -= 1
    while distance > math.log(t) + slack:
        t += 1
    return t


@kernel
def tour_from(fewest, alpha):
    """The first step t with alpha ln ln t > fewest; NEVER if no run gets there."""
    if fewest / alpha > math.log(_LAST_LOG):
        return NEVER
    t = max(int(math.exp(math.exp(fewest / alpha))), 1)
    while t > 1 and alpha * log_log(t - 1) > fewest:
        t -= 1
    while alpha * log_log(t) <= fewest:
        t += 1
    return t


@kernel
def log_log(t):
    """ln ln t where that is positive, else 0."""
    return math.log(math.log(t)) if t > 2 else 0.0


@kernel
def _end_turn(rounds, total, best):
    """Invite who is plausible; after the last turn, the invited are the next round.

    Those whose turn is to come are invited as well, to save asking: their turn revokes it.
    """
    now, invited = rounds.now, rounds.invited
    invited[rounds.order[now[POSITION]]] = False
    farthest = math.log(now[CLOCK]) + rounds.slack[0]
    for arm in range(len(invited)):
        invited[arm] |= total[arm] - total[best] <= farthest
    now[POSITION] += 1
    if now[POSITION] == now[LENGTH]:
        _next_round(now, rounds.order, invited)


@kernel
def _next_round(now, order, invited):
    n = 0
    for arm in range(len(invited)):
        if invited[arm]:
            order[n] = arm
            n += 1
    now[POSITION], now[LENGTH], now[OPENED] = 0, n, 0
