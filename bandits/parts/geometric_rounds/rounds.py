"""Rounds of geometrically growing batches, after which arms are eliminated.

Of B rounds in T duels, the batch of round r compares each of its pairs q_r = floor(q^r) times, q = T^(1/B).
Round B compares even a single pair T times, so B rounds are always enough (Agarwal, Ghuge and Nagarajan,
"Batched Dueling Bandits", ICML 2022).

The functions here take the state of a policy with the fields `agenda`, `rounds` and `room`.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankduel.bandits.agenda import add, clear, is_over, play_one_arm, times_compared
from rankduel.bandits.parts.answers import copeland_leader_among
from rankduel.bandits.parts.relative_entropy import divergence
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

_MOST_COMPARISONS = 1 << 62  # largest number of comparisons in an agenda, which are counted in int64


class Elim(IntEnum):
    """Test that eliminates arms: the KL divergence of the experiments, or Hoeffding's bound."""

    KL = 0
    HOEFFDING = 1


class Threshold(IntEnum):
    """Evidence in nats that eliminates an arm under KL: ln(1 / delta) = ln(T K^2), ln T, or ln(K^2)."""

    DELTA = 0
    HORIZON = 1
    ARMS = 2


Batches = Annotated[
    int,
    Setting(
        "number of rounds B planned for the horizon; 0: its logarithm to base 2, rounded down", at_least=0
    ),
]
ExtraBatches = Annotated[int, Setting("number of rounds in addition to `batches`", at_least=0, at_most=1e9)]
ElimSwitch = Annotated[
    Elim,
    Setting("test that eliminates arms: KL divergence (the experiments) or Hoeffding's bound (the analysis)"),
]
ThresholdSwitch = Annotated[
    Threshold,
    Setting("evidence that eliminates an arm under KL: ln(1 / delta) = ln(T K^2), ln T or ln(K^2)"),
]
PlannedHorizon = Annotated[
    int, Setting("number of steps T that the batches are planned for; 0: those of the run", at_least=0)
]


class RoundsNow(NamedTuple):
    round_number: int = 1  # r
    n_active: int = 0  # number of arms in A
    n_batches: int = 1  # B, computed once
    log_odds: float = 0.0  # threshold: ln(1 / delta), delta the probability of an error of one test


class Rounds(NamedTuple):
    now: np.recarray  # (1,), fields of RoundsNow
    wins: np.ndarray  # (arms, arms) int64: duels that i won against j, in all batches
    active: np.ndarray  # (arms,) bool: the active arms A


class RoundsRoom(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64: duels that i won against j, in one batch or in all duels so far
    marks: np.ndarray  # (arms,) bool: arms that are marked within a call


def n_batches(params: Any) -> int:
    """Return B, at least 1."""
    return max(1, (params.batches or params.horizon.bit_length() - 1) + params.extra)


def first_round(n_arms: int, params: Any, log_odds: float) -> Rounds:
    """Return the rounds before the first batch, with all arms active."""
    now = RoundsNow(n_active=n_arms, n_batches=n_batches(params), log_odds=log_odds)
    return Rounds(
        now=record(now), wins=np.zeros((n_arms, n_arms), np.int64), active=np.ones(n_arms, np.bool_)
    )


def rounds_room(n_arms: int) -> RoundsRoom:
    return RoundsRoom(wins=np.zeros((n_arms, n_arms), np.int64), marks=np.zeros(n_arms, np.bool_))


def n_pairs(n_arms: int) -> int:
    """Return the number of pairs of different arms."""
    return n_arms * (n_arms - 1) // 2


@kernel
def batch_size(rounds, params, r):
    """Return q_r = floor(T^(r / B)), the number of comparisons of each pair in round r."""
    if r >= rounds.now[0].n_batches:
        return params.horizon
    power = math.exp(r * math.log(params.horizon) / rounds.now[0].n_batches)
    return int(power * (1.0 + 1e-14))  # rounding may have left a whole number slightly too small


@kernel
def begin_batch(state, params):
    """Begin the batch of this round, without pairs."""
    size = batch_size(state.rounds, params, state.rounds.now[0].round_number)
    clear(state.agenda, min(size, _MOST_COMPARISONS // len(state.agenda.pairs)))


@kernel
def add_pairs(agenda, arms):
    """Add all pairs of the arms that are marked in `arms`."""
    for first in range(len(arms)):
        for second in range(first + 1, len(arms)):
            if arms[first] and arms[second]:
                add(agenda, first, second)


@kernel
def play_last_arm(state):
    """Let the only active arm duel itself for the remaining steps."""
    for arm in range(len(state.rounds.active)):
        if state.rounds.active[arm]:
            play_one_arm(state.agenda, arm)


@kernel
def record_batch(state):
    """Count the wins of the batch, in `room` by themselves and in `rounds` with those of all batches."""
    state.room.wins[:] = 0
    _add_outcomes(state.agenda, state.room.wins)
    _add_outcomes(state.agenda, state.rounds.wins)


@kernel
def clearly_ahead(params, won, lost, radii, log_odds):
    """Return whether won / n is clearly above 1/2, n = won + lost: by `radii` radii gamma, or by KL."""
    return ahead(params, won, lost, radii, log_odds, log_odds)


@kernel
def ahead(params, won, lost, radii, log_odds, nats):
    """As `clearly_ahead`, with `nats` of evidence under KL; 0 accepts any lead."""
    if params.elim == Elim.KL:
        return divergence(lost, won) > nats
    return ahead_by_radii(won, lost, radii, log_odds)


@kernel
def ahead_by_radii(won, lost, radii, log_odds):
    """Return whether won / n > 1/2 + radii * sqrt(log_odds / (2 n)), n = won + lost."""
    return won - lost > radii * math.sqrt(2.0 * (won + lost) * log_odds)


@kernel
def mark_beaten(state, params, wins):
    """Mark every active arm that another active arm clearly beats, by these wins."""
    marks, active, log_odds = state.room.marks, state.rounds.active, state.rounds.now[0].log_odds
    for arm in range(len(marks)):
        marks[arm] = False
        for other in range(len(marks)):
            if active[arm] and active[other]:
                marks[arm] |= clearly_ahead(params, wins[other, arm], wins[arm, other], 1.0, log_odds)


@kernel
def eliminate_marked(state):
    """Eliminate all marked arms; none, if all active arms are marked."""
    rounds, marks, n_marked = state.rounds, state.room.marks, 0
    for arm in range(len(marks)):
        n_marked += marks[arm] and rounds.active[arm]
    if n_marked < rounds.now[0].n_active:
        for arm in range(len(marks)):
            rounds.active[arm] &= not marks[arm]
        rounds.now[0].n_active -= n_marked


@kernel
def best_of(state, eligible):
    """Return the eligible arm that leads most other arms; an unfinished batch counts."""
    wins, wins_so_far = state.rounds.wins, state.room.wins
    if is_over(state.agenda) or state.rounds.now[0].n_active == 1:
        return copeland_leader_among(wins, eligible)
    for arm in range(len(wins)):
        for other in range(len(wins)):
            wins_so_far[arm, other] = wins[arm, other]
    _add_outcomes(state.agenda, wins_so_far)
    return copeland_leader_among(wins_so_far, eligible)


@kernel
def _add_outcomes(agenda, wins):
    """Add the outcomes of the agenda so far to `wins`."""
    for index in range(agenda.now[0].n_pairs):
        first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
        wins[first, second] += agenda.wins[index]
        wins[second, first] += times_compared(agenda, index) - agenda.wins[index]
