"""A total order with given gaps: the leads of the best arm, which bounds on regret depend on.

The pairs of the other arms have a constant gap, or the difference of their gaps to the best arm, as under a
linear link.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.errors import MatrixError
from rankduel.base.settings import Setting
from rankduel.base.text import shortened
from rankduel.experiments.matrix.contract import USUAL_ARMS, Arms, Family, check_arms, numbers_in

_ADDITIVE = "additive"
_ALLOWED = "above 0 and at most 0.5"


class Params(NamedTuple):
    k: Arms = 0
    gap: Annotated[
        str, Setting("P(0 beats j) - 1/2 for the arms 1, 2, ...; one number is the gap of every arm")
    ] = "0.1"
    rest: Annotated[
        str, Setting("P(i beats j) - 1/2 for all 0 < i < j: a number, or additive for gap_j - gap_i")
    ] = "0.1"


def make(params: Params) -> np.ndarray:
    gap = numbers_in(params.gap, "gap", "one number for all arms")
    if len(gap) == 1:
        gap = np.repeat(gap, (params.k or USUAL_ARMS) - 1)
    check_arms(params.k, len(gap) + 1, "gap")
    if not ((gap > 0) & (gap <= 0.5)).all():
        raise MatrixError(f"gap is {shortened(params.gap)}; expected numbers {_ALLOWED}")
    upper = 0.5 + _gaps_of_rest(params, np.concatenate([[0.0], gap]))
    upper[0, 1:] = 0.5 + gap
    return np.triu(upper, 1) + np.tril(1.0 - upper.T, -1) + 0.5 * np.eye(len(upper))


def _gaps_of_rest(params: Params, behind: np.ndarray) -> np.ndarray:
    """Return a matrix with P(i beats j) - 1/2 for all 0 < i < j; other entries have no meaning."""
    if params.rest != _ADDITIVE:
        rest = numbers_in(params.rest, "rest", _ADDITIVE)
        if len(rest) > 1 or not 0 < rest[0] <= 0.5:
            raise MatrixError(
                f"rest is {shortened(params.rest)}; expected {_ADDITIVE}, or a number {_ALLOWED}"
            )
        return np.full((len(behind), len(behind)), rest[0])
    if (np.diff(behind) <= 0).any():
        raise MatrixError(
            f"gap is {shortened(params.gap)}; expected increasing numbers with rest={_ADDITIVE}, as arms "
            "with the same gap would tie; a number such as rest=0.1 is the gap of all pairs of other arms"
        )
    return behind[None, :] - behind[:, None]


FAMILY = Family(
    "gaps",
    "a total order with given gaps of the best arm",
    "P(0 beats j) = 1/2 + gap_j, and P(i beats j) = 1/2 + rest for 0 < i < j",
    "Zoghi, Whiteson, Munos, de Rijke 2014 (ICML), for the gaps",
    Params,
    make,
)
