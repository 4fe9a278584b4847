"""RUCB, relative upper confidence bound: an optimistic champion meets its most dangerous challenger.

Zoghi, Whiteson, Munos and de Rijke, "Relative Upper Confidence Bound for the K-Armed Dueling Bandit Problem",
ICML 2014, Algorithm 1 (Algorithm 2 of Zoghi's thesis, 2017).

An arm is a candidate while nobody confidently beats it. The champion is a random candidate, with a preference
for the one that was last alone; the challenger has the largest upper bound against it. A champion that
confidently beats everybody plays itself, until a step that is known in advance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader
from bandits.parts.bounds import all_beaten_until, beaten_until, set_beaten_until
from bandits.parts.picks import NO_ARM, pick, pick_flagged
from bandits.parts.ucb_challenger import Challengers, new_challengers, note_rates, strongest_challenger
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

CLOCK, FAVOURITE = 0, 1  # entries of State.now


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    until: np.ndarray  # (arms, arms) int64: arm i is beaten by j before step until[i, j]
    latest: np.ndarray  # (arms,) int64: largest of each row of `until`
    challengers: Challengers
    candidate: np.ndarray  # (arms,) bool, as of the last look
    alpha: np.ndarray  # (1,) float64
    now: np.ndarray  # (2,) int64: steps played; the last sole candidate while it is one, or NO_ARM


class Params(NamedTuple):
    alpha: float = 0.51
    unvisited_u: float = 2.0
    use_b: bool = True


def init(n_arms, params, rng):
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        until=np.zeros((n_arms, n_arms), np.int64),
        latest=np.zeros(n_arms, np.int64),
        challengers=new_challengers(n_arms, params.unvisited_u),
        candidate=np.zeros(n_arms, np.bool_),
        alpha=np.array([params.alpha]),
        now=np.array([0, NO_ARM]),
    )


@kernel
def select(state, params, rng):
    t = state.now[CLOCK] + 1
    champion = _champion(state, params, t, rng)
    if all_beaten_until(state.until[:, champion], champion) > t:
        return champion, champion
    scale = math.sqrt(params.alpha * math.log(t))
    return champion, strongest_challenger(state.challengers, champion, scale, rng)


@kernel
def update(state, first, second, first_won):
    state.now[CLOCK] += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1
    won, lost = state.wins[winner, loser], state.wins[loser, winner]
    alpha = state.alpha[0]
    set_beaten_until(state.until, state.latest, winner, loser, beaten_until(won, lost, alpha, 0.0))
    set_beaten_until(state.until, state.latest, loser, winner, beaten_until(lost, won, alpha, 0.0))
    note_rates(state.challengers, state.wins, first, second)


@kernel
def idle(state, params, limit, selves, rng):
    """A sole candidate that confidently beats everybody plays itself until that ceases to be known."""
    t = state.now[CLOCK] + 1
    if _find_candidates(state.latest, state.candidate, t) != 1:
        return 0
    champion = pick_flagged(state.candidate, 1, rng)
    n = min(limit, all_beaten_until(state.until[:, champion], champion) - t)
    if n <= 0:
        return 0
    if params.use_b:
        state.now[FAVOURITE] = champion
    selves[champion] += n
    state.now[CLOCK] += n
    return n


@kernel
def recommend(state):
    return leader(state.wins)


@kernel
def _champion(state, params, t, rng):
    n_candidates = _find_candidates(state.latest, state.candidate, t)
    favourite = state.now[FAVOURITE]
    if favourite != NO_ARM and not state.candidate[favourite]:
        favourite = NO_ARM
    state.now[FAVOURITE] = favourite
    if n_candidates == 0:
        return pick(len(state.wins), rng)
    if n_candidates == 1:
        champion = pick_flagged(state.candidate, 1, rng)
        if params.use_b:
            state.now[FAVOURITE] = champion
        return champion
    if favourite == NO_ARM:
        return pick_flagged(state.candidate, n_candidates, rng)
    if rng.random() < 0.5:
        return favourite
    state.candidate[favourite] = False
    return pick_flagged(state.candidate, n_candidates - 1, rng)


@kernel
def _find_candidates(latest, candidate, t):
    """Flag the arms nobody confidently beats at step t; returns how many they are."""
    n = 0
    for arm in range(len(latest)):
        candidate[arm] = latest[arm] <= t
        n += candidate[arm]
    return n


POLICY = Policy(
    "rucb",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    late=True,
    about="An optimistic champion meets the challenger with the largest upper bound.",
    source="Zoghi, Whiteson, Munos, de Rijke 2014 (ICML), Algorithm 1",
    assumes="Condorcet winner",
    settings={
        "alpha": Setting("width of the confidence bounds; theory wants it above 1/2", above=0),
        "unvisited_u": Setting("upper bound of a pair never compared: 1, 2 (literal) or inf", at_least=1),
        "use_b": Setting("remember the last sole candidate, and prefer it"),
    },
    variants={"paper": {}, "rcs-paper": {"alpha": 0.501}, "versatile-paper": {"alpha": 0.6}},
)
