"""Settings that several families of policies declare."""

from __future__ import annotations

from typing import Annotated

from rankduel.base.settings import Setting

Alpha = Annotated[
    float, Setting("factor of log t in the confidence bounds; theory requires more than 1/2", above=0)
]
UnvisitedBound = Annotated[
    float, Setting("upper bound of a pair without duels: 2 (the paper's x/0 = 1), 1 or inf", at_least=1)
]
Delta = Annotated[float, Setting("probability of an error", above=0, at_most=1)]
DeltaOrHorizon = Annotated[float, Setting("probability of an error; 0: 1 / `horizon`", at_least=0, at_most=1)]
ErrorHorizon = Annotated[
    int, Setting("number of steps for which the error bound holds; 0: those of the run", at_least=0)
]
NumberToFind = Annotated[int, Setting("number of best arms to find; all arms if there are fewer", at_least=1)]
