"""Notions of a winner and gaps on random subsets (Zoghi 2017, Table 7.1, Figures 7.2 and 7.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rankduel.experiments.studies.shared.papers import NONE, ZOGHI_2017
from rankduel.experiments.studies.study import (
    Between,
    Bubbles,
    Check,
    Computed,
    Exact,
    Finding,
    Inputs,
    Measure,
    Points,
    Ratio,
    Report,
    Size,
    Study,
    Table,
    Use,
)
from rankduel.experiments.winners.copeland_gaps import gap_ratios
from rankduel.experiments.winners.overlaps import CONTAINED, LOSSES, PAIRS, WINNERS, pooled, winner_overlaps

PARTS = ("informational", "navigational")
# Percent of subsets in which two notions have a winner in common: published, and in the navigational matrix.
PUBLISHED = (99.94, 51.49, 56.15, 77.66, 82.11, 94.81)
NAVIGATIONAL = (99.94, 86.93, 86.90, 90.38, 90.32, 98.79)
PUBLISHED_CONTAINED = 94.2
# Tolerances in percentage points; with 400 subsets of each size, standard errors are about 0.2.
TOLERANCE, CONTAINED_TOLERANCE = 0.6, 1.2
# Percent of subsets of the informational matrix, over all sizes, from an independent program.
COUNTS: Mapping[str, Mapping[int, float]] = {
    WINNERS: {1: 79.9, 2: 16.1, 3: 3.8, 4: 0.12, 5: 0.005},
    LOSSES: {0: 54.3, 1: 44.4, 2: 1.3, 3: 0.007},
}
MOST = {WINNERS: 7, LOSSES: 4}
FULL_RATIO = 1419  # (Delta / Delta_min)^2 of all 136 rankers
MIDDLE = range(66, 101)  # sizes of subsets before the fall of Figure 7.3
LAST = range(131, 136)  # and at its end


def overlaps(inputs: Inputs) -> dict[str, float]:
    """Return percentages in which all sizes of subsets have equal weight.

    Agreement is over sizes from 3 to all but one; numbers of winners and losses are over all sizes.
    """
    assert inputs.preferences is not None
    matrix = inputs.preferences.matrix
    every = range(1, len(matrix) + 1)
    found = winner_overlaps(matrix, every, samples=inputs.size.runs, jobs=inputs.jobs)
    inner = pooled(found.shared[found.shared["size"].between(3, len(matrix) - 1)])
    shared = {row["notions"]: 100 * row["share"] for row in inner.to_dict("records")}
    return {**shared, **_counted(found.counts)}


def gaps(inputs: Inputs) -> dict[str, float]:
    """Return the mean of (Delta / Delta_min)^2 by size of the subset, and means over sizes.

    CCB's regret bound depends on Delta; a bound by Delta_min would be larger by this factor (Figure 7.3).
    """
    assert inputs.preferences is not None
    matrix = inputs.preferences.matrix
    drawn = gap_ratios(matrix, range(2, len(matrix)), inputs.size.runs)
    means = {size: ratios.mean() for size, ratios in drawn.items()}
    (of_all,) = gap_ratios(matrix, [len(matrix)], 1)[len(matrix)]
    return {
        **{f"of {size}": mean for size, mean in means.items()},
        "of all": of_all,
        "mean over sizes": np.mean(list(means.values())),
        "middle sizes": np.mean([means[size] for size in MIDDLE]),
        "last sizes": np.mean([means[size] for size in LAST]),
    }


def _gap(name: str) -> Measure:
    return Measure("gaps", name, "value")


GAP_CHECKS = (
    Check(
        "fig7.3.full",
        f"Figure 7.3: (Delta / Delta_min)^2 of the full matrix is {FULL_RATIO:,}",
        Exact(_gap("of all"), FULL_RATIO, 0.5),
        f"{FULL_RATIO:,}",
        real=True,
        published=(FULL_RATIO,),
    ),
    Check(
        "fig7.3.tens_of_thousands",
        "7.4.1: on average, a bound by the smallest gap is larger by a factor of tens of thousands",
        Between(_gap("mean over sizes"), 1e4, 1e6),
        real=True,
    ),
    Check(
        "fig7.3.falls",
        "Figure 7.3: the factor falls as the number of rankers approaches 136: mean of 131 to 135 rankers "
        "over that of 66 to 100",
        Ratio(_gap("last sizes"), _gap("middle sizes"), high=1),
        real=True,
    ),
)


def _counted(counts: pd.DataFrame) -> dict[str, float]:
    """Return maximum, percentages and shares by size of the numbers of Copeland winners and losses."""
    values: dict[str, float] = {
        f"most {number}": counts.loc[counts["number"] == number, "count"].max() for number in COUNTS
    }
    values |= {f"{count} {number}": 0.0 for number, known in COUNTS.items() for count in known}
    for row in pooled(counts).to_dict("records"):
        values[f"{row['count']} {row['number']}"] = 100 * row["share"]
    for row in counts.to_dict("records"):
        values[f"{row['count']} {row['number']} in {row['size']}"] = row["share"]
    return values


def table_7_1(values: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    rows = {"published": (*PUBLISHED, PUBLISHED_CONTAINED)} | {
        f"here, {part}": [values.get(part, {}).get(name, np.nan) for name in (*PAIRS, CONTAINED)]
        for part in PARTS
    }
    return pd.DataFrame({"% of subsets": (*PAIRS, CONTAINED)} | rows)


def _overlap(part: str, pair: str, share: float, source: str) -> Check:
    name = "-".join(word.split()[0].lower() for word in pair.split(" and "))
    test = Between(Measure(part, pair, "value"), share - TOLERANCE, share + TOLERANCE)
    return Check(
        f"{part}.{name}", f"{pair} share a winner in {share} % ({source})", test, f"{share}", real=True
    )


def _count(part: str, number: str, count: int, share: float) -> Check:
    measure = Measure(part, f"{count} {number}", "value")
    what = f"there are {count}" if number == WINNERS else f"each loses to {count} other rankers"
    name = f"{part}.{count}_{number.split()[-1]}"
    if part == "informational":
        test = Between(measure, share - 1, share + 1)
        return Check(
            name,
            f"Copeland winners: {what} in {share} % of subsets (independent)",
            test,
            f"{share}",
            real=True,
        )
    return Check(name, f"{part}, Copeland winners: {what}, in percent of subsets", Report(measure))


_SIZES = {"quick": Size(1, 400), "paper": Size(1, 10_000)}

STUDY = Study(
    id="winner-notions",
    title="Do notions of a winner agree?",
    source="Zoghi 2017 (thesis), 7.1.2 and 7.4.2, Table 7.1, Figures 7.2 and 7.3",
    question="How often do Copeland, von Neumann, Borda and random-walk winners agree on random subsets, and "
    "which gaps decide how hard a subset is?",
    papers={"": ZOGHI_2017, "navigational.": NONE, **{f"informational.{k}_": NONE for k in range(6)}},
    findings=(
        Finding(
            "**The winner depends on the definition, and on the users.** Under informational users "
            "Copeland and Borda winners coincide in {noisy.value:.1f}% of subsets (51.49% published), "
            "under navigational users in {nav.value:.1f}%.",
            {"noisy": Use("informational.copeland-borda"), "nav": Use("navigational.copeland-borda")},
        ),
    ),
    data="public MSLR matrices: Informational (all 136), Navigational",
    parts=(
        *(Computed(part, overlaps, f"mslr-{part}", sizes=_SIZES) for part in PARTS),
        Computed("gaps", gaps, "mslr-informational", sizes=_SIZES),
    ),
    checks=(
        *GAP_CHECKS,
        *(_overlap("informational", pair, share, "Table 7.1") for pair, share in zip(PAIRS, PUBLISHED)),
        *(_overlap("navigational", pair, share, "independent") for pair, share in zip(PAIRS, NAVIGATIONAL)),
        Check(
            "informational.contained",
            f"in {PUBLISHED_CONTAINED} % all Copeland winners have weight in the von Neumann winner",
            Between(
                Measure("informational", CONTAINED, "value"),
                PUBLISHED_CONTAINED - CONTAINED_TOLERANCE,
                PUBLISHED_CONTAINED + CONTAINED_TOLERANCE,
            ),
            "94.8",
            real=True,
        ),
        *(
            Check(
                f"{part}.few_{number.split()[-1]}",
                f"{part}: Copeland winners are few and lose to few rankers, compared with the size of the "
                "subset",
                Between(Measure(part, f"most {number}", "value"), high=most),
            )
            for part in PARTS
            for number, most in MOST.items()
        ),
        *(
            _count(part, number, count, share)
            for part in PARTS
            for number, shares in COUNTS.items()
            for count, share in shares.items()
        ),
    ),
    figures=(
        Points(
            "figure7.3",
            "Figure 7.3: factor by which CCB's bound is smaller than one by the smallest gap",
            "rankers in the subset",
            "mean of (Delta / Delta_min)^2",
            {"random subsets": {size: _gap(f"of {size}") for size in range(2, 136)}},
            y="log",
            levels={"all 136 rankers": FULL_RATIO},
        ),
        *(
            Bubbles(
                f"figure7.2-{part}-{number.split()[-1]}",
                f"Figure 7.2: {title}, {part} user; areas are shares of subsets",
                "rankers in the subset",
                title,
                {
                    count: {
                        size: Measure(part, f"{count} {number} in {size}", "value") for size in range(1, 137)
                    }
                    for count in range(MOST[number] + 1)
                },
                published="the same circles for informational users; both numbers are generally much lower "
                "than the size of the subset.",
            )
            for part in PARTS
            for number, title in ((WINNERS, "Copeland winners"), (LOSSES, "losses of a Copeland winner"))
        ),
    ),
    tables=(Table("table7.1", "Table 7.1: subsets in which notions have a winner in common", table_7_1),),
    minutes={"quick": 0.4, "paper": 6},
)
