"""P@k: share of relevant documents among the first k. The divisor is k also if the list is shorter."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.settings import Setting
from rankduel.letor_data.evaluation.contract import Measure, NoRelevant, Ranked, Rel
from rankduel.letor_data.evaluation.gains import expected_sums, relevance


class Params(NamedTuple):
    rel: Rel = 1
    k: Annotated[int, Setting("cut-off, written p@k", at_least=1, at_most=1e9)] = 10
    no_relevant: NoRelevant = "zero"


def values(ranked: Ranked, params: Params) -> np.ndarray:
    weights = np.full(ranked.depth(params.k), 1.0 / params.k)
    return expected_sums(ranked, weights, relevance(params.rel))


MEASURE = Measure(
    "p",
    "precision: share of relevant documents among the first k",
    "as trec_eval computes it (Buckley and Voorhees)",
    values,
    Params,
)
