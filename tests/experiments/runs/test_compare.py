"""Comparison of live and proxy runs: the statistics, and equal distributions with the exact matrix."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from support import arenas

from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.runs.compare import compare_runs
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem


def table(values, seconds=1.0):
    """Return a table of runs from {policy: regrets at step 10}; the regret at step 5 is half of it."""
    rows = [
        {"policy": policy, "run": run, "step": step, "regret": regret * step / 10, "seconds": seconds}
        for policy, regrets in values.items()
        for run, regret in enumerate(regrets)
        for step in (5, 10)
    ]
    return pd.DataFrame(rows)


def test_differences_intervals_and_tests_are_welchs_and_kolmogorovs():
    rng = np.random.default_rng(0)
    live = {"a": rng.normal(10, 1, 30), "b": rng.normal(30, 5, 30)}
    proxy = {"a": rng.normal(10, 2, 25), "b": rng.normal(32, 5, 25)}
    found = compare_runs(table(live, 3.0), table(proxy, 0.5))
    for row in found.final.itertuples():
        ours, theirs = live[row.policy], proxy[row.policy]
        assert row.difference == pytest.approx(np.mean(ours) - np.mean(theirs))
        welch = stats.ttest_ind(ours, theirs, equal_var=False)
        interval = welch.confidence_interval(0.95)
        assert (row.lo, row.hi) == pytest.approx((interval.low, interval.high))
        assert row.p_mean == pytest.approx(welch.pvalue)
        assert row.p_law == pytest.approx(stats.ks_2samp(ours, theirs).pvalue)
        assert (row.live_seconds, row.proxy_seconds) == (3.0, 0.5)
    halves = found.by_step[found.by_step["step"] == 5]
    assert halves["difference"].to_numpy() == pytest.approx(found.final["difference"].to_numpy() / 2)


def test_verdicts():
    rng = np.random.default_rng(1)
    policies = {"a": 10.0, "b": 20.0, "c": 30.0}
    here, there = ({name: rng.normal(mean, 1, 40) for name, mean in policies.items()} for _ in range(2))
    agree = compare_runs(table(here), table(there))
    assert agree.differing == () and agree.agreement == 1.0
    assert "agree: no final regret differs" in agree.verdict and "same best policy, a (" in agree.verdict
    differ = compare_runs(table(here), table(there | {"b": there["a"] - 5.0}))
    assert differ.differing == ("b",) and "differ beyond chance for b:" in differ.verdict
    assert "best policy is not the same: a live, b by proxy" in differ.verdict
    assert differ.agreement == pytest.approx(1 / 3)
    narrow, wide = rng.normal(10, 1, 200), rng.normal(10, 4, 200)
    wider = compare_runs(table({"a": narrow}), table({"a": wide}))
    assert (
        wider.differing == ("a",) and wider.final["p_mean"][0] > 0.05
    )  # the distributions differ, not the means
    single = compare_runs(table({"a": [1.0]}), table({"a": [2.0]}))
    assert "more runs" in single.verdict and single.differing == ()
    constant = compare_runs(table({"a": [2.0, 2.0]}), table({"a": [2.0, 2.0]}))
    assert constant.differing == ()


FEW_RUNS = {
    # SciPy's exact sum is 1 + 2e-16 here, so that it warns and switches to the asymptotic p-value.
    "almost equal": ([1, 2, 3, 4, 5], [1, 2, 3, 4, 4], (0.8, 0.9)),
    "one constant": ([2, 2], [1, 3], (0.9, 0.9)),
    "both constant": ([2, 2], [3, 3], (1 / 3, 1 / 3)),
    "all equal": ([2, 2], [2, 2], (1, 1)),
}


@pytest.mark.parametrize(("live", "proxy", "least"), FEW_RUNS.values(), ids=FEW_RUNS)
def test_few_runs_give_no_warnings_and_no_small_p_values(live, proxy, least):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare_runs(table({"a": live}), table({"a": proxy}))
    p_values = found.final[["p_mean", "p_law"]].iloc[0]
    assert (p_values >= np.array(least) - 1e-12).all() and (p_values <= 1).all(), p_values
    assert found.differing == ()


def test_many_constant_runs_with_different_values_differ():
    found = compare_runs(table({"a": [2.0] * 20}), table({"a": [3.0] * 20}))
    assert found.differing == ("a",)


@pytest.mark.parametrize(("shift", "mirrored"), [(0.3, False), (-0.3, False), (0.3, True)])
def test_the_largest_difference_is_the_farther_end_of_the_interval(shift, mirrored):
    rng = np.random.default_rng(3)
    regrets = rng.normal(10, 1, 40)
    here, there = table({"a": regrets + shift}), table({"a": rng.permutation(regrets)})
    found = compare_runs(*((there, here) if mirrored else (here, there)))
    row = found.final.iloc[0]
    farther = max(abs(row["lo"]), abs(row["hi"])) / row["proxy"]
    half = (row["hi"] - row["lo"]) / 2 / row["proxy"]
    assert farther > half + 0.02  # so the half-width would be too small
    told = int(re.search(r"A difference of up to (\d+) % cannot be excluded \(a\)\.", found.verdict)[1])
    assert farther <= told / 100 < farther + 0.01


def test_best_policies_that_do_not_differ_significantly():
    """Means of 10.0 and 10.1, standard error 0.16: the order differs between the two tables."""
    values = np.random.default_rng(3).normal(0, 1, 40)
    values -= values.mean()
    here = {"a": 10.0 + values, "b": 10.1 + values, "c": 20 + values}
    there = {"a": 10.1 + values, "b": 10.0 + values, "c": 20 + values}
    verdict = compare_runs(table(here), table(there)).verdict
    assert "agree: no final regret differs" in verdict and "not the same" not in verdict
    assert "The best policies, a and b, are too close to tell apart" in verdict


@pytest.mark.slow
def test_false_alarms_are_rare():
    """At most 1 % plus 4 standard errors of 500 comparisons of equal distributions differ."""
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(500):
        here, there = ({name: rng.gamma(2.0, 10.0, 20) for name in "abc"} for _ in range(2))
        alarms += bool(compare_runs(table(here), table(there)).differing)
    assert alarms <= 5 + 4 * 5**0.5


CLICKS = ("perfect", "navigational", "informational")
HORIZON, RUNS = 3_000, 600


def both(chosen, preferences):
    return compare_runs(
        *(
            play_runs(problem, ["rucb", "merge_dts"], HORIZON, RUNS, jobs=-1)
            for problem in (Problem(preferences, chosen), Problem(preferences))
        )
    )


def exact(interleave, clicks="navigational"):
    """Return the matrix: exact for team draft; otherwise 4,000 pages per query, with errors near 0.002."""
    draws = 1 if interleave == "team_draft" else 4000
    return arenas.exact_preferences(arenas.arena(interleave, clicks), draws)


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize("clicks", CLICKS)
@pytest.mark.parametrize("interleave", ["team_draft", "probabilistic"])
def test_live_and_proxy_have_the_same_distribution(interleave, clicks):
    """600 runs each detect a difference of 0.3 standard deviations of a mean with high probability."""
    found = both(arenas.arena(interleave, clicks), exact(interleave, clicks))
    assert found.differing == (), found.final


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize("interleave", ["team_draft", "probabilistic"])
def test_a_matrix_off_by_two_hundredths_is_found_out(interleave):
    right = exact(interleave)
    towards_half = 0.02 * np.sign(right.matrix - 0.5)
    found = both(arenas.arena(interleave), preferences_of(right.matrix - towards_half, right.names))
    assert found.differing != (), found.final


@pytest.mark.slow
@pytest.mark.kernel
def test_dependent_queries_differ_from_the_proxy():
    """Each query is played a hundred times in a row."""
    found = both(arenas.arena(queries="cycle", repeat=100), exact("team_draft"))
    assert found.differing != (), found.final
