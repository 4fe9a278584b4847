"""A small arena with a clear best ranker, for tests of live duels."""

import functools

import numpy as np

from rankduel.experiments.arena import open_arena
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.interleave import mean_odds
from rankduel.letor_data.letor import Letor

N_QUERIES, N_DOCS = 12, 14


@functools.cache
def letor(tied=False, repeat=1):
    """Return data with three features: the grade plus increasing noise; `tied` adds a constant feature.

    Every query occurs `repeat` times in succession.
    """
    rng = np.random.default_rng(5)
    n = N_QUERIES * N_DOCS
    labels = rng.choice(5, n, p=[0.5, 0.2, 0.15, 0.1, 0.05]).astype(np.int8)
    columns = tuple(labels + noise * rng.normal(size=n) for noise in (0.5, 2.0, 4.0))
    if tied:
        columns = (*columns, np.zeros(n))
    rows = np.repeat(np.arange(n).reshape(N_QUERIES, N_DOCS), repeat, axis=0).ravel()
    n_queries = repeat * N_QUERIES
    return Letor(
        labels=labels[rows],
        offsets=np.arange(0, len(rows) + 1, N_DOCS),
        columns=tuple(column[rows] for column in columns),
        feature_names=tuple(str(i + 1) for i in range(len(columns))),
        query_ids=np.array([str(q) for q in range(n_queries)], object),
        splits=np.array([""] * n_queries, object),
        records=np.arange(len(rows)),
        source="made for tests",
        digest="0",
    )


@functools.cache
def arena(interleave="team_draft", clicks="navigational", tied=False, repeat=1, **more):
    return open_arena(letor(tied, repeat), interleave=interleave, clicks=clicks, length=5, **more)


def exact_preferences(chosen, draws=1):
    """Return the preferences by the odds of every pair, which are exact unless ties are drawn."""
    world, names = chosen.world(), chosen.rankings.names
    matrix, users = np.full((len(names), len(names)), 0.5), np.random.default_rng(0)
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            _, tie, win = mean_odds(world, chosen.interleaving, i, j, users, draws)
            matrix[i, j] = win + tie / 2
            matrix[j, i] = 1 - matrix[i, j]
    return preferences_of(matrix, names)
