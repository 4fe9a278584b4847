"""mergeRUCB: run RUCB in small batches of arms, remove arms that are beaten, and merge the batches.

Zoghi, Whiteson and de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker Evaluation", WSDM 2015,
Algorithm 1 (Algorithm 4 of Zoghi's thesis, 2017). The defaults are those of Li, Markov, de Rijke and Zoghi,
"MergeDTS", ACM TOIS 2020. Assumes a Condorcet winner, and that no two arms tie.

The batches are visited in turn. In a batch a random arm duels the arm with the largest upper bound on beating
it, and arms that another arm of the batch confidently beats are removed. When half of the arms have been
removed, small batches are merged with large ones.

    Thesis, Algorithm 4                             here (* in bandits/parts/merging_batches.py)
    1, 2, 4   W = 0, batches, S = 1                 init, new_batches*
    3         C(delta)                              init, head_start_of_theory*
    6         batch i = t mod b_S                   next_batch*
    7, 8      bounds U, removal of beaten arms      remove_beaten*
    9         random arm c                          select
    10        challenger d                          _choose_challenger
    11        comparison, W                         update
    12-14     merging at the end of a stage         merge_after_stage*, called at the next step

The thesis leaves open how a batch of one arm is played; here the setting `single_batch` decides. `idle` skips
the steps of a run in which every batch has one arm. Given the same random numbers, the pairs equal those of
the literal twin, tests/naive/policies/merge_rucb.py.
"""

from __future__ import annotations

import enum
import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import Alpha, ErrorHorizon, UnvisitedBound
from rankduel.bandits.parts.merging_batches import (
    Batches,
    BatchSize,
    FailureProbability,
    HeadStart,
    OneAtATime,
    Partition,
    PartitionRule,
    PriorWins,
    ResetClock,
    StagePlusOne,
    best_remaining,
    count_remaining,
    head_start_needs_horizon,
    head_start_of_theory,
    log_time,
    merge_after_stage,
    merge_with_next,
    new_batches,
    next_batch,
    record_step,
    remove_beaten,
    stage_is_over,
)
from rankduel.bandits.parts.picks import pick, pick_largest
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class SingleBatch(enum.IntEnum):
    """How a batch of one arm is played: a self-duel, merged with the next batch, or skipped."""

    SELF = 0
    MERGE = 1
    SKIP = 2


class Params(NamedTuple):
    alpha: Alpha = 0.262144
    batch: BatchSize = 8
    c: HeadStart = 4e5
    epsilon: FailureProbability = 0.0
    unvisited_u: UnvisitedBound = 2.0
    w0: PriorWins = 0
    single_batch: Annotated[
        SingleBatch,
        Setting("how a batch of one arm is played: self-duel, merge with the next batch, or skip"),
    ] = SingleBatch.SELF
    reset_t: ResetClock = False
    stage_plus_one: StagePlusOne = False
    one_at_a_time: OneAtATime = False
    partition: PartitionRule = Partition.FLOOR
    horizon: ErrorHorizon = 0


class Room(NamedTuple):
    upper_bound: np.ndarray  # (arms,) float64, of the arms of one batch


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64, W
    batches: Batches
    room: Room


def needs_horizon(params):
    return head_start_needs_horizon(params)


def init(n_arms, params, rng):
    head_start = params.c or np.ceil(head_start_of_theory("merge_rucb", n_arms, params))
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        batches=new_batches(n_arms, params, head_start),
        room=Room(upper_bound=np.empty(n_arms)),
    )


@kernel
def select(state, params, rng):
    merge_after_stage(state.batches, params, rng)
    row = _visit_batch(state, params, rng)
    batch = state.batches.arms[row, : state.batches.size[row]]
    champion = pick(len(batch), rng)
    if len(batch) == 1:
        return batch[0], batch[0]
    return batch[champion], batch[_choose_challenger(state, params, batch, champion, rng)]


@kernel
def update(state, params, first, second, first_won):
    record_step(state.batches, first, second)
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        state.wins[winner, loser] += 1


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip steps if every batch has one arm, which duels itself in its turn."""
    batches, now = state.batches, state.batches.now[0]
    t, n = now.clock, now.n_batches
    if now.n_remaining > n or (n > 1 and params.single_batch == SingleBatch.MERGE):
        return 0
    if stage_is_over(batches, params):
        return 0
    for m in range(n):  # visited in steps m, m + n, ...
        self_duels[batches.arms[batches.turn[m], 0]] += (t + limit - m) // n - (t - m) // n
    now.clock += limit
    return limit


@kernel
def recommend(state, params):
    return best_remaining(state.batches, state.wins)


@kernel
def survivors(state, params):
    return count_remaining(state.batches)


@kernel
def _visit_batch(state, params, rng):
    """Return the row of the batch to compare arms of, without beaten arms."""
    batches, now, searching, row = state.batches, state.batches.now[0], True, 0
    while searching:
        row = next_batch(batches)
        remove_beaten(batches, state.wins, params, row, rng)
        # A batch of one arm is skipped only while another batch has more.
        is_single = batches.size[row] == 1
        searching = params.single_batch == SingleBatch.SKIP and is_single and now.n_remaining > now.n_batches
        now.clock += searching
    if params.single_batch == SingleBatch.MERGE and batches.size[row] == 1 and now.n_batches > 1:
        return merge_with_next(batches, row)
    return row


@kernel
def _choose_challenger(state, params, batch, champion, rng):
    """Return the place in `batch` of the arm with the largest upper bound on beating batch[champion]."""
    scale, bound = params.alpha * log_time(state.batches), state.room.upper_bound[: len(batch)]
    for k in range(len(batch)):
        won = state.wins[batch[k], batch[champion]] + params.w0
        n = won + state.wins[batch[champion], batch[k]] + params.w0
        bound[k] = won / n + math.sqrt(scale / n) if n > 0 else params.unvisited_u
    return pick_largest(bound, champion, rng)


POLICY = policy_of(
    __name__,
    source="Zoghi, Whiteson, de Rijke 2015 (WSDM), Algorithm 1",
    assumes="Condorcet winner; no two arms tie, or they may never be told apart",
    variants={
        "published": {},  # tuned, in the MergeDTS paper
        "paper": {"alpha": 1.01, "batch": 4, "c": 0, "epsilon": 0.01},
        # Differences of the public code of the MergeDTS paper from both papers: every pair starts with a win
        # of each side, the clock is reset in every stage, a stage ends one arm sooner, beaten arms are
        # removed one by one in random order, and there are ceil(K / batch) batches.
        "chang-li": {
            "w0": 1,
            "reset_t": True,
            "stage_plus_one": True,
            "one_at_a_time": True,
            "partition": "ceil",
        },
    },
)
