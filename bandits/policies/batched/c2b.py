"""C2B: in growing batches, compare arms that the candidate defeats with it only, and other arms with all.

Agarwal, Ghuge and Nagarajan, "An Asymptotically Optimal Batched Algorithm for the Dueling Bandit Problem",
NeurIPS 2022, Algorithm 1, "Catching the Condorcet winner in batches". Assumes a Condorcet winner: an arm that
beats every other with probability above 1/2.

The candidate of a round is the active arm that defeats most others, with a confidence that grows from round
to round; ties are broken at random. Arms that it defeats are compared with it only, other arms with all
active arms. Once the Condorcet winner is the candidate and defeats all arms, a round has K - 1 pairs.

    Algorithm 1                                              here
    2      active arms A, r = 1                              init
    4      one arm left: play it to the end                  play_last_arm (rounds.py)
    5      D_r(i), the arms that i defeats                   _defeats, _count_defeated (|D_r(i)|)
    6      candidate i_r                                     _mark_candidates, _choose_candidate
    7-11   comparisons, q_r times each                       _add_comparisons, begin_batch (rounds.py)
    12     estimates p(r)                                    record_batch (rounds.py)
    13     p_ij(r) > 1/2 + gamma_ij(r)                       mark_beaten (rounds.py)
           Section 4: I_i(r) - I*(r) > log T + f(K)          _mark_by_divergence
    14     A = A \\ {j}                                       eliminate_marked (rounds.py)
    15     r = r + 1                                         learn

rounds.py is in bandits/parts/geometric_rounds. Line 5 is evaluated at the end of the previous round. A pair
that lines 7-11 yield for both of its arms is compared q_r times, and not twice as often. Single duels equal
those of the literal twin, tests/naive/policies/c2b.py.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.agenda import Agenda, add, empty_agenda
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.geometric_rounds.rounds import (
    Batches,
    Elim,
    ElimSwitch,
    ExtraBatches,
    PlannedHorizon,
    Rounds,
    RoundsRoom,
    ahead_by_radii,
    batch_size,
    begin_batch,
    best_of,
    eliminate_marked,
    first_round,
    mark_beaten,
    n_batches,
    n_pairs,
    play_last_arm,
    record_batch,
    rounds_room,
)
from rankduel.bandits.parts.picks import pick_flagged
from rankduel.bandits.parts.relative_entropy import divergence
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting


class Params(NamedTuple):
    batches: Batches = 0
    extra: ExtraBatches = 0
    elim: ElimSwitch = Elim.KL
    c_scale: Annotated[
        float, Setting("factor of the radius c beyond which an arm is defeated", at_least=0)
    ] = 1.0
    horizon: PlannedHorizon = 0


class Now(NamedTuple):
    log_of_c: float = 0.0  # ln(2 K^2 q_(r-1)) of the radius c(r-1); 0 before the first batch


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    agenda: Agenda
    rounds: Rounds
    n_defeated: np.ndarray  # (arms,) int64: |D_r(i)|
    room: RoundsRoom


def init(n_arms, params, rng):
    if params.elim == Elim.KL:
        log_odds = math.log(params.horizon) + 0.3 * n_arms**1.01
    else:
        log_odds = math.log(n_arms**2 * n_batches(params) * params.horizon)
    return State(
        now=record(Now()),
        agenda=empty_agenda(n_pairs(n_arms)),
        rounds=first_round(n_arms, params, log_odds),
        n_defeated=np.zeros(n_arms, np.int64),
        room=rounds_room(n_arms),
    )


@kernel
def plan(state, params, rng):
    if state.rounds.now[0].n_active == 1:
        play_last_arm(state)
        return
    candidate = _choose_candidate(state, rng)
    begin_batch(state, params)
    _add_comparisons(state, params, candidate)


@kernel
def learn(state, params):
    record_batch(state)
    if params.elim == Elim.KL:
        _mark_by_divergence(state)
    else:
        mark_beaten(state, params, state.rounds.wins)
    eliminate_marked(state)
    _count_defeated(state, params)
    state.rounds.now[0].round_number += 1


@kernel
def recommend(state, params):
    """Return the arm that leads most others, of the arms that could be the candidate."""
    _mark_candidates(state)
    return best_of(state, state.room.marks)


@kernel
def survivors(state, params):
    return state.rounds.now[0].n_active


@kernel
def finished(state, params):
    return state.rounds.now[0].n_active == 1


@kernel
def _defeats(state, params, arm, other):
    """Line 5: return whether `other` is in D_r(arm): p > 1/2 + c, c = sqrt(2 ln(2 K^2 q_(r-1)) / N)."""
    wins = state.rounds.wins
    return ahead_by_radii(wins[arm, other], wins[other, arm], 2.0 * params.c_scale, state.now[0].log_of_c)


@kernel
def _count_defeated(state, params):
    """Count the active arms that each active arm defeats, with the radius c of the round that ends."""
    rounds, n_arms = state.rounds, len(state.n_defeated)
    size = batch_size(rounds, params, rounds.now[0].round_number)
    state.now[0].log_of_c = math.log(2.0 * n_arms**2 * size)
    for arm in range(n_arms):
        state.n_defeated[arm] = 0
        for other in range(n_arms):
            if rounds.active[arm] and rounds.active[other]:
                state.n_defeated[arm] += _defeats(state, params, arm, other)


@kernel
def _mark_candidates(state):
    """Mark the active arms that defeat most others; return how many there are."""
    active, n_defeated, marks = state.rounds.active, state.n_defeated, state.room.marks
    most = n = 0
    for arm in range(len(active)):
        if active[arm]:
            most = max(most, n_defeated[arm])
    for arm in range(len(active)):
        marks[arm] = active[arm] and n_defeated[arm] == most
        n += marks[arm]
    return n


@kernel
def _choose_candidate(state, rng):
    """Line 6: draw the candidate i_r from the active arms that defeat most others."""
    n = _mark_candidates(state)
    return pick_flagged(state.room.marks, n, rng)


@kernel
def _add_comparisons(state, params, candidate):
    """Lines 7-11: add each pair of active arms with the candidate, or with an arm that it does not defeat."""
    active, compared_with_all = state.rounds.active, state.room.marks
    for arm in range(len(active)):
        compared_with_all[arm] = arm == candidate or not _defeats(state, params, candidate, arm)
    for first in range(len(active)):
        for second in range(first + 1, len(active)):
            if active[first] and active[second] and (compared_with_all[first] or compared_with_all[second]):
                add(state.agenda, first, second)


@kernel
def _mark_by_divergence(state):
    """Section 4: mark the arms with I_i - I* > ln T + f(K), except the active arm with the smallest I_i."""
    wins, active, marks = state.rounds.wins, state.rounds.active, state.room.marks
    smallest = smallest_of_active = math.inf
    best = 0
    for arm in range(len(wins)):
        total = _total_divergence(wins, arm)
        smallest = min(smallest, total)
        if active[arm] and total < smallest_of_active:
            best, smallest_of_active = arm, total
    for arm in range(len(wins)):
        marks[arm] = _total_divergence(wins, arm) - smallest > state.rounds.now[0].log_odds
    marks[best] = False


@kernel
def _total_divergence(wins, arm):
    """Return I_i, the sum of N_ij d(p_ij, 1/2) over all arms j with p_ij < 1/2, also eliminated ones."""
    total = 0.0
    for other in range(len(wins)):
        total += divergence(wins[arm, other], wins[other, arm])
    return total


POLICY = policy_of(
    __name__,
    source="Agarwal, Ghuge, Nagarajan 2022 (NeurIPS), Algorithm 1",
    assumes="Condorcet winner",
    variants={
        "published": {"elim": "kl"},
        "published-6": {"elim": "kl", "extra": 6},
        "theory": {"elim": "hoeffding"},
    },
)
