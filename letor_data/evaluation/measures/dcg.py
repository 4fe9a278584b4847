"""DCG: sum of the gains of the documents, each divided by the logarithm of its rank."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.letor_data.evaluation.contract import Cutoff, Measure, NoRelevant, Ranked
from rankduel.letor_data.evaluation.gains import GAINS, Discount, Gain, discounts, expected_sums


class Params(NamedTuple):
    gain: Gain = "exponential"
    discount: Discount = "log2"
    k: Cutoff = 0
    no_relevant: NoRelevant = "zero"


def values(ranked: Ranked, params: Params) -> np.ndarray:
    weights = discounts(ranked.depth(params.k), params.discount)
    return expected_sums(ranked, weights, GAINS[params.gain])


MEASURE = Measure(
    "dcg",
    "discounted cumulative gain",
    'Jarvelin and Kekalainen, "Cumulated Gain-Based Evaluation of IR Techniques", TOIS 2002; exponential '
    "gains: Burges et al., ICML 2005",
    values,
    Params,
)
