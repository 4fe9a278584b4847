"""Notions of a winner and gaps on random subsets of the rankers of a matrix."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from rankduel.experiments.studies.study import Inputs
from rankduel.experiments.winners.copeland_gaps import gap_ratios
from rankduel.experiments.winners.overlaps import LOSSES, WINNERS, pooled, winner_overlaps

# Percent of subsets of the informational matrix, over all sizes, from an independent program.
COUNTS: Mapping[str, Mapping[int, float]] = {
    WINNERS: {1: 79.9, 2: 16.1, 3: 3.8, 4: 0.12, 5: 0.005},
    LOSSES: {0: 54.3, 1: 44.4, 2: 1.3, 3: 0.007},
}
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
    return {**shared, **_percentages(found.counts)}


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


def _percentages(counts: pd.DataFrame) -> dict[str, float]:
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
