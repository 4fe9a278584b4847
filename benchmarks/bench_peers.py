"""How many duels per second do policies play, beside duelpy's on the same matrix and to the same horizon?

python benchmarks/bench_peers.py [horizon, default 4,000]

The matrix has 40 arms and is made as in bench_policies.py. Horizons are short: duelpy computes every step
anew, in NumPy; settings are the defaults of each. Reading beside scikit-learn is in bench_reading.py, and
docs/reference/benchmarks.md has the figures of tools that PyPI lacks.
"""

from __future__ import annotations

import sys
import time
from types import ModuleType

import numpy as np
from bench_policies import made_up, seconds
from peers import duelpy, peer
from side_by_side import show

from experiments.specs import parse_policy

ARMS = 40
SAME = {  # our policy -> duelpy's class
    "rucb": "RelativeUCB",
    "rcs": "RelativeConfidenceSampling",
    "dts": "DoubleThompsonSampling",
    "merge_rucb": "MergeRUCB",
    "rmed1": "Rmed1",
    "beat_the_mean": "BeatTheMeanBandit",
}


def main(horizon: int) -> None:
    policies, feedback = duelpy(), peer("duelpy.feedback.matrix_feedback")
    prefs, rows = made_up(ARMS), []
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
    """duelpy's rate, and how many times ours is that; or what it failed with."""
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
