"""The probability that a Thompson sample of a pair is above 1/2, updated with every duel.

With w_ij wins and w_ji losses the posterior of p_ij is Beta(w_ij + 1, w_ji + 1). q_ij, the probability that a
sample exceeds 1/2, changes only by duels of the pair. A sampled tournament needs only Bernoulli variables
with these probabilities. Skipping steps needs small q_ij to relative precision; so q_ij and q_ji are both
stored, and neither is computed as 1 minus a number near 1.

With a = w_ij + 1, b = w_ji + 1 and g = 2^-(a+b) / B(a, b), a win changes q_ij by g / a, a loss by -g / b.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel

_TAIL = 1e-3  # a smaller probability is summed again, since differences would lose relative precision


class AboveHalf(NamedTuple):
    probability: np.ndarray  # (arms, arms) float64, q_ij
    neg_log: np.ndarray  # (arms, arms) float64, -ln q_ij; 0 on the diagonal
    log_g: np.ndarray  # (arms, arms) float64, ln g of the pair, at [smaller, larger] index


def even_above_half(n_arms: int) -> AboveHalf:
    """Return the state without duels: every probability is 1/2."""
    neg_log = np.full((n_arms, n_arms), math.log(2.0))
    np.fill_diagonal(neg_log, 0.0)
    return AboveHalf(np.full((n_arms, n_arms), 0.5), neg_log, np.full((n_arms, n_arms), math.log(0.25)))


@kernel
def update_above_half(above_half, wins, winner, loser):
    """Record that `winner` beat `loser`, in a duel that `wins` does not include yet."""
    a, b = wins[winner, loser] + 1.0, wins[loser, winner] + 1.0
    low = min(winner, loser)
    high = max(winner, loser)
    log_g = above_half.log_g[low, high]
    up = above_half.probability[winner, loser] + math.exp(log_g) / a
    log_g += math.log((a + b) / (2.0 * a))
    above_half.log_g[low, high] = log_g
    a += 1.0
    if _TAIL < up < 1.0 - _TAIL:
        _write(above_half, winner, loser, up, 1.0 - up, -math.log(up), -math.log1p(-up))
        return
    log_tail = _log_smaller_tail(a, b, log_g)
    tail = math.exp(log_tail)
    if a > b:
        _write(above_half, winner, loser, 1.0 - tail, tail, -math.log1p(-tail), -log_tail)
    else:
        _write(above_half, winner, loser, tail, 1.0 - tail, -log_tail, -math.log1p(-tail))


@kernel
def _write(above_half, winner, loser, up, down, neg_log_up, neg_log_down):
    above_half.probability[winner, loser], above_half.probability[loser, winner] = up, down
    above_half.neg_log[winner, loser], above_half.neg_log[loser, winner] = neg_log_up, neg_log_down


@kernel
def _log_smaller_tail(a, b, log_g):
    """Return ln of the smaller of P(Beta(a, b) > 1/2) and P(Beta(a, b) < 1/2), by a positive series."""
    small = min(a, b)
    large = max(a, b)
    term, total, k = 1.0, 1.0, 0.0
    while term > 1e-17 * total:
        term *= (small + large + k) / (2.0 * (large + 1.0 + k))
        total += term
        k += 1.0
    return log_g - math.log(large) + math.log(total)
