"""Measure the time to rank MSLR-WEB10K-shaped data by each of 136 features, beside numpy.lexsort.

python benchmarks/bench_ranking.py [queries, default 10000]
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from side_by_side import best_of, show

from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import feature_rankers
from rankduel.letor_data.rankings import rank
from rankduel.letor_data.synthetic.generate import shape, synthesize

PEER_FEATURES = 8  # features on which numpy.lexsort is timed; its time is scaled up


def main(queries: int) -> None:
    letor = synthesize(shape("mslr-web10k", queries=queries))
    rankers = feature_rankers(letor)
    rank(letor, rankers[:2])  # compiles the kernel
    rows = [(f"{jobs} thread(s)", best_of(1, partial(rank, letor, rankers, jobs))) for jobs in (1, 2)]
    peer = best_of(1, lambda: [lexsort_by(letor, f) for f in range(PEER_FEATURES)])
    peer *= letor.n_features / PEER_FEATURES
    cells = letor.n_docs * letor.n_features
    table = [
        [name, f"{seconds:.1f}", f"{seconds / cells * 1e9:.0f}", f"{peer / seconds:.1f}x"]
        for name, seconds in rows
    ]
    table.append(["numpy.lexsort", f"{peer:.1f}", f"{peer / cells * 1e9:.0f}", "1.0x"])
    title = f"Ranking {letor.n_docs:,} documents by {letor.n_features} features"
    show(title, ["", "seconds", "ns per document and feature", "ratio"], table)


def lexsort_by(letor: Letor, feature: int) -> np.ndarray:
    """Return the order of documents by a feature, without positions and tie groups."""
    query = np.repeat(np.arange(letor.n_queries), letor.docs_per_query)
    return np.lexsort((-letor.columns[feature], query))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
