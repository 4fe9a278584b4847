"""The empirical divergence I_i: how strongly the duels so far contradict that arm i beats all others.

I_i is the sum of N_ij d(mu_ij, 1/2) over the opponents j of arm i, the arms with mu_ij <= 1/2. N_ij is the
number of duels of the pair, mu_ij the share of them that i won, and d the Kullback-Leibler divergence in nats
(Komiyama, Honda, Kashima and Nakagawa, COLT 2015). The arm i* with the smallest I is the likeliest Condorcet
winner.

A duel changes one term in one or two rows. All terms are stored, and a changed row is summed again in the
order of the arms. So the divergence of an arm that leads all others is exactly zero, and ties are broken in
the same way every time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.answers import copeland_leader_among
from rankduel.bandits.parts.relative_entropy import divergence
from rankduel.base.compiling import kernel, record


class DivergencesNow(NamedTuple):
    i_star: int = 0  # i*, the arm with the smallest divergence; the lowest of equals


class Divergences(NamedTuple):
    now: np.recarray  # (1,), fields of DivergencesNow
    wins: np.ndarray  # (arms, arms) int64
    rate: np.ndarray  # (arms, arms) float64, mu_ij; 1/2 for a pair without duels
    term: np.ndarray  # (arms, arms) float64: N_ij d(mu_ij, 1/2) for opponents j of i, otherwise 0
    total: np.ndarray  # (arms,) float64, I_i: the sum of row i of `term`


class DivergencesRoom(NamedTuple):
    tied: np.ndarray  # (arms,) bool: arms with the smallest divergence


def no_divergences(n_arms: int) -> Divergences:
    """Return the divergences before the first duel."""
    shape = (n_arms, n_arms)
    return Divergences(
        now=record(DivergencesNow()),
        wins=np.zeros(shape, np.int64),
        rate=np.full(shape, 0.5),
        term=np.zeros(shape),
        total=np.zeros(n_arms),
    )


def divergences_room(n_arms: int) -> DivergencesRoom:
    """Return the workspace of `likeliest_winner`."""
    return DivergencesRoom(tied=np.zeros(n_arms, np.bool_))


@kernel
def record_win(divergences, winner, loser):
    """Count a duel, and update the divergences and i*."""
    wins, rate, total = divergences.wins, divergences.rate, divergences.total
    wins[winner, loser] += 1
    won, lost = wins[winner, loser], wins[loser, winner]
    rate[winner, loser], rate[loser, winner] = won / (won + lost), lost / (won + lost)
    _set_term(divergences.term, total, winner, loser, divergence(won, lost))
    _set_term(divergences.term, total, loser, winner, divergence(lost, won))
    i_star = 0
    for arm in range(1, len(total)):
        if total[arm] < total[i_star]:
            i_star = arm
    divergences.now[0].i_star = i_star


@kernel
def likeliest_winner(divergences, room):
    """Return the arm with the smallest divergence; of equals, the arm that leads most others."""
    total, i_star = divergences.total, divergences.now[0].i_star
    for arm in range(len(total)):
        room.tied[arm] = total[arm] == total[i_star]
    return copeland_leader_among(divergences.wins, room.tied)


@kernel
def _set_term(term, total, arm, other, value):
    """Replace a term and sum its row again; nothing is subtracted, so that no rounding error remains."""
    if value != term[arm, other]:
        term[arm, other] = value
        row_sum = 0.0
        for column in range(len(total)):
            row_sum += term[arm, column]
        total[arm] = row_sum
