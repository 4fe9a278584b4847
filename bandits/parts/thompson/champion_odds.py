"""The chance that an arm beats all others in a simulated tournament, and how long a likely thing goes on.

The duels of a tournament are independent, so arm i beats everybody with chance c_i = product of its q_ij
(bandits/parts/thompson/pair_posterior.py), and for two arms the events exclude each other. A sum of
logarithms holds the product; it is added up anew for the two arms of every duel, for differences of sums
would lose precision.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel


class ChampionOdds(NamedTuple):
    exponent: np.ndarray  # (arms,) float64, -ln c_i
    chance: np.ndarray  # (arms,) float64, c_i
    missing: np.ndarray  # (arms,) float64, 1 - c_i, precise even where that is tiny


def even_champion_odds(n_arms: int) -> ChampionOdds:
    """Nothing compared yet: all duels are even."""
    exponent = np.full(n_arms, (n_arms - 1) * math.log(2.0))
    return ChampionOdds(exponent, np.exp(-exponent), -np.expm1(-exponent))


@kernel
def note_champion(champions, minus_log, arm):
    """Take over the row of `arm`, after one of its duels."""
    exponent = _sum(minus_log[arm])
    champions.exponent[arm] = exponent
    champions.chance[arm] = math.exp(-exponent)
    champions.missing[arm] = -math.expm1(-exponent)


@kernel
def alike_steps(ending, limit, rng):
    """How many of the coming steps, at most `limit`, pass before one of a kind that has chance `ending`."""
    if ending <= 0.0:
        return limit
    n = rng.standard_exponential() / -math.log1p(-ending)
    return int(n) if n < limit else limit


@kernel
def _sum(values):
    """In four parts, which a processor adds side by side."""
    n = len(values) & -4
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for k in range(0, n, 4):
        a += values[k]
        b += values[k + 1]
        c += values[k + 2]
        d += values[k + 3]
    for k in range(n, len(values)):
        a += values[k]
    return (a + b) + (c + d)
