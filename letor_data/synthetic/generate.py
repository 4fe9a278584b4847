"""Generator of synthetic judged data: queries, documents, grades and features.

Every document has a latent relevance. Its grade is that relevance cut at fixed thresholds, and a feature is
the relevance plus noise (see rankduel.letor_data.synthetic.features). Query q draws from SeedSequence(seed,
spawn_key=(q,)) only, so data depend neither on the block size nor on threads, and a large set starts with the
queries of a small one. The shapes of published collections have features whose preference matrix was fitted
to the public matrices of MSLR (rankduel.letor_data.synthetic.calibrated); those of the shape `small` were not
fitted.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from rankduel.base.threads import ordered_map
from rankduel.letor_data.folds import split_of
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.synthetic.features import KINDS, QueryTerms, into_unit_range, positions, term_cuts
from rankduel.letor_data.synthetic.settings import (
    GENERATOR,
    SHAPES,
    Feature,
    Synthetic,
    families,
    layout,
    shape,
)

__all__ = ["SHAPES", "Synthetic", "blocks", "docs_per_query", "shape", "synthesize"]

Progress = Callable[[int], object]  # called with the number of documents finished since the last call

_QUERIES_PER_BLOCK = 100  # about 12,000 documents: 13 MB of MSLR columns


def synthesize(settings: Synthetic, progress: Progress | None = None, threads: int = 2) -> Letor:
    """Return the whole data set."""
    ends = np.cumsum(docs_per_query(settings))
    parts = blocks(settings, progress=progress, threads=threads)
    first = next(parts)
    columns = tuple(np.empty(ends[-1], column.dtype) for column in first.columns)
    labels = np.empty(ends[-1], np.int8)
    for part in itertools.chain([first], parts):
        rows = slice(part.records[0], part.records[-1] + 1)
        labels[rows] = part.labels
        for whole, piece in zip(columns, part.columns):
            whole[rows] = piece
    return _table(settings, 0, np.concatenate([[0], ends]), labels, columns)


def blocks(
    settings: Synthetic,
    queries_per_block: int = _QUERIES_PER_BLOCK,
    progress: Progress | None = None,
    threads: int = 2,
) -> Iterator[Letor]:
    """Yield the data set in blocks of consecutive queries, with few blocks in memory at a time."""
    offsets = np.concatenate([[0], np.cumsum(docs_per_query(settings))])
    starts = range(0, settings.queries, queries_per_block)
    ranges = (range(first, min(first + queries_per_block, settings.queries)) for first in starts)
    for block in ordered_map(partial(_block, settings, layout(settings), offsets), ranges, threads):
        yield block
        if progress:
            progress(block.n_docs)


def docs_per_query(settings: Synthetic) -> np.ndarray:
    """Return the number of documents of each query, without generating them."""
    return np.array([_n_docs(settings, _stream(settings, query)) for query in range(settings.queries)])


class _Draws(NamedTuple):
    """Random numbers of one query of n documents, or of several queries side by side."""

    grades: np.ndarray  # (n,) int8
    relevance: np.ndarray  # (n,), standardised within the query
    factors: np.ndarray  # (n_streams, n), common noise of the features of a stream
    empty: np.ndarray  # (n_streams, n) bool
    idf: np.ndarray  # (n_streams, n), one value per query
    fresh: np.ndarray  # (n_rows, n), individual noise of each feature
    missing: np.ndarray  # (n_rows, n) bool; no rows if nothing is missing
    n_terms: np.ndarray  # (n,) terms of the document's query; 0 if none are drawn
    families: np.ndarray  # (n_families, n), common noise of a family; no rows if `family_share` is 0


def _draw(settings: Synthetic, n_rows: int, query: int) -> _Draws:
    rng = _stream(settings, query)
    n = _n_docs(settings, rng)
    n_streams = len(settings.streams)
    effect, irrelevant = settings.query_spread * rng.standard_normal(), rng.random() < settings.p_norel
    latent = effect + math.sqrt(1 - settings.query_spread**2) * rng.standard_normal(n)
    factors = rng.standard_normal((n_streams, n))
    empty = rng.random((n_streams, n))
    _correlate_with_first(settings, range(n_streams), factors)
    p_empty = np.array([stream.p_empty for stream in settings.streams])
    idf = np.repeat(rng.standard_normal((n_streams, 1)), n, axis=1)
    fresh = rng.standard_normal((n_rows, n))
    # Optional draws come last, so that an option does not change the other values.
    missing = rng.random((n_rows if settings.p_missing else 0, n)) < settings.p_missing
    grades = _grades(settings, latent, rng) * (not irrelevant)
    n_terms = np.full(n, _n_terms(settings, rng))
    shared = _draw_families(settings, n, rng)
    is_empty = empty < p_empty[:, None]
    return _Draws(grades, _standardised(latent), factors, is_empty, idf, fresh, missing, n_terms, shared)


def _draw_families(settings: Synthetic, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the common noise of each family; over streams, it is correlated as the streams' factors are."""
    if not settings.family_share:
        return np.empty((0, n))
    names = families(settings)
    drawn = rng.standard_normal((len(names), n))
    for family in dict.fromkeys(name for name, stream in names if stream >= 0):
        rows = [names.index((family, s)) for s in range(len(settings.streams))]
        _correlate_with_first(settings, rows, drawn)
    return drawn


def _correlate_with_first(settings: Synthetic, rows: Sequence[int], factors: np.ndarray) -> None:
    """Give the row of each stream the correlation `echo` with the row of the first stream, in place."""
    for stream, row in zip(settings.streams, rows):
        rho = stream.echo
        factors[row] = rho * factors[rows[0]] + math.sqrt(1 - rho**2) * factors[row]


