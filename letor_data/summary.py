"""Summary of a data set: sizes, grades, and the quality of each feature as a ranker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from rankduel.base.arguments import check_type
from rankduel.base.notebook import html_repr, short_repr
from rankduel.base.results import plain
from rankduel.base.threads import n_workers, ordered_map
from rankduel.base.watch import SILENT, Watch
from rankduel.letor_data.catalogue import PROFILES
from rankduel.letor_data.evaluation.catalogue import parse_measure
from rankduel.letor_data.evaluation.values import mean_over_queries, measured, ranked_by
from rankduel.letor_data.letor import Letor, is_constant
from rankduel.letor_data.rankers import Ranker, feature_rankers, rankers_of
from rankduel.letor_data.rankers.contract import NAMED
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

    @property
    def title(self) -> str:
        """Return the text without the name that it may end in."""
        return self.text.removesuffix(f"{NAMED}{self.name}")


@dataclass(frozen=True, repr=False)
class DataSummary:
    """Sizes and grades of judged data, and the quality of each feature as a ranker."""

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

    @property
    def about_profile(self) -> str:
        """Return the description of the format."""
        return PROFILES[self.profile].about

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per feature."""
        return pd.DataFrame([asdict(feature) for feature in self.features])

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain Python objects."""
        values: dict[str, Any] = plain(asdict(self))
        return values

    def _facts(self) -> dict[str, object]:
        best = max(self.features, key=lambda feature: feature.ndcg)
        return {
            "source": self.source,
            "queries": self.queries,
            "documents": self.documents,
            "features": self.n_features,
            "best": f"{best.name}, NDCG@{self.cutoff} {best.ndcg:.4f}",
        }

    def __repr__(self) -> str:
        return short_repr("DataSummary", self._facts())

    def _repr_html_(self) -> str:
        return html_repr("DataSummary", self._facts())


def describe_data(
    data: Letor,
    cutoff: int = 10,
    *,
    rankers: Sequence[object] | Mapping[str, object] = (),
    jobs: int = -1,
    watch: Watch = SILENT,
) -> DataSummary:
    """Count queries, documents and grades, and measure every feature as a ranker.

    Parameters
    ----------
    data : Letor
        Judged documents.
    cutoff : int, default 10
        Cut-off of NDCG.
    rankers : sequence or mapping, default ()
        Further rankers to measure, of any kind that `open_arena` accepts.
    jobs : int, default -1
        Number of threads; -1 uses all cores. The result does not depend on it.
    watch : Watch, optional
        Receives the number of features done since the last call.

    Returns
    -------
    DataSummary
        Sizes, grades, for every feature its NDCG, ties and missing values, and for every other ranker its
        NDCG and ties. ``to_dict()`` returns plain values, and ``to_pandas()`` one row per feature.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=20)
    >>> summary = rankduel.describe_data(data)
    >>> summary.queries, summary.n_features
    (20, 136)
    >>> max(summary.features, key=lambda feature: feature.ndcg).name
    '110'
    >>> mix = rankduel.describe_data(data, rankers=["0.7*110+0.3*115"]).rankers[0]
    >>> mix.name, mix.ndcg > 0.5
    ('0.7*110+0.3*115', True)
    """
    check_type("data", data, Letor, "judged data from read_data")
    sizes = data.docs_per_query
    names, counts = np.unique(data.splits.astype(str), return_counts=True)
    grades, documents = np.unique(data.labels, return_counts=True)
    starts = data.offsets[:-1]
    one_grade = np.maximum.reduceat(data.labels, starts) == np.minimum.reduceat(data.labels, starts)
    chosen = rankers_of(rankers, data) if rankers else ()
    features = []
    for feature in _each_feature(data, cutoff, n_workers(jobs)):
        features.append(feature)
        watch.counting("ranking by each feature", 1, data.n_features)
    return DataSummary(
        source=data.source,
        profile=data.profile,
        digest=data.digest,
        queries=data.n_queries,
        documents=data.n_docs,
        n_features=data.n_features,
        splits={str(name): int(count) for name, count in zip(names, counts)},
        grades={int(grade): int(count) for grade, count in zip(grades, documents)},
        docs_per_query=_spread(sizes),
        single_document_queries=int((sizes == 1).sum()),
        one_grade_queries=int(one_grade.sum()),
        cutoff=cutoff,
        features=features,
        rankers=[_one_ranker(data, cutoff, ranker) for ranker in chosen],
        notes=list(data.notes),
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
