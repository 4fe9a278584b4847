"""Time per duel and its growth with the number of rankers (Li et al. 2020, 6.2, Table 2).

RMED1 and REX3 are the baselines of the authors' public code. MergeDTS is played as in the
paper, and CODE as in that code.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankduel.experiments.matrix.preferences import Preferences, preferences_of
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.specs import parse_policy
from rankduel.experiments.studies.published.cycles import CODE, SIX
from rankduel.experiments.studies.shared.papers import LI_2020, NONE
from rankduel.experiments.studies.study import (
    REPORT,
    Between,
    Check,
    Computed,
    Finding,
    Inputs,
    Measure,
    Points,
    Report,
    Size,
    Study,
    Table,
    Use,
)

GROWING = (50, 100, 200, 400)
STEPS = 50_000
# Published days for 10^8 duels on MSLR, ISTELLA and Yahoo. ISTELLA was run on another, faster machine.
DAYS = {
    "merge_dts": (0.08, 0.03, 0.11),
    "merge_rucb": (0.08, 0.03, 0.11),
    "self_sparring": (0.18, 0.22, 0.90),
    "dts": (5.23, 9.88, 100.27),
    "rmed1": (0.36, 0.19, 18.39),
    "rex3": (0.25, 0.11, 0.27),
}
SETS = {"mslr": 136, "istella": 220, "yahoo": 700}
_SECONDS_PER_DAY = 86_400
NAMES = {policy.partition("(")[0]: policy for policy in SIX} | {CODE: CODE}


class Timed(NamedTuple):
    """The time of a run, and its number of duels of two different rankers; other duels take no time."""

    seconds: float
    played: int


def timed(policy: str, preferences: Preferences, steps: int) -> Timed:
    """Time one run on one thread, without compilation; a run under a second is repeated up to three times."""
    problem = Problem(preferences)
    configured = parse_policy(policy)
    problem.play(configured, np.array([1]), 0, 0)
    found: list[Timed] = []
    while len(found) < 3 and sum(one.seconds for one in found) < 1:
        started = time.thread_time()  # processor time, which other processes affect little
        table = problem.play(configured, np.array([steps]), 0, 0)
        found.append(Timed(time.thread_time() - started, int(table["informative_steps"].iloc[-1])))
    return min(found)


def growth(inputs: Inputs) -> dict[str, float]:
    """Return microseconds per duel of two rankers in a total order, and their slope on logarithmic axes."""
    found: dict[str, float] = {}
    for name, policy in NAMES.items():
        runs = [timed(policy, _ordered(size), STEPS) for size in GROWING]
        times = [1e6 * run.seconds / run.played for run in runs]
        found |= {f"{name} {size}": taken for size, taken in zip(GROWING, times)}
        found[f"{name} slope"] = float(np.polyfit(np.log(GROWING), np.log(times), 1)[0])
    return found


def _ordered(size: int) -> Preferences:
    prefs = np.full((size, size), 0.4)
    prefs[np.triu_indices(size, 1)] = 0.6
    np.fill_diagonal(prefs, 0.5)
    return preferences_of(prefs)


def of_set(inputs: Inputs) -> dict[str, float]:
    """Return the days for 10^8 duels from one run of each policy, extrapolated linearly from a shorter run.

    Late duels cost less than early duels, so the extrapolation tends to be too large.
    """
    assert inputs.preferences is not None
    duels = int(inputs.size.horizon)
    scale = 1e8 / duels / _SECONDS_PER_DAY
    days = {name: scale * timed(policy, inputs.preferences, duels).seconds for name, policy in NAMES.items()}
    return {"duels": duels} | days


def days_table(values: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return a table of published days and measured seconds for 10^8 duels."""
    columns: dict[str, list[Any]] = {"policy": list(NAMES)}
    for place, (name, rankers) in enumerate(SETS.items()):
        columns[f"{rankers} rankers: published, days"] = [
            DAYS[policy.partition("(")[0]][place] for policy in NAMES
        ]
        if name in values:
            short = values[name]["duels"] < 1e8
            heading = "here, seconds" + (f", from {values[name]['duels']:,.0f} duels" if short else "")
            seconds = [_SECONDS_PER_DAY * values[name][policy] for policy in NAMES]
            columns[f"{rankers} rankers: {heading}"] = seconds
    return pd.DataFrame(columns)


