"""Curves, estimates and differences against slow, obvious twins."""

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.run_set_samples import made_up_table

import rankduel
from rankduel.bandits import checkpoints
from rankduel.experiments.runs import run_set
from rankduel.experiments.runs.summaries import (
    CURVE_POINTS,
    at_drawn_steps,
    curves,
    final,
    final_estimates,
    share_curves,
    thinned,
)
from rankduel.experiments.statistics import estimate


@given(st.sets(st.integers(1, 10**8), min_size=1, max_size=2000))
def test_thinned_steps_are_a_subset_of_the_steps(steps):
    thinned_steps = thinned(np.array(sorted(steps)))
    assert set(thinned_steps.tolist()) <= steps and len(thinned_steps) <= CURVE_POINTS
    assert (
        (np.diff(thinned_steps) > 0).all()
        and thinned_steps[0] == min(steps)
        and thinned_steps[-1] == max(steps)
    )


@pytest.mark.parametrize("horizon", [10**5, 10**8])
def test_thinned_steps_are_dense_on_linear_and_log_axes(horizon):
    thinned_steps = thinned(checkpoints(horizon))
    assert len(thinned_steps) > CURVE_POINTS / 2
    assert np.diff(thinned_steps).max() < 0.02 * horizon
    large = thinned_steps[thinned_steps >= 10]  # smaller steps are consecutive integers
    assert np.diff(np.log10(large)).max() < 0.15


def test_curves_match_the_statistics_of_the_runs():
    table = made_up_table(["b", "a"], runs=5)
    found = curves(table, "regret")
    assert found["policy"].unique().tolist() == ["b", "a"]  # in the order of the records
    for row in found.iloc[::40].itertuples():
        values = table[(table["policy"] == row.policy) & (table["step"] == row.step)]["regret"].tolist()
        assert row.mean == pytest.approx(statistics.mean(values))
        assert row.error == pytest.approx(statistics.stdev(values) / math.sqrt(5))
        deciles = statistics.quantiles(values, n=10, method="inclusive")
        assert (row.low, row.high) == pytest.approx((deciles[0], deciles[-1]))


def test_measures_of_pages_are_averaged_over_omitted_steps():
    table = made_up_table(["a"], horizon=100_000, runs=1, live=True)
    pages = np.repeat(table["ndcg"].to_numpy(), np.diff(table["step"], prepend=0))  # a mean per page
    found = curves(table, "ndcg")
    assert len(found) < len(table) / 3  # more steps than points, so some are left out
    before = 0
    for row in found.itertuples():
        assert row.mean == pytest.approx(pages[before : row.step].mean())
        before = row.step


def test_a_single_run_has_no_error():
    found = curves(made_up_table(["a"], runs=1), "regret")
    assert found["error"].isna().all() and (found["low"] == found["mean"]).all()
    assert math.isnan(estimate([3.0]).low) and estimate([3.0]).mean == 3


def test_estimates_by_hand():
    # The mean is 2.5, the variance 5/3, the error sqrt(5/12), and Student's t (97.5 %, 3 degrees) 3.182446.
    found = estimate([1, 2, 3, 4])
    assert found == pytest.approx(
        (2.5, 2.5 - 3.182446 * math.sqrt(5 / 12), 2.5 + 3.182446 * math.sqrt(5 / 12))
    )


def test_intervals_have_their_nominal_coverage():
    rng = np.random.default_rng(3)
    samples = rng.normal(7, 2, (4000, 6))
    inside = [found.low <= 7 <= found.high for found in map(estimate, samples)]
    error = math.sqrt(0.95 * 0.05 / 4000)  # with 1.96 instead of t the coverage is 0.893
    assert abs(np.mean(inside) - 0.95) < 4 * error


def test_final_rows_are_sorted_by_regret():
    table = made_up_table(["good", "bad"])
    table = pd.concat([table[table["policy"] == "bad"], table[table["policy"] == "good"]])
    assert final(table)["policy"].unique().tolist() == ["good", "bad"]
    assert set(final(table)["step"]) == {1000}
    assert list(final_estimates(table, "regret")) == ["good", "bad"]


def test_shares_of_runs_have_their_intervals():
    table = made_up_table(["good", "bad"])
    found = share_curves(table, "correct")
    last = found[found["step"] == 1000].set_index("policy")
    for policy in ("good", "bad"):
        correct = table[(table["policy"] == policy) & (table["step"] == 1000)]["correct"]
        expected = stats.binomtest(int(correct.sum()), len(correct)).proportion_ci(0.95, "wilson")
        assert last["mean"][policy] == correct.mean()
        assert (last["low"][policy], last["high"][policy]) == pytest.approx((expected.low, expected.high))


# --- run sets of many runs


def long_run(seed):
    """Return one run with 3,040 checkpoints."""
    draws, steps = np.random.default_rng(seed), checkpoints(100_000, 3000)
    columns = {"regret": draws.random(len(steps)).cumsum(), "correct": draws.random(len(steps)) < 0.5}
    pages = {"ndcg": draws.random(len(steps)), "clicks": draws.random(len(steps))}
    return pd.DataFrame({"policy": "rucb", "run": seed, "step": steps, **columns, **pages})


def test_curves_of_runs_at_drawn_steps_are_those_of_the_whole_runs():
    whole = pd.concat([long_run(seed) for seed in range(3)])
    without_pages = whole.drop(columns=["ndcg", "clicks"])
    for column in ("regret", "correct"):
        short = pd.concat([at_drawn_steps(run) for _, run in without_pages.groupby("run")])
        assert len(short) <= 3 * CURVE_POINTS
        pd.testing.assert_frame_equal(curves(short, column), curves(whole, column), check_exact=True)
    short = pd.concat([at_drawn_steps(run) for _, run in whole.groupby("run")])
    for column in ("regret", "correct"):
        pd.testing.assert_frame_equal(curves(short, column), curves(whole, column), check_exact=True)
    for column in ("ndcg", "clicks"):
        pd.testing.assert_frame_equal(curves(short, column), curves(whole, column), rtol=1e-10)


def test_a_run_of_few_checkpoints_is_kept_whole():
    run = long_run(0).iloc[:150]
    pd.testing.assert_frame_equal(at_drawn_steps(run), run, rtol=1e-12)


@pytest.mark.kernel
def test_the_report_of_many_runs_has_the_same_bytes(tmp_path, monkeypatch):
    rankduel.run("arxiv6", ["rucb", "winner_stays"], 5000, 3, folder=tmp_path / "set")
    rankduel.report(tmp_path / "set", tmp_path / "whole.html")
    monkeypatch.setattr(run_set, "MANY_RUNS", 5)
    (short,) = run_set.read_for_charts(tmp_path / "set")
    assert len(short.table) <= 6 * CURVE_POINTS < len(rankduel.load_records(tmp_path / "set"))
    rankduel.report(tmp_path / "set", tmp_path / "short.html")
    assert (tmp_path / "short.html").read_bytes() == (tmp_path / "whole.html").read_bytes()
