"""The chance that a Thompson sample of "i beats j" exceeds one half, kept up to date duel by duel.

With w_ij wins and w_ji losses the posterior is Beta(w_ij + 1, w_ji + 1), and q_ij = P(sample > 1/2) changes
only when the pair is compared. A simulated tournament needs nothing but coins with these chances, and
skipping needs the small ones among them to relative precision: q_ij and q_ji are both stored, and never one
computed as 1 minus a number near 1.

With a = w_ij + 1, b = w_ji + 1 and g = 2^-(a+b) / B(a, b), a win moves q_ij by g / a, a loss by -g / b.
"""

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel

_TAIL = 1e-3  # a chance below this is summed afresh: by differences it would lose all relative precision


class BeatOdds(NamedTuple):
    chance: np.ndarray  # (arms, arms) float64, q_ij
    minus_log: np.ndarray  # (arms, arms) float64, -ln q_ij; 0 on the diagonal
    log_g: np.ndarray  # (arms, arms) float64, ln g of the pair, in [min, max]


def even_odds(n_arms: int) -> BeatOdds:
    """Nothing compared yet: every chance is one half."""
    minus_log = np.full((n_arms, n_arms), math.log(2.0))
    np.fill_diagonal(minus_log, 0.0)
    return BeatOdds(np.full((n_arms, n_arms), 0.5), minus_log, np.full((n_arms, n_arms), math.log(0.25)))


@kernel
def note_win(odds, wins, winner, loser):
    """`winner` beat `loser`; `wins` does not know it yet."""
    a, b = wins[winner, loser] + 1.0, wins[loser, winner] + 1.0
    low = min(winner, loser)
    high = max(winner, loser)
    log_g = odds.log_g[low, high]
    up = odds.chance[winner, loser] + math.exp(log_g) / a
    log_g += math.log((a + b) / (2.0 * a))
    odds.log_g[low, high] = log_g
    a += 1.0
    if _TAIL < up < 1.0 - _TAIL:
        _write(odds, winner, loser, up, 1.0 - up, -math.log(up), -math.log1p(-up))
        return
    log_tail = _log_smaller_tail(a, b, log_g)
    tail = math.exp(log_tail)
    if a > b:
        _write(odds, winner, loser, 1.0 - tail, tail, -math.log1p(-tail), -log_tail)
    else:
        _write(odds, winner, loser, tail, 1.0 - tail, -log_tail, -math.log1p(-tail))


@kernel
def _write(odds, winner, loser, up, down, minus_log_up, minus_log_down):
    odds.chance[winner, loser], odds.chance[loser, winner] = up, down
    odds.minus_log[winner, loser], odds.minus_log[loser, winner] = minus_log_up, minus_log_down


@kernel
def _log_smaller_tail(a, b, log_g):
    """ln of the smaller of P(Beta(a, b) > 1/2) and P(Beta(a, b) < 1/2), by a series of positive terms."""
    small = min(a, b)
    large = max(a, b)
    term, total, k = 1.0, 1.0, 0.0
    while term > 1e-17 * total:
        term *= (small + large + k) / (2.0 * (large + 1.0 + k))
        total += term
        k += 1.0
    return log_g - math.log(large) + math.log(total)
