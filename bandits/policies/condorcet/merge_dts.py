"""MergeDTS: duel the winner of a sampled tournament against its weakest opponent, in batches that merge.

Li, Markov, de Rijke and Zoghi, "MergeDTS: A Method for Effective Large-Scale Online Ranker Evaluation", ACM
TOIS 2020, Algorithm 1; the defaults are tuned as in its sections 5.6 and 6.7. Assumes a Condorcet winner, and
that no two arms tie.

The batches are visited in turn, as in mergeRUCB, and arms that another arm of the batch confidently beats are
removed. In a batch the first arm has most wins in a tournament sampled from the posterior, and the second has
the smallest new sample against the first, because it can be removed soonest. A batch of one arm is merged
with the next, so only the last arm duels itself.

    Algorithm 1                                     here (* in bandits/parts/merging_batches.py)
    1, 3, 4   W = 0, s = 1, batches                 init, new_batches*
    2         C(epsilon)                            init, head_start_of_theory*
    6         batch m = t mod b_s                   next_batch*
    7, 8      the last arm                          idle
    10, 11    bounds U, removal of beaten arms      remove_beaten*
    12, 13    merging of a batch of one arm         _visit_batch, merge_with_next*
    15        a_c, SampleTournament (Algorithm 2)   _sample_tournament
    16        a_d, RelativeTournament (Algorithm 3) _relative_tournament
    17        comparison, W                         update
    18-22     merging at the end of a stage         merge_after_stage*, called at the next step

The authors' public code (github.com/chang-li/MergeDTS), the variant `chang-li`, differs from the paper:

    paper                                           code
    C = 4,000,000 after tuning (section 5.6)        C = 400,000 in the demonstration script
    bounds from the duels of a pair                 each arm of a pair starts with a win
    t counts all steps                              t restarts at the end of every stage
    a stage ends with K / 2^s arms                  with floor(K / 2^s) + 1 arms
    all beaten arms are removed at once             one at a time, in random order, with new bounds after each
    theta_ji = 1 - theta_ij                         theta_ij and theta_ji are sampled independently
    a batch of one arm is merged with the next      its beaten arms are removed in the same step

Samples of the first tournament are only compared with 1/2. So the undefeated arm, if any, is drawn first, and
a tournament is drawn only if there is none. Of the samples
against the first arm only those that may be the smallest are drawn
(bandits/parts/thompson/extreme_samples.py). The batches equal those of the literal twin,
tests/naive/policies/merge_dts.py, and the pairs have the same distribution.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import Alpha, ErrorHorizon
from rankduel.bandits.parts.merging_batches import (
    EVERY_PAIR,
    NO_PAIR,
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
    merge_after_stage,
    merge_with_next,
    new_batches,
    next_batch,
    record_step,
    remove_beaten,
)
from rankduel.bandits.parts.picks import NO_ARM, pick_largest
from rankduel.bandits.parts.thompson.extreme_samples import weakest_sample
from rankduel.bandits.parts.thompson.pair_posterior import AboveHalf, even_above_half, update_above_half
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

# If the probability of an undefeated arm is smaller, an unconditional tournament takes less time than drawing
# whether there is an undefeated arm, followed in most steps by a tournament conditional on there being none.
_DRAW_UNDEFEATED_ABOVE = 0.5


class Params(NamedTuple):
    alpha: Alpha = 0.262144
    batch: BatchSize = 16
    c: HeadStart = 4e6
    epsilon: FailureProbability = 0.0
    w0: PriorWins = 0
    partition: PartitionRule = Partition.CEIL
    reset_t: ResetClock = False
    stage_plus_one: StagePlusOne = False
    one_at_a_time: OneAtATime = False
    independent_theta: Annotated[
        bool, Setting("in the tournament, sample theta_ij and theta_ji independently")
    ] = False
    purge_until_stable: Annotated[
        bool, Setting("remove beaten arms again in the step in which a batch of one arm was merged")
    ] = False
    horizon: ErrorHorizon = 0


class Room(NamedTuple):
    undefeated: np.ndarray  # (arms,) float64: probabilities, by place in the batch
    score: np.ndarray  # (arms,) int64: wins in a sampled tournament, by place in the batch


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64, W
    above_half: AboveHalf
    batches: Batches
    undefeated: np.ndarray  # (arms,) float64: probability to beat all arms of the batch, at its last visit
    room: Room


def needs_horizon(params):
    return head_start_needs_horizon(params)


def init(n_arms, params, rng):
    head_start = params.c or head_start_of_theory("merge_dts", n_arms, params)
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        above_half=even_above_half(n_arms),
        batches=new_batches(n_arms, params, head_start),
        undefeated=np.zeros(n_arms),
        room=Room(undefeated=np.empty(n_arms), score=np.empty(n_arms, np.int64)),
    )


@kernel
def select(state, params, rng):
    merge_after_stage(state.batches, params, rng)
    row = _visit_batch(state, params, rng)
    batch = state.batches.arms[row, : state.batches.size[row]]
    if len(batch) == 1:
        return batch[0], batch[0]
    champion = _sample_tournament(state, params, batch, rng)
    return batch[champion], batch[_relative_tournament(state, batch, champion, rng)]


@kernel
def update(state, params, first, second, first_won):
    record_step(state.batches, first, second)
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        update_above_half(state.above_half, state.wins, winner, loser)
        state.wins[winner, loser] += 1


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip all steps once a single arm remains, which duels itself."""
    batches, now = state.batches, state.batches.now[0]
    if now.n_remaining > 1:
        return 0
    self_duels[batches.arms[batches.turn[0], 0]] += limit
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
    """Lines 6 to 13: remove beaten arms from the next batch, merge it if one arm is left; return its row."""
    batches, wins, neg_log = state.batches, state.wins, state.above_half.neg_log
    row = next_batch(batches)
    one, other = batches.compared[row, 0], batches.compared[row, 1]
    changed = remove_beaten(batches, wins, params, row, rng) > 0 or one == EVERY_PAIR
    while batches.size[row] == 1 and batches.now[0].n_batches > 1:
        row, changed = merge_with_next(batches, row), True
        if params.purge_until_stable:
            remove_beaten(batches, wins, params, row, rng)
    batch = batches.arms[row, : batches.size[row]]
    for arm in batch:
        if changed or (one != NO_PAIR and (arm == one or arm == other)):
            state.undefeated[arm] = _probability_undefeated(neg_log[arm], batch)
    return row


