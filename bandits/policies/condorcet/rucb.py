"""RUCB: duel a potential champion against the arm with the largest upper bound on beating it.

Zoghi, Whiteson, Munos and de Rijke, "Relative Upper Confidence Bound for the K-Armed Dueling Bandit Problem",
ICML 2014, Algorithm 1. Assumes a Condorcet winner: an arm that beats every other with probability above 1/2.

An arm is a potential champion if none of its upper confidence bounds is below 1/2. The champion is drawn from
the potential champions; the hypothesized best arm, the last that was the only one, has probability 1/2.
The challenger is the arm with the largest upper bound on beating the champion, or the champion itself if all
these bounds are below 1/2.

    Algorithm 1   in the thesis (2017)           here
    1, 2          1, 2     W = 0, B = {}         init
    4, 5          5, 6     upper bounds U        update (whether u_ij < 1/2: Beaten; columns: Challengers)
    6             7        C                     _mark_potential_champions
    7-11          8-12     champion c, and B     _choose_champion
    13            14       challenger d          choose_challenger (bandits/parts/ucb_challenger.py)
    14            16       comparison, W         update
    Return        Ensure   arm that beats most   recommend

`idle` is not in the paper: it skips the steps in which the champion is certain to duel itself. Given the same
random numbers, the pairs equal those of the literal twin, tests/naive/policies/rucb.py.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader
from rankduel.bandits.parts.bounds import Beaten, beats_all_until, none_beaten, record_beaten
from rankduel.bandits.parts.common_settings import Alpha, UnvisitedBound
from rankduel.bandits.parts.picks import NO_ARM, pick, pick_flagged
from rankduel.bandits.parts.ucb_challenger import (
    Challengers,
    choose_challenger,
    new_challengers,
    record_rates,
)
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Params(NamedTuple):
    alpha: Alpha = 0.51
    unvisited_u: UnvisitedBound = 2.0
    use_b: Annotated[bool, Setting("prefer the hypothesized best arm, the set B of the paper")] = True


class Now(NamedTuple):
    clock: int = 0  # steps played
    hypothesized_best: int = NO_ARM  # the arm in B, if any


class Room(NamedTuple):
    potential_champion: np.ndarray  # (arms,) bool, C


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    wins: np.ndarray  # (arms, arms) int64, W
    beaten: Beaten
    challengers: Challengers
    room: Room


def init(n_arms, params, rng):
    return State(
        now=record(Now()),
        wins=np.zeros((n_arms, n_arms), np.int64),
        beaten=none_beaten(n_arms),
        challengers=new_challengers(n_arms, params.unvisited_u),
        room=Room(potential_champion=np.zeros(n_arms, np.bool_)),
    )


@kernel
def select(state, params, rng):
    t = state.now[0].clock + 1
    champion = _choose_champion(state, params, t, rng)
    return champion, choose_challenger(state.challengers, state.beaten, champion, params.alpha, t, rng)


@kernel
def update(state, params, first, second, first_won):
    state.now[0].clock += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1
    record_beaten(state.beaten, state.wins, params.alpha, winner, loser)
    record_rates(state.challengers, state.wins, winner, loser)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip steps in which the only potential champion confidently beats all other arms, and duels itself."""
    now = state.now[0]
    t = now.clock + 1
    if _mark_potential_champions(state, t) != 1:
        return 0
    champion = pick_flagged(state.room.potential_champion, 1, rng)
    n = min(limit, beats_all_until(state.beaten, champion) - t)
    if n <= 0:
        return 0
    if params.use_b:
        now.hypothesized_best = champion
    self_duels[champion] += n
    now.clock += n
    return n


@kernel
def recommend(state, params):
    return copeland_leader(state.wins)


@kernel
def _mark_potential_champions(state, t):
    """Mark the arms that no arm confidently beats at step `t`; return how many there are."""
    marks, latest, n = state.room.potential_champion, state.beaten.latest, 0
    for arm in range(len(marks)):
        marks[arm] = latest[arm] <= t
        n += marks[arm]
    return n


@kernel
def _choose_champion(state, params, t, rng):
    """Remove the hypothesized best arm if it is confidently beaten, and return the champion."""
    now, marks = state.now[0], state.room.potential_champion
    n_potential = _mark_potential_champions(state, t)
    if now.hypothesized_best != NO_ARM and not marks[now.hypothesized_best]:
        now.hypothesized_best = NO_ARM
    if n_potential == 0:
        return pick(len(marks), rng)
    if n_potential == 1:
        champion = pick_flagged(marks, 1, rng)
        if params.use_b:
            now.hypothesized_best = champion
        return champion
    if now.hypothesized_best == NO_ARM:
        return pick_flagged(marks, n_potential, rng)
    if rng.random() < 0.5:
        return now.hypothesized_best
    marks[now.hypothesized_best] = False
    return pick_flagged(marks, n_potential - 1, rng)


POLICY = policy_of(
    __name__,
    source="Zoghi, Whiteson, Munos, de Rijke 2014 (ICML), Algorithm 1",
    assumes="Condorcet winner",
    variants={"paper": {}, "rcs-paper": {"alpha": 0.501}, "versatile-paper": {"alpha": 0.6}},
    late_feedback=True,
)
