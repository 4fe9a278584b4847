"""How strongly the duels so far speak against "this arm beats all others".

I_i = sum over j of N_ij d(w_ij / N_ij, 1/2), over the arms j that i has not beaten more often than they beat
it; N_ij counts duels of the pair, w_ij those that i won, and d is the relative entropy of two coins, in nats
(Komiyama, Honda, Kashima and Nakagawa, COLT 2015). The arm with the smallest I is the most plausible winner.

A duel changes one term in one or two rows. Every term is kept, and a changed row is added up afresh, in the
order of the arms: an arm that leads everybody has exactly zero, and ties are decided the same way every time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.parts.answers import leader_among
from bandits.parts.picks import NO_ARM
from bandits.parts.relative_entropy import divergence
from rankduel.base.compiling import kernel


class Divergences(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    rate: np.ndarray  # (arms, arms) float64: share of duels won by the row's arm; 1/2 before the first
    term: np.ndarray  # (arms, arms) float64: what the duels with the column's arm say against the row's
    total: np.ndarray  # (arms,) float64: I, the sum of each row of `term`
    best: np.ndarray  # (1,) int64: the arm with the smallest total, the lowest of equals
    tied: np.ndarray  # (arms,) bool: room for the arms that share the smallest total


def no_divergences(n_arms: int) -> Divergences:
    """Nothing compared yet."""
    shape = (n_arms, n_arms)
    return Divergences(
        wins=np.zeros(shape, np.int64),
        rate=np.full(shape, 0.5),
        term=np.zeros(shape),
        total=np.zeros(n_arms),
        best=np.zeros(1, np.int64),
        tied=np.zeros(n_arms, np.bool_),
    )


@kernel
def note_win(table, winner, loser):
    table.wins[winner, loser] += 1
    won, lost = table.wins[winner, loser], table.wins[loser, winner]
    table.rate[winner, loser], table.rate[loser, winner] = won / (won + lost), lost / (won + lost)
    _set_term(table.term, table.total, winner, loser, divergence(won, lost))
    _set_term(table.term, table.total, loser, winner, divergence(lost, won))
    best = 0
    for arm in range(1, len(table.total)):
        if table.total[arm] < table.total[best]:
            best = arm
    table.best[0] = best


@kernel
def worst_opponent(rate, arm):
    """The arm against which `arm` has won the smallest share; the lowest of equals."""
    worst, lowest = NO_ARM, 2.0
    for other in range(len(rate)):
        if other != arm and rate[arm, other] < lowest:
            worst, lowest = other, rate[arm, other]
    return worst


@kernel
def likely_opponent(rate, arm, best):
    """The most plausible winner, unless `arm` has beaten it and not everybody: then who beat `arm` most.

    Told that `best` is `arm` itself, who beat it most, if anybody did.
    """
    if arm != best and rate[arm, best] <= 0.5:
        return best
    worst = worst_opponent(rate, arm)
    return worst if rate[arm, worst] <= 0.5 else best


@kernel
def cheapest_opponent(table, arm, floor):
    """Who refutes `arm` at the smallest regret; NO_ARM if nobody has beaten it more often than it them.

    Regret per duel is what the two lose together to the most plausible winner, as far as known, but at least
    `floor`; the divergence per duel is how fast `arm` is refuted.
    """
    best, cheapest, least = table.best[0], NO_ARM, math.inf
    for other in range(len(table.total)):
        if other != arm and table.rate[arm, other] < 0.5:
            n = table.wins[arm, other] + table.wins[other, arm]
            regret = max(table.rate[best, arm] + table.rate[best, other] - 1.0, floor)
            cost = regret / (table.term[arm, other] / n)
            if cost < least:
                cheapest, least = other, cost
    return cheapest


@kernel
def refuting_opponent(table, arm, cheap, log_log_time):
    """`cheap`, while `arm` does not lead it and has met the most plausible winner often enough to know it."""
    best = table.best[0]
    if cheap != NO_ARM and table.rate[arm, cheap] <= 0.5:
        n_cheap = table.wins[arm, cheap] + table.wins[cheap, arm]
        n_best = table.wins[arm, best] + table.wins[best, arm]
        if arm == best or log_log_time <= 0.0 or n_best >= n_cheap / log_log_time:
            return cheap
    return likely_opponent(table.rate, arm, best)


@kernel
def most_plausible(table):
    """The arm to recommend: the smallest divergence, and among equals who leads most others."""
    for arm in range(len(table.total)):
        table.tied[arm] = table.total[arm] == table.total[table.best[0]]
    return leader_among(table.wins, table.tied)


@kernel
def _set_term(term, total, arm, other, value):
    if value != term[arm, other]:
        term[arm, other] = value
        added = 0.0
        for column in range(len(total)):
            added += term[arm, column]
        total[arm] = added
