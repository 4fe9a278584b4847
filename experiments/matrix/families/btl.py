"""Bradley-Terry-Luce: every arm has a strength, and wins in proportion to it.

The utility of an arm is the logarithm of its strength, so `btl(k=K,spread=S)` is `logistic(k=K,spread=S)`.
The matrix has strong stochastic transitivity; arm 0 is the Condorcet winner unless strengths are given.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.errors import MatrixError
from rankduel.base.settings import Setting
from rankduel.base.text import shortened
from rankduel.experiments.matrix.contract import Arms, Family, Seed, check_arms, numbers_in
from rankduel.experiments.matrix.utilities import (
    RANDOM,
    Spread,
    even_utilities,
    logistic_link,
    random_utilities,
)


class Params(NamedTuple):
    k: Arms = 0
    spread: Spread = 1.0
    strengths: Annotated[
        str, Setting("geometric: from e^spread to 1; random; or numbers above 0, such as 4/2/1")
    ] = "geometric"
    seed: Seed = 0


def make(params: Params) -> np.ndarray:
    return logistic_link(_log_strengths(params))


def _log_strengths(params: Params) -> np.ndarray:
    if params.strengths == "geometric":
        return even_utilities(params.k, params.spread)
    if params.strengths == RANDOM:
        return random_utilities(params.k, params.spread, params.seed)
    strengths = numbers_in(params.strengths, "strengths", "geometric, random")
    check_arms(params.k, len(strengths), "strengths")
    if not (strengths > 0).all():
        raise MatrixError(f"strengths is {shortened(params.strengths)}; expected numbers above 0")
    return params.spread * np.log(strengths)


FAMILY = Family(
    "btl",
    "Bradley-Terry-Luce: an arm wins in proportion to its strength w",
    "P(i beats j) = w_i / (w_i + w_j)",
    "Bradley, Terry 1952 (Biometrika); Luce 1959",
    Params,
    make,
)
