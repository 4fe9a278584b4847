"""Opt-Max: find a good anchor among few arms, then hold it against all.

Falahatgar, Jain, Orlitsky, Pichapati and Ravindrakumar, "The Limits of Maxing, Ranking, and Preference
Learning", ICML 2018, Algorithms 2 (Near-Opt-Max) and 10 to 12 (low, medium and high delta).

Everything is a sequence of two procedures, Soft-Seq-Elim (bandits/policies/best_item/soft_seq_eliminate.py)
and Prune, each with the anchor that the one before it returned; which ones, depends on the number of arms,
epsilon and delta only. In Algorithm 11 (medium) we prune all arms, and end with the range from 2/3 epsilon,
as its proof does: its listing prints the small subset there, and 1/3 epsilon.

Prune stops by itself once a few times 1 / delta arms are left, with a delta so small that it has nothing to
do below some hundred million arms: until then, Opt-Max is several times Soft-Seq-Elim.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.matches.match import (
    BETTER,
    SETTINGS,
    UNDECIDED,
    Match,
    compare_2,
    compare_3,
    is_over,
    no_match,
    outcome,
    pair,
)
from bandits.parts.matches.passes import (
    ANCHOR,
    END,
    N_STAYED,
    PLACE,
    Passes,
    is_last_pass_over,
    judge,
    n_in,
    share_of_error,
    start_over,
    stay,
)
from bandits.parts.picks import shuffle
from bandits.parts.survivors import plays_on
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

FEW = 16  # with fewer arms the formulas make no sense: Soft-Seq-Elim alone

SOFT, PRUNE = range(2)
KIND, SIZE, REDRAW, LOWER, UPPER, DELTA = range(6)  # columns of State.stages
WHO_IS_LEFT = 0  # instead of a SIZE: the arms that Prune left
STAGE, BEGUN, N_ARMS, SWEEP = range(4)  # entries of State.now

Stage = tuple[int, int, bool, float, float, float]  # a row of State.stages


class State(NamedTuple):
    stages: np.ndarray  # (stages, 6) float64: Soft or Prune; of how many arms, newly drawn? epsilons; delta
    order: np.ndarray  # (arms,) int64, random: a subset is the first so many of it
    passes: Passes
    match: Match
    now: np.ndarray  # (4,) int64: the stage, has it begun, with how many arms; the sweep of Prune, from 1


class Params(NamedTuple):
    epsilon: float = 0.05
    delta: float = 0.1


def init(n_arms, params, rng):
    order = rng.permutation(n_arms)
    return State(
        stages=np.array(_opt_max(n_arms, params.epsilon, params.delta), np.float64),
        order=order,
        passes=Passes(np.zeros(n_arms, np.int64), np.array([order[0], 0, 0, 0])),
        match=no_match(),
        now=np.zeros(4, np.int64),
    )


def _opt_max(n: int, epsilon: float, delta: float) -> list[Stage]:
    if n < FEW:
        return [_soft(n, 0.0, epsilon, delta)]
    if delta <= n ** (-1 / 3):
        near = _near_opt_max(math.ceil(n**0.75), epsilon / 2, delta / 3)
        return [*near, _soft(n, epsilon / 2, epsilon, delta / 3)]
    log_n = math.log(n)
    near = _near_opt_max(math.ceil(n / log_n**2), epsilon / 3, delta / 4)
    if delta <= 1 / log_n:
        delta_prune = delta / (4 * log_n**2 * math.log(4 * n / delta))
        prune = (PRUNE, n, False, epsilon / 3, 2 * epsilon / 3, delta_prune)
        return [*near, prune, _soft(WHO_IS_LEFT, 2 * epsilon / 3, epsilon, delta / 4)]
    return near + _growing_subsets(n, epsilon, delta)


def _near_opt_max(n: int, epsilon: float, delta: float) -> list[Stage]:
    """A good anchor of the first n arms, found among the first few of them."""
    few = min(math.ceil(math.sqrt(n * math.log(4 * n / delta))), n)
    return [_soft(few, 0.0, epsilon / 2, delta / 4), _soft(n, epsilon / 2, epsilon, delta / 2)]


def _growing_subsets(n: int, epsilon: float, delta: float) -> list[Stage]:
    """With a high delta: ever larger random subsets, the last of which is everybody."""
    log_n = math.log(n)
    n_subsets = math.ceil(2 * math.log(log_n) / math.log(1 / delta))
    stages = []
    for to_go in range(n_subsets - 1, -1, -1):
        size = math.ceil(max(n / log_n**2, n * delta**to_go))
        upper = epsilon / 3 + 2 * epsilon / 3 / 2 ** (to_go / 3)
        lower = epsilon / 3 + 2 * epsilon / 3 / 2 ** ((to_go + 1) / 3)
        delta_i = delta ** (to_go + 4)
        stages.append((PRUNE, size, True, lower, (lower + upper) / 2, delta_i**5 / 3))
        stages.append(_soft(WHO_IS_LEFT, lower, upper, delta_i / 3))
    return stages


def _soft(n: int, lower: float, upper: float, delta: float) -> Stage:
    return SOFT, n, False, lower, upper, delta


@kernel
def select(state, params, rng):
    now, anchor = state.now, state.passes.now[ANCHOR]
    while not finished(state) and not now[BEGUN]:
        _begin_stage(state, rng)
    if finished(state):
        return anchor, anchor
    if is_over(state.match):
        stage, challenger = state.stages[now[STAGE]], state.passes.queue[state.passes.now[PLACE]]
        if stage[KIND] == SOFT:
            delta = share_of_error(stage[DELTA], now[N_ARMS])
            compare_3(state.match, challenger, anchor, stage[LOWER], stage[UPPER], delta)
        else:
            delta = stage[DELTA] / 2.0 ** (now[SWEEP] + 1)
            compare_2(state.match, challenger, anchor, stage[LOWER], stage[UPPER], delta)
    return pair(state.match)


@kernel
def update(state, first, second, first_won):
    if finished(state):
        return
    verdict = outcome(state.match, first_won)
    if verdict == UNDECIDED:
        return
    if state.stages[state.now[STAGE], KIND] == SOFT:
        judge(state.passes, verdict)
    else:
        _prune(state.passes, state.now, first, verdict)
    _end_stage_if_over(state)


@kernel
def idle(state, params, limit, selves, rng):
    return plays_on(state.passes.now[ANCHOR], limit, selves) if finished(state) else 0


@kernel
def recommend(state):
    return state.passes.now[ANCHOR]


@kernel
def survivors(state):
    """Only the last stage gives up arms for good: before it, they were given up as anchors of a subset."""
    if finished(state):
        return 1
    is_last = state.now[STAGE] == len(state.stages) - 1 and state.now[BEGUN]
    return n_in(state.passes) if is_last else len(state.order)


@kernel
def finished(state):
    return state.now[STAGE] == len(state.stages)


@kernel
def _begin_stage(state, rng):
    stage, order, passes, now = state.stages[state.now[STAGE]], state.order, state.passes, state.now
    if stage[REDRAW]:
        shuffle(order, len(order), rng)
    if stage[SIZE] == WHO_IS_LEFT:
        now[N_ARMS] = passes.now[END]
    else:
        now[N_ARMS] = int(stage[SIZE])
        _line_up(passes, order[: now[N_ARMS]])
    now[BEGUN], now[SWEEP] = 1, 1
    _end_stage_if_over(state)


@kernel
def _line_up(passes, arms):
    """These arms are to meet the anchor, except itself."""
    passes.now[N_STAYED] = passes.now[PLACE] = passes.now[END] = 0
    for arm in arms:
        if arm != passes.now[ANCHOR]:
            stay(passes, arm)
    start_over(passes)


@kernel
def _prune(passes, now, challenger, verdict):
    """Only who is better than the anchor stays, and meets it again in the next sweep, if there is one."""
    passes.now[PLACE] += 1
    if verdict == BETTER:
        stay(passes, challenger)
    if passes.now[PLACE] == passes.now[END]:
        start_over(passes)
        now[SWEEP] += 1


@kernel
def _end_stage_if_over(state):
    stage, passes, now = state.stages[state.now[STAGE]], state.passes, state.now
    if stage[KIND] == SOFT:
        over = is_last_pass_over(passes)
    else:
        few = 4.0 * math.log(2.0 * now[N_ARMS] / stage[DELTA]) / stage[DELTA]
        enough = passes.now[END] <= few or now[SWEEP] >= math.log(len(state.order)) ** 2
        over = passes.now[PLACE] == 0 and enough
    if over:
        now[STAGE] += 1
        now[BEGUN] = 0


POLICY = Policy(
    "opt_max",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    finished=finished,
    about="Find a good anchor among few arms, then hold it against all.",
    source="Falahatgar, Jain, Orlitsky, Pichapati, Ravindrakumar 2018 (ICML), Algorithms 2, 10, 11 and 12",
    assumes="moderate stochastic transitivity",
    settings={**SETTINGS, "delta": Setting("chance of an error", above=0, at_most=0.5)},
    variants={"published": {}},
)
