"""Settings that several families of policies declare."""

from __future__ import annotations

from typing import Annotated

from rankduel.base.settings import Setting

# With a larger factor no bound is ever below 1 in the longest run.
LARGEST_FACTOR = 1e18
# The logarithm of the inverse is at most 230; far smaller values have no finite inverse.
SMALLEST_DELTA = 1e-100

# Arms drawn for a page; all pairs of them are compared in every step. Published pages have at most a hundred.
LONGEST_PAGE = 1000
# Comparisons of one pair in a row: far more than a run has steps, while sums of them over pairs are int64.
MOST_COMPARISONS = 10**12

Alpha = Annotated[
    float,
    Setting(
        "factor of log t in the confidence bounds; theory requires more than 1/2",
        above=0,
        at_most=LARGEST_FACTOR,
    ),
]
UnvisitedBound = Annotated[
    float, Setting("upper bound of a pair without duels: 2 (the paper's x/0 = 1), 1 or inf", at_least=1)
]
Delta = Annotated[float, Setting("probability of an error", at_least=SMALLEST_DELTA, at_most=1)]
DeltaOrHorizon = Annotated[float, Setting("probability of an error; 0: 1 / `horizon`", at_least=0, at_most=1)]
ErrorHorizon = Annotated[
    int, Setting("number of steps for which the error bound holds; 0: those of the run", at_least=0)
]
NumberToFind = Annotated[int, Setting("number of best arms to find; all arms if there are fewer", at_least=1)]
