"""A logistic link on utilities. It is `btl` with strengths e^u."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.settings import Setting
from rankduel.experiments.matrix.contract import Arms, Family, Seed
from rankduel.experiments.matrix.utilities import Spread, logistic_link, utilities_of


class Params(NamedTuple):
    k: Arms = 0
    spread: Spread = 1.0
    utilities: Annotated[str, Setting("even: from spread to 0; random; or numbers, such as 1/0.4/0")] = "even"
    seed: Seed = 0


def make(params: Params) -> np.ndarray:
    return logistic_link(utilities_of(params.utilities, params.k, params.spread, params.seed))


FAMILY = Family(
    "logistic",
    "a logistic link on utilities u",
    "P(i beats j) = 1 / (1 + exp(u_j - u_i))",
    "Yue, Broder, Kleinberg, Joachims 2012 (JCSS)",
    Params,
    make,
)