def _stream(settings: Synthetic, query: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(settings.seed, spawn_key=(query,)))


def _n_docs(settings: Synthetic, rng: np.random.Generator) -> int:
    """Draw the number of documents of a query, from the first number of its stream."""
    n = round(settings.docs_median * math.exp(settings.docs_spread * rng.standard_normal()))
    return min(max(n, 1), settings.docs_max)


def _n_terms(settings: Synthetic, rng: np.random.Generator) -> int:
    """Draw the number of terms of a query; return 0 if the settings have no `terms`."""
    if not settings.terms:
        return 0
    below = np.cumsum(settings.terms)[:-1]  # without the total, which rounding may leave below 1
    return 1 + int(np.searchsorted(below, rng.random(), side="right"))


def _grades(settings: Synthetic, latent: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return grades: relevance cut at quantiles of `grade_shares`, of which `label_noise` are redrawn."""
    cuts = np.cumsum(settings.grade_shares)[:-1]
    grades = np.searchsorted([NormalDist().inv_cdf(cut) for cut in cuts], latent)
    if settings.label_noise:
        resampled = np.searchsorted(cuts, rng.random(len(latent)))
        grades = np.where(rng.random(len(latent)) < settings.label_noise, resampled, grades)
    return grades.astype(np.int8)


def _standardised(latent: np.ndarray) -> np.ndarray:
    """Return `latent` with mean 0 and variance 1; 0 for a single document."""
    centred = latent - latent.mean()
    return centred / latent.std() if len(latent) > 1 else centred


def _block(settings: Synthetic, features: tuple[Feature, ...], offsets: np.ndarray, queries: range) -> Letor:
    n_rows = 1 + max(feature.row for feature in features)
    drawn = [_draw(settings, n_rows, query) for query in queries]
    draws = _Draws(*(np.concatenate(parts, axis=-1) for parts in zip(*drawn)))
    of_block = offsets[queries.start : queries.stop + 1]
    query = np.repeat(queries, np.diff(of_block))
    columns = tuple(_column(settings, feature, draws, query) for feature in features)
    return _table(settings, queries.start, of_block, draws.grades, columns)


def _column(settings: Synthetic, feature: Feature, draws: _Draws, query: np.ndarray) -> np.ndarray:
    base = _base(settings, feature, draws, query)
    if feature.kind == "position":
        return positions(base, query).astype(np.float32)
    kind = KINDS[feature.kind]
    terms = (_terms(settings, feature, draws),) if kind.uses_terms else ()
    values = kind.value(base, *terms).astype(np.float64)
    if feature.stream >= 0 and feature.row >= 0:
        values[draws.empty[feature.stream]] = kind.empty
    if settings.unit_range:
        values = into_unit_range(values)
    exact = kind.exact and not settings.unit_range
    values = values.astype(np.float32) if exact else np.round(values, settings.decimals)
    if settings.p_missing and feature.row >= 0:
        values[draws.missing[feature.row]] = np.nan
    return values


def _terms(settings: Synthetic, feature: Feature, draws: _Draws) -> QueryTerms:
    cuts = term_cuts(settings.streams[feature.stream].coverage, len(settings.terms))
    return QueryTerms(draws.n_terms, cuts[:, draws.n_terms - 1])


def _base(settings: Synthetic, feature: Feature, draws: _Draws, query: np.ndarray) -> np.ndarray:
    """Return the standard normal base of a feature, which has correlation rho with relevance."""
    if feature.kind == "constant":
        return np.zeros(len(query))
    if feature.kind == "idf":
        return draws.idf[feature.stream]
    noise = draws.fresh[feature.row]
    if feature.family >= 0:
        noise = _mixed(draws.families[feature.family], noise, 1 - settings.family_share)
    if feature.stream >= 0:
        noise = _mixed(draws.factors[feature.stream], noise, feature.own)
    elif feature.echo:
        noise = feature.echo * draws.factors[0] + math.sqrt(1 - feature.echo**2) * noise
    if len(feature.rho) == 1:
        rho = feature.rho[0]
        return rho * draws.relevance + math.sqrt(1 - rho**2) * noise
    rhos = np.array(feature.rho)[query % len(feature.rho)]
    return rhos * draws.relevance + np.sqrt(1 - rhos**2) * noise


def _mixed(shared: np.ndarray, own: np.ndarray, share: float) -> np.ndarray:
    """Return standard normals whose variance is due to `own` by `share`, and otherwise to `shared`."""
    return math.sqrt(1 - share) * shared + math.sqrt(share) * own


def _table(
    settings: Synthetic, first: int, offsets: np.ndarray, labels: np.ndarray, columns: tuple[np.ndarray, ...]
) -> Letor:
    """Return queries `first`, first + 1, ... of the set, whose documents are records offsets[0], ..."""
    queries = range(first, first + len(offsets) - 1)
    return Letor(
        labels=labels,
        offsets=(offsets - offsets[0]).astype(np.int64),
        columns=columns,
        feature_names=tuple(str(number) for number in range(1, len(columns) + 1)),
        query_ids=np.array([str(query + 1) for query in queries], object),
        splits=np.array([split_of(query) for query in queries], object),
        records=np.arange(offsets[0], offsets[-1], dtype=np.int64),
        profile=settings.profile,
        source=f"{settings.name}, synthetic (generator {GENERATOR}), seed {settings.seed}",
        digest=hashlib.sha256(repr((GENERATOR, dataclasses.astuple(settings))).encode()).hexdigest(),
    )
