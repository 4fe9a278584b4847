"""Measure the time to read LETOR text of three sizes, beside scikit-learn on the same files.

python benchmarks/bench_reading.py [MB of the largest file, default 200]
"""

from __future__ import annotations

import sys
import tempfile
from itertools import islice
from pathlib import Path
from types import ModuleType

from peers import peer
from side_by_side import best_of, show

from rankduel import letor_data
from rankduel.letor_data.synthetic.generate import blocks, shape
from rankduel.letor_data.text.writer import write_letor

BYTES_PER_QUERY = 150_000  # approximate size of MSLR-shaped text


def main(megabytes: float) -> None:
    rows, sklearn = [], peer("sklearn.datasets")
    with tempfile.TemporaryDirectory() as folder:
        for size in (megabytes / 10, megabytes / 3, megabytes):
            path = Path(folder) / f"mslr-{size:.0f}.txt"
            queries = blocks(shape("mslr-web30k"), queries_per_block=10)
            write_letor(islice(queries, int(size * 1e6 / BYTES_PER_QUERY / 10) + 1), path)
            rows.append(measure(path, Path(folder) / "cache", sklearn))
    headings = ["file", "scikit-learn", "rankduel", "ratio", "one thread", "from cache", "MB/s"]
    show("Reading MSLR-shaped text, seconds", headings, rows)


def measure(path: Path, cache: Path, sklearn: ModuleType | None) -> list[str]:
    size = path.stat().st_size / 1e6
    letor_data.read_data(path, cache=cache)  # compiles the kernels and builds the cache
    ours = best_of(3, lambda: letor_data.read_data(path, cache=False))
    single = best_of(2, lambda: letor_data.read_data(path, cache=False, jobs=1))
    cached = best_of(3, lambda: letor_data.read_data(path, cache=cache))
    beside = ("-", f"{ours:.2f}", "-")
    if sklearn is not None:
        theirs = best_of(1, lambda: sklearn.load_svmlight_file(str(path), query_id=True))
        beside = (f"{theirs:.2f}", f"{ours:.2f}", f"{theirs / ours:.0f}x")
    return [f"{size:.0f} MB", *beside, f"{single:.2f}", f"{cached:.2f}", f"{size / ours:.0f}"]


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 200)
