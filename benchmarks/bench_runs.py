"""Measure the time of live runs beside proxy runs, and of records and reports beside the runs themselves.

python benchmarks/bench_runs.py [STEPS]

Policies play STEPS (10^7) live and proxy duels on 136 rankers of MSLR-shaped synthetic data. MergeDTS then
plays 20 shorter live runs with and without records.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from side_by_side import show

from rankduel.experiments.arena import open_arena
from rankduel.experiments.matrix.build import build_matrix
from rankduel.experiments.report.page import write_report
from rankduel.experiments.runs.play import play_runs
from rankduel.experiments.runs.problem import Problem
from rankduel.experiments.runs.run_set import read_run_sets
from rankduel.letor_data.synthetic.generate import shape, synthesize

STEPS = 10_000_000
SHORT, RUNS = 1_000_000, 20


def seconds(function) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def main(steps: int) -> None:
    arena = open_arena(synthesize(shape("demo", queries=150)), interleave="team_draft")
    preferences = build_matrix(arena, duels=300)
    live, proxy = Problem(preferences, arena), Problem(preferences)
    rows = []
    for name, policy in (("MergeDTS", "merge_dts"), ("Self-Sparring", "self_sparring")):
        for problem in (live, proxy):
            play_runs(problem, [policy], 10)  # compile
            took = seconds(lambda problem=problem, policy=policy: play_runs(problem, [policy], steps))
            rows.append([name, problem.mode, f"{took:.2f}", f"{took / steps * 1e6:.3f}"])
    show(f"136 rankers, {steps:,} steps, one core", ["policy", "duels", "seconds", "us per step"], rows)
    with tempfile.TemporaryDirectory() as folder:
        bare = seconds(lambda: play_runs(live, ["merge_dts"], SHORT, RUNS))
        kept = seconds(lambda: play_runs(live, ["merge_dts"], SHORT, RUNS, folder=Path(folder) / "study"))
        report = seconds(lambda: write_report(read_run_sets(folder), Path(folder) / "report.html"))
    show(
        f"{RUNS} live runs of MergeDTS, {SHORT:,} steps each",
        ["", "seconds", "relative to the runs"],
        [
            ["runs alone", f"{bare:.2f}", ""],
            ["with records", f"{kept:.2f}", f"{kept / bare - 1:+.1%}"],
            ["their report", f"{report:.2f}", f"{report / bare:+.1%}"],
        ],
    )


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else STEPS)
