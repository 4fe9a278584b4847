"""Measure multileaved pages per second beside the plain-Python twins of the tests.

python benchmarks/bench_multileave.py [queries, default 400]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numba import njit
from side_by_side import best_of, show

from rankduel.base.settings import Configured
from rankduel.clickmodels import click_model
from rankduel.interleave.multileave import make_shared_world, multileave_by, multileaving
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import feature
from rankduel.letor_data.rankings import Rankings, rank
from rankduel.letor_data.synthetic.generate import shape, synthesize

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from naive.multileave import live_impression
from support.live_duels import query_groups

RANKERS_ON_PAGE = (range(105, 107), range(100, 110), range(136))  # rankers that share a page
USER = click_model("navigational", 5)
METHODS = ("team_draft", "sosm", "pairwise")
PAGES = {"probabilistic": 5_000, "optimized": 500}  # methods whose twins are too slow or play no pages
PAIRS = 30_000_000  # approximate number of pairs of rankers that one timing compares


def main(queries: int) -> None:
    letor = synthesize(shape("mslr-web10k", queries=queries))
    rankings = rank(letor, [feature(f) for f in range(1, 137)])
    groups = [query_groups(rankings, ranker) for ranker in range(136)]
    rows = []
    for way in map(multileaving, METHODS):
        play = player(letor, rankings, way)
        rows += [beside_twin(letor, groups, way, play, rankers) for rankers in RANKERS_ON_PAGE]
    headings = ["navigational, k = 10", "rankers", "pages/s", "plain Python", "ratio"]
    show(f"Multileaved pages on {queries} queries, one core, with all preferences", headings, rows)
    rows = [row for name, pages in PAGES.items() for row in by_rankers_on_page(letor, rankings, name, pages)]
    show("Methods without a comparable twin", ["navigational, k = 10", "rankers", "pages/s"], rows)


def player(letor: Letor, rankings: Rankings, way: Configured):
    """Return a compiled function play(rankers, n) that plays n pages."""
    shared = make_shared_world(rankings, letor.labels, USER, way)
    impression = multileave_by(way.name)
    preferences, users = np.zeros((136, 136)), np.random.default_rng(0)

    @njit
    def play(shared, rankers, preferences, n, users):
        clicks = 0
        for _ in range(n):
            clicks += impression(shared, rankers, len(rankers), preferences, users)[0]
        return clicks

    play(shared, np.arange(136), preferences, 1, users)
    return lambda rankers, n: play(shared, np.array(rankers), preferences, n, users)


def beside_twin(letor: Letor, groups: list, way: Configured, play, rankers: range) -> list[str]:
    n = len(rankers)
    pages, twin_pages = PAIRS // (n * n + 20), max(2, 100 // n)
    ours = pages / best_of(3, lambda: play(rankers, pages))
    twin = twin_pages / best_of(1, lambda: play_twin(letor, groups, way, rankers, twin_pages))
    return [str(way), f"{n}", f"{ours:,.0f}", f"{twin:,.1f}", f"{ours / twin:,.0f}x"]


def play_twin(letor: Letor, groups: list, way: Configured, rankers: range, pages: int) -> None:
    rng, chances = np.random.default_rng(0), (USER.p_click.tolist(), USER.p_stop.tolist())
    for _ in range(pages):
        query = int(rng.integers(letor.n_queries))
        grades = letor.labels[letor.offsets[query] : letor.offsets[query + 1]].tolist()
        shared = [groups[ranker][query] for ranker in rankers]
        live_impression(rng, shared, grades, 10, way.name, *chances)


def by_rankers_on_page(letor: Letor, rankings: Rankings, name: str, pages: int) -> list[list[str]]:
    play = player(letor, rankings, multileaving(name))
    seconds = [best_of(3, lambda r=rankers: play(r, pages)) for rankers in RANKERS_ON_PAGE]
    return [[name, f"{len(rankers)}", f"{pages / s:,.1f}"] for rankers, s in zip(RANKERS_ON_PAGE, seconds)]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
