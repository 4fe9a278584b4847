"""Made-up records of runs for tests of what studies compute from them."""

import numpy as np
import pandas as pd

from rankduel.experiments.studies.study import full_name


def records(regrets, wrong=()):
    """Return records from {policy: final regrets}; policies in `wrong` lose the winner in their first run."""
    return pd.DataFrame(
        [
            {"policy": policy, "run": run, "step": step, "regret": value * share, "correct": ok}
            for policy, values in regrets.items()
            for run, value in enumerate(values)
            for step, share in ((10, 0.5), (100, 1.0))
            for ok in [not (policy in wrong and run == 0)]
        ]
    )


def table_of(policy, steps, runs=1, **columns):
    """Return records of a policy; a column is a list of values by step, the same in all runs, or a table."""
    return pd.concat(
        [
            pd.DataFrame({"policy": full_name(policy), "run": run, "step": list(steps)}).assign(
                **{name: values[run] if np.ndim(values) == 2 else values for name, values in columns.items()}
            )
            for run in range(runs)
        ]
    )
