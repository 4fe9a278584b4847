"""Judged data that look like MSLR, made offline: synthetic queries, documents, grades and features.

Every query has a latent relevance per document, its grades are that relevance cut at fixed thresholds,
and a feature is a noisy copy of it (letor_data.synthetic.features says how noisy). Query q draws
from SeedSequence(seed, spawn_key=(q,)) alone, so data depend neither on block size nor on threads, and
the first queries of a large set are those of a small one. Meant for tests, demonstrations and
measuring speed. The shapes of published collections have features whose preference matrix was fitted to the
public ones of MSLR (letor_data.synthetic.calibrated); the shape `small` has features as specified.
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

from letor_data.folds import split_of
from letor_data.letor import Letor
from letor_data.synthetic.features import KINDS, QueryTerms, into_unit_range, positions, term_cuts
from letor_data.synthetic.settings import GENERATOR, SHAPES, Feature, Synthetic, families, layout, shape
from rankduel.base.threads import ordered_map

__all__ = ["SHAPES", "Synthetic", "blocks", "docs_per_query", "shape", "synthesize"]

Progress = Callable[[int], object]  # told how many documents were just finished

_QUERIES_PER_BLOCK = 100  # about 12,000 documents: 13 MB of MSLR columns


def synthesize(settings: Synthetic, progress: Progress | None = None, threads: int = 2) -> Letor:
    """The whole set in memory."""
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
    """The set as tables of consecutive queries, of which only a few are in memory at a time."""
    offsets = np.concatenate([[0], np.cumsum(docs_per_query(settings))])
    starts = range(0, settings.queries, queries_per_block)
    ranges = (range(first, min(first + queries_per_block, settings.queries)) for first in starts)
    for block in ordered_map(partial(_block, settings, layout(settings), offsets), ranges, threads):
        yield block
        if progress:
            progress(block.n_docs)


def docs_per_query(settings: Synthetic) -> np.ndarray:
    """How many documents each query will have, without making them."""
    return np.array([_n_docs(settings, _stream(settings, query)) for query in range(settings.queries)])


class _Draws(NamedTuple):
    """All chance in one query of n documents, or in several queries side by side."""

    grades: np.ndarray  # (n,) int8
    relevance: np.ndarray  # (n,), standardised within the query
    factors: np.ndarray  # (n_streams, n), what the features of one stream share
    empty: np.ndarray  # (n_streams, n) bool
    idf: np.ndarray  # (n_streams, n), one value per query
    fresh: np.ndarray  # (n_rows, n), each feature's own noise
    missing: np.ndarray  # (n_rows, n) bool; no rows if nothing is missing
    n_terms: np.ndarray  # (n,) terms of the document's query; 0 if none are drawn
    families: np.ndarray  # (n_families, n), what the features of one family share; no rows without kinship


def _draw(settings: Synthetic, n_rows: int, query: int) -> _Draws:
    rng = _stream(settings, query)
    n = _n_docs(settings, rng)
    n_streams = len(settings.streams)
    effect, irrelevant = settings.query_spread * rng.standard_normal(), rng.random() < settings.p_norel
    latent = effect + math.sqrt(1 - settings.query_spread**2) * rng.standard_normal(n)
    factors = rng.standard_normal((n_streams, n))
    empty = rng.random((n_streams, n))
    _echo_first(settings, range(n_streams), factors)
    p_empty = np.array([stream.p_empty for stream in settings.streams])
    idf = np.repeat(rng.standard_normal((n_streams, 1)), n, axis=1)
    fresh = rng.standard_normal((n_rows, n))
    # Optional draws come last, so that turning an option on leaves the rest of the data as it was.
    missing = rng.random((n_rows if settings.p_missing else 0, n)) < settings.p_missing
    grades = _grades(settings, latent, rng) * (not irrelevant)
    n_terms = np.full(n, _n_terms(settings, rng))
    shared = _draw_families(settings, n, rng)
    is_empty = empty < p_empty[:, None]
    return _Draws(grades, _standardised(latent), factors, is_empty, idf, fresh, missing, n_terms, shared)


def _draw_families(settings: Synthetic, n: int, rng: np.random.Generator) -> np.ndarray:
    """Normals that the features of a family share; those of a stream echo the first stream's as it does."""
    if not settings.kinship:
        return np.empty((0, n))
    names = families(settings)
    drawn = rng.standard_normal((len(names), n))
    for family in dict.fromkeys(name for name, stream in names if stream >= 0):
        _echo_first(settings, [names.index((family, s)) for s in range(len(settings.streams))], drawn)
    return drawn


def _echo_first(settings: Synthetic, rows: Sequence[int], factors: np.ndarray) -> None:
    """Let one row a stream follow that of the first stream by its `echo`."""
    for stream, row in zip(settings.streams, rows):
        factors[row] = stream.echo * factors[rows[0]] + math.sqrt(1 - stream.echo**2) * factors[row]


def _stream(settings: Synthetic, query: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(settings.seed, spawn_key=(query,)))


def _n_docs(settings: Synthetic, rng: np.random.Generator) -> int:
    """Documents of a query: the first number its stream gives."""
    n = round(settings.docs_median * math.exp(settings.docs_spread * rng.standard_normal()))
    return min(max(n, 1), settings.docs_max)


def _n_terms(settings: Synthetic, rng: np.random.Generator) -> int:
    """Terms of a query; 0 if the settings do not say how many there are."""
    if not settings.terms:
        return 0
    below = np.cumsum(settings.terms)[:-1]  # rounding may leave the whole sum below 1
    return 1 + int(np.searchsorted(below, rng.random(), side="right"))


def _grades(settings: Synthetic, latent: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Relevance cut so that grades have their shares; some are then replaced by others of those shares."""
    cuts = np.cumsum(settings.grade_shares)[:-1]
    grades = np.searchsorted([NormalDist().inv_cdf(cut) for cut in cuts], latent)
    if settings.label_noise:
        resampled = np.searchsorted(cuts, rng.random(len(latent)))
        grades = np.where(rng.random(len(latent)) < settings.label_noise, resampled, grades)
    return grades.astype(np.int8)


def _standardised(latent: np.ndarray) -> np.ndarray:
    """Mean 0 and variance 1; a lone document is neither better nor worse than its query."""
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
    """The feature before it becomes a count or a score: rho parts relevance, the rest noise."""
    if feature.kind == "constant":
        return np.zeros(len(query))
    if feature.kind == "idf":
        return draws.idf[feature.stream]
    noise = draws.fresh[feature.row]
    if feature.family >= 0:
        noise = _mixed(draws.families[feature.family], noise, 1 - settings.kinship)
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
    """Return standard normals of which `share` of the variance is `own`."""
    return math.sqrt(1 - share) * shared + math.sqrt(share) * own


def _table(
    settings: Synthetic, first: int, offsets: np.ndarray, labels: np.ndarray, columns: tuple[np.ndarray, ...]
) -> Letor:
    """Queries first, first + 1, ... whose documents are records offsets[0], ... of the set."""
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
