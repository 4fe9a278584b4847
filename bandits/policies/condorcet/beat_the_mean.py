"""Beat the Mean: every arm estimates its chance against a random arm, and the worst leaves once it is clear.

Yue and Joachims, "Beat the Mean Bandit", ICML 2011, Algorithms 1 and 2 (online).

The arm with the fewest duels meets a random one, and only its own record is kept. When the worst record is
separated from the best by twice the confidence radius, that arm leaves and all duels against it are
forgotten, so that the others' records are about the arms still in.

A step changes one record, and the arms with the fewest duels are a list that loses one of them. All records
are looked at again only when that list is empty, or when the best or worst arm has moved towards the middle:
some three times in as many steps as there are arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.picks import pick
from bandits.parts.survivors import last_one_plays_on, remove_at
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

INCLUDE_SELF, EXCLUDE_SELF = range(2)  # choices of `opponent`
DUELS, WINS = range(2)  # entries of a record
LOWEST, HIGHEST, WIDTH, RADIUS = range(4)  # entries of State.spread
N_LEFT, N_LEAST, PLACE, COIN, DECIDED = range(5)  # entries of State.now


class State(NamedTuple):
    left: np.ndarray  # (arms,) int64: arms not yet out, ascending; the first of them count
    least: np.ndarray  # (arms,) int64: those of them with the fewest duels, likewise
    record: np.ndarray  # (arms, 2) int64: duels and wins of each arm when it was its turn
    against: np.ndarray  # (arms, arms, 2) int64: the same by opponent
    spread: np.ndarray  # (4,) float64: lowest and highest rate left; radius for the fewest duels, and for one
    now: np.ndarray  # (5,) int64: arms left; arms with the fewest duels; place in `least` of the one that
    # plays; its coin, should it play itself; is the worst to leave?


class Params(NamedTuple):
    gamma: float = 1.3
    f: float = 3.0
    opponent: str = "include_self"
    horizon: int = 0


def init(n_arms, params, rng):
    radius = params.f * params.gamma**2 * math.sqrt(math.log(2 * params.horizon * n_arms))
    return State(
        left=np.arange(n_arms),
        least=np.arange(n_arms),
        record=np.zeros((n_arms, 2), np.int64),
        against=np.zeros((n_arms, n_arms, 2), np.int64),
        spread=np.array([0.5, 0.5, 1.0, radius]),
        now=np.array([n_arms, n_arms, 0, 0, 0]),
    )


@kernel
def select(state, params, rng):
    left, now = state.left, state.now
    if now[DECIDED]:
        _drop_worst(left, state.least, state.record, state.against, state.spread, now, rng)
    if now[N_LEFT] == 1:
        return left[0], left[0]
    now[PLACE] = pick(now[N_LEAST], rng)
    arm = state.least[now[PLACE]]
    if params.opponent == EXCLUDE_SELF:
        place = pick(now[N_LEFT] - 1, rng)
        return arm, left[place if left[place] < arm else place + 1]
    opponent = left[pick(now[N_LEFT], rng)]
    if opponent == arm:
        now[COIN] = rng.random() < 0.5
    return arm, opponent


@kernel
def update(state, first, second, first_won):
    record, spread, now = state.record, state.spread, state.now
    if now[N_LEFT] == 1:
        return
    won = now[COIN] if first == second else int(first_won)
    before = _rate(record, first)
    record[first, DUELS] += 1
    record[first, WINS] += won
    state.against[first, second, DUELS] += 1
    state.against[first, second, WINS] += won
    after = _rate(record, first)
    now[N_LEAST] = remove_at(state.least, now[N_LEAST], now[PLACE])
    receded = (before == spread[LOWEST] and after > before) or (before == spread[HIGHEST] and after < before)
    if receded or now[N_LEAST] == 0:
        _look_at_all(state.left, state.least, record, spread, now)
    else:
        spread[LOWEST] = min(spread[LOWEST], after)
        spread[HIGHEST] = max(spread[HIGHEST], after)
    now[DECIDED] = spread[LOWEST] + spread[WIDTH] <= spread[HIGHEST] - spread[WIDTH]


@kernel
def idle(state, params, limit, selves, rng):
    return last_one_plays_on(state.left, state.now[N_LEFT], limit, selves)


@kernel
def recommend(state):
    """The arm with the best record."""
    best = state.left[0]
    for place in range(1, state.now[N_LEFT]):
        if _rate(state.record, state.left[place]) > _rate(state.record, best):
            best = state.left[place]
    return best


@kernel
def survivors(state):
    return state.now[N_LEFT] - state.now[DECIDED]


@kernel
def _rate(record, arm):
    return record[arm, WINS] / record[arm, DUELS] if record[arm, DUELS] > 0 else 0.5


@kernel
def _look_at_all(left, least, record, spread, now):
    """Find the extreme rates, the arms with the fewest duels, and the radius that these allow."""
    lowest, highest, fewest, n_least = 1.0, 0.0, record[left[0], DUELS], 0
    for place in range(now[N_LEFT]):
        arm = left[place]
        rate, n_duels = _rate(record, arm), record[arm, DUELS]
        lowest = min(lowest, rate)
        highest = max(highest, rate)
        if n_duels < fewest:
            fewest, n_least = n_duels, 0
        if n_duels == fewest:
            least[n_least] = arm
            n_least += 1
    spread[LOWEST], spread[HIGHEST], now[N_LEAST] = lowest, highest, n_least
    spread[WIDTH] = spread[RADIUS] / math.sqrt(fewest) if fewest > 0 else 1.0


@kernel
def _drop_worst(left, least, record, against, spread, now, rng):
    """The arm with the lowest rate leaves, a random one of several; duels against it are forgotten."""
    place = _pick_worst(left, record, spread, now, rng)
    worst = left[place]
    now[N_LEFT], now[DECIDED] = remove_at(left, now[N_LEFT], place), False
    for place in range(now[N_LEFT]):
        arm = left[place]
        record[arm, DUELS] -= against[arm, worst, DUELS]
        record[arm, WINS] -= against[arm, worst, WINS]
    _look_at_all(left, least, record, spread, now)


@kernel
def _pick_worst(left, record, spread, now, rng):
    """The place in `left` of a random arm with the lowest rate."""
    n_tied = 0
    for place in range(now[N_LEFT]):
        n_tied += _rate(record, left[place]) == spread[LOWEST]
    skipped = pick(n_tied, rng)
    for place in range(now[N_LEFT]):
        if _rate(record, left[place]) == spread[LOWEST]:
            if skipped == 0:
                return place
            skipped -= 1
    return -1


POLICY = Policy(
    "beat_the_mean",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    about="Every arm estimates its chance against a random arm; the worst leaves once that is clear.",
    source="Yue, Joachims 2011 (ICML), Algorithms 1 and 2",
    assumes="total order, relaxed stochastic transitivity and a stochastic triangle inequality",
    settings={
        "gamma": Setting("how relaxed the transitivity is; 1: strong", at_least=1),
        "f": Setting("factor of the confidence radius; with gamma=1 theory allows 1", above=0),
        "opponent": Setting(
            "may the random opponent be the arm itself (a fair coin then decides)?",
            choices=("include_self", "exclude_self"),
        ),
        "horizon": Setting("steps the error bound is made for; 0: those of the run", at_least=0),
    },
    variants={"paper": {}, "komiyama": {"gamma": 1.2, "f": 1.0, "opponent": "exclude_self"}},
)
