"""Plackett-Luce: rankings are drawn from the top, each arm among those left in proportion to its strength.

A duel is the order of two arms in such a ranking. The probability that one arm is above another does not
depend on the other arms (Luce's axiom), so these marginals are the matrix of `btl` with the same settings.
"""

from __future__ import annotations

from rankduel.experiments.matrix.contract import Family
from rankduel.experiments.matrix.families.btl import Params, make

FAMILY = Family(
    "plackett_luce",
    "Plackett-Luce: the order of two arms in a random ranking; the same matrix as btl",
    "P(i above j) = w_i / (w_i + w_j)",
    "Plackett 1975 (Applied Statistics); Luce 1959",
    Params,
    make,
)
