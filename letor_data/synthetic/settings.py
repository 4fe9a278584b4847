"""Settings of the synthetic generator, named shapes, and the list of features of a shape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from rankduel.base.errors import DataError
from rankduel.base.settings import find
from rankduel.letor_data.synthetic import calibrated
from rankduel.letor_data.synthetic.features import BLOCKS, SINGLES, STREAMS, WINNER, Block, Single, Stream
from rankduel.letor_data.text.writer import ISTELLA_MISSING

GENERATOR = 2  # version; increase it when the same settings give other data
_LEAST_RHO = 0.02
_FURTHER_LOAD = 0.95  # load of a repeated stream, relative to the repetition before it
_MOST_OWN = 0.9  # largest share of individual noise of a text feature
_CYCLE_FACTOR = 0.5  # of the loads of other features, so that none beats the three rankers of the cycle


# Settings that are shares or correlations, from 0 to 1.
_SHARES = ("query_spread", "p_norel", "label_noise", "dup", "family_share", "rho_shift", "p_missing")


@dataclass(frozen=True)
class Synthetic:
    """Settings of a synthetic data set; equal settings give equal data on any machine."""

    name: str = "synthetic"
    profile: str = "mslr"  # key of rankduel.letor_data.catalogue.PROFILES
    seed: int = 0
    queries: int = 2000
    docs_median: float = 105.0  # documents per query are log-normal: mean = median * exp(spread^2 / 2)
    docs_spread: float = 0.55  # standard deviation of the logarithm
    docs_max: int = 1251
    grade_shares: tuple[float, ...] = (0.52, 0.32, 0.13, 0.02, 0.01)
    query_spread: float = 0.45  # sigma_b: standard deviation of the mean relevance of queries
    p_norel: float = 0.02  # share of queries without any relevant document
    label_noise: float = 0.0  # share of documents whose grade is redrawn, independently of their features
    streams: tuple[Stream, ...] = STREAMS
    blocks: tuple[Block, ...] = BLOCKS
    singles: tuple[Single, ...] = SINGLES
    terms: tuple[float, ...] = ()  # shares of the queries with 1, 2, ... terms; needed by features of terms
    dup: float = 0.12  # share of individual noise in a text feature; small: features of a stream are similar
    family_share: float = 0.0  # share of a feature's individual noise that is common to its family
    rho_shift: float = 0.0  # added to rho in one third of the queries, subtracted in another
    decimals: int = 6  # of features that are not counts; fewer decimals give more ties
    cw_gap: float = 0.12  # added to the load of BM25 on the whole document, the best feature
    n_const: int = 0  # number of features that are zero everywhere, after the others
    cycle: bool = False  # three more rankers, last: each is best in a third of the queries and beats the next
    cycle_levels: tuple[float, float, float] = (1.0, 0.5, 0.0)  # their rho: high, middle, low
    p_missing: float = 0.0  # share of values that are missing
    unit_range: bool = False  # map each feature to [0, 1]
    sparse: bool = False  # default of `sparse` for text files, see rankduel.letor_data.text.writer
    missing: str = "NULL"  # default of `missing` for text files

    def __post_init__(self) -> None:
        if self.queries < 1 or self.docs_max < 1 or self.docs_median <= 0:
            raise DataError(f"queries, docs_max and docs_median must be positive: {self.name}")
        if min(self.grade_shares) <= 0 or not math.isclose(sum(self.grade_shares), 1):
            raise DataError(f"grade shares must be positive and add up to 1, not {self.grade_shares}")
        if self.terms and (min(self.terms) < 0 or not math.isclose(sum(self.terms), 1)):
            raise DataError(f"shares of terms must not be negative and add up to 1, not {self.terms}")
        for share in _SHARES:
            if not 0 <= getattr(self, share) <= 1:
                raise DataError(f"{share} must be between 0 and 1, not {getattr(self, share)}")


class Feature(NamedTuple):
    """A feature to generate."""

    kind: str  # key of rankduel.letor_data.synthetic.features.KINDS, or "position"
    rho: tuple[float, ...] = (0.0,)  # correlation with relevance; query q has rho[q % len(rho)]
    stream: int = -1  # -1: none, all noise is individual
    row: int = -1  # in `_Draws.fresh`; -1: no individual noise
    own: float = 1.0  # share of individual noise; the rest is that of the stream
    family: int = -1  # row in `_Draws.families`; -1: none
    echo: float = 0.0  # correlation of its noise with the factor of the first stream, without a stream


def layout(settings: Synthetic) -> tuple[Feature, ...]:
    """Return the features in order: streams within blocks, singles, constants, the cycle."""
    rows = itertools.count()
    factor = _CYCLE_FACTOR if settings.cycle else 1.0
    features = list(_text_features(settings, factor, rows))
    features += _single_features(settings, factor, rows)
    features += [Feature("constant")] * settings.n_const
    if settings.cycle:
        high, middle, low = map(_rho_within_limits, settings.cycle_levels)
        for levels in ((high, low, middle), (middle, high, low), (low, middle, high)):
            features.append(Feature("score", levels, row=next(rows)))
    return tuple(features)


def _text_features(settings: Synthetic, factor: float, rows: Iterator[int]) -> Iterator[Feature]:
    known: dict[tuple[str, int], Feature] = {}
    for (b, block), s in itertools.product(enumerate(settings.blocks), range(len(settings.streams))):
        if block.like:
            feature = known[block.like, s]._replace(kind=block.kind)
        elif block.kind == "idf":  # a property of the query
            feature = Feature("idf", stream=s)
        else:
            rho = _text_rho(settings, block, s, factor)
            is_best = (block.name, settings.streams[s].name) == WINNER
            rhos = (rho,) if is_best else _shifted(settings, rho, b + s)
            own = min((block.own or settings.dup) * settings.streams[s].own, _MOST_OWN)
            feature = Feature(block.kind, rhos, s, next(rows), own, _family(settings, block.family, s))
        known[block.name, s] = feature
        yield feature


def _shifted(settings: Synthetic, rho: float, phase: int) -> tuple[float, ...]:
    """Return the correlations of a feature in each third of the queries.

    The third with the highest correlation depends on `phase`, so the order of the features differs between
    queries, and preferences have cycles, as those of real rankers do.
    """
    if not settings.rho_shift:
        return (rho,)
    levels = (rho + settings.rho_shift, rho, rho - settings.rho_shift)
    return tuple(_rho_within_limits(levels[(third + phase) % 3]) for third in range(3))


def _single_features(settings: Synthetic, factor: float, rows: Iterator[int]) -> Iterator[Feature]:
    for place, single in enumerate(settings.singles):
        rho = _rho(single.load * factor)
        family = _family(settings, single.family)
        rhos = _shifted(settings, rho, 2 * place)
        yield Feature(single.kind, rhos, row=next(rows), family=family, echo=single.echo)


@lru_cache(maxsize=16)
def families(settings: Synthetic) -> list[tuple[str, int]]:
    """Return the families as (name, stream) in order; the stream is -1 for families of `singles`."""
    of_blocks = dict.fromkeys(block.family for block in settings.blocks if block.family)
    of_singles = dict.fromkeys(single.family for single in settings.singles if single.family)
    n_streams = len(settings.streams)
    return [*itertools.product(of_blocks, range(n_streams)), *((name, -1) for name in of_singles)]


def _family(settings: Synthetic, name: str, stream: int = -1) -> int:
    """Return the row of a family; -1 if the name is empty or `family_share` is 0."""
    return families(settings).index((name, stream)) if name and settings.family_share else -1


def _text_rho(settings: Synthetic, block: Block, s: int, factor: float) -> float:
    """Return the correlation of a block on stream `s` with relevance."""
    stream = settings.streams[s]
    if block.loads:
        return _rho_within_limits(stream.load * block.loads[s % len(block.loads)] * factor)
    gap = settings.cw_gap if (block.name, stream.name) == WINNER else 0.0
    return _rho((stream.load + gap + block.adjust) * factor)


def _rho(load: float) -> float:
    return _rho_within_limits(max(_LEAST_RHO, load))


def _rho_within_limits(rho: float) -> float:
    if not -1 <= rho <= 1:
        raise DataError(f"a feature cannot correlate {rho:g} with relevance; loads must stay within -1..1")
    return rho


def _calibrated(name: str, profile: str = "mslr", **changes: Any) -> Synthetic:
    """Return a shape with the calibrated features of MSLR and with `changes`."""
    fitted: dict[str, Any] = {
        "streams": calibrated.STREAMS,
        "blocks": calibrated.BLOCKS,
        "singles": calibrated.SINGLES,
        "query_spread": calibrated.QUERY_SPREAD,
        "family_share": calibrated.FAMILY_SHARE,
        "rho_shift": calibrated.RHO_SHIFT,
        "terms": calibrated.TERMS,
    }
    return Synthetic(name, profile, **(fitted | changes))


def _repeated(streams: tuple[Stream, ...], times: int) -> tuple[Stream, ...]:
    """Return `times` repetitions of the streams with decreasing loads, so that one feature is best."""
    further = itertools.product(range(1, times), streams)
    return streams + tuple(
        s._replace(name=f"{s.name} {k + 1}", load=s.load * _FURTHER_LOAD**k) for k, s in further
    )


_SHAPES = (
    # docs_median is the mean number of documents per query of the real set, divided by exp(spread^2 / 2).
    _calibrated("mslr-web30k", queries=31_531, docs_median=102.8),
    _calibrated("mslr-web10k", queries=10_000, docs_median=103.2),
    # In set 1, 519 of 700 features are defined, here 25 x 20 + 19; the others are zero.
    _calibrated(
        "yahoo", "yahoo", queries=29_921, docs_median=20.4, docs_max=139, unit_range=True, sparse=True,
        streams=_repeated(calibrated.STREAMS, 4), singles=calibrated.SINGLES + calibrated.SINGLES[:8],
        n_const=181,
    ),
    # 25 x 8 + 20 = 220 features.
    _calibrated(
        "istella", "istella", queries=33_018, docs_median=272.2, p_missing=0.05, missing=ISTELLA_MISSING,
        streams=_repeated(calibrated.STREAMS, 2)[:8], singles=calibrated.SINGLES + calibrated.SINGLES[:9],
    ),
    # MQ2007-agg: positions in 21 lists of varying quality; grade shares as counted there.
    Synthetic(
        "letor-agg", "letor_agg", queries=1692, docs_median=35.3, docs_max=147, streams=(), blocks=(),
        grade_shares=(0.742, 0.203, 0.055),
        singles=tuple(Single(f"list {k}", 0.1 + 0.02 * k, "position") for k in range(1, 22)),
    ),
    Synthetic("small", queries=200),
    _calibrated("demo", queries=300),
)  # fmt: skip
SHAPES = {shape.name: shape for shape in _SHAPES}


def shape(name: str, **changes) -> Synthetic:
    """Return a named shape with some settings changed, as in shape("mslr-web10k", seed=3, queries=500)."""
    return replace(find(name, SHAPES, "shape", DataError), **changes)
