"""Measure run sets of many runs: recording, resuming, reading and the report, in processor time and memory.

python benchmarks/bench_many_runs.py [RUNS ...]

Twenty policies have RUNS (200, 2,000 and 20,000) runs of 10^4 duels together. At most a hundred runs of each
policy are played; further records are copies of these under other numbers. Every step has a process of its
own. Playing is also measured by the clock, which includes waiting for the disk.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from side_by_side import show

import rankduel
from rankduel.experiments.runs.folder import RunFolder, read_settings
from rankduel.experiments.runs.records import BLOCK, block_path, read_record, write_block

RUNS = (200, 2_000, 20_000)
POLICIES = [
    str(rankduel.policy("rucb", alpha=f"{0.5 + place / 100:g}")) for place in range(1, 21)
]  # as records name them
HORIZON = 10_000


def play(folder: Path, runs: int) -> None:
    """Play the missing runs of every policy."""
    rankduel.run("arxiv6", POLICIES, HORIZON, runs, folder=folder)


def copy_blocks(folder: Path, runs: int) -> None:
    """Write the first block of every policy again under other numbers, until it has `runs` runs."""
    run_folder = RunFolder(folder, read_settings(folder))
    for policy in POLICIES:
        whole = read_record(block_path(folder, policy, 0), run_folder)
        groups = [group for _, group in whole.groupby("run")]
        seconds = [group["seconds"].iloc[0] for group in groups]
        tables = [group.drop(columns=["policy", "run", "seconds"]) for group in groups]
        for first in range(BLOCK, runs, BLOCK):
            write_block(run_folder, policy, first, tables, seconds)


STEPS = {
    "play": play,
    "copy": copy_blocks,
    "resume": play,
    "load": lambda folder, runs: rankduel.load_records(folder),
    "report": lambda folder, runs: rankduel.report(folder, folder / "report.html"),
}


class Cost(NamedTuple):
    """Cost of a step in a process of its own, without its imports."""

    processor: float  # seconds
    elapsed: float  # seconds
    peak: float  # memory in MB

    def cells(self) -> list[str]:
        return [f"{self.processor:.1f}", f"{self.peak:.0f}"]


def measured(step: str, folder: Path, runs: int) -> Cost:
    words = [sys.executable, __file__, "--step", step, str(folder), str(runs)]
    return Cost(*map(float, subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()))


def step_alone(step: str, folder: Path, runs: int) -> None:
    before = (time.process_time(), time.perf_counter())
    STEPS[step](folder, runs)
    print(time.process_time() - before[0], time.perf_counter() - before[1])
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)


def row(runs: int) -> list[str]:
    each = runs // len(POLICIES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "set"
        played = measured("play", folder, min(each, BLOCK))
        if each > BLOCK:
            measured("copy", folder, each)
        files = [path for path in folder.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 1e6
        found = [
            cell for step in ("resume", "load", "report") for cell in measured(step, folder, each).cells()
        ]
        page = (folder / "report.html").stat().st_size / 1e6
    each_run = [1000 * seconds / (len(POLICIES) * min(each, BLOCK)) for seconds in played[:2]]
    milliseconds = [f"{one:.1f}" for one in each_run]
    return [f"{runs:,}", *milliseconds, f"{len(files):,}", f"{size:.0f}", *found, f"{page:.1f}"]


def main(sizes: list[int]) -> None:
    show(
        f"{len(POLICIES)} policies, {HORIZON:,} duels a run: processor time, and peak memory of the process",
        [
            "runs", "ms to play\nand record", "ms by\nthe clock", "files", "MB", "resume,\nseconds", "MB",
            "load_records,\nseconds", "MB", "report,\nseconds", "MB", "page,\nMB",
        ],
        [row(runs) for runs in sizes],
    )  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        step_alone(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        main([int(float(text)) for text in sys.argv[1:]] or list(RUNS))
