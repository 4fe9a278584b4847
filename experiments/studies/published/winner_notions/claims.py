"""Claims about winners, their numbers and gaps, and Table 7.1."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rankduel.experiments.studies.published.winner_notions.subsets import COUNTS
from rankduel.experiments.studies.study import Between, Check, Exact, Measure, Ratio, Report
from rankduel.experiments.winners.overlaps import CONTAINED, LOSSES, PAIRS, WINNERS

USERS = ("informational", "navigational")
# Percent of subsets in which two notions have a winner in common: published, and in the navigational matrix.
PUBLISHED = (99.94, 51.49, 56.15, 77.66, 82.11, 94.81)
NAVIGATIONAL = (99.94, 86.93, 86.90, 90.38, 90.32, 98.79)
PUBLISHED_CONTAINED = 94.2
# Tolerances in percentage points; with 400 subsets of each size, standard errors are about 0.2.
TOLERANCE, CONTAINED_TOLERANCE = 0.6, 1.2
MOST = {WINNERS: 7, LOSSES: 4}
FULL_RATIO = 1419  # (Delta / Delta_min)^2 of all 136 rankers


def gap_measure(name: str) -> Measure:
    return Measure("gaps", name, "value")


GAP_CHECKS = (
    Check(
        "fig7.3.full",
        f"Figure 7.3: (Delta / Delta_min)^2 of the full matrix is {FULL_RATIO:,}",
        Exact(gap_measure("of all"), FULL_RATIO, 0.5),
        f"{FULL_RATIO:,}",
        real=True,
        published=(FULL_RATIO,),
    ),
    Check(
        "fig7.3.tens_of_thousands",
        "7.4.1: on average, a bound by the smallest gap is larger by a factor of tens of thousands",
        Between(gap_measure("mean over sizes"), 1e4, 1e6),
        real=True,
    ),
    Check(
        "fig7.3.falls",
        "Figure 7.3: the factor falls as the number of rankers approaches 136: mean of 131 to 135 rankers "
        "over that of 66 to 100",
        Ratio(gap_measure("last sizes"), gap_measure("middle sizes"), high=1),
        real=True,
    ),
)


def table_7_1(values: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    rows = {"published": (*PUBLISHED, PUBLISHED_CONTAINED)} | {
        f"here, {part}": [values.get(part, {}).get(name, np.nan) for name in (*PAIRS, CONTAINED)]
        for part in USERS
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


CHECKS = (
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
            f"{part}: Copeland winners are few and lose to few rankers, compared with the size of the subset",
            Between(Measure(part, f"most {number}", "value"), high=most),
        )
        for part in USERS
        for number, most in MOST.items()
    ),
    *(
        _count(part, number, count, share)
        for part in USERS
        for number, shares in COUNTS.items()
        for count, share in shares.items()
    ),
)
