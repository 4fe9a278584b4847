"""Beat the Mean: estimate how often every arm beats a random arm; remove the worst once that is certain.

Yue and Joachims, "Beat the Mean Bandit", ICML 2011, Algorithms 1 and 2 (online). Assumes a total order of the
arms, relaxed stochastic transitivity and a stochastic triangle inequality.

The arm of the working set W with the fewest duels is compared with a random arm of W, and the outcome counts
for the former only. When the lowest win rate is separated from the highest by twice the confidence radius
c = f gamma^2 sqrt(ln(2 T K) / n), n the fewest duels, its arm is removed from W. All duels against it are
then subtracted, so that the win rates of the other arms are against the arms that remain.

    Algorithm 1                                           here
    W = all arms, n_b = w_b = 0                           init
    b in W with the fewest duels, b' random in W          select
    duel; n_b, w_b                                        update (_record_duel)
    n*, c* and the extreme win rates                      _summarize
    lowest + c* <= highest - c*: remove the worst arm     _remove_worst (_pick_worst)
    and its duels
    arm of the highest win rate                           recommend

A step changes one win rate, and removes one arm from the list of arms with the fewest duels. All arms are
searched again only when that list is empty, or when the lowest win rate has grown or the highest has fallen.
Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/beat_the_mean.py.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.picks import pick
from rankduel.bandits.parts.survivors import remove_at, skip_if_one_left
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Opponent(IntEnum):
    """Whether the random opponent of an arm may be the arm itself."""

    INCLUDE_SELF = 0
    EXCLUDE_SELF = 1


class Params(NamedTuple):
    gamma: Annotated[
        float, Setting("relaxation of the strong stochastic transitivity; 1: none", at_least=1, at_most=1e6)
    ] = 1.3
    f: Annotated[float, Setting("factor of the confidence radius; with gamma=1 theory allows 1", above=0)] = (
        3.0
    )
    opponent: Annotated[
        Opponent,
        Setting("whether the random opponent may be the arm itself, with a random outcome"),
    ] = Opponent.INCLUDE_SELF
    horizon: Annotated[
        int, Setting("number of steps for which the error bound holds; 0: those of the run", at_least=0)
    ] = 0


class Now(NamedTuple):
    n_working: int  # arms in W
    n_fewest: int  # arms in W with the fewest duels
    radius_factor: float  # radius of an arm with one duel, f gamma^2 sqrt(ln(2 T K))
    radius: float = 1.0  # c*
    lowest: float = 0.5  # lowest win rate in W
    highest: float = 0.5  # highest win rate in W
    place: int = 0  # place in `fewest` of the arm that duels
    self_duel_won: bool = False  # outcome if that arm duels itself
    remove_one: bool = False  # the worst arm is to be removed in the next step


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    working: np.ndarray  # (arms,) int64: W in working[:n_working], ascending
    fewest: np.ndarray  # (arms,) int64: the arms of W with the fewest duels in fewest[:n_fewest], ascending
    duels: np.ndarray  # (arms,) int64: n_b, duels of arm b in which it had the fewest duels, against W
    wins: np.ndarray  # (arms,) int64: w_b
    pair_duels: np.ndarray  # (arms, arms) int64: the duels of each arm by opponent
    pair_wins: np.ndarray  # (arms, arms) int64


def init(n_arms, params, rng):
    radius_factor = params.f * params.gamma**2 * math.sqrt(math.log(2 * params.horizon * n_arms))
    return State(
        now=record(Now(n_working=n_arms, n_fewest=n_arms, radius_factor=radius_factor)),
        working=np.arange(n_arms),
        fewest=np.arange(n_arms),
        duels=np.zeros(n_arms, np.int64),
        wins=np.zeros(n_arms, np.int64),
        pair_duels=np.zeros((n_arms, n_arms), np.int64),
        pair_wins=np.zeros((n_arms, n_arms), np.int64),
    )


@kernel
def select(state, params, rng):
    now, working = state.now[0], state.working
    if now.remove_one:
        _remove_worst(state, rng)
    if now.n_working == 1:
        return working[0], working[0]
    now.place = pick(now.n_fewest, rng)
    arm = state.fewest[now.place]
    if params.opponent == Opponent.EXCLUDE_SELF:
        place = pick(now.n_working - 1, rng)
        return arm, working[place if working[place] < arm else place + 1]
    opponent = working[pick(now.n_working, rng)]
    if opponent == arm:
        now.self_duel_won = rng.random() < 0.5
    return arm, opponent


@kernel
def update(state, params, first, second, first_won):
    now = state.now[0]
    if now.n_working == 1:
        return
    before = _win_rate(state, first)
    _record_duel(state, first, second, now.self_duel_won if first == second else first_won)
    after = _win_rate(state, first)
    now.n_fewest = remove_at(state.fewest, now.n_fewest, now.place)
    moved_inwards = (before == now.lowest and after > before) or (before == now.highest and after < before)
    if moved_inwards or now.n_fewest == 0:
        _summarize(state)
    else:
        now.lowest = min(now.lowest, after)
        now.highest = max(now.highest, after)
    now.remove_one = now.lowest + now.radius <= now.highest - now.radius


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip all steps if one arm remains."""
    return skip_if_one_left(state.working, state.now[0].n_working, limit, self_duels)


