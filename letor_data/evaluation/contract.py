"""What a measure is: a name, its settings, and a function of ranked grades. One measure a file, in measures/.

    values(ranked, params) -> (n_queries,) float64   the measure of every query

Tied documents stand in every order equally often, and a value is the mean over these orders: exact, no
sampling. The file ends in MEASURE = Measure(...). Nothing else has to be edited: the catalogue finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankduel.base.settings import Setting

# The value of a query without a relevant document: LETOR's tools say 0, Yahoo's 0.5; "skip" leaves it out.
NO_RELEVANT = {"zero": 0.0, "half": 0.5, "one": 1.0, "skip": np.nan}

# Shared settings. `k` is written after the name, as in ndcg@10; 0 stands for the whole ranking.
Cutoff = Annotated[
    int, Setting("cut-off, written ...@k; the whole ranking without it", at_least=0, at_most=1e9)
]
Rel = Annotated[int, Setting("lowest grade of a relevant document", at_least=1, at_most=127)]
NoRelevant = Annotated[
    str, Setting("value of a query without a relevant document", choices=tuple(NO_RELEVANT))
]


class Ranked(NamedTuple):
    """The grades of one ranker's lists; query q owns rows offsets[q]:offsets[q + 1].

    Rows from ends[q] on are documents that the ranker does not list: they count for what is ideal and for the
    number of relevant documents only.
    """

    grades: np.ndarray  # (n_docs,) int8, best rank first, tied documents in any order
    offsets: np.ndarray  # (n_queries + 1,) int64
    ends: np.ndarray  # (n_queries,) int64
    ties: np.ndarray  # (n_docs,) tie groups by rank, see letor_data.ties

    @property
    def longest(self) -> int:
        """The number of documents of the largest query."""
        return int(np.diff(self.offsets).max(initial=0))

    def depth(self, k: int) -> int:
        """The number of ranks that cut-off `k` leaves of the longest list; 0 leaves all."""
        return min(k, self.longest) if k else self.longest


class Measure(NamedTuple):
    name: str
    about: str
    source: str
    values: Callable[[Ranked, Any], np.ndarray]
    params: type  # `no_relevant` is applied to what `values` returns, by grades from `rel` (1 if absent)
