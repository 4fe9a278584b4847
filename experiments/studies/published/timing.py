"""Time per duel, and how it grows with the number of rankers (Li et al. 2020, 6.2, Table 2)."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.matrix.preferences import Preferences, preferences_of
from experiments.runs.problem import Problem
from experiments.specs import parse_policy
from experiments.studies.published.cycles import SIX
from experiments.studies.study import (
    Bench,
    Between,
    Check,
    Computed,
    Measure,
    Points,
    Report,
    Size,
    Study,
    Table,
)

GROWING = (50, 100, 200, 400)
STEPS = 50_000
# Days for 10^8 duels, on MSLR, ISTELLA and Yahoo. ISTELLA ran on another, faster machine.
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
NAMES = {policy.partition("(")[0]: policy for policy in SIX}


class Timed(NamedTuple):
    seconds: float
    played: int  # duels of two different rankers; the others cost next to nothing


def timed(policy: str, preferences: Preferences, steps: int) -> Timed:
    """One run, by itself, compiled before; the best of three where that takes no time."""
    problem = Problem(preferences)
    configured = parse_policy(policy)
    problem.play(configured, np.array([1]), 0, 0)
    found: list[Timed] = []
    while len(found) < 3 and sum(one.seconds for one in found) < 1:
        started = time.thread_time()  # of the processor, so that others on the machine matter little
        table = problem.play(configured, np.array([steps]), 0, 0)
        found.append(Timed(time.thread_time() - started, int(table["informative_steps"].iloc[-1])))
    return min(found)


def growth(bench: Bench) -> dict[str, float]:
    """Microseconds per duel of two rankers in a total order, and how they grow on logarithmic axes."""
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


def of_set(bench: Bench) -> dict[str, float]:
    """Days for 10^8 duels, by one run of each policy; of a shorter one, as if all duels cost the same.

    Late duels cost less than early ones, so from a shorter run it is too much, if anything.
    """
    assert bench.preferences is not None
    duels = int(bench.size.horizon)
    scale = 1e8 / duels / _SECONDS_PER_DAY
    days = {name: scale * timed(policy, bench.preferences, duels).seconds for name, policy in NAMES.items()}
    return {"duels": duels} | days


def days_table(values: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Published days for 10^8 duels beside the seconds that they take here."""
    columns: dict[str, list[Any]] = {"policy": list(NAMES)}
    for place, (name, rankers) in enumerate(SETS.items()):
        columns[f"{rankers} rankers: published, days"] = [DAYS[policy][place] for policy in NAMES]
        if name in values:
            short = values[name]["duels"] < 1e8
            heading = "here, seconds" + (f", from {values[name]['duels']:,.0f} duels" if short else "")
            seconds = [_SECONDS_PER_DAY * values[name][policy] for policy in NAMES]
            columns[f"{rankers} rankers: {heading}"] = seconds
    return pd.DataFrame(columns)


def _slope(name: str) -> Measure:
    return Measure("growth", f"{name} slope", "value")


STUDY = Study(
    id="timing",
    title="Time per duel",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), 6.2, Table 2",
    question="What does a duel cost, and how does that grow with the number of rankers?",
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
            "Self-Sparring costs about as much per duel as there are rankers",
            Report(_slope("self_sparring")),
            "slope 1; ours need not look at all rankers",
        ),
        Check(
            "growth.dts",
            "DTS costs about the square of the number of rankers",
            Report(_slope("dts")),
            "slope 2; ours keeps what does not change, so it may be below",
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
            "136 rankers: DTS costs 65 times as much as MergeDTS",
            Report(Measure("mslr", "dts", "value"), Measure("mslr", "merge_dts", "value")),
            "65 (5.23 and .08 days); our DTS keeps what does not change",
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
        ),
    ),
    tables=(Table("table2", "Table 2: time for 10^8 duels, as published and here", days_table),),
    minutes={"quick": 1, "paper": 10, "long": 60},
)
