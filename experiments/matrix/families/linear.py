"""A linear link on utilities, which differ by at most 1."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.errors import MatrixError
from rankduel.base.settings import Setting
from rankduel.experiments.matrix.contract import Arms, Family, Seed
from rankduel.experiments.matrix.utilities import Spread, utilities_of

_ROUNDING = 1e-9


class Params(NamedTuple):
    k: Arms = 0
    spread: Spread = 1.0
    utilities: Annotated[str, Setting("even: from spread to 0; random; or numbers, such as 1/0.4/0")] = "even"
    seed: Seed = 0


def make(params: Params) -> np.ndarray:
    utilities = utilities_of(params.utilities, params.k, params.spread, params.seed)
    if np.ptp(utilities) > 1 + _ROUNDING:
        raise MatrixError(
            f"the utilities differ by {np.ptp(utilities):g}; expected at most 1, the largest difference of a "
            "linear link; reduce spread"
        )
    return np.clip(0.5 + (utilities[:, None] - utilities[None, :]) / 2, 0, 1)


FAMILY = Family(
    "linear",
    "a linear link on utilities u, which differ by at most 1",
    "P(i beats j) = 1/2 + (u_i - u_j) / 2",
    "Ailon, Karnin, Joachims 2014 (ICML)",
    Params,
    make,
)
