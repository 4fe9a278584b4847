"""Live duels that measure the pages they show: NDCG, clicks and unjudged documents."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankduel.base.compiling import entry, kernel
from rankduel.interleave.catalogue import METHODS
from rankduel.interleave.duel import impression_by, outcome_by
from rankduel.interleave.world import (
    CLICK,
    CLICK_AND_LEAVE,
    FIRST,
    STAY,
    World,
    document_at,
    for_another_thread,
    forget_ties,
    pair_on,
)
from rankduel.letor_data.evaluation.gains import ideal_dcg

PAGES, NDCG, CLICKS, UNJUDGED = range(4)  # entries of Live.shown


class Live(NamedTuple):
    """A world and the sums of measurements of its pages. One per thread."""

    world: World
    ideal: np.ndarray  # (n_queries,) float64: the best DCG each query allows
    shown: (
        np.ndarray
    )  # float64: pages, sums of their NDCG and clicks, and of unjudged documents if there are any


def go_live(world: World) -> Live:
    """Return a copy of the world with its own page, and measurements at 0."""
    ideal = ideal_dcg(world.labels, world.offsets, world.user.shape[1])
    return Live(for_another_thread(world), ideal, np.zeros(n_measured(world)))


def n_measured(world: World) -> int:
    """Return the number of entries of `Live.shown`."""
    return UNJUDGED + 1 if len(world.unjudged) else UNJUDGED


@kernel
def note_page(shown, n_clicks, ndcg, n_unjudged):
    """Add a page to the sums."""
    shown[PAGES] += 1.0
    shown[NDCG] += ndcg
    shown[CLICKS] += n_clicks
    if len(shown) > UNJUDGED:
        shown[UNJUDGED] += n_unjudged


@functools.cache
def live_duel_by(name: str) -> Callable[..., Any]:
    """Return `live_duel(live, first, second, users)` for a method, which measures the page of every duel.

    `live_duel` returns whether `first` won. A tied duel is decided by a random draw or played again.
    """
    impression = impression_by(name)

    @(entry if METHODS[name].calls_python else kernel)
    def live_duel(live, first, second, users):
        while True:
            lead, n_clicks, ndcg = impression(live.world, first, second, live.ideal, users)
            note_page(live.shown, n_clicks, ndcg, live.world.rules[0].n_unjudged)
            if lead != 0.0 or not live.world.rules[0].drop_ties or first == second:
                return lead > 0.0 if lead != 0.0 else users.random() < 0.5

    return live_duel


@functools.cache
def unmeasured_duel_by(name: str) -> Callable[..., Any]:
    """Return `duel(world, first, second, users)` for a method: pages end where the user leaves, unmeasured.

    Winners follow the same law as with `live_duel_by`. With the same seed they differ, since no random number
    is drawn for the rest of a page.
    """
    outcome = outcome_by(name)

    @(entry if METHODS[name].calls_python else kernel)
    def unmeasured_duel(world, first, second, users):
        while True:
            lead = outcome(world, first, second, users)
            if lead != 0.0 or not world.rules[0].drop_ties or first == second:
                return lead > 0.0 if lead != 0.0 else users.random() < 0.5

    return unmeasured_duel


@kernel
def shown_so_far(live, out):
    """Copy the measurements to `out`."""
    for column in range(len(live.shown)):
        out[column] = live.shown[column]


def own_pages(world: World, users: np.random.Generator, draws: int = 4) -> np.ndarray:
    """Return (K, 2): mean NDCG and clicks of a page that shows one ranker's own list, over all queries.

    If some documents are unjudged, a third column has their mean number. Clicks are expected values. Ties are
    broken anew in each of `draws` passes over the queries.
    """
    live = go_live(world)
    return _own_pages(live.world, live.ideal, draws, users)[:, : len(live.shown) - 1]


@entry
def _own_pages(world, ideal, draws, users):
    means = np.zeros((len(world.order), 3))
    n_queries = len(world.offsets) - 1
    for ranker in range(len(means)):
        for query in range(n_queries):
            pair = pair_on(world, query, ranker, ranker)
            for _ in range(draws):
                gain, clicks, n_unjudged = _own_page(world, pair, users)
                means[ranker, 0] += gain / ideal[query] if ideal[query] > 0.0 else 0.0
                means[ranker, 1] += clicks
                means[ranker, 2] += n_unjudged
    return means / (n_queries * draws)


@entry
def _own_page(world, pair, users):
    """Return (DCG, expected clicks, unjudged documents) of the first ranker's list, its ties broken anew."""
    forget_ties(world)
    gain, clicks, reading, n_unjudged = 0.0, 0.0, 1.0, 0
    for rank in range(min(world.user.shape[1], pair.n_first)):
        row = pair.start + document_at(world, pair, FIRST, rank, users)
        grade = world.labels[row]
        n_unjudged += len(world.unjudged) > 0 and world.unjudged[row]
        gain += (2.0**grade - 1.0) / np.log2(rank + 2.0)
        clicks += reading * world.user[CLICK, rank, grade]
        reading *= world.user[STAY, rank, grade] - world.user[CLICK_AND_LEAVE, rank, grade]
    return gain, clicks, n_unjudged
