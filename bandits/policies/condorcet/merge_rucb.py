"""mergeRUCB: many arms, in small batches, each a little RUCB that gives up the arms it has refuted.

Zoghi, Whiteson and de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker Evaluation", WSDM 2015,
Algorithm 1 (Algorithm 4 of Zoghi's thesis, 2017); tuned as by Li, Markov, de Rijke and Zoghi, "MergeDTS",
ACM TOIS 2020.

Batches take turns. In a batch a random arm meets the mate with the largest upper bound against it, and an arm
that confidently loses to a mate is given up for good; when half of the arms are gone, batches are joined. A
purge looks at the last pair only (bandits/parts/merging_batches.py says why that is enough), so a step costs
one pass over a batch; what is left at the end plays itself, which is one addition.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader_among
from bandits.parts.merging_batches import (
    CLOCK,
    N_ALIVE,
    N_BATCHES,
    SETTINGS,
    Batches,
    join_to_next,
    log_time,
    new_batches,
    next_row,
    note_step,
    purge,
    regroup_after_stage,
    stage_is_over,
    theory_c,
)
from bandits.parts.picks import pick, pick_largest
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

SELF, MERGE, SKIP = range(3)  # Params.single_batch as kernels see it


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    batches: Batches
    bound: np.ndarray  # (arms,) float64, room for one batch


class Params(NamedTuple):
    alpha: float = 0.262144
    batch: int = 8
    c: float = 4e5
    epsilon: float = 0.0
    unvisited_u: float = 2.0
    w0: int = 0
    single_batch: str = "self"
    reset_t: bool = False
    stage_plus_one: bool = False
    one_at_a_time: bool = False
    partition: str = "floor"
    horizon: int = 0


def init(n_arms, params, rng):
    c = params.c or math.ceil(theory_c("merge_rucb", n_arms, params))
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        batches=new_batches(n_arms, params.batch, params.partition, c),
        bound=np.empty(n_arms),
    )


@kernel
def select(state, params, rng):
    regroup_after_stage(state.batches, params, rng)
    row = _visited(state, params, rng)
    batch = state.batches.arms[row, : state.batches.size[row]]
    champion = pick(len(batch), rng)
    if len(batch) == 1:
        return batch[0], batch[0]
    return batch[champion], batch[_challenger(state, batch, champion, params, rng)]


@kernel
def update(state, first, second, first_won):
    note_step(state.batches.compared, state.batches.now, first, second)
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        state.wins[winner, loser] += 1


@kernel
def idle(state, params, limit, selves, rng):
    """Batches of one arm play themselves in turn, the last arm for ever."""
    batches, now, n = state.batches, state.batches.now, state.batches.now[N_BATCHES]
    if now[N_ALIVE] > n or (n > 1 and params.single_batch == MERGE):
        return 0
    if stage_is_over(now, len(batches.alive), params.stage_plus_one):
        return 0
    t = now[CLOCK]
    for m in range(n):  # visited in steps m, m + n, ...
        selves[batches.arms[batches.turn[m], 0]] += (t + limit - m) // n - (t - m) // n
    now[CLOCK] += limit
    return limit


@kernel
def recommend(state):
    return leader_among(state.wins, state.batches.alive)


@kernel
def survivors(state):
    return state.batches.now[N_ALIVE]


@kernel
def _visited(state, params, rng):
    """The row of the batch to play in, purged."""
    batches, now, looking, row = state.batches, state.batches.now, True, 0
    while looking:
        row = next_row(batches.turn, now)
        purge(batches, state.wins, row, params, rng)
        # Passing over a batch of one arm makes sense while some other has more.
        looking = params.single_batch == SKIP and batches.size[row] == 1 and now[N_ALIVE] > now[N_BATCHES]
        now[CLOCK] += looking
    if params.single_batch == MERGE and batches.size[row] == 1 and now[N_BATCHES] > 1:
        return join_to_next(batches, row)
    return row


@kernel
def _challenger(state, batch, champion, params, rng):
    """The place of the mate with the largest upper bound on its chance against the champion at its place."""
    scale, bound = params.alpha * log_time(state.batches), state.bound[: len(batch)]
    for k in range(len(batch)):
        won = state.wins[batch[k], batch[champion]] + params.w0
        n = won + state.wins[batch[champion], batch[k]] + params.w0
        bound[k] = won / n + math.sqrt(scale / n) if n > 0 else params.unvisited_u
    return pick_largest(bound, champion, rng)


POLICY = Policy(
    "merge_rucb",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    about="Small batches in turn: a random arm meets its most dangerous mate; refuted arms are given up.",
    source="Zoghi, Whiteson, de Rijke 2015 (WSDM), Algorithm 1",
    assumes="Condorcet winner; no two arms tie, or they may never be told apart",
    settings={
        **SETTINGS,
        "unvisited_u": Setting("upper bound of a pair never compared: 1, 2 (literal) or inf", at_least=1),
        "single_batch": Setting(
            "a batch of one arm plays itself, joins the next batch, or is passed over",
            choices=("self", "merge", "skip"),
        ),
    },
    variants={
        "published": {},  # tuned, in the MergeDTS paper
        "paper": {"alpha": 1.01, "batch": 4, "c": 0, "epsilon": 0.01},
        # What the public code of the MergeDTS paper does differently from both papers: every pair starts with
        # a win either way, the clock restarts in every stage, a stage ends one arm sooner, beaten arms go one
        # by one in random order, and there are ceil(K / batch) batches.
        "chang-li": {
            "w0": 1,
            "reset_t": True,
            "stage_plus_one": True,
            "one_at_a_time": True,
            "partition": "ceil",
        },
    },
    horizon_when=lambda params: params.c == 0 and params.epsilon == 0,
)
