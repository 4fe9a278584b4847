"""Opt-Max: find a good anchor among a few arms, then compare it with all arms.

Falahatgar, Jain, Orlitsky, Pichapati and Ravindrakumar, "The Limits of Maxing, Ranking, and Preference
Learning", ICML 2018, Algorithms 2 (Near-Opt-Max) and 10 to 12 (low, medium and high delta). Assumes moderate
stochastic transitivity.

The algorithm is a sequence of stages, each Soft-Seq-Elim or Prune with the anchor that the stage before it
returned; the sequence depends on the number of arms, epsilon and delta only. Soft-Seq-Elim is the policy
soft_seq_eliminate. Prune compares all arms with the anchor in sweeps, and removes those that are not better.

    the paper                                             here
    Opt-Max: low, medium and high delta, Alg. 10 to 12    _stages_of_opt_max
    Near-Opt-Max, Algorithm 2                             _stages_of_near_opt_max
    loop over random subsets Q_i, Algorithm 12            _stages_of_subsets
    Soft-Seq-Elim(S, r, epsilon_l, epsilon_u, delta)      Passes (bandits/parts/matches/passes)
    Prune(S, a, epsilon_l, epsilon_u, delta)              _prune, _is_pruning_over
    comparisons, Algorithms 8 and 9                       _begin_match (compare_3, compare_2)

In Algorithm 11 (medium) all arms are pruned, and the last range begins at 2/3 epsilon, as in its proof: its
listing prints the small subset there, and 1/3 epsilon. Prune ends when a few times 1 / delta arms are left,
and its delta is so small that it removes nothing below some hundred million arms; with fewer arms, Opt-Max
consists of several calls of Soft-Seq-Elim. Given the same random numbers, the pairs equal those of the
literal twin, tests/naive/policies/opt_max.py.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import SMALLEST_DELTA
from rankduel.bandits.parts.matches.match import (
    BETTER,
    UNDECIDED,
    Epsilon,
    arms_of,
    compare_2,
    compare_3,
    is_decided,
    no_match,
    record_duel,
)
from rankduel.bandits.parts.matches.passes import (
    Passes,
    apply_verdict,
    begin_pass,
    challenger_of,
    error_per_match,
    is_pass_complete,
    n_candidates,
    new_passes,
    retain,
)
from rankduel.bandits.parts.picks import shuffle
from rankduel.bandits.parts.survivors import skip_all
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

FEW_ARMS = 16  # with fewer arms the formulas are not defined, and Soft-Seq-Elim is used alone
ARMS_LEFT = 0  # value of Stage.n_arms for the arms that Prune left


class Params(NamedTuple):
    epsilon: Epsilon = 0.05
    delta: Annotated[float, Setting("probability of an error", at_least=SMALLEST_DELTA, at_most=0.5)] = 0.1


class Stage(NamedTuple):
    prune: bool  # Prune; otherwise Soft-Seq-Elim
    n_arms: int  # number of arms, the first ones of `order`, or ARMS_LEFT
    redraw: bool  # draw a new random order before the stage
    lower: float  # epsilon_l
    upper: float  # epsilon_u
    delta: float


class Now(NamedTuple):
    stage: int = 0  # index of the stage
    begun: bool = False  # whether its arms are in the queue
    n_arms: int = 0  # number of arms at the beginning of the stage
    sweep: int = 1  # t of Prune


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    stages: np.recarray  # (stages,), fields of Stage
    order: np.ndarray  # (arms,) int64, random: its first n arms are a random subset
    passes: Passes
    match: np.recarray  # (1,), fields of Match


def init(n_arms, params, rng):
    order = rng.permutation(n_arms)
    stages = _stages_of_opt_max(n_arms, params.epsilon, params.delta)
    return State(
        now=record(Now()),
        stages=np.concatenate([record(stage) for stage in stages]).view(np.recarray),
        order=order,
        passes=new_passes(order),
        match=no_match(),
    )


def _stages_of_opt_max(n: int, epsilon: float, delta: float) -> list[Stage]:
    if n < FEW_ARMS:
        return [_soft_seq_elim(n, 0.0, epsilon, delta)]
    if delta <= n ** (-1 / 3):
        near = _stages_of_near_opt_max(math.ceil(n**0.75), epsilon / 2, delta / 3)
        return [*near, _soft_seq_elim(n, epsilon / 2, epsilon, delta / 3)]
    log_n = math.log(n)
    near = _stages_of_near_opt_max(math.ceil(n / log_n**2), epsilon / 3, delta / 4)
    if delta <= 1 / log_n:
        delta_prune = delta / (4 * log_n**2 * math.log(4 * n / delta))
        prune = Stage(True, n, False, epsilon / 3, 2 * epsilon / 3, delta_prune)
        return [*near, prune, _soft_seq_elim(ARMS_LEFT, 2 * epsilon / 3, epsilon, delta / 4)]
    return near + _stages_of_subsets(n, epsilon, delta)


def _stages_of_near_opt_max(n: int, epsilon: float, delta: float) -> list[Stage]:
    """Return the stages that find a good anchor of the first n arms, beginning with a few of them."""
    few = min(math.ceil(math.sqrt(n * math.log(4 * n / delta))), n)
    return [
        _soft_seq_elim(few, 0.0, epsilon / 2, delta / 4),
        _soft_seq_elim(n, epsilon / 2, epsilon, delta / 2),
    ]


def _stages_of_subsets(n: int, epsilon: float, delta: float) -> list[Stage]:
    """Return the stages of Algorithm 12 (high delta): growing random subsets, the last one of all arms."""
    log_n = math.log(n)
    n_subsets = math.ceil(2 * math.log(log_n) / math.log(1 / delta))
    stages = []
    for to_go in range(n_subsets - 1, -1, -1):
        n_i = math.ceil(max(n / log_n**2, n * delta**to_go))
        upper = epsilon / 3 + 2 * epsilon / 3 / 2 ** (to_go / 3)
        lower = epsilon / 3 + 2 * epsilon / 3 / 2 ** ((to_go + 1) / 3)
        delta_i = delta ** (to_go + 4)
        stages.append(Stage(True, n_i, True, lower, (lower + upper) / 2, delta_i**5 / 3))
        stages.append(_soft_seq_elim(ARMS_LEFT, lower, upper, delta_i / 3))
    return stages


def _soft_seq_elim(n: int, lower: float, upper: float, delta: float) -> Stage:
    return Stage(False, n, False, lower, upper, delta)


@kernel
def select(state, params, rng):
    while not finished(state, params) and not state.now[0].begun:
        _begin_stage(state, rng)
    if finished(state, params):
        anchor = recommend(state, params)
        return anchor, anchor
    if is_decided(state.match):
        _begin_match(state)
    return arms_of(state.match)


@kernel
def update(state, params, first, second, first_won):
    if finished(state, params):
        return
    verdict = record_duel(state.match, first_won)
    if verdict == UNDECIDED:
        return
    if state.stages[state.now[0].stage].prune:
        _prune(state, verdict)
    else:
        apply_verdict(state.passes, verdict)
    _end_stage_if_over(state)


@kernel
def idle(state, params, limit, self_duels, rng):
    return skip_all(recommend(state, params), limit, self_duels) if finished(state, params) else 0


@kernel
def recommend(state, params):
    return state.passes.now[0].anchor


@kernel
def survivors(state, params):
    """Return the number of possible answers: all arms before the last stage, which alone eliminates arms."""
    if finished(state, params):
        return 1
    is_last = state.now[0].stage == len(state.stages) - 1 and state.now[0].begun
    return n_candidates(state.passes) if is_last else len(state.order)


@kernel
def finished(state, params):
    return state.now[0].stage == len(state.stages)


@kernel
def _begin_stage(state, rng):
    now, stage = state.now[0], state.stages[state.now[0].stage]
    if stage.redraw:
        shuffle(state.order, len(state.order), rng)
    if stage.n_arms == ARMS_LEFT:
        now.n_arms = state.passes.now[0].end
    else:
        now.n_arms = stage.n_arms
        _queue_arms(state.passes, state.order[: stage.n_arms])
    now.begun, now.sweep = True, 1
    _end_stage_if_over(state)


@kernel
def _queue_arms(passes, arms):
    """Queue these arms for the anchor, except the anchor itself."""
    now = passes.now[0]
    now.n_retained = now.place = now.end = 0
    for arm in arms:
        if arm != now.anchor:
            retain(passes, arm)
    begin_pass(passes)


@kernel
def _begin_match(state):
    """Begin the comparison of the next arm with the anchor, as the stage requires."""
    now, stage = state.now[0], state.stages[state.now[0].stage]
    challenger, anchor = challenger_of(state.passes), state.passes.now[0].anchor
    if stage.prune:
        delta = stage.delta / 2.0 ** (now.sweep + 1)
        compare_2(state.match, challenger, anchor, stage.lower, stage.upper, delta)
    else:
        delta = error_per_match(stage.delta, now.n_arms)
        compare_3(state.match, challenger, anchor, stage.lower, stage.upper, delta)


@kernel
def _prune(state, verdict):
    """Retain the challenger for the next sweep if it is better than the anchor; remove it otherwise."""
    passes, challenger = state.passes, challenger_of(state.passes)
    passes.now[0].place += 1
    if verdict == BETTER:
        retain(passes, challenger)
    if is_pass_complete(passes):
        begin_pass(passes)
        state.now[0].sweep += 1


@kernel
def _is_pruning_over(state, stage):
    """Return whether a sweep has ended and Prune is left with few arms, or has made enough sweeps."""
    now, passes = state.now[0], state.passes.now[0]
    few = 4.0 * math.log(2.0 * now.n_arms / stage.delta) / stage.delta
    enough = passes.end <= few or now.sweep >= math.log(len(state.order)) ** 2
    return passes.place == 0 and enough


@kernel
def _end_stage_if_over(state):
    now, stage = state.now[0], state.stages[state.now[0].stage]
    if _is_pruning_over(state, stage) if stage.prune else is_pass_complete(state.passes):
        now.stage += 1
        now.begun = False


POLICY = policy_of(
    __name__,
    source="Falahatgar, Jain, Orlitsky, Pichapati, Ravindrakumar 2018 (ICML), Algorithms 2, 10, 11 and 12",
    assumes="moderate stochastic transitivity",
    variants={"published": {}},
)
