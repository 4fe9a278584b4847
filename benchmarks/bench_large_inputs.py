"""Measure how time grows with large inputs: many queries, many rankers, and long queries.

python benchmarks/bench_large_inputs.py

Every piece of work has three sizes. Beside the CPU time of each stands the time per unit of work, which must
not grow from one size to the next. Takes about two minutes.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np
from side_by_side import best_of, show

import rankduel
from rankduel.experiments.arena import open_arena
from rankduel.experiments.matrix.preferences import (
    Preferences,
    preferences_of,
    read_preferences,
    write_preferences,
)
from rankduel.experiments.winners.resampling import resampled_winners
from rankduel.experiments.winners.summary import summary_of
from rankduel.experiments.winners.transitivity import transitivity
from rankduel.letor_data import Letor, read_data
from rankduel.letor_data.rankers import feature_rankers
from rankduel.letor_data.rankings import rank
from rankduel.letor_data.text.writer import write_letor

DUELS = 1_000_000
QUERIES, RESAMPLES = 4, 10  # of matrices of many rankers
SHORT = 5.0  # seconds; shorter work is measured again, without the time to load or compile code


class Work(NamedTuple):
    name: str
    unit: str
    n_units: int
    run: Callable[[], object]


def made(queries: int, docs: int, features: int) -> Letor:
    """Return data with `docs` documents per query and independent features, of which few values are tied."""
    rng, n_docs = np.random.default_rng(0), queries * docs
    values = rng.integers(0, 1_000_000, (features, n_docs)).astype(np.float32)
    return Letor(
        labels=rng.integers(0, 5, n_docs).astype(np.int8),
        offsets=np.arange(0, n_docs + 1, docs),
        columns=tuple(values),
        feature_names=tuple(str(number + 1) for number in range(features)),
        query_ids=np.array([str(query) for query in range(queries)], object),
        splits=np.array([""] * queries, object),
        records=np.arange(n_docs),
    )


def queries_of_one_document(folder: Path, queries: int) -> Iterable[Work]:
    letor = made(queries, 1, 3)
    yield from read_and_info(letor, folder, "query", queries)
    for method in ("team_draft", "probabilistic"):
        arena = open_arena(letor, interleave=method)
        yield Work(f"matrix, {method}", "query", queries, partial(rankduel.build_matrix, arena, jobs=1))


def one_query(folder: Path, docs: int) -> Iterable[Work]:
    # With equal grades the user reads equally far at every size; the time of a duel depends on how far.
    letor = replace(made(1, docs, 3), labels=np.full(docs, 2, np.int8))
    yield from read_and_info(letor, folder, "document", docs)
    for method in ("team_draft", "probabilistic"):
        arena = open_arena(letor, interleave=method, length=10)
        yield Work(f"open arena, {method}", "document", docs, partial(made_world, letor, method))
        play = partial(rankduel.play_duels, arena, "1", "2", DUELS)
        yield Work(f"{DUELS:,} duels, {method}", "duel", DUELS, play)
    arena = open_arena(letor, interleave="team_draft")
    yield Work("matrix, team_draft", "document", docs, partial(rankduel.build_matrix, arena, jobs=1))


def many_rankers(folder: Path, rankers: int) -> Iterable[Work]:
    letor = made(10, 10, rankers)
    yield from read_and_info(letor, folder, "ranker", rankers)
    yield Work("rank", "ranker", rankers, lambda: rank(letor, feature_rankers(letor), jobs=1))


def many_pairs(folder: Path, rankers: int) -> Iterable[Work]:
    arena, pairs = open_arena(made(QUERIES, 10, rankers), interleave="team_draft"), comb(rankers, 2)
    found: list[Preferences] = []
    build = partial(rankduel.build_matrix, arena, jobs=1)
    yield Work("matrix", "query and pair", QUERIES * pairs, lambda: found.append(build()))
    path = folder / "large.prefs.parquet"
    yield Work("write", "pair", pairs, lambda: write_preferences(found[0], path))
    yield Work("read", "pair", pairs, lambda: read_preferences(str(path)))
    yield Work("winners", "triple", comb(rankers, 3), lambda: summary_of(found[0], None))
    draw = partial(resampled_winners, resamples=RESAMPLES)
    yield Work("resampled winners", "resample and pair", RESAMPLES * pairs, lambda: draw(found[0]))


def no_order(folder: Path, rankers: int) -> Iterable[Work]:
    """Yield the winners of a matrix with cycles, and a product of matrices of this size to compare with."""
    above = np.triu(np.random.default_rng(0).random((rankers, rankers)), 1)
    matrix = above + np.tril(1.0 - above.T, -1) + 0.5 * np.eye(rankers)
    preferences = preferences_of(matrix)
    yield Work("winners", "triple", comb(rankers, 3), lambda: summary_of(preferences, None))
    yield Work("transitivity", "triple", comb(rankers, 3), lambda: transitivity(matrix))
    yield Work("product of matrices", "triple", comb(rankers, 3), lambda: matrix @ matrix)


def made_world(letor: Letor, method: str) -> None:
    open_arena(letor, interleave=method).world()


def read_and_info(letor: Letor, folder: Path, unit: str, n_units: int) -> Iterable[Work]:
    path = folder / "large.txt"
    write_letor(letor, path)
    yield Work("read text", unit, n_units, lambda: read_data(path, cache=False, jobs=1))
    yield Work("info", unit, n_units, lambda: rankduel.describe_data(letor))


TABLES = {
    "queries of one document, 3 rankers": (queries_of_one_document, (10_000, 100_000, 1_000_000)),
    "rankers, 10 queries of 10 documents": (many_rankers, (100, 1_000, 10_000)),
    "rankers, all pairs, 4 queries of 10 documents": (many_pairs, (100, 300, 1_000)),
    "rankers, a matrix without order": (no_order, (300, 1_000, 3_000)),
    "documents of one query, 3 rankers": (one_query, (1_000, 10_000, 100_000)),
}


def measured(work: Work) -> tuple[float, float]:
    """Return CPU seconds, and nanoseconds per unit of work."""
    clock = time.process_time
    start = clock()
    work.run()
    seconds = clock() - start
    if seconds < SHORT:
        seconds = min(seconds, best_of(2, work.run, clock))
    return seconds, seconds / work.n_units * 1e9


def main(wanted: str) -> None:
    for title, (works, sizes) in TABLES.items():
        if wanted not in title:
            continue
        rows: dict[str, list[str]] = {}
        with tempfile.TemporaryDirectory() as folder:
            for size in sizes:
                for work in works(Path(folder), size):
                    seconds, each = measured(work)
                    rows.setdefault(work.name, [work.name, work.unit])
                    rows[work.name] += [f"{seconds:.3f}", f"{each:,.0f}"]
        headings = [heading for size in sizes for heading in (f"{size:,}: s", "ns each")]
        show(f"Number of {title}; CPU time", ["work", "unit", *headings], list(rows.values()))
        print()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
