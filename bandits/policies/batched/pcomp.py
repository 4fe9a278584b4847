"""PCOMP: compare all pairs of active arms in growing batches; eliminate arms that lose clearly.

Agarwal, Ghuge and Nagarajan, "Batched Dueling Bandits", ICML 2022, Algorithm 1. Assumes a Condorcet winner:
an arm that beats every other with probability above 1/2.

A round compares all pairs of active arms equally often, more often from round to round. Afterwards every arm
that another active arm clearly beats is eliminated, by the outcomes of this batch alone. The last active arm
duels itself.

    round r of Algorithm 1                                   here
    active arms A, r = 1                                     init
    one arm left: play it to the end                         play_last_arm (rounds.py)
    compare all pairs of A, c_r times each                   plan_all_pairs (all_pairs.py)
    estimates P of this batch, radius gamma_r                record_batch, ahead_by_radii (rounds.py)
    remove j if P_ij > 1/2 + gamma_r for some i              mark_beaten, eliminate_marked (rounds.py)

The files are in bandits/parts/geometric_rounds. The experiments of the paper use the KL divergence instead of
gamma_r, with a threshold that is negative as printed; all_pairs.py has the readings of it. Single duels equal
those of the literal twin, tests/naive/policies/pcomp.py.
"""

from __future__ import annotations

from typing import NamedTuple

from rankduel.bandits.agenda import Agenda, empty_agenda
from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.geometric_rounds.all_pairs import (
    VARIANTS,
    learn_all_pairs,
    pcomp_log_odds,
    plan_all_pairs,
)
from rankduel.bandits.parts.geometric_rounds.rounds import (
    Batches,
    Elim,
    ElimSwitch,
    ExtraBatches,
    PlannedHorizon,
    Rounds,
    RoundsRoom,
    Threshold,
    ThresholdSwitch,
    best_of,
    first_round,
    n_pairs,
    rounds_room,
)
from rankduel.base.compiling import kernel


class Params(NamedTuple):
    batches: Batches = 0
    extra: ExtraBatches = 0
    elim: ElimSwitch = Elim.KL
    threshold: ThresholdSwitch = Threshold.DELTA
    horizon: PlannedHorizon = 0


class State(NamedTuple):
    agenda: Agenda
    rounds: Rounds
    room: RoundsRoom


def init(n_arms, params, rng):
    return State(
        agenda=empty_agenda(n_pairs(n_arms)),
        rounds=first_round(n_arms, params, pcomp_log_odds(n_arms, params)),
        room=rounds_room(n_arms),
    )


@kernel
def plan(state, params, rng):
    plan_all_pairs(state, params)


@kernel
def learn(state, params):
    learn_all_pairs(state, params)


@kernel
def recommend(state, params):
    return best_of(state, state.rounds.active)


@kernel
def survivors(state, params):
    return state.rounds.now[0].n_active


@kernel
def finished(state, params):
    return state.rounds.now[0].n_active == 1


POLICY = policy_of(
    __name__,
    source="Agarwal, Ghuge, Nagarajan 2022 (ICML), Algorithm 1",
    assumes="Condorcet winner",
    variants=VARIANTS,
)
