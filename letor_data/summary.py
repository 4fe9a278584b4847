"""Summary of a data set: sizes, grades, and the quality of each feature as a ranker."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from rankduel.base.threads import ordered_map
from rankduel.letor_data.evaluation.catalogue import parse_measure
from rankduel.letor_data.evaluation.values import mean_over_queries, measured, ranked_by
from rankduel.letor_data.formats import PROFILES
from rankduel.letor_data.letor import Letor, is_constant
from rankduel.letor_data.rankers import Ranker, feature_rankers
from rankduel.letor_data.ties import tie_share

_QUANTILES = {"min": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "max": 1.0}


@dataclass(frozen=True)
class FeatureSummary:
    """One feature as a ranker, in the direction of its dataset profile."""

    name: str
    title: str  # published description, or ""
    constant: bool  # all values are equal
    constant_in_queries: bool  # all values of a query are equal, for every query
    missing_share: float
    tie_share: float  # of the document pairs within queries
    ndcg: float  # mean over queries, expected over tie breaks


@dataclass(frozen=True)
class RankerSummary:
    """One of the further rankers."""

    name: str
    text: str  # that `rankers.parse` reads; "" if the ranker was made in Python
    tie_share: float  # of the document pairs within queries
    ndcg: float  # mean over queries, expected over tie breaks


@dataclass(frozen=True)
class Summary:
    source: str
    profile: str
    digest: str
    queries: int
    documents: int
    n_features: int
    splits: dict[str, int]  # number of queries of each split
    grades: dict[int, int]  # number of documents of each grade
    docs_per_query: dict[str, float]  # min, q25, median, mean, q75, max
    single_document_queries: int
    one_grade_queries: int  # all documents of equal grade: no order is better than another
    cutoff: int
    features: list[FeatureSummary]
    rankers: list[RankerSummary]
    notes: list[str]

    def to_dict(self) -> dict:
        """Return the summary as a dictionary that can be written as JSON."""
        return asdict(self)


def summarize(
    letor: Letor,
    k: int = 10,
    jobs: int = 0,
    progress: Callable[[int], object] | None = None,
    rankers: Sequence[Ranker] = (),
) -> Summary:
    """Return the summary of `letor` with NDCG@k; every feature is ranked, and then `progress` is called."""
    sizes = letor.docs_per_query
    names, counts = np.unique(letor.splits.astype(str), return_counts=True)
    grades, documents = np.unique(letor.labels, return_counts=True)
    starts = letor.offsets[:-1]
    one_grade = np.maximum.reduceat(letor.labels, starts) == np.minimum.reduceat(letor.labels, starts)
    features = []
    for feature in _each_feature(letor, k, jobs or os.cpu_count() or 1):
        features.append(feature)
        if progress:
            progress(1)
    return Summary(
        source=letor.source,
        profile=letor.profile,
        digest=letor.digest,
        queries=letor.n_queries,
        documents=letor.n_docs,
        n_features=letor.n_features,
        splits={str(name): int(count) for name, count in zip(names, counts)},
        grades={int(grade): int(count) for grade, count in zip(grades, documents)},
        docs_per_query=_spread(sizes),
        single_document_queries=int((sizes == 1).sum()),
        one_grade_queries=int(one_grade.sum()),
        cutoff=k,
        features=features,
        rankers=[_one_ranker(letor, k, ranker) for ranker in rankers],
        notes=list(letor.notes),
    )


def _spread(sizes: np.ndarray) -> dict[str, float]:
    spread = {name: float(np.quantile(sizes, q)) for name, q in _QUANTILES.items()}
    return spread | {"mean": float(sizes.mean())}


def _each_feature(letor: Letor, k: int, jobs: int) -> Iterator[FeatureSummary]:
    return ordered_map(partial(_one_feature, letor, k), list(enumerate(feature_rankers(letor))), jobs)


def _one_feature(letor: Letor, k: int, numbered: tuple[int, Ranker]) -> FeatureSummary:
    number, ranker = numbered
    column, name = letor.columns[number], letor.feature_names[number]
    share, ndcg = _ties_and_ndcg(letor, k, ranker)
    return FeatureSummary(
        name=name,
        title=PROFILES[letor.profile].title(name),
        constant=is_constant(column),
        constant_in_queries=share == 1.0 or len(column) == letor.n_queries,
        missing_share=float(np.isnan(column).mean()),
        tie_share=share,
        ndcg=ndcg,
    )


def _one_ranker(letor: Letor, k: int, ranker: Ranker) -> RankerSummary:
    return RankerSummary(ranker.name, ranker.text, *_ties_and_ndcg(letor, k, ranker))


def _ties_and_ndcg(letor: Letor, k: int, ranker: Ranker) -> tuple[float, float]:
    ranked = ranked_by(ranker, letor)
    ndcg = measured(parse_measure(f"ndcg@{k}"), ranked)
    return tie_share(ranked.ties, letor.offsets), float(mean_over_queries(ndcg))
