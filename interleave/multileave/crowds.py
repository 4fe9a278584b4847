"""Making crowds: rankings, grades, a user and a method come together, and everything is checked once."""

from __future__ import annotations

from typing import Any

import numpy as np

from clickmodels.tables import ClickModel
from interleave.methods import InterleaveError, interleaving
from interleave.multileave.crowd import Crowd
from interleave.multileave.methods import Multileaving
from interleave.world import CREDIT, RANK, SAMPLES, VARIANT, World
from interleave.worlds import make_world, rank_weights
from letor_data.metrics import ideal_dcg
from letor_data.rankings import Rankings


def make_crowd(
    rankings: Rankings,
    labels: np.ndarray,
    model: ClickModel,
    multileaving: Multileaving,
    length: int = 10,
    ties: str = "random_impression",
    queries: str | np.ndarray = "uniform",
    seed: int = 0,
) -> Crowd:
    """What a multileaved impression needs; see `interleave.worlds.make_world` for the settings."""
    if ties == "random_impression_redraw":
        raise InterleaveError(
            f"multileaving credits the rankings that made the page; ties='{ties}' would not"
        )
    # A world for any two of the rankers; what belongs to a method is replaced.
    world = make_world(
        rankings, labels, model, interleaving("team_draft"), length, ties, queries=queries, seed=seed
    )
    longest = int(np.diff(world.offsets).max())
    rules = np.zeros_like(world.rules)
    rules[CREDIT] = multileaving.code("credit")
    rules[VARIANT] = max(multileaving.code(switch) for switch in ("prefix", "ranker", "considered"))
    rules[SAMPLES] = max(multileaving.get(number, 0) for number in ("n_samples", "n_lists"))
    world = world._replace(rules=rules, weights=rank_weights(longest, multileaving.get("tau", 1.0)))
    return _seated(world, ideal_dcg(world.labels, world.offsets, length))


def for_another_thread(crowd: Crowd) -> Crowd:
    """The same crowd with a page of its own."""
    return _seated(crowd.world._replace(turns=crowd.world.turns.copy()), crowd.ideal)


def _seated(world: World, ideal: np.ndarray) -> Crowd:
    """A seat for every ranker."""
    n_rankers, length, longest = len(world.order), world.user.shape[1], world.weights.shape[1]
    room: dict[str, Any] = {
        "page": np.zeros((RANK + n_rankers, length + 2), np.int64),
        "settled": np.zeros((n_rankers, *world.settled.shape[1:]), np.int64),
    }
    return Crowd(
        world=world._replace(**room),
        ideal=ideal,
        round=np.zeros(n_rankers, np.int64),
        heads=np.zeros(n_rankers, np.int64),
        scores=np.zeros(n_rankers),
        shares=np.zeros((length, n_rankers)),
        odds=np.zeros((2 * length + 3, n_rankers)),
        waiting=np.zeros(longest, np.int64),
        tops=np.zeros(longest, np.int64),
        choices=np.zeros(length + 1, np.int64),
    )
