"""The contract of a measure: a name, its settings, and a function of ranked grades.

    values(ranked, params) -> (n_queries,) float64   value of the measure for every query

A value is the exact mean over all orders of tied documents. Each file in measures/ defines one measure and
ends in MEASURE = Measure(...); the catalogue finds it there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankduel.base.settings import Setting

# Value of a query without a relevant document: 0 in LETOR's tools, 0.5 in Yahoo's; "skip" omits the query.
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
    """Grades of the lists of one ranker; those of query ``q`` are rows ``offsets[q]:offsets[q + 1]``.

    Rows from ``ends[q]`` on are documents that the ranker does not list. They count only for the ideal
    ranking and for the number of relevant documents.
    """

    grades: np.ndarray  # (n_docs,) int8, best rank first, tied documents in any order
    offsets: np.ndarray  # (n_queries + 1,) int64
    ends: np.ndarray  # (n_queries,) int64
    ties: np.ndarray  # (n_docs,) tie groups by rank, see rankduel.letor_data.ties

    @property
    def longest(self) -> int:
        """Number of documents of the largest query."""
        return int(np.diff(self.offsets).max(initial=0))

    def depth(self, k: int) -> int:
        """Return the number of ranks of the longest list up to cut-off `k`; 0 is no cut-off."""
        return min(k, self.longest) if k else self.longest


class Measure(NamedTuple):
    name: str
    about: str
    source: str
    values: Callable[[Ranked, Any], np.ndarray]
    params: type  # NamedTuple; the caller of `values` applies `no_relevant`, by grades from `rel` (default 1)
