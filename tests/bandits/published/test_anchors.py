"""Test regrets against published and independently computed ones, by default or by the named variant."""

import pytest
from support.anchors import NAMES, distance, measure, rows

from rankduel.bandits.catalogue import FAMILIES

ROWS = rows()


def test_the_table_names_every_policy_for_condorcet_winners():
    there = {label.split("(")[0].split()[0] for label, _ in ROWS}
    assert set(FAMILIES["Condorcet winner"]) - there == {
        "merge_rucb",
        "merge_dts",
    }


@pytest.mark.slow
@pytest.mark.parametrize(("label", "published"), ROWS, ids=[label for label, _ in ROWS])
def test_regret_is_the_published_one(label, published):
    """The difference is within 4 combined standard errors; 200 runs of both."""
    for name, (mean, error) in zip(NAMES, published):
        mine, mine_error, apart = distance(measure(label, name), mean, error)
        print(
            f"{label} on {name}: published {mean} ± {error}, ours {mine:.1f} ± {mine_error:.1f}, {apart:+.1f}"
        )
        assert abs(apart) < 4, (label, name, mean, mine, apart)
