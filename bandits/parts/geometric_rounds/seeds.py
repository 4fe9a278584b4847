"""The first stage of SCOMP and SCOMP2: compare all arms with a few anchors from a random seed set.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithms 2 and 3. In each round every
arm that is clearly beaten by an anchor is eliminated. Once an arm clearly beats all anchors, the arms that
are ahead of all anchors go on with PCOMP, whose first batch has the size of the same round.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, add, empty_agenda
from rankduel.bandits.parts.geometric_rounds.all_pairs import pcomp_log_odds
from rankduel.bandits.parts.geometric_rounds.rounds import (
    Rounds,
    RoundsRoom,
    ahead,
    begin_batch,
    clearly_ahead,
    eliminate_marked,
    first_round,
    n_pairs,
    record_batch,
    rounds_room,
)
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

SeedPower = Annotated[
    float,
    Setting("each of K arms is a seed with probability 1 / K^seed_power", at_least=0, at_most=1),
]


class Stage(IntEnum):
    """Pairs that a batch compares: active arms with anchors, seeds with seeds, or all active arms."""

    WITH_ANCHORS = 0
    AMONG_SEEDS = 1
    ALL_PAIRS = 2


class SeedsNow(NamedTuple):
    stage: int = int(Stage.WITH_ANCHORS)  # stage of the current or coming batch


class SeededState(NamedTuple):
    now: np.recarray  # (1,), fields of SeedsNow
    agenda: Agenda
    rounds: Rounds
    seeds: np.ndarray  # (arms,) bool: the seed set S
    anchors: np.ndarray  # (arms,) bool: arms that all active arms are compared with
    room: RoundsRoom


def seeded_state(n_arms: int, params: Any, rng: np.random.Generator, stage: Stage) -> SeededState:
    """Return a state with a seed set that is not empty."""
    seeds = np.zeros(n_arms, np.bool_)
    while not seeds.any():
        seeds = rng.random(n_arms) < n_arms**-params.seed_power
    return SeededState(
        now=record(SeedsNow(stage)),
        agenda=empty_agenda(n_pairs(n_arms)),
        rounds=first_round(n_arms, params, pcomp_log_odds(n_arms, params)),
        seeds=seeds,
        anchors=seeds.copy(),
        room=rounds_room(n_arms),
    )


@kernel
def is_seeded(state):
    """Return whether the next batch is one of the seeds or anchors, and not of PCOMP."""
    return state.now[0].stage != Stage.ALL_PAIRS and state.rounds.now[0].n_active > 1


@kernel
def make_seeds_anchors(state):
    """Make all seeds anchors, and no other arm."""
    for arm in range(len(state.seeds)):
        state.anchors[arm] = state.seeds[arm]


@kernel
def plan_with_anchors(state, params):
    """Plan the comparisons of every active arm with every anchor."""
    active, anchors = state.rounds.active, state.anchors
    begin_batch(state, params)
    for first in range(len(active)):
        for second in range(first + 1, len(active)):
            if active[first] and active[second] and (anchors[first] or anchors[second]):
                add(state.agenda, first, second)


@kernel
def learn_with_anchors(state, params, clear_radii, lead_radii):
    """Eliminate arms that an anchor clearly beats; if an arm clearly beats all anchors, go on to PCOMP.

    A clear win is one by `clear_radii` radii. The arms that go on are ahead of all anchors by `lead_radii`
    radii; under KL, a clear win is a significant one, and any lead is enough to go on.
    """
    record_batch(state)
    log_odds = state.rounds.now[0].log_odds
    if _mark_not_ahead(state, params, clear_radii, log_odds) < state.rounds.now[0].n_active:
        _mark_not_ahead(state, params, lead_radii, 0.0)
        state.now[0].stage = Stage.ALL_PAIRS
    else:
        _mark_beaten_by_anchors(state, params, clear_radii)
        state.rounds.now[0].round_number += 1
    eliminate_marked(state)
    for arm in range(len(state.seeds)):
        state.seeds[arm] &= state.rounds.active[arm]


@kernel
def _mark_not_ahead(state, params, radii, nats):
    """Mark the arms that are not ahead of every anchor in this batch; return how many of them are active."""
    wins, marks, anchors, n = state.room.wins, state.room.marks, state.anchors, 0
    log_odds = state.rounds.now[0].log_odds
    for arm in range(len(marks)):
        marks[arm] = False  # an anchor is not ahead of itself, so it will be marked
        for anchor in range(len(anchors)):
            if anchors[anchor]:
                won, lost = wins[arm, anchor], wins[anchor, arm]
                if not ahead(params, won, lost, radii, log_odds, nats):
                    marks[arm] = True
                    break
        n += marks[arm] and state.rounds.active[arm]
    return n


@kernel
def _mark_beaten_by_anchors(state, params, radii):
    """Mark the arms that an anchor clearly beats in this batch."""
    wins, marks, anchors = state.room.wins, state.room.marks, state.anchors
    log_odds = state.rounds.now[0].log_odds
    for arm in range(len(marks)):
        marks[arm] = False
        for anchor in range(len(anchors)):
            if anchors[anchor]:
                won, lost = wins[anchor, arm], wins[arm, anchor]
                marks[arm] |= clearly_ahead(params, won, lost, radii, log_odds)
