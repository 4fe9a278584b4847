"""Definitions of synthetic features: their correlation with relevance, and the transformation to values.

The standard set has the layout of MSLR: 25 blocks x 5 text streams, numbered block by block, then eleven
features of the URL. A feature is a standard normal `base` that has correlation `rho` with relevance within
the query. Its kind transforms the base to counts, flags or scores by a non-decreasing function, which may
create ties but does not change the order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

# The names of the fields of Stream, Block and Single are part of the digest of synthetic data.


class Stream(NamedTuple):
    """A part of the document on which text features are computed."""

    name: str
    load: float  # correlation of its features with relevance, before the adjustment of the block
    p_empty: float = 0.0  # share of documents without this part
    echo: float = 0.0  # correlation of its factor with that of the first stream
    coverage: float = 1.0  # probability that it contains a term of the query
    own: float = 1.0  # factor of the share of individual noise of its features


class Block(NamedTuple):
    """A quantity that is computed on every stream."""

    name: str
    adjust: float  # added to the load of the stream
    kind: str  # key of KINDS
    like: str = ""  # an earlier block with the same base
    loads: tuple[float, ...] = ()  # rho for each stream, times the load of the stream; instead of `adjust`
    own: float = 0.0  # share of individual noise; 0: the setting `dup`
    family: str = ""  # blocks of one family share part of their individual noise


class Single(NamedTuple):
    """A quantity of the whole document."""

    name: str
    load: float
    kind: str
    family: str = ""  # as in Block
    echo: float = 0.0  # correlation of its noise with the factor of the first stream


STREAMS = (
    Stream("body", 0.42),
    Stream("anchor", 0.30, p_empty=0.55),
    Stream("title", 0.36, p_empty=0.03),
    Stream("url", 0.24),
    Stream("whole", 0.46, echo=0.8),
)

BLOCKS = (
    Block("covered", -0.14, "covered"),
    Block("ratio", -0.14, "ratio", like="covered"),
    Block("length", -0.30, "length"),
    Block("idf", 0.0, "idf"),
    Block("tf sum", 0.0, "tf"),
    Block("tf min", -0.08, "tf"),
    Block("tf max", 0.0, "tf"),
    Block("tf mean", 0.0, "tf"),
    Block("tf variance", -0.12, "tf"),
    Block("normalised tf sum", 0.0, "score"),
    Block("normalised tf min", -0.08, "score"),
    Block("normalised tf max", 0.0, "score"),
    Block("normalised tf mean", 0.0, "score"),
    Block("normalised tf variance", -0.13, "score"),
    Block("tf-idf sum", 0.0, "score"),
    Block("tf-idf min", -0.08, "score"),
    Block("tf-idf max", 0.0, "score"),
    Block("tf-idf mean", 0.0, "score"),
    Block("tf-idf variance", -0.14, "score"),
    Block("boolean", -0.18, "boolean"),
    Block("vector space", 0.0, "score"),
    Block("bm25", 0.04, "score"),
    Block("lmir.abs", 0.02, "lmir"),
    Block("lmir.dir", 0.01, "lmir"),
    Block("lmir.jm", 0.0, "lmir"),
)

SINGLES = (
    Single("url slashes", 0.02, "slashes"),
    Single("url length", 0.03, "url length"),
    Single("inlinks", 0.12, "links"),
    Single("outlinks", 0.04, "links"),
    Single("pagerank", 0.16, "rank"),
    Single("siterank", 0.13, "rank"),
    Single("quality", 0.14, "quality"),
    Single("quality 2", 0.13, "quality"),
    Single("query-url clicks", 0.34, "clicks"),
    Single("url clicks", 0.22, "clicks"),
    Single("dwell time", 0.24, "dwell"),
)

WINNER = ("bm25", "whole")  # the intended Condorcet winner

P_UNLISTED = 0.348  # share of NULL in MQ2007-agg: a list omits the documents with the lowest base
_LISTED_ABOVE = NormalDist().inv_cdf(P_UNLISTED)


class QueryTerms(NamedTuple):
    """Number of query terms, and the thresholds for their occurrence in a stream, of each of n documents."""

    n_terms: np.ndarray  # (n,) terms of the document's query
    cuts: np.ndarray  # (max terms, n); more than j terms occur if base > cuts[j]; inf from j = n_terms on


class Kind(NamedTuple):
    """Transformation of a base to a value."""

    value: Callable[..., np.ndarray]  # of the base, and of QueryTerms if `uses_terms`
    exact: bool = True  # values are multiples of 1/4: exact in float32 and not rounded
    empty: float = 0.0  # value for a document without the stream
    uses_terms: bool = False


def term_cuts(coverage: float, most: int) -> np.ndarray:
    """Return (most, most) thresholds: with n terms, more than j occur if the base is above [j, n - 1].

    The thresholds are inf for j >= n. For a standard normal base, the number of terms that occur is binomial:
    each term occurs with probability `coverage`.
    """
    cuts = np.full((most, most), np.inf)
    for n in range(1, most + 1):
        shares = [math.comb(n, k) * coverage**k * (1 - coverage) ** (n - k) for k in range(n + 1)]
        at_most = np.minimum(np.cumsum(shares)[:-1], 1.0)  # a rounded sum may exceed 1
        cuts[:n, n - 1] = ndtri(at_most)
    return cuts


def _n_covered(base: np.ndarray, terms: QueryTerms) -> np.ndarray:
    return np.sum(base > terms.cuts, axis=0)


def _covers_all(base: np.ndarray, terms: QueryTerms) -> np.ndarray:
    return _n_covered(base, terms) == terms.n_terms


def _count(base: np.ndarray) -> np.ndarray:
    return np.floor(np.exp(0.8 + 1.1 * base))


def _score(base: np.ndarray) -> np.ndarray:
    return np.exp(0.5 * base)


def _clicks_above(least: float, base: np.ndarray) -> np.ndarray:
    """Return numbers of clicks, which are zero for bases up to `least`."""
    return np.where(base > least, np.floor(np.exp(1.5 * base)), 0.0)


# The kinds after "idf" are for MSLR's features of the URL: counts of roughly the real size, with ties; clicks
# and dwell time are zero for most documents.
KINDS = {
    "covered": Kind(lambda base: np.clip(np.floor(1.6 + base), 0, 4)),
    "ratio": Kind(lambda base: np.clip(np.floor(1.6 + base), 0, 4) / 4),
    "length": Kind(lambda base: np.floor(np.exp(5 + base))),
    "tf": Kind(_count),
    "boolean": Kind(lambda base: (base > -0.4).astype(np.float64)),
    "lmir": Kind(lambda base: -np.exp(2.2 - 0.3 * base), exact=False, empty=-30.0),
    "score": Kind(_score, exact=False),
    "idf": Kind(_score, exact=False),
    "constant": Kind(np.zeros_like),
    "slashes": Kind(lambda base: np.floor(np.exp(1.2 + 0.35 * base))),
    "url length": Kind(lambda base: np.floor(np.exp(3.7 + 0.35 * base))),
    "links": Kind(lambda base: np.floor(np.exp(1.2 + 1.3 * base))),
    "rank": Kind(lambda base: np.floor(np.exp(8 + base))),
    "quality": Kind(lambda base: np.clip(np.floor(128 + 12 * base), 0, 255)),
    "clicks": Kind(partial(_clicks_above, 1.0)),
    "dwell": Kind(lambda base: np.where(base > 1, np.exp(1.5 * base), 0.0), exact=False),
    # For the calibrated features (synthetic/calibrated.py). A minimum is zero unless all terms occur.
    # A variance is zero for one term. The cosine of one term depends only on whether it occurs.
    "terms": Kind(_n_covered, uses_terms=True),
    "terms ratio": Kind(
        lambda base, terms: _n_covered(base, terms) / terms.n_terms, exact=False, uses_terms=True
    ),
    "all terms": Kind(_covers_all, uses_terms=True),
    "tf min": Kind(lambda base, terms: _count(base) * _covers_all(base, terms), uses_terms=True),
    "tf mean": Kind(lambda base, terms: _count(base) / terms.n_terms, exact=False, uses_terms=True),
    "tf variance": Kind(lambda base, terms: _count(base) * (terms.n_terms > 1), uses_terms=True),
    "score min": Kind(
        lambda base, terms: _score(base) * _covers_all(base, terms), exact=False, uses_terms=True
    ),
    "score mean": Kind(lambda base, terms: _score(base) / terms.n_terms, exact=False, uses_terms=True),
    "score variance": Kind(
        lambda base, terms: _score(base) * (terms.n_terms > 1), exact=False, uses_terms=True
    ),
    "cosine": Kind(
        lambda base, terms: np.where(terms.n_terms > 1, _score(base), _covers_all(base, terms)),
        exact=False,
        uses_terms=True,
    ),
    "rare clicks": Kind(partial(_clicks_above, 1.9)),
    "common clicks": Kind(partial(_clicks_above, 0.0)),
    "common dwell": Kind(lambda base: np.where(base > 0, np.exp(1.5 * base), 0.0), exact=False),
}


def positions(base: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Return ranks 1, 2, ... in each query's list, largest base first; NaN for documents not in the list."""
    order = np.lexsort((-base, query))
    starts = np.searchsorted(query, query)  # first row of the document's query
    places = np.empty(len(base))
    places[order] = np.arange(1, len(base) + 1) - starts
    return np.where(base > _LISTED_ABOVE, places, np.nan)


def into_unit_range(values: np.ndarray) -> np.ndarray:
    """Map the values of a feature, which all have one sign, increasingly to [0, 1], with 0 to 0."""
    size = np.log1p(np.abs(values))
    share = size / (1 + size)
    return np.where(values < 0, 1 - share, share)
