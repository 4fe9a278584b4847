"""SAVAGE for Condorcet winners: all pairs in turn; an arm is out at its first confident loss.

Urvoy, Clerot, Feraud and Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013, Algorithm 1
with the test for Condorcet winners.

The pair compared least often is next, the lexicographically first of several. Starting from nothing these are
sweeps through all pairs in lexicographic order, and an arm that leaves only takes its pairs out: those before
the current pair have one duel more than those behind it, whoever is left. So two positions in the list of
arms replace the search, and all duels of a sweep are judged by one barrier.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader_among
from bandits.parts.survivors import last_one_plays_on, remove_at
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

FINITE, INFINITE = range(2)  # choices of `bound`
N_LEFT, ROW, COLUMN, SWEEP = range(4)  # entries of State.now
BARRIER, CONSTANT, SLOPE = range(3)  # entries of State.bound


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    left: np.ndarray  # (arms,) int64: arms not yet out, ascending; the first of them count
    is_left: np.ndarray  # (arms,) bool, the same as flags
    bound: np.ndarray  # (3,) float64: a larger lead decides in this sweep, sqrt(2 n ln(eta(n) / delta));
    # a and b of ln(eta(n) / delta) = a + b ln n
    now: np.ndarray  # (4,) int64: arms left; places in `left` of the next pair; number of the sweep, from 1


class Params(NamedTuple):
    delta: float = 0.0
    bound: str = "finite"
    horizon: int = 0


def init(n_arms, params, rng):
    delta = params.delta or 1.0 / params.horizon
    n_ordered = n_arms * (n_arms - 1)
    if params.bound == FINITE:
        constant, slope = math.log(n_ordered * params.horizon / delta), 0.0
    else:
        constant, slope = math.log(math.pi**2 / 6.0 * n_ordered / delta), 2.0
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        left=np.arange(n_arms),
        is_left=np.ones(n_arms, np.bool_),
        bound=np.array([math.sqrt(2.0 * constant), constant, slope]),
        now=np.array([n_arms, 0, 1, 1]),
    )


@kernel
def select(state, params, rng):
    left, now = state.left, state.now
    if now[N_LEFT] == 1:
        return left[0], left[0]
    return left[now[ROW]], left[now[COLUMN]]


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1
    if state.wins[winner, loser] - state.wins[loser, winner] > state.bound[BARRIER]:
        state.is_left[loser] = False
        _drop(state.left, state.now, ROW if loser == first else COLUMN)
    else:
        state.now[COLUMN] += 1
    _find_next_pair(state.bound, state.now)


@kernel
def idle(state, params, limit, selves, rng):
    return last_one_plays_on(state.left, state.now[N_LEFT], limit, selves)


@kernel
def recommend(state):
    return leader_among(state.wins, state.is_left)


@kernel
def survivors(state):
    return state.now[N_LEFT]


@kernel
def _drop(left, now, side):
    """An arm of the current pair leaves; its place, to be played next, now holds the arm behind it."""
    now[N_LEFT] = remove_at(left, now[N_LEFT], now[side])
    if side == ROW:
        now[COLUMN] = now[ROW] + 1


@kernel
def _find_next_pair(bound, now):
    """Past the end of a row the next one begins, and past the last row a sweep."""
    if now[COLUMN] < now[N_LEFT]:
        return
    now[ROW] += 1
    if now[ROW] >= now[N_LEFT] - 1:
        now[ROW] = 0
        now[SWEEP] += 1
        log_eta = bound[CONSTANT] + bound[SLOPE] * math.log(now[SWEEP])
        bound[BARRIER] = math.sqrt(2.0 * now[SWEEP] * log_eta)
    now[COLUMN] = now[ROW] + 1


POLICY = Policy(
    "savage",
    Params,
    init,
    select,
    update,
    recommend,
    survivors,
    idle,
    about="All pairs in turn; an arm is out at its first confident loss.",
    source="Urvoy, Clerot, Feraud, Naamane 2013 (ICML), Algorithm 1, Condorcet",
    assumes="Condorcet winner",
    settings={
        "delta": Setting("chance of an error; 0: one in `horizon`", at_least=0, at_most=1),
        "bound": Setting(
            "confidence radius made for `horizon` steps, or for any number", choices=("finite", "infinite")
        ),
        "horizon": Setting("steps the error bound is made for; 0: those of the run", at_least=0),
    },
    variants={"paper": {}},
    horizon_when=lambda params: params.bound == "finite" or params.delta == 0.0,
)
