"""Measure time and peak memory with data of the size of MSLR-WEB30K (3.77 million documents, 136 features).

The data are written as text, read and cached, opened from the cache, and ranked by all features: into files,
and in memory, as a preference matrix by team draft needs them.
Each step is a process, so that its peak memory is its own. Needs some 12 GB of disk and several minutes.

    python benchmarks/bench_web30k.py [queries, default 31531]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from side_by_side import peak_gib, show

from rankduel import letor_data
from rankduel.experiments.arena import open_arena
from rankduel.letor_data.synthetic.generate import blocks, shape
from rankduel.letor_data.text.writer import write_letor


def make(folder: Path, queries: int) -> str:
    path = folder / "mslr.txt"
    write_letor(blocks(shape("mslr-web30k", queries=queries)), path)
    return f"{path.stat().st_size / 1e9:.2f} GB of text"


def read(folder: Path, queries: int) -> str:
    letor = letor_data.read_data(folder / "mslr.txt", cache=folder)
    return f"{letor.n_docs:,} documents"


def rank_in_memory(folder: Path, queries: int) -> str:
    letor = letor_data.read_data(folder / "mslr.txt", cache=folder)
    arena = open_arena(letor, interleave="team_draft")
    del letor
    arena.world(blocks=False)
    size = sum(getattr(arena.rankings, part).nbytes for part in ("order", "positions", "ties"))
    return f"{size / 1e9:.2f} GB of rankings"


STEPS = {
    "make text": make,
    "read and cache": read,
    "open from cache": read,
    "rank in memory": rank_in_memory,
}


def main(queries: int) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for step in STEPS:
            command = [sys.executable, __file__, str(queries), folder, step]
            output = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
            rows.append([step, *output.strip().split("|")])
            print(*rows[-1], flush=True)
    show(f"MSLR-WEB30K-shaped, {queries:,} queries", ["step", "seconds", "peak GiB", ""], rows)


def one_step(queries: int, folder: Path, step: str) -> None:
    start = time.perf_counter()
    result = STEPS[step](folder, queries)
    print(f"{time.perf_counter() - start:.1f}|{peak_gib():.2f}|{result}")


if __name__ == "__main__":
    n_queries = int(sys.argv[1]) if len(sys.argv) > 1 else 31_531
    if len(sys.argv) > 2:
        one_step(n_queries, Path(sys.argv[2]), sys.argv[3])
    else:
        main(n_queries)
