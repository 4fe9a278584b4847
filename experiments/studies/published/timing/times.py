"""Measure processor times per duel, and extrapolate them to 10^8 duels."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankduel.experiments.matrix.preferences import Preferences, preferences_of
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.specs import parse_policy
from rankduel.experiments.studies.shared.policies import LI_2020_POLICIES, MERGE_DTS_CODE
from rankduel.experiments.studies.study import Inputs

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
NAMES = {policy.partition("(")[0]: policy for policy in LI_2020_POLICIES} | {MERGE_DTS_CODE: MERGE_DTS_CODE}


class RunTime(NamedTuple):
    """The time of a run, and its number of duels of two different rankers; other duels take no time."""

    seconds: float
    played: int


def measure_time(policy: str, preferences: Preferences, steps: int) -> RunTime:
    """Time one run on one thread, without compilation; a run under a second is repeated up to three times."""
    problem = Problem(preferences)
    configured = parse_policy(policy)
    problem.play(configured, np.array([1]), 0, 0)
    found: list[RunTime] = []
    while len(found) < 3 and sum(one.seconds for one in found) < 1:
        started = time.thread_time()  # processor time, which other processes affect little
        table = problem.play(configured, np.array([steps]), 0, 0)
        found.append(RunTime(time.thread_time() - started, int(table["informative_steps"].iloc[-1])))
    return min(found)


def growth(inputs: Inputs) -> dict[str, float]:
    """Return microseconds per duel of two rankers in a total order, and their slope on logarithmic axes."""
    found: dict[str, float] = {}
    for name, policy in NAMES.items():
        runs = [measure_time(policy, _total_order(size), STEPS) for size in GROWING]
        times = [1e6 * run.seconds / run.played for run in runs]
        found |= {f"{name} {size}": taken for size, taken in zip(GROWING, times)}
        found[f"{name} slope"] = float(np.polyfit(np.log(GROWING), np.log(times), 1)[0])
    return found


def _total_order(size: int) -> Preferences:
    prefs = np.full((size, size), 0.4)
    prefs[np.triu_indices(size, 1)] = 0.6
    np.fill_diagonal(prefs, 0.5)
    return preferences_of(prefs)


def days_for_all(inputs: Inputs) -> dict[str, float]:
    """Return the days for 10^8 duels from one run of each policy, extrapolated linearly from a shorter run.

    Late duels cost less than early duels, so the extrapolation tends to be too large.
    """
    assert inputs.preferences is not None
    duels = int(inputs.size.horizon)
    scale = 1e8 / duels / _SECONDS_PER_DAY
    days = {
        name: scale * measure_time(policy, inputs.preferences, duels).seconds
        for name, policy in NAMES.items()
    }
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
