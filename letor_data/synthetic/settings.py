"""Settings of the synthetic generator: every knob, the named shapes, and the features they lead to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from letor_data.synthetic.features import BLOCKS, SINGLES, STREAMS, WINNER, Block, Single, Stream
from letor_data.text.writer import ISTELLA_MISSING
from rankduel.base.errors import DataError
from rankduel.base.settings import find

_LEAST_RHO = 0.02
_CYCLE_FACTOR = 0.5  # other features weaken so that none beats the cycle's three rankers


@dataclass(frozen=True)
class Synthetic:
    """A synthetic data set; equal settings give equal data, on any machine and any number of threads."""

    name: str = "synthetic"
    profile: str = "mslr"  # in letor_data.formats.PROFILES
    seed: int = 0
    queries: int = 2000
    docs_median: float = 105.0  # documents per query are log-normal: mean = median * exp(spread^2 / 2)
    docs_spread: float = 0.55  # standard deviation of the logarithm
    docs_max: int = 1251
    grade_shares: tuple[float, ...] = (0.52, 0.32, 0.13, 0.02, 0.01)
    query_spread: float = 0.45  # sigma_b: how much queries differ in their share of relevant documents
    p_norel: float = 0.02  # share of queries without any relevant document
    label_noise: float = 0.0  # share of documents whose grade is drawn afresh, whatever their features
    streams: tuple[Stream, ...] = STREAMS
    blocks: tuple[Block, ...] = BLOCKS
    singles: tuple[Single, ...] = SINGLES
    dup: float = 0.12  # share of own noise in a text feature: the smaller, the more alike a stream's features
    decimals: int = 6  # of features that are not counts: the fewer, the more ties
    cw_gap: float = 0.12  # added to the load of BM25 on the whole document, the best feature
    n_const: int = 0  # features that are zero everywhere, after the others
    cycle: bool = False  # three more rankers, last: each is best in a third of the queries and beats the next
    cycle_levels: tuple[float, float, float] = (1.0, 0.5, 0.0)  # their rho: high, middle, low
    p_missing: float = 0.0  # share of values that are missing
    unit_range: bool = False  # squeeze each feature into [0, 1]
    sparse: bool = False  # how text files are best written: see letor_data.text.writer
    missing: str = "NULL"  # likewise

    def __post_init__(self) -> None:
        if self.queries < 1 or self.docs_max < 1 or self.docs_median <= 0:
            raise DataError(f"queries, docs_max and docs_median must be positive: {self.name}")
        if min(self.grade_shares) <= 0 or not math.isclose(sum(self.grade_shares), 1):
            raise DataError(f"grade shares must be positive and add up to 1, not {self.grade_shares}")
        for knob in ("query_spread", "p_norel", "label_noise", "dup", "p_missing"):
            if not 0 <= getattr(self, knob) <= 1:
                raise DataError(f"{knob} must be between 0 and 1, not {getattr(self, knob)}")


class Feature(NamedTuple):
    kind: str  # in letor_data.synthetic.features.KINDS, or "position"
    rho: tuple[float, ...] = (0.0,)  # query q uses rho[q modulo how many there are]
    stream: int = -1  # -1: none, all noise is its own
    row: int = -1  # of the query's fresh normals; -1: it needs none


def layout(settings: Synthetic) -> tuple[Feature, ...]:
    """The features in numbering order: streams within blocks, singles, constants, the cycle."""
    rows = itertools.count()
    factor = _CYCLE_FACTOR if settings.cycle else 1.0
    features = list(_text_features(settings, factor, rows))
    features += [Feature(one.kind, (_rho(one.load * factor),), row=next(rows)) for one in settings.singles]
    features += [Feature("constant")] * settings.n_const
    if settings.cycle:
        high, middle, low = map(_rho_within_limits, settings.cycle_levels)
        for levels in ((high, low, middle), (middle, high, low), (low, middle, high)):
            features.append(Feature("score", levels, row=next(rows)))
    return tuple(features)


def _text_features(settings: Synthetic, factor: float, rows: Iterator[int]) -> Iterator[Feature]:
    covered: dict[int, Feature] = {}
    for block, (s, stream) in itertools.product(settings.blocks, enumerate(settings.streams)):
        gap = settings.cw_gap if (block.name, stream.name) == WINNER else 0.0
        rho = _rho((stream.load + gap + block.adjust) * factor)
        if block.kind == "ratio":  # the covered terms over their number: the very same base
            yield covered[s]._replace(kind="ratio")
        elif block.kind == "idf":  # a property of the query
            yield Feature("idf", stream=s)
        else:
            feature = Feature(block.kind, (rho,), s, next(rows))
            if block.kind == "covered":
                covered[s] = feature
            yield feature


def _rho(load: float) -> float:
    return _rho_within_limits(max(_LEAST_RHO, load))


def _rho_within_limits(rho: float) -> float:
    if not -1 <= rho <= 1:
        raise DataError(f"a feature cannot correlate {rho:g} with relevance; loads must stay within -1..1")
    return rho


def _again(streams: tuple[Stream, ...], times: int) -> tuple[Stream, ...]:
    """The streams and further ones like them."""
    return streams + tuple(s._replace(name=f"{s.name} {k}") for k in range(2, times + 1) for s in streams)


_SHAPES = (
    # docs_median is the real sets' mean documents per query over exp(spread^2 / 2).
    Synthetic("mslr-web30k", queries=31_531, docs_median=102.8),
    Synthetic("mslr-web10k", queries=10_000, docs_median=103.2),
    # Set 1: 519 of 700 features defined, here 25 x 20 + 19; the others are zero.
    Synthetic(
        "yahoo", "yahoo", queries=29_921, docs_median=20.4, docs_max=139, unit_range=True, sparse=True,
        streams=_again(STREAMS, 4), singles=SINGLES + SINGLES[:8], n_const=181,
    ),
    # 25 x 8 + 20 = 220 features.
    Synthetic(
        "istella", "istella", queries=33_018, docs_median=272.2, p_missing=0.05, missing=ISTELLA_MISSING,
        streams=_again(STREAMS, 2)[:8], singles=SINGLES + SINGLES[:9],
    ),
    # MQ2007-agg: positions in 21 lists of varying quality; grade shares as counted there.
    Synthetic(
        "letor-agg", "letor_agg", queries=1692, docs_median=35.3, docs_max=147, streams=(), blocks=(),
        grade_shares=(0.742, 0.203, 0.055),
        singles=tuple(Single(f"list {k}", 0.1 + 0.02 * k, "position") for k in range(1, 22)),
    ),
    Synthetic("small", queries=200),
    Synthetic("demo", queries=400),
)  # fmt: skip
SHAPES = {shape.name: shape for shape in _SHAPES}


def shape(name: str, **changes) -> Synthetic:
    """A named shape, with some settings changed: shape("mslr-web10k", seed=3, queries=500)."""
    return replace(find(name, SHAPES, "shape", DataError), **changes)
