"""Compiled counts of live duels, and data for them."""

import functools
import itertools

import numpy as np
import pandas as pd
from numba import njit

from rankduel.clickmodels import click_model
from rankduel.clickmodels.position_based import MEASURED
from rankduel.interleave import go_live, live_duel_by, play_duels
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.rankers import feature
from rankduel.letor_data.rankings import rank
from rankduel.letor_data.synthetic.generate import shape, synthesize

USERS = {
    "perfect": click_model("perfect", 5),
    "navigational": click_model("navigational", 5),
    "informational": click_model("informational", 5),
    "leaves unclicked": click_model("informational", 5, stop="any"),
    "position-based": click_model("informational", 5, stop="never", attention=MEASURED),
}
UNTIED, TIED = (0, 1), (2, 3)  # pairs of the rankers below; the last ranker is constant within a query
FEATURES = (110, 115, 1, 96, 16)


def shares(world, method, pair, n, seed=0):
    """Return the frequencies (loss, tie, win) of n live duels."""
    return play_duels(world, method, *pair, n, np.random.default_rng(seed)) / n


@functools.cache
def winner(method):
    """Return win(world, first, second, n, users), the number of n duels that `first` wins, ties broken."""
    duel = live_duel_by(method)

    @njit
    def win(live, first, second, n, users):
        wins = 0
        for _ in range(n):
            wins += duel(live, first, second, users)
        return wins

    return lambda world, *rest: win(go_live(world), *rest)


@functools.cache
def full_size():
    """Return (labels, rankings) of 30 queries with about 100 documents each."""
    letor = synthesize(shape("small", queries=30))
    return letor.labels, rank(letor, [feature(f) for f in FEATURES])


@functools.cache
def tiny():
    """Return (labels, rankings) of queries with 1 to 5 documents, for which all pages can be enumerated.

    The last query has no relevant document. The pair TIED has ties between documents.
    """
    sizes, rng = (1, 2, 3, 5, 5, 4), np.random.default_rng(7)
    n = sum(sizes)
    labels = np.array([*rng.integers(0, 5, n - 4), 0, 0, 0, 0])
    columns = (
        rng.permutation(n),
        rng.permutation(n),
        rng.integers(0, 2, n),
        np.arange(n) % 3 // 2,
        np.zeros(n),
    )
    qids = np.repeat([f"q{i}" for i in range(len(sizes))], sizes)
    table = {str(f): column for f, column in enumerate(columns, 1)}
    letor = Letor.from_pandas(pd.DataFrame({"qid": qids, "label": labels, **table}))
    return letor.labels, rank(letor, [feature(f) for f in range(1, 6)])


def query_groups(rankings, ranker):
    """Return per query the documents in order, as a list of tie groups, for the naive twins."""
    queries = []
    for start, stop in itertools.pairwise(rankings.offsets.tolist()):
        order, ties = rankings.order[ranker, start:stop], rankings.ties[ranker, start:stop]
        queries.append([group.tolist() for group in np.split(order, np.flatnonzero(ties >= 0)[1:])])
    return queries
