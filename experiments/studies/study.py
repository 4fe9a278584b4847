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
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd

from bandits.regret import NOTIONS
from experiments.arena import Arena
from experiments.cluster import Workers
from experiments.matrix.preferences import Preferences
from experiments.specs import parse_policy
from rankduel.base.settings import Configured, Setting

TIERS = {
    "quick": "minutes: enough to see most claims",
    "paper": "horizons and repeats as published, or as many as settle the claims",
    "long": "full length of the originals, where that is more",
}
STATISTICS = ("mean", "median", "min", "max", "count")
# What records of runs have; some of it only where pages are shown, arms tie, one arm wins, or sets are
# compared.
COLUMNS = (
    "regret",
    "weak_regret",
    "copeland_regret",
    "copeland_losses_regret",
    "nonwinner_duels",
    "informative_steps",
    "recommended",
    "correct",
    "answers",
    "winners_among_answers",
    "finished",
    "survivors",
    "rounds",
    "judgments_per_pair",
    "mean_set",
    "ndcg",
    "clicks",
)
STAND_IN = "-stand-in"  # ends the names of files and folders of what was played on stand-ins for data
WRONG = "wrong"  # a column of measures: the winner is not recommended
MOST_DUELS, MOST_RUNS, LARGEST_SEED = 10**12, 10**6, 2**63 - 1

Tier = Annotated[str, Setting("how long to play", choices=tuple(TIERS))]
Number = Annotated[float, Setting("any number but NaN")]
Step = Annotated[float, Setting("a number of duels", at_least=0, at_most=MOST_DUELS)]
Scale = Annotated[str, Setting("of an axis", choices=("linear", "log"))]


class Size(NamedTuple):
    horizon: Annotated[float, Setting("duels per run", at_least=1, at_most=MOST_DUELS)]
    # Of each policy; or samples, for what is computed.
    runs: Annotated[int, Setting("how many", at_least=1, at_most=MOST_RUNS)]


@dataclass(frozen=True)
class Runs:
    """Policies on a problem. A tier without a size of its own has that of the tier before it, or no runs."""

    name: str
    problem: str
    policies: Sequence[str]
    sizes: Mapping[Tier, Size]
    # A notion of bandits.regret; the usual one if not said.
    regret: Annotated[str, Setting("what regret means", choices=tuple(NOTIONS))] = ""


class Bench(NamedTuple):
    """What a computed part may look at."""

    preferences: Preferences | None  # of its problem
    size: Size
    tables: Mapping[str, pd.DataFrame]  # of the runs it comes after, by part
    jobs: Workers
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
    column: str = "regret"  # of the records, or WRONG
    at: Step = 0  # 0 is the last one, whatever the tier
    since: Step = 0  # if given, what was added since this step
    statistic: Annotated[str, Setting("of the runs", choices=STATISTICS)] = "mean"
    # Right: runs that recommend the winner in the end.
    only: Annotated[str, Setting("which runs", choices=("all", "right"))] = "all"

    def __str__(self) -> str:
        where = f" @{self.at:,.0f}" if self.at else ""
        where += f" since {self.since:,.0f}" if self.since else ""
        which = ", runs that are right" if self.only == "right" else ""
        return f"{self.statistic} {self.column}[{self.part}: {self.policy}{which}]{where}"


class Order(NamedTuple):
    """One is below the other, by so many standard errors of the difference (Welch)."""

    less: Measure
    more: Measure
    z: Number = 4.0


class Ratio(NamedTuple):
    """One over the other lies in a range."""

    top: Measure
    bottom: Measure
    low: Number = -np.inf
    high: Number = np.inf


class Between(NamedTuple):
    """A number, or a count of runs, lies in a range."""

    value: Measure
    low: Number = -np.inf
    high: Number = np.inf


class Exact(NamedTuple):
    """A number is this one, to the tolerance of what was printed."""

    value: Measure
    expected: Number
    tolerance: Number = 0.0


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
    known: Sequence[
        float
    ] = ()  # of its measures, in their order: published, or found by independent programs

    @property
    def known_values(self) -> dict[Measure, float]:
        """Numbers that figures show beside ours: those given, or the one that must come out exactly."""
        values = (self.test.expected,) if isinstance(self.test, Exact) else self.known
        return dict(zip(self.measures, values))

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(part for part in self.test if isinstance(part, Measure))


class Curves(NamedTuple):
    """Means over the runs of a part against duels, with a band of one standard error."""

    name: str
    title: str
    part: str
    column: Annotated[str, Setting("of the records", choices=COLUMNS)] = "regret"
    x: Scale = "log"
    y: Scale = "linear"
    band: Annotated[str, Setting("around the mean", choices=("error", "quantiles", "none"))] = "error"
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
    files: Mapping[str, Configured] = field(default_factory=dict)  # policies of Python files, by their text

    def sized(self, tier: str) -> Iterator[tuple[Part, Size]]:
        """The parts that have a size in this tier."""
        for part in self.parts:
            size = size_in(part, tier)
            if size is not None:
                yield part, size

    def policy(self, text: str) -> Configured:
        """Return a policy of this study; a Python file only if it was trusted when the study was read."""
        return self.files[text] if text in self.files else parse_policy(text)


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
