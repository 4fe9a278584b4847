"""Run sets with made-up numbers for tests of charts and reports."""

from dataclasses import replace

import numpy as np
import pandas as pd

from rankduel.bandits import checkpoints
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.runs.folder import open_run_set
from rankduel.experiments.runs.records import write_record
from rankduel.experiments.runs.run_set import RunSet
from support.html_pages import with_text


def ordered_preferences(n_rankers, names=None):
    """Return preferences of a total order; probabilities grow with the distance of the rankers."""
    place = np.arange(n_rankers)
    return preferences_of(0.5 + 0.4 * (place[None, :] - place[:, None]) / n_rankers, names)


def made_up_table(policies, horizon=1000, runs=4, seed=0, live=False):
    """Return a table with regret of about (place + 1) * sqrt(step), with noise between runs."""
    rng = np.random.default_rng(seed)
    steps = checkpoints(horizon)
    tables = []
    for place, policy in enumerate(policies):
        for run in range(runs):
            regret = (place + 1) * rng.uniform(0.8, 1.2) * (np.sqrt(steps) - 0.5)
            table = pd.DataFrame({"policy": policy, "run": run, "step": steps, "regret": regret})
            table = table.assign(weak_regret=regret / 2, nonwinner_duels=steps // 2, informative_steps=steps)
            right = rng.random(len(steps)) < steps / horizon
            table = table.assign(recommended=np.where(right, "0", "1"), correct=right, survivors=-1)
            if live:
                table = table.assign(ndcg=rng.uniform(0.3, 0.4, len(steps)), clicks=rng.random(len(steps)))
            tables.append(table.assign(seconds=rng.uniform(0.1, 0.2)))
    return pd.concat(tables, ignore_index=True)


def made_up_study(
    name="sample", mode="proxy", policies=("rucb", "dts"), preferences=None, horizon=1000, **more
):
    preferences = preferences or ordered_preferences(5)
    table = made_up_table(policies, horizon, live=mode == "live", **more)
    return RunSet(name, made_up_settings(mode, preferences, horizon), preferences, None, table)


def made_up_multileave(name, methods, preferences, horizon=1000, runs=2):
    """Return a run set of multileaving with an error of (place + 1) / sqrt(step + 4)."""
    steps = checkpoints(horizon)
    tables = [
        pd.DataFrame({"policy": method, "run": run, "step": steps, "e_bin": (place + 1) / np.sqrt(steps + 4)})
        for place, method in enumerate(methods)
        for run in range(runs)
    ]
    table = pd.concat(tables, ignore_index=True).assign(seconds=0.1)
    return RunSet(name, made_up_settings("multileave", preferences, horizon), preferences, None, table)


def write_run_set(run_set, folder):
    """Write the records of a run set as 'rankduel run' does; its name is then that of the folder."""
    kept = open_run_set(folder, run_set.settings, run_set.preferences)
    for (policy, run), table in run_set.table.groupby(["policy", "run"]):
        write_record(kept, policy, run, table.drop(columns=["policy", "run", "seconds"]), 0.5)


def of_all_kinds(text, policies=("rucb", "dts")):
    """Return live runs, proxy runs and multileaving of one matrix, with `text` appended to every string."""
    preferences = ordered_preferences(3, [f"{name}{text}" for name in "abc"])
    named = [f"{policy}{text}" for policy in policies]
    made = [
        made_up_study("clicks", "live", named, preferences, seed=1),
        made_up_study("draws", "proxy", named, preferences, seed=2),
        made_up_multileave("pages", named, preferences),
    ]
    made[0].settings["arena"] = {"clicks": "navigational", "more": ["a", {"b": "c"}]}
    return [_with_text(run_set, text) for run_set in made]


def _with_text(run_set, text):
    settings = {**run_set.settings, "regret": "weak", "note": "a note", f"key{text}": "of anything"}
    # The mode decides which charts there are, and the digest of the matrix is checked.
    return replace(
        run_set, name=run_set.name + text, settings=with_text(settings, text, keep=("mode", "digest"))
    )


def made_up_settings(mode, preferences, horizon):
    return {
        "mode": mode,
        "problem": "five in order",
        "horizon": horizon,
        "seed": 0,
        "command": f"rankduel run five.txt --horizon {horizon}",
        "versions": {"rankduel": "0.1.0"},
        "matrix": {"digest": preferences.digest, "about": "exact"},
    }
