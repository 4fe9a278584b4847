"""Winner stays: duel the two arms with most wins minus losses, preferring the last pair in a tie.

Chen and Frazier, "Dueling Bandits with Weak Regret", ICML 2017, Algorithms 1 (WS-W, for weak regret) and 2
(WS-S, for strong regret). Assumes a Condorcet winner; WS-S also beta below p / (1 - p) for the smallest p
above 1/2.

Let C be the wins minus the losses of an arm. The rule leads to rounds of K - 1 iterations, and only the
current iteration is stored here. At the start of round r all arms but one have C = 1 - r. In each iteration
the incumbent duels another arm until C = -r for one of the two; the other is the next incumbent. The loser of
the last iteration is the first challenger of the next round: all others are tied with it, and the last pair
is preferred. In WS-S the winner of round r duels itself for floor(beta^r) steps.

    Algorithms 1 and 2                                    here
    C_i = 0                                               init
    i, j: the largest C, ties by the last pair            select (_draw_challenger)
    duel; C of winner and loser                           update
    end of an iteration or a round                        _end_iteration
    WS-S: Z(r) against itself, floor(beta^r) times        select, idle
    (not in the paper) arm of the answer                  recommend

Given the same random numbers, the pairs equal those of the literal twin,
tests/naive/policies/winner_stays.py.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.picks import NO_ARM, pick_flagged
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

_MOST_SELF_DUELS = float(1 << 60)  # limit after one round, more than any run has


class Regret(IntEnum):
    """The regret to minimize: weak (WS-W) or strong (WS-S)."""

    WEAK = 0
    STRONG = 1


class Params(NamedTuple):
    regret: Annotated[Regret, Setting("the regret to minimize")] = Regret.WEAK
    beta: Annotated[
        float, Setting("base of the number of self-duels after round r; closer to 1 for many arms", above=1)
    ] = 1.1


class Now(NamedTuple):
    n_unmet: int  # number of marked arms in `unmet`
    first: int = NO_ARM  # arm of the pair that leads, or led before the two were level
    second: int = NO_ARM  # the other arm of the pair; NO_ARM while the challenger is to be drawn
    round_number: int = 1  # r
    winner: int = NO_ARM  # winner of the last round, Z(r - 1)
    n_self_duels: int = 0  # coming steps of `winner` against itself


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    lead: np.ndarray  # (arms,) int64: C, wins - losses
    unmet: np.ndarray  # (arms,) bool: arms that have not been in a pair of this round


def init(n_arms, params, rng):
    return State(
        now=record(Now(n_unmet=n_arms)),
        lead=np.zeros(n_arms, np.int64),
        unmet=np.ones(n_arms, np.bool_),
    )


@kernel
def select(state, params, rng):
    now = state.now[0]
    if now.n_self_duels > 0:
        return now.winner, now.winner
    if now.first == NO_ARM:
        now.first = _draw_challenger(state, rng)
    if now.second == NO_ARM:
        now.second = _draw_challenger(state, rng)
    return now.first, now.second


@kernel
def update(state, params, first, second, first_won):
    now, lead = state.now[0], state.lead
    if first == second:
        now.n_self_duels -= 1
        return
    winner, loser = (first, second) if first_won else (second, first)
    lead[winner] += 1
    lead[loser] -= 1
    if lead[second] > lead[first]:
        now.first, now.second = second, first
    if lead[loser] == -now.round_number:
        _end_iteration(state, params)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip the steps in which the winner of the last round duels itself."""
    now = state.now[0]
    n = min(limit, now.n_self_duels)
    if n > 0:
        self_duels[now.winner] += n
        now.n_self_duels -= n
    return n


@kernel
def recommend(state, params):
    """Return the arm of the largest C for weak regret, and the winner of the last round for strong regret."""
    now = state.now[0]
    return now.winner if params.regret == Regret.STRONG and now.winner != NO_ARM else now.first


@kernel
def _draw_challenger(state, rng):
    """Return a random arm that has not been in a pair of this round."""
    now = state.now[0]
    arm = pick_flagged(state.unmet, now.n_unmet, rng)
    state.unmet[arm] = False
    now.n_unmet -= 1
    return arm


@kernel
def _end_iteration(state, params):
    """End the iteration, won by the first arm of the pair; end the round if no arm is unmet."""
    now, unmet = state.now[0], state.unmet
    if now.n_unmet > 0:
        now.second = NO_ARM
        return
    now.winner = now.first
    if params.regret == Regret.STRONG:
        now.n_self_duels = int(min(params.beta ** float(now.round_number), _MOST_SELF_DUELS))
    now.round_number += 1
    unmet[:] = True
    unmet[now.first] = unmet[now.second] = False
    now.n_unmet = len(unmet) - 2


POLICY = policy_of(
    __name__,
    source="Chen, Frazier 2017 (ICML), Algorithms 1 and 2",
    assumes="Condorcet winner; for strong regret also beta below p / (1 - p) for the smallest p above 1/2",
    variants={"paper": {}, "paper-strong": {"regret": "strong"}},
)
