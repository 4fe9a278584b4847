"""What a study is: a published experiment as a value, from its data to the claims that are checked.

To add one, write a file in published/ that ends in `STUDY = Study(...)`; commands, tests and the page of
reproductions find it by that name. A study is made of

    Runs       policies on a problem, with a horizon and a number of runs for each tier
    Computed   numbers by name, from a matrix or from the runs before it
    Check      a claim of the source, and the test it must pass (experiments/studies/checks.py)
    Curves, Points, Bubbles, Table   what the source shows (experiments/studies/figures.py)

A problem is text, such as 'cycle' or 'mslr-navigational(random=16,seed=3)' (experiments/studies/problems.py).
A policy is text as 'rankduel policies' prints it, so two variants never share a curve. cycles.py is a good
example to begin with. The same fields in a TOML file make a study of one's own (experiments/studies/toml.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.arena import Arena
from experiments.matrix.preferences import Preferences
from experiments.specs import parse_policy

TIERS = {
    "quick": "minutes: enough to see most claims",
    "paper": "horizons and repeats as published, or as many as settle the claims",
    "long": "full length of the originals, where that is more",
}
STATISTICS = ("mean", "median", "min", "max", "count")


class Size(NamedTuple):
    horizon: float  # duels per run
    runs: int  # of each policy; or samples, for what is computed


@dataclass(frozen=True)
class Runs:
    """Policies on a problem. A tier without a size of its own has that of the tier before it, or no runs."""

    name: str
    problem: str
    policies: Sequence[str]
    sizes: Mapping[str, Size]
    regret: str = ""  # a notion of bandits.regret; the usual one if not said


class Bench(NamedTuple):
    """What a computed part may look at."""

    preferences: Preferences | None  # of its problem
    size: Size
    tables: Mapping[str, pd.DataFrame]  # of the runs it comes after, by part
    jobs: int
    data: Path | None = None  # the folder of data that users bring
    folder: Path | None = None  # where it may keep records of runs of its own
    arena: Arena | None = None  # of its problem, if that is played live


@dataclass(frozen=True)
class Computed:
    """Numbers by name; each is one number or a sample of them."""

    name: str
    make: Callable[[Bench], Mapping[str, Any]]
    problem: str = ""
    after: Sequence[str] = ()  # parts whose runs it looks at
    sizes: Mapping[str, Size] = field(default_factory=lambda: {"quick": Size(1, 1)})
    kept: bool = True  # in a file, so that it is not computed again; not worth it for what runs give at once


Part = Runs | Computed


class Measure(NamedTuple):
    """A number per run of a policy in a part; or a number that a part computed, then `policy` is its name."""

    part: str
    policy: str
    column: str = "regret"  # of the records; or 'wrong': the winner is not recommended
    at: float = 0  # step; 0 is the last one, whatever the tier
    since: float = 0  # if given, what was added since this step
    statistic: str = "mean"
    only: str = "all"  # or 'right': runs that recommend the winner in the end

    def __str__(self) -> str:
        where = f" @{self.at:,.0f}" if self.at else ""
        where += f" since {self.since:,.0f}" if self.since else ""
        which = ", runs that are right" if self.only == "right" else ""
        return f"{self.statistic} {self.column}[{self.part}: {self.policy}{which}]{where}"


class Order(NamedTuple):
    """One is below the other, by so many standard errors of the difference (Welch)."""

    less: Measure
    more: Measure
    z: float = 4.0


class Ratio(NamedTuple):
    """One over the other lies in a range."""

    top: Measure
    bottom: Measure
    low: float = -np.inf
    high: float = np.inf


class Between(NamedTuple):
    """A number, or a count of runs, lies in a range."""

    value: Measure
    low: float = -np.inf
    high: float = np.inf


class Exact(NamedTuple):
    """A number is this one, to the tolerance of what was printed."""

    value: Measure
    expected: float
    tolerance: float = 0.0


class Report(NamedTuple):
    """A number, or one over another: said, never judged."""

    value: Measure
    over: Measure | None = None


Test = Order | Ratio | Between | Exact | Report


@dataclass(frozen=True)
class Check:
    id: str
    claim: str  # what the source says
    test: Test
    reference: str = ""  # what is known besides, as from independent programs
    runs: int = 0  # with fewer the test says nothing
    real: bool = False  # a fact of the real data, about which a stand-in says nothing
    explanation: str = ""  # why it does not hold, verified; said where it does not

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(part for part in self.test if isinstance(part, Measure))


class Curves(NamedTuple):
    """Means over the runs of a part against duels, with a band of one standard error."""

    name: str
    title: str
    part: str
    column: str = "regret"
    x: str = "log"
    y: str = "linear"
    band: str = "error"
    beside: Sequence[str] = ()  # other parts whose curves go into the same axes


class Points(NamedTuple):
    """Lines through measures, such as final regret against a parameter, with bars of one standard error."""

    name: str
    title: str
    x_title: str
    y_title: str
    lines: Mapping[str, Mapping[float, Measure]]
    x: str = "linear"
    y: str = "linear"


class Bubbles(NamedTuple):
    """Measures as areas, such as shares of subsets by their size (x) and how many winners they have (y)."""

    name: str
    title: str
    x_title: str
    y_title: str
    lines: Mapping[int, Mapping[float, Measure]]  # for each y, by x; what is not there is 0


Figure = Curves | Points | Bubbles


class Table(NamedTuple):
    name: str
    title: str
    make: Callable[[Mapping[str, Mapping[str, Any]]], pd.DataFrame]  # from what the parts computed


@dataclass(frozen=True)
class Study:
    id: str
    title: str
    source: str
    question: str
    data: str  # what it needs, in words
    parts: Sequence[Part]
    checks: Sequence[Check]
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    minutes: Mapping[str, float] = field(
        default_factory=dict
    )  # of one core, by tier: measured for quick ones, else estimated from those
    seed: int = 0

    def sized(self, tier: str) -> Iterator[tuple[Part, Size]]:
        """The parts that have a size in this tier."""
        for part in self.parts:
            size = size_in(part, tier)
            if size is not None:
                yield part, size


def size_in(part: Part, tier: str) -> Size | None:
    size = None
    for name in TIERS:
        size = part.sizes.get(name, size)
        if name == tier:
            break
    return size


def full_name(policy: str) -> str:
    """As records name a policy: 'dts(alpha=0.2097152)' for 'dts(variant=published)'."""
    return str(parse_policy(policy))
