"""Values of measures for given rankings, and for rankers on a data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from rankduel.base.errors import DataError
from rankduel.base.settings import Configured
from rankduel.base.threads import n_workers, ordered_map
from rankduel.letor_data.evaluation.catalogue import parse_measure
from rankduel.letor_data.evaluation.contract import NO_RELEVANT, Ranked
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import Ranker
from rankduel.letor_data.rankings import check_rankers, rank_row
from rankduel.letor_data.sorting import read_only


def expected_values(
    measure: str, labels: np.ndarray, offsets: np.ndarray, order: np.ndarray, ties: np.ndarray
) -> np.ndarray:
    """Return the value of `measure` for each query, as the exact mean over all orders of tied documents.

    `order` and `ties` have shape (n_docs,) for one ranker or (K, n_docs) for K rankers; the result has shape
    (n_queries,) or (K, n_queries).
    """
    chosen = parse_measure(measure)
    rows = [
        measured(chosen, ranked_grades(labels, offsets, docs, groups))
        for docs, groups in zip(np.atleast_2d(order), np.atleast_2d(ties))
    ]
    return np.array(rows).reshape(*order.shape[:-1], -1)


def measure_rankers(
    letor: Letor,
    rankers: Sequence[Ranker],
    measures: Sequence[Configured],
    jobs: int = -1,
    progress: Callable[[int], object] | None = None,
) -> np.ndarray:
    """Return (n_rankers, n_measures, n_queries) values; rankings are not kept in memory."""
    check_rankers(rankers)
    found = np.empty((len(rankers), len(measures), letor.n_queries))
    rows = ordered_map(partial(_measure_one, letor, measures), rankers, n_workers(jobs))
    for row, values in zip(found, rows):
        row[:] = values
        if progress:
            progress(1)
    return found


def _measure_one(letor: Letor, measures: Sequence[Configured], ranker: Ranker) -> list[np.ndarray]:
    ranked = ranked_by(ranker, letor)
    return [measured(measure, ranked) for measure in measures]


def ranked_by(ranker: Ranker, letor: Letor) -> Ranked:
    """Return the ranked grades of one ranker, with the ends of its lists."""
    order, _, ties, lengths = rank_row(letor, ranker)
    ranked = ranked_grades(letor.labels, letor.offsets, order, ties)
    return ranked if lengths is None else ranked._replace(ends=read_only(letor.offsets[:-1] + lengths))


def ranked_grades(labels: np.ndarray, offsets: np.ndarray, order: np.ndarray, ties: np.ndarray) -> Ranked:
    """Return ranked grades for a row `order` and `ties` of `Rankings` that lists all documents."""
    if len(labels) != offsets[-1] or len(order) != offsets[-1]:
        raise DataError(f"{len(labels)} labels and {len(order)} ranks for {offsets[-1]} documents")
    grades = labels[np.repeat(offsets[:-1], np.diff(offsets)) + order]
    return Ranked(read_only(grades), read_only(offsets), read_only(offsets[1:]), read_only(ties))


def measured(chosen: Configured, ranked: Ranked) -> np.ndarray:
    """Return the values of all queries, applying `no_relevant` to queries without a relevant document."""
    values = chosen.thing.values(ranked, chosen.params)
    filler = NO_RELEVANT[chosen.get("no_relevant", "zero")]
    if filler == 0.0:  # measures already return 0 for these queries
        return values
    sizes = np.diff(ranked.offsets)
    highest = np.zeros(len(sizes), np.int8)
    highest[sizes > 0] = np.maximum.reduceat(ranked.grades, ranked.offsets[:-1][sizes > 0])
    return np.where(highest >= chosen.get("rel", 1), values, filler)


def mean_over_queries(values: np.ndarray) -> np.ndarray:
    """Return the mean over the last axis without NaN, which marks skipped queries; NaN if all are skipped."""
    counts = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(counts, values, 0.0).sum(axis=-1) / counts.sum(axis=-1)
