"""RBP: relevant documents per rank read, for a user who continues to the next rank with probability p."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.base.settings import Setting
from rankduel.letor_data.evaluation.contract import Cutoff, Measure, NoRelevant, Ranked, Rel
from rankduel.letor_data.evaluation.gains import expected_sums, relevance


class Params(NamedTuple):
    p: Annotated[float, Setting("probability of continuing to the next rank", at_least=0, at_most=1)] = 0.8
    rel: Rel = 1
    k: Cutoff = 0
    no_relevant: NoRelevant = "zero"


def values(ranked: Ranked, params: Params) -> np.ndarray:
    weights = (1.0 - params.p) * params.p ** np.arange(float(ranked.depth(params.k)))
    return expected_sums(ranked, weights, relevance(params.rel))


MEASURE = Measure(
    "rbp",
    "rank-biased precision: relevant documents weighted by (1 - p) p^(t - 1) at rank t",
    'Moffat and Zobel, "Rank-Biased Precision for Measurement of Retrieval Effectiveness", TOIS 2008',
    values,
    Params,
)
