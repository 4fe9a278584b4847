"""MergeDTS: mergeRUCB's batches, but samples of the posterior choose the pair, the weaker arm on purpose.

Li, Markov, de Rijke and Zoghi, "MergeDTS: A Method for Effective Large-Scale Online Ranker Evaluation", ACM
TOIS 2020, Algorithm 1; tuned as in its sections 5.6 and 6.7.

In a batch the first arm wins most duels of a sampled tournament, the second is the one with the smallest
sample against it: it is to be knocked out soon. A batch of one arm joins the next, so no arm but the last
plays itself. Three speed-ups, all exact: a purge looks at the last pair only
(bandits/parts/merging_batches.py); who beats all mates, if anybody does, is one draw, and only otherwise a
tournament is played (bandits/parts/thompson/small_tournament.py); of the second arm's samples most are never
drawn (bandits/parts/thompson/extreme_samples.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader_among
from bandits.parts.merging_batches import (
    CLOCK,
    EVERY_PAIR,
    N_ALIVE,
    N_BATCHES,
    NO_PAIR,
    SETTINGS,
    Batches,
    join_to_next,
    new_batches,
    next_row,
    note_step,
    purge,
    regroup_after_stage,
    theory_c,
)
from bandits.parts.picks import pick_largest
from bandits.parts.thompson.extreme_samples import weakest_sample
from bandits.parts.thompson.pair_posterior import BeatOdds, even_odds, note_win
from bandits.parts.thompson.small_tournament import draw_scores
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

# If a champion is less likely than this, a plain tournament is cheaper than to look for one and, failing
# that, to play a tournament known to have none.
_WORTHWHILE = 0.5


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    odds: BeatOdds
    batches: Batches
    champion_chance: np.ndarray  # (arms,) float64: that the arm beats all its mates, as of their last visit
    room: np.ndarray  # (arms,) float64, for the chances of one batch
    score: np.ndarray  # (arms,) int64: wins in a sampled tournament, by place in the batch


class Params(NamedTuple):
    alpha: float = 0.262144
    batch: int = 16
    c: float = 4e6
    epsilon: float = 0.0
    w0: int = 0
    partition: str = "ceil"
    reset_t: bool = False
    stage_plus_one: bool = False
    one_at_a_time: bool = False
    independent_theta: bool = False
    purge_until_stable: bool = False
    horizon: int = 0


def init(n_arms, params, rng):
    c = params.c or theory_c("merge_dts", n_arms, params)
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        odds=even_odds(n_arms),
        batches=new_batches(n_arms, params.batch, params.partition, c),
        champion_chance=np.empty(n_arms),
        room=np.empty(n_arms),
        score=np.empty(n_arms, np.int64),
    )


@kernel
def select(state, params, rng):
    regroup_after_stage(state.batches, params, rng)
    row = _visited(state, params, rng)
    batch = state.batches.arms[row, : state.batches.size[row]]
    if len(batch) == 1:
        return batch[0], batch[0]
    champion = _champion(state, batch, params, rng)
    if len(batch) == 2:
        return batch[champion], batch[1 - champion]
    start = _most_beaten(state.odds, batch, champion)
    second = weakest_sample(state.wins, state.odds.log_g, batch, champion, start, rng)
    return batch[champion], batch[second]


@kernel
def update(state, first, second, first_won):
    note_step(state.batches.compared, state.batches.now, first, second)
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        note_win(state.odds, state.wins, winner, loser)
        state.wins[winner, loser] += 1


@kernel
def idle(state, params, limit, selves, rng):
    """The last arm plays itself for ever."""
    batches = state.batches
    if batches.now[N_ALIVE] > 1:
        return 0
    selves[batches.arms[batches.turn[0], 0]] += limit
    batches.now[CLOCK] += limit
    return limit


@kernel
def recommend(state):
    return leader_among(state.wins, state.batches.alive)


@kernel
def survivors(state):
    return state.batches.now[N_ALIVE]


@kernel
def _visited(state, params, rng):
    """The row of the batch to play in: purged, and of more than one arm if there are more."""
    batches, wins = state.batches, state.wins
    row = next_row(batches.turn, batches.now)
    one, other = batches.compared[row, 0], batches.compared[row, 1]
    changed = purge(batches, wins, row, params, rng) > 0 or one == EVERY_PAIR
    while batches.size[row] == 1 and batches.now[N_BATCHES] > 1:
        row, changed = join_to_next(batches, row), True
        if params.purge_until_stable:
            purge(batches, wins, row, params, rng)
    batch = batches.arms[row, : batches.size[row]]
    for arm in batch:
        if changed or (one != NO_PAIR and (arm == one or arm == other)):
            _note_champion(state.champion_chance, state.odds.minus_log, batch, arm)
    return row


@kernel
def _note_champion(champion_chance, minus_log, batch, arm):
    exponent = 0.0
    for mate in batch:
        exponent += minus_log[arm, mate]
    champion_chance[arm] = math.exp(-exponent)


@kernel
def _champion(state, batch, params, rng):
    """The place of an arm with most wins in a sampled tournament of the batch."""
    score, alive, total = state.score[: len(batch)], state.room[: len(batch)], 0.0
    if params.independent_theta:
        _draw_unpaired_scores(state.odds.chance, batch, score, rng)
        return pick_largest(score, -1, rng)
    for place in range(len(batch)):
        alive[place] = state.champion_chance[batch[place]]
        total += alive[place]
    if total < _WORTHWHILE:
        alive[:] = 0.0  # nothing known beforehand
    else:
        number = rng.random()
        for place in range(len(batch)):
            number -= alive[place]
            if number < 0.0:
                return place
    draw_scores(state.odds.chance, batch, len(batch), len(batch), alive, score, rng)
    return pick_largest(score, -1, rng)


@kernel
def _draw_unpaired_scores(chance, batch, score, rng):
    """Either arm of a pair has a sample of its own, so both may win, or none."""
    for place in range(len(batch)):
        score[place] = 0
        for mate in range(len(batch)):
            score[place] += mate != place and rng.random() < chance[batch[place], batch[mate]]


@kernel
def _most_beaten(odds, batch, champion):
    """The place of the mate most surely worse than the champion."""
    surest, most_beaten = math.inf, -1
    for place in range(len(batch)):
        doubt = odds.minus_log[batch[champion], batch[place]]
        if place != champion and doubt < surest:
            surest, most_beaten = doubt, place
    return most_beaten


POLICY = Policy(
    "merge_dts",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    about="Small batches in turn: a sampled champion meets its weakest mate; refuted arms are given up.",
    source="Li, Markov, de Rijke, Zoghi 2020 (ACM TOIS), Algorithm 1",
    assumes="Condorcet winner; no two arms tie, or they may never be told apart",
    settings={
        **SETTINGS,
        "independent_theta": Setting("in the tournament, sample either arm of a pair independently"),
        "purge_until_stable": Setting("purge a batch again in the step in which a single arm joined it"),
    },
    variants={
        "published": {},  # tuned, sections 5.6 and 6.7
        "paper": {"alpha": 1.01, "batch": 4, "c": 0},  # theory, with epsilon = 1 / horizon
        # What the authors' public code does differently from the paper: every pair starts with a win either
        # way in the bounds, the clock restarts in every stage, a stage ends one arm sooner, beaten arms go
        # one by one in random order, both arms of a pair have their own sample in the tournament, and
        # joining a single arm and purging alternate until neither changes anything.
        "chang-li": {
            "w0": 1,
            "reset_t": True,
            "stage_plus_one": True,
            "one_at_a_time": True,
            "independent_theta": True,
            "purge_until_stable": True,
        },
    },
    horizon_when=lambda params: params.c == 0 and params.epsilon == 0,
)
