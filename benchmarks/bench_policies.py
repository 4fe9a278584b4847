"""Measure the time per step of each policy beside its plain-Python twin of the tests.

python benchmarks/bench_policies.py [MATRIX] [--policy SPEC ...] [--long]

MATRIX is a file or a built-in name; the default has 136 arms with gaps like those of the MSLR features. A
twin recomputes everything in every step. It is timed over its first 100,000 steps, or fewer if these would
take a minute, as some twins begin with cheap rounds. With --long, 10^8 duels are played as well.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from side_by_side import show

from rankduel.bandits import checked_prefs, configure, play_matrix
from rankduel.base.settings import Configured
from rankduel.experiments.matrix.preferences import read_preferences
from rankduel.experiments.specs import parse_policy

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from naive.policies import play_twin
from naive.policies.twins import TWINS
from support.policies import DUELING, with_horizon

TWIN_STEPS = (100, 1_000, 100_000)
LONGEST = 60  # seconds that a twin may take
FEWER_ARMS = {"cw_rmed": 16}
HORIZONS = (100_000, 1_000_000)
LONG = 100_000_000


def synthetic_prefs(n_arms: int) -> np.ndarray:
    """Return a matrix with a best arm, smallest gap 0.006, mean gap about 0.1, and cycles due to noise."""
    rng = np.random.default_rng(1)
    strength = np.concatenate([[0.0], -0.025 - 1.1 * rng.random(n_arms - 1) ** 1.5])
    edge = strength[:, None] - strength[None, :]
    noise = np.triu(rng.normal(0.0, 0.05, edge.shape), 1)
    noise[0] = 0.0
    prefs = 1.0 / (1.0 + np.exp(-(edge + noise - noise.T)))
    return checked_prefs(prefs)


def main(matrix: str, specs: list[str], long: bool) -> None:
    prefs = read_preferences(matrix).matrix if matrix else synthetic_prefs(136)
    chosen = [parse_policy(spec, trust=True) for spec in specs] or [
        configure(policy) for policy in DUELING.values()
    ]
    rows = []
    for configured in chosen:
        rows.append(row(configured, prefs, long))
        print(*rows[-1], file=sys.stderr, flush=True)
    title = f"{len(prefs)} arms, one core; us per step"
    heads = ["policy", "compile s", "twin", *(f"to {h:,}" for h in HORIZONS), f"ratio to {HORIZONS[0]:,}"]
    show(title, [*heads, f"s for {LONG:,}"] if long else heads, rows)


def row(configured: Configured, prefs: np.ndarray, long: bool) -> list[str]:
    n_arms = FEWER_ARMS.get(configured.thing.name, len(prefs))
    prefs = prefs[:n_arms, :n_arms]
    compiling = seconds(configured, prefs, 1)
    twin = twin_seconds(configured, prefs)
    times = [seconds(configured, prefs, horizon) / horizon for horizon in HORIZONS]
    name = str(configured) + (f", {n_arms} arms" if configured.thing.name in FEWER_ARMS else "")
    cells = [name, f"{compiling:.1f}", f"{1e6 * twin:,.0f}", *(f"{1e6 * t:.3f}" for t in times)]
    cells.append(f"{twin / times[0]:,.0f}x")
    return [*cells, f"{seconds(configured, prefs, LONG):,.1f}"] if long else cells


def seconds(configured: Configured, prefs: np.ndarray, horizon: int) -> float:
    """Return the processor time of one run, with its checkpoints."""
    started = time.process_time()
    play_matrix(configured, prefs, horizon)
    return time.process_time() - started


def twin_seconds(configured: Configured, prefs: np.ndarray) -> float:
    """Return the seconds per step of the twin, at the beginning of a run to the first horizon."""
    per_step = 0.0
    for steps in TWIN_STEPS:
        if per_step * steps < LONGEST:
            rng, users = np.random.default_rng(1), np.random.default_rng(2)
            twin = TWINS[configured.thing.name](len(prefs), with_horizon(configured, HORIZONS[0]), rng)
            started = time.process_time()
            play_twin(twin, prefs, [steps], users)
            per_step = (time.process_time() - started) / steps
    return per_step


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("matrix", nargs="?", default="")
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("--long", action="store_true")
    given = parser.parse_args()
    main(given.matrix, given.policy, given.long)
