"""Measure the time to compute a preference matrix: exactly, from drawn pages, and from played duels.

python benchmarks/bench_matrix.py [queries of the exact matrix, default 1000] [of the others, default 2000]

The papers played 400,000 duels for each of 9,180 pairs. Here every second ranker is compared with every other
of these, a few times per query, and the times are extrapolated.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from side_by_side import show

from rankduel.experiments.arena import Arena, open_arena
from rankduel.experiments.matrix.build import build_matrix
from rankduel.letor_data.synthetic.generate import shape, synthesize

ALL_PAIRS = 136 * 135 // 2
PAPERS = 400_000  # duels per pair in the papers
TIMES = 2  # pages or duels per query and pair in the measured part
CORES = 2
CREDITS = ("marginal_sign", "assignment")


def main(exact_queries: int, queries: int) -> None:
    exact = synthesize(shape("mslr-web10k", queries=exact_queries))
    arena = open_arena(exact, interleave="team_draft", ties="random_run")
    warm_up(exact, ("team_draft",))
    # On a busy machine wall-clock times are unreliable; the speed-up by CPU time shows the cost of threads.
    headings = ["one thread, s", "two threads, s", "speed-up", "by CPU time", "us per query and pair"]
    show(f"Exact team draft, 136 rankers, {exact_queries:,} queries", headings, [exact_cost(arena)])

    letor = synthesize(shape("mslr-web10k", queries=queries))
    warm_up(letor, [f"probabilistic(credit={credit})" for credit in CREDITS])
    rows = [row for credit in CREDITS for row in drawn_cost(letor, credit)]
    headings = ["credit, by", "CPU us each", "needed per pair", "minutes", "by CPU time"]
    title = f"To the standard error of {PAPERS:,} probabilistic duels of each of {ALL_PAIRS:,} pairs"
    show(f"{title}, {queries:,} queries, two cores; extrapolated", headings, rows)


def warm_up(letor, methods) -> None:
    """Compile the kernels and fill the caches."""
    for method in methods:
        for simulate in (False, True):
            build_matrix(open_arena(letor, interleave=method, rankers="1-2"), duels=1, simulate=simulate)


def exact_cost(arena: Arena) -> list[str]:
    (one, one_cpu, _), (two, two_cpu, _) = (timed(arena, jobs=jobs) for jobs in (1, CORES))
    cells = ALL_PAIRS * arena.rankings.n_queries
    by_cpu = f"{CORES * one_cpu / two_cpu:.2f}x"
    return [f"{one:.1f}", f"{two:.1f}", f"{one / two:.2f}x", by_cpu, f"{one_cpu / cells * 1e6:.2f}"]


def drawn_cost(letor, credit: str) -> list[list[str]]:
    rankers = ",".join(str(feature) for feature in range(1, 137, 2))
    arena = open_arena(letor, interleave=f"probabilistic(credit={credit})", rankers=rankers)
    part = TIMES * letor.n_queries
    *page_times, pages = timed(arena, duels=part, jobs=CORES)
    *duel_times, duels = timed(arena, duels=part, jobs=CORES, simulate=True)
    # The length of an interval is proportional to the standard error, so squared lengths compare variances.
    ratio = np.mean((pages["hi"] - pages["lo"]) ** 2) / np.mean((duels["hi"] - duels["lo"]) ** 2)
    pieces = part * len(pages)
    return [
        row(f"{credit}, duels", duel_times, pieces, PAPERS),
        row(f"{credit}, pages", page_times, pieces, PAPERS * ratio),
    ]


def row(name: str, times: list[float], pieces: int, needed: float) -> list[str]:
    seconds, cpu = (spent * needed * ALL_PAIRS / pieces for spent in times)
    each = f"{times[1] / pieces * 1e6:.2f}"
    return [name, each, f"{needed:,.0f}", f"{seconds / 60:.1f}", f"{cpu / CORES / 60:.1f}"]


def timed(arena: Arena, **how):
    """Return wall-clock seconds, CPU seconds, and the table of pairs."""
    clock, cpu = time.perf_counter(), time.process_time()
    pairs = build_matrix(arena, **how).pairs
    return time.perf_counter() - clock, time.process_time() - cpu, pairs


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main(*(given + [1000, 2000][len(given) :]))