def _slope(name: str) -> Measure:
    return Measure("growth", f"{name} slope", "value")


def _code_checks() -> Iterator[Check]:
    """Yield the times of MergeDTS as in the authors' public code, relative to the paper's MergeDTS."""
    yield Check(
        "growth.code",
        "growth of the time per duel of MergeDTS by the authors' public code with the number of rankers",
        Report(_slope(CODE)),
        "not in the source",
    )
    for name, rankers in SETS.items():
        yield Check(
            f"{name}.code",
            f"{rankers} rankers: time of MergeDTS by the authors' public code / by the paper",
            Report(Measure(name, CODE, "value"), Measure(name, "merge_dts", "value")),
            "not in the source",
        )


STUDY = Study(
    id="timing",
    title="Time per duel",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), 6.2, Table 2",
    papers={"": LI_2020, "growth.code": NONE, **{f"{name}.code": NONE for name in SETS}},
    findings=(
        Finding(
            "**DTS need not be slow.** In the paper it takes 65 times as long as MergeDTS with 136 "
            "rankers; updated incrementally, {times.value:.1f} times.",
            {"times": Use("dts_over_merge_dts", REPORT)},
        ),
    ),
    question="How long does a duel take, and how does the time grow with the number of rankers?",
    data="any matrices of 136, 220 and 700 rankers; a total order for the growth",
    parts=(
        Computed("growth", growth),
        *(
            Computed(
                name,
                of_set,
                f"{name}-navigational",
                sizes={"quick": Size(1e5, 1), "paper": Size(1e7, 1), "long": Size(1e8, 1)},
            )
            for name in SETS
        ),
    ),
    checks=(
        Check(
            "growth.self_sparring",
            "the time per duel of Self-Sparring grows linearly with the number of rankers",
            Report(_slope("self_sparring")),
            "slope 1; the implementation here need not visit all rankers",
        ),
        Check(
            "growth.dts",
            "the time per duel of DTS grows with the square of the number of rankers",
            Report(_slope("dts")),
            "slope 2; the implementation here updates incrementally, so the slope may be smaller",
        ),
        *(
            Check(
                f"growth.{name}",
                f"{name}: time per duel does not depend on the number of rankers",
                Between(_slope(name), -0.2, 0.4),
                "order of M^2 per duel",
            )
            for name in ("merge_dts", "merge_rucb")
        ),
        Check(
            "dts_over_merge_dts",
            "136 rankers: DTS takes 65 times as long as MergeDTS",
            Report(Measure("mslr", "dts", "value"), Measure("mslr", "merge_dts", "value")),
            "65 (5.23 and .08 days); DTS updates incrementally here",
        ),
        *(
            Check(
                f"{name}.{policy}",
                f"{rankers} rankers: {policy} takes {DAYS[policy][place]} days for 10^8 duels",
                Report(Measure(name, policy, "value")),
                f"{DAYS[policy][place]}",
            )
            for place, (name, rankers) in enumerate(SETS.items())
            for policy in DAYS
        ),
        *_code_checks(),
    ),
    figures=(
        Points(
            "growth",
            "Time per duel against the number of rankers",
            "rankers",
            "microseconds per duel",
            {
                name: {size: Measure("growth", f"{name} {size}", "value") for size in GROWING}
                for name in NAMES
            },
            x="log",
            y="log",
            published="there is no such figure; the text says that the time of merge policies does not "
            "depend on the number of rankers, that of Self-Sparring is linear, and that of DTS quadratic.",
        ),
    ),
    tables=(Table("table2", "Table 2: time for 10^8 duels, as published and here", days_table),),
    minutes={"quick": 0.6, "paper": 21, "long": 212},
)
