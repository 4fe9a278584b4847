"""What each synthetic feature measures, how strongly it follows relevance, and how it becomes a value.

The standard set is shaped like MSLR: 25 blocks x 5 text streams, numbered block by block, then eleven
features of the URL. A feature starts as a standard normal `base` that correlates `rho` with relevance
inside the query; its kind turns the base into counts, flags or scores, none of which changes the order
beyond making ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri


class Stream(NamedTuple):
    """A part of the document that text features are computed on."""

    name: str
    load: float  # how strongly its features follow relevance
    p_empty: float = 0.0  # share of documents without it
    echo: float = 0.0  # correlation of its factor with that of the first stream
    coverage: float = 1.0  # probability that it contains a term of the query
    own: float = 1.0  # multiplies the share of own noise of its features


class Block(NamedTuple):
    """A quantity computed on every stream."""

    name: str
    adjust: float  # added to the stream's load
    kind: str  # in KINDS
    like: str = ""  # an earlier block with the same base: both rank alike where their kinds do
    loads: tuple[float, ...] = ()  # rho on each stream, multiplied by its load; instead of `adjust`
    own: float = 0.0  # share of own noise, instead of the setting `dup` if it is above 0
    family: str = ""  # blocks of one family share part of their own noise


class Single(NamedTuple):
    """A quantity of the document as a whole."""

    name: str
    load: float
    kind: str
    family: str = ""  # as of a block
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

WINNER = ("bm25", "whole")  # the designated Condorcet winner

P_UNLISTED = 0.348  # share of NULL in MQ2007-agg: a list holds the better part of the documents
_LISTED_ABOVE = NormalDist().inv_cdf(P_UNLISTED)


class QueryTerms(NamedTuple):
    """The terms of a query and how a stream covers them, for each of n documents."""

    n_terms: np.ndarray  # (n,) terms of the document's query
    cuts: np.ndarray  # (most terms, n) row j: base above which more than j terms occur; inf beyond n_terms


class Kind(NamedTuple):
    """How a base becomes a value; whole or quarter numbers fit float32 and need no rounding."""

    value: Callable[..., np.ndarray]  # of the base; and of QueryTerms, if `uses_terms`
    exact: bool = True
    empty: float = 0.0  # where the document lacks the stream
    uses_terms: bool = False


def term_cuts(coverage: float, most: int) -> np.ndarray:
    """Return (most, most) bases above which more than j of n terms occur, at [j, n - 1]; inf from j = n on.

    A standard normal base then covers a binomial number of terms: each occurs with probability `coverage`.
    """
    cuts = np.full((most, most), np.inf)
    for n in range(1, most + 1):
        shares = [math.comb(n, k) * coverage**k * (1 - coverage) ** (n - k) for k in range(n + 1)]
        at_most = np.minimum(np.cumsum(shares)[:-1], 1.0)  # rounding may exceed 1
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
    """Return counts of clicks, zero for bases up to `least`."""
    return np.where(base > least, np.floor(np.exp(1.5 * base)), 0.0)


# Down to "idf" as specified. The rest fills in what MSLR's URL features leave open: counts of roughly
# the real size, tied as counts are; clicks and dwell time are zero for most documents.
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
    # Of the calibrated features (letor_data.synthetic.calibrated). A minimum is zero unless all terms occur.
    # A variance is zero for one term. The cosine of one term says only whether it occurs.
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
    """Places 1, 2, ... in each query's list, best base first; NaN for documents the list does not hold."""
    order = np.lexsort((-base, query))
    starts = np.searchsorted(query, query)  # row at which the document's query begins
    places = np.empty(len(base))
    places[order] = np.arange(1, len(base) + 1) - starts
    return np.where(base > _LISTED_ABOVE, places, np.nan)


def into_unit_range(values: np.ndarray) -> np.ndarray:
    """An increasing map of each feature into [0, 1] that keeps 0 (features here have one sign)."""
    size = np.log1p(np.abs(values))
    share = size / (1 + size)
    return np.where(values < 0, 1 - share, share)
