"""Test counts of Yan's simulation (2022, Figure 4.1): three standard errors, with stated exceptions."""

import numpy as np
import pytest
from support.yan_table import CELLS, RUNS, TABLE, distance, measure

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

# Active Ranking in case A: published 175, but an independent simulation of the same code finds 140 (20,000
# runs). Neither ties, nor the last sort, nor the budget explain it, and case B agrees.
FARTHER = {("Active Ranking", "A"): 4}
RESIMULATED = {("Active Ranking", "A"): 140}


@pytest.fixture(scope="module", params=CELLS, ids=" ".join)
def cell(request):
    name, case = request.param
    return request.param, TABLE[name].cases[case], measure(name, case)


def test_the_best_are_found_as_often_as_published(cell):
    key, published, ours = cell
    for what, count in published.found.items():
        assert abs(distance(ours.share(what, key[1]), count, RUNS)) <= FARTHER.get(key, 3), what
    if key in RESIMULATED:
        assert abs(ours.share("best", key[1]) - RESIMULATED[key] / 1000) < 3 * np.sqrt(0.14 * 0.86 / RUNS)


@pytest.mark.parametrize(
    ("name", "settings", "simulated", "counts"),
    [
        ("PARWiS", {"order": "random"}, 1000, {"A": {"best": 446}, "B": {"one": 874, "both": 109}}),
        (
            "Active Ranking",
            {"radius": "intended"},
            20_000,
            {"A": {"best": 126}, "B": {"one": 438, "both": 495}},
        ),
    ],
)
def test_other_readings_find_as_many_as_simulated_elsewhere(name, settings, simulated, counts):
    """Settings that are not in the thesis; four standard errors, because six counts are compared."""
    for case, found in counts.items():
        ours = measure(name, case, **settings)
        for what, count in found.items():
            error = np.sqrt(count / 1000 * (1 - count / 1000) * (1 / RUNS + 1 / simulated))
            print(name, settings, case, what, count, 1000 * ours.share(what, case))
            assert abs(ours.share(what, case) - count / 1000) < 4 * error, (case, what)


def test_answers_have_as_many_items(cell):
    """Both means have our standard deviation; four standard errors, because eight cells are compared."""
    _, published, ours = cell
    items = ours.answers.sum(axis=1)
    if published.items is not None:
        assert abs(items.mean() - published.items / 1000) < 4 * items.std() * np.sqrt(1 / RUNS + 1 / 1000)


def test_comparisons_are_as_many(cell):
    """Extremes of 1,000 runs: fixed numbers are equal, ranges overlap."""
    (name, _), published, ours = cell
    low, high = published.comparisons
    fewest, most = ours.comparisons.min(), ours.comparisons.max()
    if name == "TOP-2":  # 980 if both come from one group; the thesis does not mention the other case
        assert {fewest, most} <= {980, 985}
    elif low == high:
        assert fewest == most == low
    else:
        assert fewest <= high and low <= most and abs(fewest - low) < 30 and abs(most - high) < 30


def test_pairs_have_as_many_judgments(cell):
    _, published, ours = cell
    if published.judgments is not None:
        low, high = published.judgments
        assert ours.judgments.min() <= high and low <= ours.judgments.max()


def test_prefbest_takes_as_many_comparisons_on_average(cell):
    """By an independent simulation: 676 and 672, some 19 more with one more final; 5 standard errors."""
    (name, case), _, ours = cell
    if name.startswith("prefBest"):
        expected = {"A": 676, "B": 672}[case] + (19 if "extra" in name else 0)
        assert abs(ours.comparisons.mean() - expected) < 5 * ours.comparisons.std() / np.sqrt(RUNS) + 1
