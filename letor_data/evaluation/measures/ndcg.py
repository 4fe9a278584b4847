"""NDCG: DCG divided by the highest DCG over all orders of the query's documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.letor_data.evaluation.contract import Cutoff, Measure, NoRelevant, Ranked
from rankduel.letor_data.evaluation.gains import GAINS, Discount, Gain, discounts, expected_sums, ideal_sums


class Params(NamedTuple):
    gain: Gain = "exponential"
    discount: Discount = "log2"
    k: Cutoff = 0
    no_relevant: NoRelevant = "zero"


def values(ranked: Ranked, params: Params) -> np.ndarray:
    weights = discounts(ranked.depth(params.k), params.discount)
    ideal = ideal_sums(ranked.grades, ranked.offsets, weights, GAINS[params.gain])
    return expected_sums(ranked, weights, GAINS[params.gain]) / np.where(ideal > 0, ideal, 1.0)


MEASURE = Measure(
    "ndcg",
    "DCG as a share of the ideal, which is taken over all documents of the query",
    'Jarvelin and Kekalainen, "Cumulated Gain-Based Evaluation of IR Techniques", TOIS 2002; exponential '
    "gains: Burges et al., ICML 2005",
    values,
    Params,
)
