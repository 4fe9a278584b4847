"""Measure the time of the first and of later uses of each policy, optionally beside another source tree.

python benchmarks/bench_compiling.py [--beside FOLDER] [POLICY ...]

Every policy is measured in new processes with an empty cache of its own, in processor time.

    cold        seconds from the start of Python to the end of a run of one step, with nothing compiled
    functions   number of functions that Numba compiled
    load        seconds to load compiled code from disk and call it, without imports
    us/step     microseconds per step of a run of a million duels on a matrix of 136 rankers (12 rankers for
                cw_rmed and ecw_rmed, which solve linear programs)
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SCRIPT = """
import json, sys, time
sys.path.insert(0, "")
import numpy as np
from rankduel import bandits
from rankduel.bandits import sets_loop
from numba.core import event

class Count(event.Listener):
    n = 0
    def on_start(self, event): Count.n += 1
    def on_end(self, event): pass

event.register("numba:compile", Count())
name, horizon = sys.argv[1], int(float(sys.argv[2]))
draw, n_arms = np.random.default_rng(1), 12 if name in ("cw_rmed", "ecw_rmed") else 136
strength = np.concatenate([[0.0], -0.025 - 1.1 * draw.random(n_arms - 1) ** 1.5])
edge = strength[:, None] - strength
noise = np.triu(draw.normal(0, 0.05, edge.shape), 1)
noise[0] = 0
prefs = 1 / (1 + np.exp(-(edge + noise - noise.T)))
configured = bandits.policy(name)

def play(horizon):
    start = time.process_time()
    if configured.thing.sets:
        generators = np.random.default_rng(1), np.random.default_rng(2)
        pages = sets_loop.pages_by_matrix(prefs)
        sets_loop.run_sets(configured, pages, np.arange(n_arms), np.array([horizon]), *generators)
    else:
        bandits.play_matrix(configured, prefs, horizon, steps=np.array([horizon]))
    return time.process_time() - start

first = play(1)
cold = time.process_time()
steps = min(play(horizon) for _ in range(3)) if horizon > 1 else 0.0
print(json.dumps({"cold": cold, "first": first, "functions": Count.n, "us": steps / horizon * 1e6}))
"""


def measure(tree: Path, python: str, name: str) -> dict[str, float]:
    """Return the measures of one policy in one source tree."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "RANKDUEL_CACHE": cache, "NUMBA_CACHE_DIR": cache}
        cold = _run(tree, python, environment, name, 1)
        warm = _run(tree, python, environment, name, 1_000_000)
    return {"cold": cold["cold"], "functions": cold["functions"], "load": warm["first"], "us": warm["us"]}


def _run(tree: Path, python: str, environment: dict[str, str], name: str, horizon: int) -> dict[str, float]:
    completed = subprocess.run(
        [python, "-c", SCRIPT, name, str(horizon)],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    measures: dict[str, float] = json.loads(completed.stdout)
    return measures


def _row(name: str, measures: list[dict[str, Any]]) -> str:
    cells = [f"{m['cold']:6.2f} {m['functions']:6.0f} {m['load']:6.2f} {m['us']:8.3f}" for m in measures]
    ratio = f"{measures[-1]['us'] / measures[0]['us']:8.2f}" if len(measures) > 1 else ""
    return f"{name:20s}" + "  |".join(cells) + ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--beside", type=Path, help="another source tree with its own .venv, measured first")
    parser.add_argument("policies", nargs="*")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from rankduel.bandits import POLICIES

    trees = [(ROOT, sys.executable)]
    if options.beside:
        trees.insert(0, (options.beside, str(options.beside / ".venv/bin/python")))
    print(" " * 20 + "  |".join(["  cold functions load  us/step"] * len(trees)))
    for name in options.policies or POLICIES:
        print(_row(name, [measure(tree, python, name) for tree, python in trees]), flush=True)


if __name__ == "__main__":
    main()