@kernel
def recommend(state, params):
    best = state.working[0]
    for arm in state.working[1 : state.now[0].n_working]:
        if _win_rate(state, arm) > _win_rate(state, best):
            best = arm
    return best


@kernel
def survivors(state, params):
    return state.now[0].n_working - state.now[0].remove_one


@kernel
def _win_rate(state, arm):
    """Return the share of its duels that the arm won; 1/2 without duels."""
    return state.wins[arm] / state.duels[arm] if state.duels[arm] > 0 else 0.5


@kernel
def _record_duel(state, arm, opponent, won):
    state.duels[arm] += 1
    state.wins[arm] += won
    state.pair_duels[arm, opponent] += 1
    state.pair_wins[arm, opponent] += won


@kernel
def _summarize(state):
    """Find the extreme win rates in W, the arms with the fewest duels, and the radius c*."""
    now, working = state.now[0], state.working
    lowest, highest, fewest_duels, n_fewest = 1.0, 0.0, state.duels[working[0]], 0
    for arm in working[: now.n_working]:
        rate, n_duels = _win_rate(state, arm), state.duels[arm]
        lowest = min(lowest, rate)
        highest = max(highest, rate)
        if n_duels < fewest_duels:
            fewest_duels, n_fewest = n_duels, 0
        if n_duels == fewest_duels:
            state.fewest[n_fewest] = arm
            n_fewest += 1
    now.lowest, now.highest, now.n_fewest = lowest, highest, n_fewest
    now.radius = now.radius_factor / math.sqrt(fewest_duels) if fewest_duels > 0 else 1.0


@kernel
def _remove_worst(state, rng):
    """Remove an arm with the lowest win rate from W, and all duels against it."""
    now, working = state.now[0], state.working
    place = _pick_worst(state, rng)
    worst = working[place]
    now.n_working = remove_at(working, now.n_working, place)
    now.remove_one = False
    for arm in working[: now.n_working]:
        state.duels[arm] -= state.pair_duels[arm, worst]
        state.wins[arm] -= state.pair_wins[arm, worst]
    _summarize(state)


@kernel
def _pick_worst(state, rng):
    """Return the place in `working` of a random arm with the lowest win rate."""
    now, n_tied = state.now[0], 0
    for arm in state.working[: now.n_working]:
        n_tied += _win_rate(state, arm) == now.lowest
    skipped = pick(n_tied, rng)
    for place in range(now.n_working):
        if _win_rate(state, state.working[place]) == now.lowest:
            if skipped == 0:
                return place
            skipped -= 1
    return -1


POLICY = policy_of(
    __name__,
    source="Yue, Joachims 2011 (ICML), Algorithms 1 and 2",
    assumes="total order, relaxed stochastic transitivity and a stochastic triangle inequality",
    variants={"paper": {}, "komiyama": {"gamma": 1.2, "f": 1.0, "opponent": "exclude_self"}},
)
