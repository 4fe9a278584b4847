"""Made-up results of a study, and the verdict of a check on them."""

import pandas as pd

from rankduel.experiments.studies.checks import Results, run_check
from rankduel.experiments.studies.study import Check, Measure, Study


def results(regret, stand_ins=None, steps=(10, 100)):
    """Return results of a part 'p' from {policy: final regrets}; regret grows linearly over `steps`."""
    rows = [
        {
            "policy": policy,
            "run": run,
            "step": step,
            "regret": value * step / steps[-1],
            "correct": value < 1000,
        }
        for policy, values in regret.items()
        for run, value in enumerate(values)
        for step in steps
    ]
    return Results({"p": pd.DataFrame(rows)}, {"c": {"x": 3.0, "many": [1.0, 2.0, 3.0]}}, stand_ins or {})


def verdict(test, found, **more):
    return run_check(Check("c", "claim", test, **more), found, "s.c")


RUCB, RCS = Measure("p", "rucb"), Measure("p", "rcs")
CLEAR = results({"rucb": [10.0, 12.0, 14.0], "rcs": [4.0, 5.0, 6.0]})
EMPTY = Study("s", "t", "s", "q", "d", (), ())
