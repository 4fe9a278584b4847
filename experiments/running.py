"""Runs of policies against a preference matrix, as one tidy table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from bandits import Configured, PolicyError, Trace, checked_prefs, checkpoints, condorcet_winner, gaps
from bandits.checkpoints import checked_horizon
from bandits.playing import play_matrix
from bandits.regret import informative_steps, strong_binary_regret, strong_regret, weak_regret


def run_policies(
    prefs: np.ndarray,
    policies: Sequence[Configured],
    horizon: float,
    runs: int = 1,
    *,
    seed: int = 0,
    jobs: int = 1,
    done: Callable[[int], None] = lambda n: None,
) -> pd.DataFrame:
    """One row per policy, run and checkpoint; `done` hears of every run that ended.

    A run depends on its policy, its number and the seed alone, not on what else is run or by how many.
    """
    prefs, horizon = checked_prefs(prefs), checked_horizon(horizon)
    gaps(prefs)  # refuses a matrix without a Condorcet winner
    if runs != int(runs) or runs < 1:
        raise PolicyError(f"runs is {runs}; expected a whole number from 1")
    steps = checkpoints(horizon)
    for configured in policies:  # compile before the threads and the clock start
        play_matrix(configured, prefs, 1, steps=np.array([1]))
    cells = [(configured, run) for configured in policies for run in range(int(runs))]
    results = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")(
        delayed(_run_one)(configured, prefs, steps, run, seed) for configured, run in cells
    )
    tables = []
    for table in results:
        tables.append(table)
        done(1)
    return pd.concat(tables, ignore_index=True)


def _run_one(
    configured: Configured, prefs: np.ndarray, steps: np.ndarray, run: int, seed: int
) -> pd.DataFrame:
    started = time.perf_counter()
    trace = play_matrix(configured, prefs, int(steps[-1]), seed=seed, run=run, steps=steps)
    return _table(configured, prefs, run, trace).assign(seconds=time.perf_counter() - started)


def _table(configured: Configured, prefs: np.ndarray, run: int, trace: Trace) -> pd.DataFrame:
    loss, winner = gaps(prefs), condorcet_winner(prefs)
    return pd.DataFrame(
        {
            "policy": str(configured),
            "run": run,
            "step": trace.steps,
            "regret": strong_regret(trace, loss),
            "weak_regret": weak_regret(trace, loss),
            "nonwinner_duels": strong_binary_regret(trace, winner),
            "informative_steps": informative_steps(trace),
            "recommended": trace.recommended,
            "correct": trace.recommended == winner,
            "survivors": trace.survivors,
        }
    )
