"""SEEBS: find the exact best arm by tournaments that become more and more exact.

Ren, Liu and Shroff, "The Sample Complexity of Best-k Items Selection from Pairwise Comparisons", ICML 2020,
Sequential-Elimination-Exact-Best-Selection. Assumes strong stochastic transitivity, a stochastic triangle
inequality, and that no arm ties with the best.

In round t a tournament with k = 1 (bandits/parts/matches/tournament) finds a winner among the arms left,
right within a third of alpha_t = 2^-t. Then every other arm has a match with the winner, and arms that are
clearly worse are eliminated. The algorithm ends when one arm is left; if two arms are the best it never does,
so a budget is needed.

    the paper                                                         here
    R, and t = 1                                                      init
    alpha_t = 2^-t, delta_t = 6 delta / (pi t)^2                      _begin_match
    v = Tournament-k-Selection(R, 1, alpha_t / 3, 2 delta_t / 3)      _begin_match, restart_tournament
    Distribute-Item(i, v, alpha_t / 3, 0, alpha_t / 3, delta_t / 3)   _begin_match
    remove the arms of Down from R; t + 1                             _record_challenge, _find_challenger
    |R| = 1                                                           finished

Given the same random numbers, the pairs equal those of the literal twin, tests/naive/policies/seebs.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import Delta
from rankduel.bandits.parts.matches.match import (
    UNDECIDED,
    WORSE,
    arms_of,
    distribute_item,
    is_decided,
    record_duel,
)
from rankduel.bandits.parts.matches.tournament import (
    Tournament,
    begin_next_match,
    has_selected,
    most_successful,
    new_tournament,
    record_tournament_duel,
    restart_tournament,
)
from rankduel.bandits.parts.picks import NO_ARM
from rankduel.bandits.parts.survivors import skip_all
from rankduel.base.compiling import kernel, record

ONE = 1  # value of k in the tournaments


class Params(NamedTuple):
    delta: Delta = 0.1


class Now(NamedTuple):
    round_number: int = 1  # t
    winner: int = NO_ARM  # v, the winner of the last tournament
    n_left: int = 0  # arms that entered the round, |R|
    n_retained: int = 0  # arms that are not eliminated after their match with the winner
    turn: int = 0  # place in `left` of the arm that duels the winner


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    left: np.ndarray  # (arms,) int64, R: retained arms; from `turn` to `n_left` arms to come
    tournament: Tournament  # its field `match` is used for matches with the winner as well


def init(n_arms, params, rng):
    return State(
        now=record(Now(n_left=n_arms)),
        left=np.arange(n_arms),
        tournament=new_tournament(n_arms, ONE),
    )


@kernel
def select(state, params, rng):
    if finished(state, params):
        winner = state.now[0].winner
        return winner, winner
    if is_decided(state.tournament.match):
        _begin_match(state, params, rng)
    return arms_of(state.tournament.match)


@kernel
def update(state, params, first, second, first_won):
    if finished(state, params):
        return
    if has_selected(state.tournament, ONE):
        _record_challenge(state, first_won)
        return
    record_tournament_duel(state.tournament, first, second, first_won)
    if has_selected(state.tournament, ONE):
        state.now[0].winner = most_successful(state.tournament)
        _find_challenger(state)


@kernel
def idle(state, params, limit, self_duels, rng):
    return skip_all(state.now[0].winner, limit, self_duels) if finished(state, params) else 0


@kernel
def recommend(state, params):
    winner = state.now[0].winner
    return most_successful(state.tournament) if winner == NO_ARM else winner


@kernel
def survivors(state, params):
    now = state.now[0]
    return now.n_retained + now.n_left - now.turn


@kernel
def finished(state, params):
    return state.now[0].n_left == 1


@kernel
def _begin_match(state, params, rng):
    """Begin the next match of the tournament, or that of the next arm and the winner."""
    now, tournament = state.now[0], state.tournament
    alpha = 0.5**now.round_number
    delta = 6.0 * params.delta / (math.pi * math.pi * now.round_number * now.round_number)
    if has_selected(tournament, ONE):
        arm, winner = state.left[now.turn], now.winner
        distribute_item(tournament.match, arm, winner, alpha / 3.0, 0.0, alpha / 3.0, delta / 3.0)
    else:
        begin_next_match(tournament, ONE, alpha / 3.0, 2.0 * delta / 3.0, rng)


@kernel
def _record_challenge(state, first_won):
    """Record a duel of an arm and the winner; if it decides their match, retain or eliminate the arm."""
    verdict = record_duel(state.tournament.match, first_won)
    if verdict == UNDECIDED:
        return
    if verdict != WORSE:
        _retain(state)
    state.now[0].turn += 1
    _find_challenger(state)


@kernel
def _retain(state):
    """Move the arm of this turn to the front of `left`."""
    now = state.now[0]
    state.left[now.n_retained] = state.left[now.turn]
    now.n_retained += 1


@kernel
def _find_challenger(state):
    """Skip the winner itself; begin the next round if all other arms had a match with it."""
    now, left = state.now[0], state.left
    if now.turn < now.n_left and left[now.turn] == now.winner:
        _retain(state)
        now.turn += 1
    if now.turn == now.n_left:
        now.n_left, now.n_retained, now.turn = now.n_retained, 0, 0
        now.round_number += 1
        restart_tournament(state.tournament, left, now.n_left)


POLICY = policy_of(
    __name__,
    source="Ren, Liu, Shroff 2020 (ICML), Sequential-Elimination-Exact-Best-Selection",
    assumes="strong stochastic transitivity and a stochastic triangle inequality; no arm ties with the best",
)
