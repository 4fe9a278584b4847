"""Measure run sets of many runs: files, resuming, reading and the report, in processor time and memory.

python benchmarks/bench_many_runs.py [RUNS ...]

Twenty policies have RUNS (200, 2,000 and 20,000) runs of 10^4 duels together. At most a hundred runs of each
policy are played; further records are copies of these under other numbers. Every step has a process of its
own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from side_by_side import show

import rankduel
from experiments.runs.record_reading import read_record
from experiments.runs.records import BLOCK, block_path, write_block
from experiments.runs.run_folder import RunFolder
from experiments.runs.study_file import read_settings

RUNS = (200, 2_000, 20_000)
POLICIES = [f"rucb(alpha={0.5 + place / 100:g})" for place in range(1, 21)]
HORIZON = 10_000


def play(folder: Path, runs: int) -> None:
    """Play the missing runs of every policy."""
    rankduel.run("arxiv6", POLICIES, HORIZON, runs, folder=folder, rows="last")


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


def measured(step: str, folder: Path, runs: int) -> tuple[str, str]:
    """Return processor seconds and peak memory in MB of a step in a new process, without its imports."""
    words = [sys.executable, __file__, "--step", step, str(folder), str(runs)]
    seconds, peak = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return seconds, peak


def step_alone(step: str, folder: Path, runs: int) -> None:
    started = time.process_time()
    STEPS[step](folder, runs)
    seconds = time.process_time() - started
    print(f"{seconds:.1f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f}")


def row(runs: int) -> list[str]:
    each = runs // len(POLICIES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "set"
        played = measured("play", folder, min(each, BLOCK))
        if each > BLOCK:
            measured("copy", folder, each)
        files = [path for path in folder.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 1e6
        found = [value for step in ("resume", "load", "report") for value in measured(step, folder, each)]
        page = (folder / "report.html").stat().st_size / 1e6
    milliseconds = 1000 * float(played[0]) / (len(POLICIES) * min(each, BLOCK))
    return [f"{runs:,}", f"{milliseconds:.1f}", f"{len(files):,}", f"{size:.0f}", *found, f"{page:.1f}"]


def main(sizes: list[int]) -> None:
    show(
        f"{len(POLICIES)} policies, {HORIZON:,} duels a run: processor time, and peak memory of the process",
        [
            "runs", "ms to play\nand record", "files", "MB", "resume,\nseconds", "MB",
            "load_records,\nseconds", "MB", "report,\nseconds", "MB", "page,\nMB",
        ],
        [row(runs) for runs in sizes],
    )  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        step_alone(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        main([int(float(text)) for text in sys.argv[1:]] or list(RUNS))
