"""A study: a published experiment as a value, from its data to the claims that are tested.

To add a study, make a folder in published/ whose __init__.py ends in `STUDY = Study(...)`. Commands, tests
and the page of reproductions find it there. Other files of the folder are named by what they hold, such as
the parts, checks and figures of one published figure. A study consists of

    Runs       policies on a problem, with a horizon and a number of runs for each tier
    Computed   named numbers, from a matrix or from the runs of earlier parts
    Check      a claim of the source and its test (checks.py)
    Curves, Points, Bubbles, Table   the figures and tables of the source (pages/figures.py)
    Finding    a main result, with numbers of the checks

A problem is text, such as 'cycle' or 'mslr-navigational(random=16,seed=3)' (data/problems.py). A policy is
text in the notation of 'rankduel policies'. published/live_vs_proxy is a short example. The same fields in a
TOML file define a user's own study (toml.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd

from rankduel.bandits.regret import NOTIONS
from rankduel.base.settings import Configured, Setting
from rankduel.experiments.arena import Arena
from rankduel.experiments.cluster import Workers
from rankduel.experiments.matrix.preferences import Preferences
from rankduel.experiments.runs.columns import measured
from rankduel.experiments.specs import parse_policy

TIERS = {
    "quick": "minutes: enough to test most claims",
    "paper": "horizons and repeats as published, or as many as the claims need",
    "long": "full length of the originals, if longer than 'paper'",
}
STATISTICS = ("mean", "median", "min", "max", "count")
COLUMNS = measured()  # of the records of runs; some exist only in some runs
# Verdicts of checks (experiments/studies/checks.py).
HOLDS, FAILS, WARNS, SKIPPED, REPORT = "holds", "does not hold", "warns", "skipped", "report only"
STAND_IN = "-stand-in"  # suffix of files and folders with results on stand-in data
WRONG = "wrong"  # a derived column: 1 if the run does not recommend the winner
MOST_DUELS, MOST_RUNS, LARGEST_SEED = 10**12, 10**6, 2**63 - 1

Tier = Annotated[str, Setting("length of the runs", choices=tuple(TIERS))]
Number = Annotated[float, Setting("any number but NaN")]
Step = Annotated[float, Setting("a number of duels", at_least=0, at_most=MOST_DUELS)]
Scale = Annotated[str, Setting("scale of an axis", choices=("linear", "log"))]


class Size(NamedTuple):
    """The horizon, and the number of runs of each policy or of samples of a computed part."""

    horizon: Annotated[float, Setting("duels per run", at_least=1, at_most=MOST_DUELS)]
    runs: Annotated[int, Setting("number of runs", at_least=1, at_most=MOST_RUNS)]


@dataclass(frozen=True)
class Runs:
    """Runs of policies on a problem. A tier without a size has the size of the previous tier, or no runs."""

    name: str
    problem: str
    policies: Sequence[str]
    sizes: Mapping[Tier, Size]
    # A notion of rankduel.bandits.regret; "" for the default notion of the problem.
    regret: Annotated[str, Setting("definition of regret", choices=tuple(NOTIONS))] = ""


class Inputs(NamedTuple):
    """The inputs of a computed part."""

    preferences: Preferences | None  # of its problem
    size: Size
    tables: Mapping[str, pd.DataFrame]  # records of the parts named in `after`
    jobs: Workers
    data: Path | None = None  # folder of the user's data
    folder: Path | None = None  # folder for records of runs that the part makes itself
    arena: Arena | None = None  # of its problem, if duels are live


@dataclass(frozen=True)
class Computed:
    """A part that computes named numbers; each is a number or a sample of numbers."""

    name: str
    make: Callable[[Inputs], Mapping[str, Any]]
    problem: str = ""
    after: Sequence[str] = ()  # parts whose records it needs
    sizes: Mapping[str, Size] = field(default_factory=lambda: {"quick": Size(1, 1)})
    cached: bool = True  # keep the values in a file; unnecessary for values that follow quickly from records
    # Increase it with every change of the code that may change the values: stored values of another version
    # are computed again.
    version: int = 1


Part = Runs | Computed


class Measure(NamedTuple):
    """A statistic of a column over the runs of a policy, or of a number that a computed part returned.

    For a computed part, `policy` is the name of the number.
    """

    part: str
    policy: str
    column: str = "regret"  # a column of the records, or WRONG
    at: Step = 0  # 0 for the last step of the tier
    since: Step = 0  # if given, subtract the value at this step
    statistic: Annotated[str, Setting("statistic over the runs", choices=STATISTICS)] = "mean"
    # "right" selects the runs that recommend the winner at the end.
    only: Annotated[str, Setting("which runs", choices=("all", "right"))] = "all"

    def __str__(self) -> str:
        where = f" @{self.at:,.0f}" if self.at else ""
        where += f" since {self.since:,.0f}" if self.since else ""
        which = ", runs that are right" if self.only == "right" else ""
        return f"{self.statistic} {self.column}[{self.part}: {self.policy}{which}]{where}"


class Order(NamedTuple):
    """Test that `less` is below `more` by at least `z` standard errors of the difference (Welch)."""

    less: Measure
    more: Measure
    z: Number = 4.0


class Ratio(NamedTuple):
    """Test that `top` / `bottom` lies in [low, high]."""

    top: Measure
    bottom: Measure
    low: Number = -np.inf
    high: Number = np.inf


class Between(NamedTuple):
    """Test that a number, or a count of runs, lies in [low, high]."""

    value: Measure
    low: Number = -np.inf
    high: Number = np.inf


class Exact(NamedTuple):
    """Test that a number is `expected`, up to the rounding of the published value."""

    value: Measure
    expected: Number
    tolerance: Number = 0.0


class Report(NamedTuple):
    """Report a number, or the ratio of two, without a verdict."""

    value: Measure
    over: Measure | None = None


Test = Order | Ratio | Between | Exact | Report


@dataclass(frozen=True)
class Check:
    """A claim of the source and the test that decides it."""

    id: str
    claim: str  # the statement of the source
    test: Test
    reference: str = ""  # values from the source or from independent programs, as text
    runs: int = 0  # fewest runs with which the test is meaningful
    real: bool = False  # a property of the original data, which stand-in data need not have
    explanation: str = ""  # verified reason why the claim does not hold; printed only in that case
    # Values of the measures that the source itself reports, in their order; figures show them. Values from
    # independent programs belong to `reference` only.
    published: Sequence[float] = ()

    @property
    def published_values(self) -> dict[Measure, float]:
        return dict(zip(self.measures, self.published))

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(part for part in self.test if isinstance(part, Measure))


class Curves(NamedTuple):
    """A figure of means over the runs of a part against duels."""

    name: str
    title: str
    part: str
    column: Annotated[str, Setting("column of the records", choices=COLUMNS)] = "regret"
    x: Scale = "log"
    y: Scale = "linear"
    band: Annotated[str, Setting("band around the mean", choices=("error", "quantiles", "none"))] = "error"
    beside: Sequence[str] = ()  # other parts whose curves are drawn in the same axes
    published: str = ""  # description of the published figure: its axes, and what the source says about it
    bounds: str = ""  # a computed part with values 'NAME @STEP', which are drawn as grey lines, one per NAME


class Points(NamedTuple):
    """A figure of lines through measures, such as final regret against a parameter, with standard errors."""

    name: str
    title: str
    x_title: str
    y_title: str
    lines: Mapping[str, Mapping[float, Measure]]
    x: str = "linear"
    y: str = "linear"
    levels: Mapping[str, float] = {}  # published levels of the y axis, by description: horizontal rules
    published: str = ""  # description of the published figure
    bars: str = "error"  # one standard error, or "range": from the smallest to the largest value


class Bubbles(NamedTuple):
    """A figure of measures as areas, such as shares of subsets by size (x) and number of winners (y)."""

    name: str
    title: str
    x_title: str
    y_title: str
    lines: Mapping[int, Mapping[float, Measure]]  # y -> x -> share; a missing share is 0
    published: str = ""  # description of the published figure


Figure = Curves | Points | Bubbles


class Table(NamedTuple):
    """A table that `make` returns for the values of all computed parts, by part."""

    name: str
    title: str
    make: Callable[[Mapping[str, Mapping[str, Any]]], pd.DataFrame]


class Use(NamedTuple):
    """A check that a finding quotes, and the verdict for which the text of the finding is true."""

    check: str
    verdict: str = HOLDS


class Finding(NamedTuple):
    """One of the main results of a study, printed while the verdicts of its checks are as stated.

    The text quotes fields of the records of the checks, such as {half.value:.2f} or {half.lhs:,.0f} for the
    check that `uses` names 'half'.
    """

    text: str
    uses: Mapping[str, Use]


@dataclass(frozen=True)
class Study:
    """A published experiment: its parts, the claims that are tested, its figures and tables."""

    id: str
    title: str
    source: str
    question: str
    data: str  # description of the required data
    parts: Sequence[Part]
    checks: Sequence[Check]
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    # Minutes of one core by tier: measured for most, and extrapolated for tier long.
    minutes: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    files: Mapping[str, Configured] = field(default_factory=dict)  # policies from Python files, by their text
    # By the beginning of the id of a check, "" for all others: the paper that makes the claim, and the reason
    # why its test may fail on stand-in data.
    papers: Mapping[str, str] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)
    findings: Sequence[Finding] = ()  # the main results, for the first screen of the page

    def parts_in(self, tier: str) -> Iterator[tuple[Part, Size]]:
        """Yield the parts that have a size in this tier, with the size."""
        for part in self.parts:
            size = size_in(part, tier)
            if size is not None:
                yield part, size

    def paper_of(self, check: str) -> str:
        """Return the paper of a check by its id; the source of the study if no paper is given."""
        return _by_beginning(self.papers, check, self.source)

    def warning_of(self, check: str) -> str:
        """Return why the test of a check, given by its id, may fail on stand-in data."""
        return _by_beginning(self.warnings, check, "")

    def policy(self, text: str) -> Configured:
        """Return a policy of this study; a Python file must have been trusted when the study was read."""
        return self.files[text] if text in self.files else parse_policy(text)


def _by_beginning(texts: Mapping[str, str], name: str, default: str) -> str:
    """Return the text of the longest key with which `name` begins."""
    begins = [begin for begin in texts if name.startswith(begin)]
    return texts[max(begins, key=len)] if begins else default


def size_in(part: Part, tier: str) -> Size | None:
    """Return the size of a part in a tier: its own, or that of the nearest shorter tier."""
    size = None
    for name in TIERS:
        size = part.sizes.get(name, size)
        if name == tier:
            break
    return size


def full_name(policy: str) -> str:
    """Return the name of a policy in records: 'dts(alpha=0.2097152)' for 'dts(variant=published)'."""
    return str(parse_policy(policy))
