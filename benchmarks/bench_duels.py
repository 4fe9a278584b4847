"""Measure live duels per second beside the plain-Python twins of the tests, and how the cost scales.

python benchmarks/bench_duels.py [queries, default 400]
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from numba import njit
from side_by_side import best_of, show

from rankduel.base.compiling import entry
from rankduel.clickmodels import click_model
from rankduel.interleave import (
    for_another_thread,
    go_live,
    interleaving,
    live_duel_by,
    make_world,
    play_duels,
    query_odds,
    unmeasured_duel_by,
)
from rankduel.interleave.exact.team_draft import team_draft_odds
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import feature
from rankduel.letor_data.rankings import Rankings, rank
from rankduel.letor_data.synthetic.generate import shape, synthesize

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import naive
from support.live_duels import query_groups

FEATURES = (110, 115, 96, 16)
UNTIED, TIED = (0, 1), (2, 3)
DUELS = 300_000
SIZES = (10_000, 31_531)  # numbers of queries of MSLR-WEB10K and MSLR-WEB30K
TWIN_DUELS = 200
USER = click_model("navigational", 5)
# Interleaving method, a setting of it, and the value of the setting.
METHODS = (
    ("team_draft", "prefix", "assign"),
    ("balanced", "credit", "joachims"),
    ("document_constraints", "type", "3"),
    ("probabilistic", "credit", "assignment"),
    ("probabilistic", "credit", "marginal_sign"),
)


def main(queries: int) -> None:
    letor = synthesize(shape("mslr-web10k", queries=queries))
    rankings = rank(letor, [feature(f) for f in FEATURES])
    rows = [
        beside_twin(letor, rankings, way, pair, name)
        for way in METHODS
        for pair, name in ((UNTIED, "untied"), (TIED, "heavily tied"))
    ]
    headings = ["navigational, k = 10", "rankings", "duels/s", "plain Python", "ratio"]
    show(f"Live duels on {queries} queries, one core", headings, rows)
    show("Exact team draft", ["untied, k = 10", "us per (query, pair)"], exact_cost(letor, rankings))
    show(
        "Cost by duels",
        ["probabilistic(credit=assignment)", "seconds", "us per duel"],
        by_duels(letor, rankings),
    )
    show(
        "Cost by documents",
        ["docs per query, median", "us per duel"],
        by_documents((50, 105, 400), queries),
    )
    # A duel reads a few places of large arrays. Once these do not fit into the caches, it waits for memory.
    headings = ["probabilistic", "queries", "rankings", "us per duel", "relative to the first size"]
    show("Cost by queries", headings, by_queries(letor, rankings))


def player(letor: Letor, rankings: Rankings, way: tuple[str, str, str], pair: tuple[int, int]):
    """Return a compiled function play(n) that plays n duels."""
    method, setting, value = way
    chosen, users = interleaving(method, **{setting: value}), np.random.default_rng(0)
    world = make_world(rankings, letor.labels, USER, chosen)
    play_duels(world, chosen, *pair, 1, users)
    return lambda n: play_duels(world, chosen, *pair, n, users)


def beside_twin(letor, rankings, way, pair, name) -> list[str]:
    play = player(letor, rankings, way, pair)
    ours = DUELS / best_of(3, lambda: play(DUELS))
    groups = [query_groups(rankings, ranker) for ranker in pair]
    twin = TWIN_DUELS / best_of(1, lambda: play_twin(letor, groups, way))
    method, _, value = way
    return [f"{method}, {value}", name, f"{ours:,.0f}", f"{twin:,.0f}", f"{ours / twin:,.0f}x"]


def play_twin(letor, groups, way) -> None:
    rng, (method, _, value) = np.random.default_rng(0), way
    chances = USER.p_click.tolist(), USER.p_stop.tolist()
    for _ in range(TWIN_DUELS):
        query = int(rng.integers(letor.n_queries))
        first, second = (queries[query] for queries in groups)
        grades = letor.labels[letor.offsets[query] : letor.offsets[query + 1]].tolist()
        naive.live_lead(rng, first, second, grades, 10, method, value, *chances)


def exact_cost(letor, rankings) -> list[list[str]]:
    way, users = interleaving("team_draft"), np.random.default_rng(0)
    world = make_world(rankings, letor.labels, USER, way)

    def from_python():
        for query in range(rankings.n_queries):
            query_odds(world, way, query, *UNTIED, users)

    def compiled():
        return all_odds(rankings.order, letor.labels, rankings.offsets, world.user, *UNTIED)

    rows = []
    for name, work in (("called by compiled code", compiled), ("query_odds, called by Python", from_python)):
        work()
        rows.append([name, f"{best_of(3, work) / rankings.n_queries * 1e6:.1f}"])
    return rows


@njit
def all_odds(order, labels, offsets, user, first, second):
    odds = np.zeros(3)
    for query in range(len(offsets) - 1):
        start, stop = offsets[query], offsets[query + 1]
        tops = order[:, start : start + min(stop - start, user.shape[1])].astype(np.int64)
        odds += team_draft_odds(tops[first], tops[second], labels[start:stop], user, False)
    return odds


def by_duels(letor, rankings) -> list[list[str]]:
    play, rows = player(letor, rankings, METHODS[3], UNTIED), []
    for n in (DUELS // 10, DUELS, 10 * DUELS):
        seconds = best_of(3, lambda n=n: play(n))
        rows.append([f"{n:,} duels", f"{seconds:.3f}", f"{seconds / n * 1e6:.3f}"])
    return rows


def by_documents(medians: tuple[int, ...], queries: int) -> list[list[str]]:
    rows = []
    for value in medians:
        letor = synthesize(shape("mslr-web10k", queries=queries // 2, docs_median=value))
        play = player(letor, rank(letor, [feature(f) for f in FEATURES]), METHODS[3], UNTIED)
        rows.append([f"{value:,}", f"{best_of(3, lambda play=play: play(DUELS)) / DUELS * 1e6:.3f}"])
    return rows


def by_queries(letor, rankings) -> list[list[str]]:
    """Time duels on copies of the same queries, each in its own memory, so that only the size differs."""
    way, rows = interleaving("probabilistic"), []
    for name, duel_by, env_of in (
        ("as runs play them: whole pages", live_duel_by, go_live),
        ("--measure none: as far as users read", unmeasured_duel_by, for_another_thread),
    ):
        count, least = counter(duel_by("probabilistic")), {}
        for n_queries in (rankings.n_queries, *SIZES):
            world = make_world(*repeated(letor, rankings, n_queries), USER, way)
            for pair, kind in ((UNTIED, "untied"), (TIED, "heavily tied")):
                env, users = env_of(world), np.random.default_rng(0)
                count(env, *pair, 1000, users)
                work = partial(count, env, *pair, DUELS, users)
                micros = best_of(3, work, clock=time.thread_time) / DUELS * 1e6
                ratio = micros / least.setdefault(kind, micros)
                rows.append([name, f"{n_queries:,}", kind, f"{micros:.3f}", f"{ratio:.2f}"])
    return rows


def repeated(letor: Letor, rankings: Rankings, n_queries: int) -> tuple[Rankings, np.ndarray]:
    query = np.arange(n_queries) % rankings.n_queries
    starts, sizes = rankings.offsets[query], np.diff(rankings.offsets)[query]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])
    copied = (part[:, rows] for part in (rankings.order, rankings.positions, rankings.ties))
    return Rankings(rankings.names, offsets, rankings.query_keys[query], *copied), letor.labels[rows]


def counter(duel):
    @entry
    def count(env, first, second, n, users):
        wins = 0
        for _ in range(n):
            wins += duel(env, first, second, users)
        return wins

    return count


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
