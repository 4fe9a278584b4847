"""Regrets by the number of rankers and by the noise of clicks, on made-up records."""

import pandas as pd
from support.study_records import records, table_of

from rankduel.experiments.studies.published.k_scan.regrets import FIVE, MERGE, MORE, RCS, by_size, noise
from rankduel.experiments.studies.study import Inputs, Size


def inputs(tables, preferences=None):
    return Inputs(preferences, Size(1, 1), tables, 1)


def test_regrets_by_number_of_rankers():
    def of(*regrets):
        return pd.concat([table_of(policy, [10], regret=[r]) for policy, r in zip(FIVE, regrets)])

    found = by_size(inputs({"a": of(1.0, 2.0, 3.0, 9.0, 9.0), "b": of(3.0, 2.0, 4.0, 9.0, 9.0)}))
    assert found["merge_rucb below rucb"] == [1, 0] and found["merge_rucb below savage"] == [1, 1]
    assert found["next best / merge_rucb"] == [1.0]  # RUCB: 2 and 2 on average
    assert found["rucb median / merge_rucb median"] == [1.0]


def test_noise_is_compared_subset_by_subset():
    finals = {
        ("clicks40-0", "perfect"): (2.0, 1.0),
        ("clicks40-0", "informational"): (4.0, 5.0),
        ("clicks40-1", "perfect"): (1.0, 2.0),
        ("clicks40-1", "informational"): (3.0, 4.0),
    }
    tables = {f"{s}-{user}": records({MERGE: [m], RCS: [r]}) for (s, user), (m, r) in finals.items()}
    tables |= {f"{s}-navigational": tables[f"{s}-perfect"] for s in ("clicks40-0", "clicks40-1")}
    found = noise(inputs(tables))
    assert found["merge_rucb"] == [2, 3] and found["rcs"] == [5, 2]
    assert found["rcs suffers more than merge_rucb"] == [1, 0]
    assert found["rcs, informational"] == [5, 4]


def test_effect_of_noise_by_policy():
    regrets = {"perfect": (1.0, 1.0, 2.0), "navigational": (1.0, 1.0, 2.0), "informational": (2.0, 5.0, 8.0)}
    tables = {}
    for user, (merge, rucb, rcs) in regrets.items():
        tables[f"k-0-{user}"] = pd.concat(
            [table_of(FIVE[0], [10], regret=[merge]), table_of(FIVE[2], [10], regret=[rcs])]
        )
        tables[f"k-0-{user}{MORE}"] = table_of(FIVE[1], [10], regret=[rucb])
    found = noise(inputs(tables))
    assert (found["merge_rucb"], found["rucb"], found["rcs"]) == ([2], [5], [4])
    assert found["rcs suffers more than merge_rucb"] == [1] and found["rcs suffers more than rucb"] == [0]
    assert found["rucb, informational"] == [5]
