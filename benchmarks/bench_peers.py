"""Measure duels per second beside duelpy, on the same matrix and to the same horizon.

python benchmarks/bench_peers.py [horizon, default 4,000]

The matrix has 40 arms and is that of bench_policies.py. The horizon is short, as duelpy recomputes every step
in NumPy. Each tool has its default settings. bench_reading.py compares reading with scikit-learn, and
docs/reference/benchmarks.md has the numbers of tools that are not on PyPI.
"""

from __future__ import annotations

import sys
import time
from types import ModuleType

import numpy as np
from bench_policies import seconds, synthetic_prefs
from peers import duelpy, peer
from side_by_side import show

from rankduel.experiments.specs import parse_policy

ARMS = 40
SAME = {  # policy -> class of duelpy
    "rucb": "RelativeUCB",
    "rcs": "RelativeConfidenceSampling",
    "dts": "DoubleThompsonSampling",
    "merge_rucb": "MergeRUCB",
    "rmed1": "Rmed1",
    "beat_the_mean": "BeatTheMeanBandit",
}


def main(horizon: int) -> None:
    policies, feedback = duelpy(), peer("duelpy.feedback.matrix_feedback")
    prefs, rows = synthetic_prefs(ARMS), []
    for name, theirs in SAME.items():
        configured = parse_policy(name, trust=True)
        seconds(configured, prefs, 1)  # compiles
        ours = horizon / min(seconds(configured, prefs, horizon) for _ in range(3))
        if policies is None or feedback is None:
            rows.append([name, f"{ours:,.0f}", "-", "-"])
        else:
            rows.append([name, f"{ours:,.0f}", *beside(policies, feedback, theirs, prefs, horizon, ours)])
    show(f"{len(prefs)} arms, {horizon:,} duels", ["policy", "duels/s", "duelpy", "ratio"], rows)


def beside(
    policies: ModuleType, feedback: ModuleType, name: str, prefs: np.ndarray, horizon: int, ours: float
) -> list[str]:
    """Return duels per second of duelpy and the ratio of `ours` to it, or the error that duelpy raised."""
    try:
        environment = feedback.MatrixFeedback(prefs, random_state=np.random.RandomState(1))
        policy = getattr(policies, name)(
            environment, time_horizon=horizon, random_state=np.random.RandomState(2)
        )
        started = time.process_time()
        policy.run()
        rate = policy.wrapped_feedback.duels_conducted / (time.process_time() - started)
    except Exception as problem:  # other tools may fail in any way
        return [f"{type(problem).__name__}: {problem}"[:40], "-"]
    return [f"{rate:,.0f}", f"{ours / rate:,.0f}x"]


if __name__ == "__main__":
    main(int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 4_000)