@kernel
def _probability_undefeated(neg_log, batch):
    """Return the product of the probabilities to beat each arm of the batch."""
    total = 0.0
    for other in batch:
        total += neg_log[other]
    return math.exp(-total)


@kernel
def _sample_tournament(state, params, batch, rng):
    """Algorithm 2: return the place in `batch` of an arm with most wins in a sampled tournament."""
    probability, score = state.above_half.probability, state.room.score[: len(batch)]
    if params.independent_theta:
        _draw_independent_scores(probability, batch, score, rng)
        return pick_largest(score, NO_ARM, rng)
    undefeated, total = state.room.undefeated[: len(batch)], 0.0
    for place in range(len(batch)):
        undefeated[place] = state.undefeated[batch[place]]
        total += undefeated[place]
    if total < _DRAW_UNDEFEATED_ABOVE:
        undefeated[:] = 0.0  # an unconditional tournament
    else:
        number = rng.random()
        for place in range(len(batch)):
            number -= undefeated[place]
            if number < 0.0:
                return place
    draw_scores(probability, batch, len(batch), len(batch), undefeated, score, rng)
    return pick_largest(score, NO_ARM, rng)


@kernel
def _draw_independent_scores(probability, batch, score, rng):
    """Draw the wins of every arm, where each arm of a pair has its own sample: both may win, or none."""
    for place in range(len(batch)):
        score[place] = 0
        for other in range(len(batch)):
            score[place] += other != place and rng.random() < probability[batch[place], batch[other]]


@kernel
def _relative_tournament(state, batch, champion, rng):
    """Algorithm 3: return the place of the arm with the smallest new sample against batch[champion]."""
    if len(batch) == 2:
        return 1 - champion
    neg_log, likely_smallest, least = state.above_half.neg_log[batch[champion]], -1, math.inf
    for place in range(len(batch)):
        if place != champion and neg_log[batch[place]] < least:
            likely_smallest, least = place, neg_log[batch[place]]
    return weakest_sample(state.wins, state.above_half.log_g, batch, champion, likely_smallest, rng)


# ---- Tournaments conditional on no undefeated arm ----
#
# Tournaments of Thompson samples in which only the winner of every duel is drawn, duel by duel.
#
# A tournament needs one Bernoulli variable per pair, with the probabilities of
# bandits/parts/thompson/pair_posterior.py. At most one arm beats all others, and the probability that a given
# arm does is a product, so the undefeated arm, if any, can be drawn first. The tournament is then drawn only
# if there is none, conditional on that.


@kernel
def draw_scores(probability, arms, n_arms, n_candidates, undefeated, score, rng):
    """Draw the duels of candidates arms[:n_candidates] against all of arms[:n_arms]; score[k] counts wins.

    undefeated[k] is the probability that candidate k wins all of its duels; the draw is conditional on no
    candidate doing so. If all of `undefeated` is 0, it is unconditional. `undefeated` is overwritten.
    """
    total, n_possible = 0.0, 0  # probability of an undefeated candidate, and number of possible ones
    for k in range(n_candidates):
        total += undefeated[k]
        n_possible += undefeated[k] > 0.0
        score[k] = 0
    for k in range(n_candidates):
        for other in range(k + 1, n_arms):
            up, number = probability[arms[k], arms[other]], rng.random()
            first_won = number < up
            if n_possible > 0:
                down = probability[arms[other], arms[k]]
                before_k, before_other = undefeated[k], undefeated[other] if other < n_candidates else 0.0
                # Probabilities of both outcomes together with no undefeated candidate in the end.
                rest = total - before_k - before_other
                with_up, with_down = up * (1.0 - rest) - before_k, down * (1.0 - rest) - before_other
                if with_up > 0.0 or with_down > 0.0:
                    first_won = number * (max(with_up, 0.0) + max(with_down, 0.0)) < max(with_up, 0.0)
                after_k = before_k / up if first_won and before_k > 0.0 else 0.0
                after_other = before_other / down if not first_won and before_other > 0.0 else 0.0
                undefeated[k] = after_k
                if other < n_candidates:
                    undefeated[other] = after_other
                total = rest + after_k + after_other
                n_possible -= (before_k > 0.0) + (before_other > 0.0) - (after_k > 0.0) - (after_other > 0.0)
            score[k] += first_won
            if other < n_candidates:
                score[other] += not first_won


POLICY = policy_of(
    __name__,
    source="Li, Markov, de Rijke, Zoghi 2020 (ACM TOIS), Algorithm 1",
    assumes="Condorcet winner; no two arms tie, or they may never be told apart",
    variants={
        "published": {},  # tuned, sections 5.6 and 6.7
        "paper": {"alpha": 1.01, "batch": 4, "c": 0},  # theory, with epsilon = 1 / horizon
        # The authors' public code and the C of its demonstration script.
        "chang-li": {
            "c": 4e5,
            "w0": 1,
            "reset_t": True,
            "stage_plus_one": True,
            "one_at_a_time": True,
            "independent_theta": True,
            "purge_until_stable": True,
        },
    },
)
