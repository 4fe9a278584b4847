"""Ratios of regrets over random subsets, on made-up records."""

import pandas as pd

from rankduel.experiments.matrix.builtin import MATRICES
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.studies.published.batched import cases, draws
from rankduel.experiments.studies.study import Inputs, Size, full_name


def inputs(matrix, horizon=1e4, runs=3, tables=None):
    return Inputs(preferences_of(matrix), Size(horizon, runs), tables or {}, 1)


def test_ratios_over_random_subsets():
    """On one subset C2B with six more batches has half of RUCB's regret, on the other three times as much."""
    regrets = dict.fromkeys(map(full_name, cases.POLICIES), 100.0)
    tables = {}
    for name, regret in (("a", 50.0), ("b", 300.0)):
        rows = regrets | {full_name(cases.MORE): regret}
        tables[name] = pd.concat(
            pd.DataFrame({"policy": policy, "step": [10, 100], "regret": [1.0, value]})
            for policy, value in rows.items()
        )
    found = draws.over_draws(inputs(MATRICES["mslr5"].make(), tables=tables))
    assert found["C2B+6 / RUCB"] == [0.5, 3.0] and found["C2B+6 / RUCB, in range"] == [1.0, 0.0]
    assert found["C2B / RUCB"] == [1.0, 1.0] and found["C2B / BTM, in range"] == [0.0, 0.0]
