"""Runs: measures, records, resuming, and the same result with any number of workers."""

import json
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from support import arenas
from support.watching import Watching

from rankduel.bandits import play_matrix, policy
from rankduel.bandits.feedback import Feedback
from rankduel.bandits.regret import strong_regret
from rankduel.base.errors import PolicyNotice, RankduelError, RecordsError
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.runs.records import record_path
from rankduel.experiments.runs.run_set import read_run_sets

pytestmark = pytest.mark.kernel
POLICIES = ["rucb", "winner_stays"]


def all_bytes(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_columns_and_steps_of_the_table():
    table = play_runs("arxiv6", POLICIES, 1000, 3, seed=4)
    assert list(table.columns) == [
        "policy", "run", "step", "regret", "weak_regret", "copeland_regret", "informative_steps",
        "recommended", "correct", "answers", "winners_among_answers", "finished", "survivors", "rounds",
        "judgments_per_pair", "copeland_losses_regret", "nonwinner_duels", "seconds",
    ]  # fmt: skip
    assert table.groupby(["policy", "run"])["step"].agg(["min", "max"]).eq([1, 1000]).all(axis=None)
    assert set(table["policy"]) == set(POLICIES) and (table["regret"].diff()[table["step"] > 1] >= 0).all()
    assert (table["correct"] == (table["recommended"] == "0")).all()


def test_proxy_runs_equal_those_of_play_matrix():
    prefs = read_preferences("arxiv6").matrix
    for number, table in play_runs(prefs, ["rucb"], 1000, 3, seed=4).groupby("run"):
        trace = play_matrix(policy("rucb"), prefs, 1000, seed=4, run=number)
        np.testing.assert_array_equal(table["regret"], strong_regret(trace, prefs[0] - 0.5))


def test_without_a_condorcet_winner_regret_is_copeland_regret():
    table = play_runs("multisol", ["dts"], 2000, 2)
    assert "nonwinner_duels" not in table and "copeland_losses_regret" not in table
    np.testing.assert_array_equal(table["regret"], table["copeland_regret"])
    assert (table["correct"] == table["recommended"].isin(["0", "1", "2"])).all()
    double = play_runs(Problem(read_preferences("multisol"), regret="copeland-sum"), ["dts"], 2000, 2)
    np.testing.assert_allclose(double["regret"], 2 * table["regret"])


@pytest.mark.compiling
def test_late_feedback_is_part_of_the_problem(tmp_path):
    late = Problem(read_preferences("arxiv6"), feedback=Feedback(every=50))
    table = play_runs(late, ["dts"], 1000, folder=tmp_path / "x")
    assert table["rounds"].iloc[-1] == 20
    with pytest.raises(RankduelError, match="feedback.every is 50 there and 1 now"):
        play_runs("arxiv6", ["dts"], 1000, folder=tmp_path / "x")


def test_fewer_checkpoints_are_a_subset():
    few, many = (
        play_runs("arxiv6", ["rucb"], 10_000, checkpoints=n).drop(columns="seconds") for n in (4, 1000)
    )
    assert {2500, 5000, 7500, 10_000} <= set(few["step"]) and len(few) < len(many) / 5
    rows = many[many["step"].isin(few["step"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(few, rows)


def test_a_run_depends_on_its_number_only(tmp_path):
    """Other policies, the number and order of runs, and threads do not change a run."""
    few = play_runs("arxiv6", ["rucb"], 2000, 2, folder=tmp_path / "few")
    play_runs("arxiv6", [*reversed(POLICIES)], 2000, 5, jobs=2, folder=tmp_path / "many")
    few_bytes, many_bytes = all_bytes(tmp_path / "few"), all_bytes(tmp_path / "many")
    assert few_bytes.keys() < many_bytes.keys()
    assert all(many_bytes[name] == content for name, content in few_bytes.items())
    other = play_runs("arxiv6", ["rucb"], 2000, 2, seed=1)
    assert (other["regret"] != few["regret"]).any()


def test_recorded_runs_are_not_repeated(tmp_path):
    n_ended = []
    first = play_runs("arxiv6", POLICIES, 500, 3, folder=tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    record_path(tmp_path, "rucb", 1).unlink()
    again = play_runs("arxiv6", POLICIES, 500, 4, folder=tmp_path, watch=Watching(runs=n_ended.append))
    assert n_ended == [5, 1, 1, 1]
    repeated = [path for path, changed in before.items() if path.stat().st_mtime_ns != changed]
    assert repeated == [record_path(tmp_path, "rucb", 1)]
    pd.testing.assert_frame_equal(
        first.drop(columns="seconds"),
        again[again["run"] < 3].drop(columns="seconds").reset_index(drop=True),
    )
    [study] = read_run_sets(tmp_path)
    pd.testing.assert_frame_equal(
        study.table, again.sort_values(["policy", "run", "step"], ignore_index=True), rtol=1e-5
    )


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "another"])
def test_a_damaged_record_is_an_error_and_repair_plays_it_again(tmp_path, damage):
    play_runs("arxiv6", ["rucb"], 500, 2, folder=tmp_path)
    path, good = record_path(tmp_path, "rucb", 0), all_bytes(tmp_path)
    content = bytearray(path.read_bytes())
    content[60] ^= 1
    damaged = {"cut": path.read_bytes()[:-9], "changed": bytes(content), "empty": b""}
    path.write_bytes(damaged.get(damage, record_path(tmp_path, "rucb", 1).read_bytes()))
    for use in (
        lambda: read_run_sets(tmp_path),
        lambda: play_runs("arxiv6", ["rucb"], 500, 2, folder=tmp_path),
    ):
        with pytest.raises(RecordsError, match=r"rucb/0.parquet: .* --repair .* plays this run again"):
            use()
    play_runs("arxiv6", ["rucb"], 500, 2, folder=tmp_path, repair=True)
    assert all_bytes(tmp_path) == good


def test_a_folder_of_other_runs_is_refused(tmp_path):
    play_runs("arxiv6", ["rucb"], 500, folder=tmp_path)
    for other in (
        lambda: play_runs("arxiv6", ["rucb"], 501, folder=tmp_path),
        lambda: play_runs("arxiv6", ["rucb"], 500, seed=1, folder=tmp_path),
        lambda: play_runs("cyclic", ["rucb"], 500, folder=tmp_path),
        lambda: play_runs("arxiv6", ["rucb"], 500, checkpoints=10, folder=tmp_path),
    ):
        with pytest.raises(RankduelError, match="holds other runs: .* Choose another --name"):
            other()
    (tmp_path / "_settings.json").write_text("{")
    with pytest.raises(RankduelError, match="_settings.json: not settings of runs, or damaged"):
        play_runs("arxiv6", ["rucb"], 500, folder=tmp_path)


def test_invalid_requests_are_refused_before_anything_is_written(tmp_path):
    cases = (
        lambda: play_runs("arxiv6", ["rucb"], 0, folder=tmp_path / "x"),
        lambda: play_runs("arxiv6", ["rucb"], 10, 0, folder=tmp_path / "x"),
        lambda: play_runs("arxiv6", ["rucb", "rucb"], 10, folder=tmp_path / "x"),
        lambda: play_runs("arxiv6", ["rucb"], 10, checkpoints=0, folder=tmp_path / "x"),
        lambda: play_runs(Problem(read_preferences("multisol"), regret="condorcet"), ["rucb"], 10),
        lambda: play_runs(Problem(read_preferences("arxiv6"), feedback=Feedback(5)), ["savage"], 10),
        lambda: play_runs("nowhere.txt", ["rucb"], 10, folder=tmp_path / "x"),
        lambda: play_runs(
            Problem(read_preferences("arxiv6"), arenas.arena()), ["rucb"], 10, folder=tmp_path / "x"
        ),
    )
    for case in cases:
        with pytest.raises(RankduelError):
            case()
    assert not (tmp_path / "x").exists()


def test_a_full_disk_keeps_the_existing_records(tmp_path, monkeypatch):
    play_runs("arxiv6", ["rucb"], 500, 2, folder=tmp_path)
    good = all_bytes(tmp_path)

    def full(path, content):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(RecordsError, match="2.parquet: could not be written: No space left on device"):
            play_runs("arxiv6", ["rucb"], 500, 4, folder=tmp_path)
    assert all_bytes(tmp_path) == good and not list(tmp_path.rglob("*.tmp"))
    play_runs("arxiv6", ["rucb"], 500, 4, folder=tmp_path)
    assert len(all_bytes(tmp_path)) == 5


PLAIN = """
from typing import NamedTuple
import numpy as np

class Params(NamedTuple):
    reach: int = 2

class State(NamedTuple):
    wins: np.ndarray

def init(n_arms, params, rng):
    return State(np.zeros(n_arms))

def select(state, params, rng):
    first = int(rng.integers(len(state.wins)))
    return first, int(first + 1 + rng.integers(params.reach)) % len(state.wins)

def update(state, params, first, second, first_won):
    state.wins[first if first_won else second] += 1
"""


def test_policies_in_plain_python_run_in_processes(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(PLAIN)
    with pytest.warns(PolicyNotice, match="runs as plain Python"):
        alone = play_runs("arxiv6", [str(mine)], 50, 2)
    with pytest.warns(PolicyNotice, match="runs as plain Python"):
        together = play_runs("arxiv6", [str(mine)], 50, 2, jobs=2)
    pd.testing.assert_frame_equal(alone.drop(columns="seconds"), together.drop(columns="seconds"))


def test_compiled_policies_run_in_threads(monkeypatch):
    pool_settings = []

    def pool(**settings):
        pool_settings.append(settings)
        return joblib.Parallel(**settings)

    monkeypatch.setattr("rankduel.experiments.runs.play.Parallel", pool)
    play_runs("cyclic", ["random_pair"], 10, 2, jobs=2)
    assert [settings.get("prefer") for settings in pool_settings] == ["threads"]


def test_live_runs_measure_regret_ndcg_and_clicks(tmp_path):
    chosen = arenas.arena()
    problem = Problem(arenas.exact_preferences(chosen), chosen)
    table = play_runs(problem, ["random_pair"], 20_000, 4, folder=tmp_path)
    final = table[table["step"] == 20_000]
    loss = problem.preferences.matrix[0] - 0.5
    # All pairs, including equal arms, are equally likely. The tolerance is 4 standard errors of 80,000 steps.
    assert final["regret"].mean() / 20_000 == pytest.approx(loss.mean(), abs=4 * loss.std() / 80_000**0.5)
    assert table["ndcg"].between(0, 1).all() and table["clicks"].between(0, 5).all()
    settings = json.loads((tmp_path / "_settings.json").read_text())
    assert settings["mode"] == "live" and settings["arena"]["interleave"] == "team_draft"


def test_pages_of_one_ranker_are_its_own_list():
    """RMED1 ends with the best ranker against itself; these pages are the list of that ranker."""
    chosen = arenas.arena()
    problem = Problem(arenas.exact_preferences(chosen), chosen)
    last = play_runs(problem, ["rmed1"], 1e6, 1).iloc[-1]
    letor = arenas.letor()
    rows = np.arange(letor.n_docs).reshape(arenas.N_QUERIES, arenas.N_DOCS)
    values, clicks = [], []
    for query in rows:
        shown = letor.labels[query][np.argsort(-letor.columns[0][query])][:5]
        gain, ideal = (
            sum((2.0**grade - 1) / np.log2(rank + 2) for rank, grade in enumerate(grades))
            for grades in (shown, np.sort(letor.labels[query])[::-1][:5])
        )
        values.append(gain / ideal if ideal else 0.0)
        click, stop = chosen.model.p_click[shown], chosen.model.p_stop[shown]
        reached = np.cumprod([1.0, *(1 - click * stop)[:-1]])
        clicks.append((reached * click).sum())
    assert (last["ndcg"], last["clicks"]) == pytest.approx((np.mean(values), np.mean(clicks)), rel=1e-9)
