"""PBR-SE: duel all open pairs once per round until mean win rates single out the best arms (Borda).

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013: preference-based racing (PBR) with the sampling strategy for the sum of expectations.
Assumes a Borda winner.

The interval of an arm is the sum of the intervals of its pairs with the other undecided arms. An arm is
selected for the kappa best if enough intervals lie below its own, and discarded if enough lie above; all its
pairs are then removed, and no longer count for the other arms. The last two arms are therefore decided by
their own duels, whose winner need not have the largest mean rate.

    step of a round                                          here
    sample every active pair                                 select, record_sample (preference_racing.py)
    bounds l_i and u_i over the undecided arms G             _sum_leads
    selected and discarded arms                              _select_and_discard
    deactivate pairs of decided arms; stop at n_max          _close_pairs, end_round (preference_racing.py)
    answer: kappa arms with the best mean rates              answers

preference_racing.py is in bandits/parts/racing. Undecided arms have had equally many duels, so their
intervals are equally wide: one sum of leads has to exceed another by 2 (k - 1) sqrt(2 n L), with k undecided
arms, n duels of each pair and L of the radius. `idle` is not in the paper: it skips the self-duels after the
end. The pairs equal those of the literal twin, tests/naive/policies/pbr_borda.py.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import DeltaOrHorizon, ErrorHorizon
from rankduel.bandits.parts.racing.preference_racing import (
    Kappa,
    MostSamples,
    Ordered,
    Rules,
    RulesSwitch,
    Samples,
    end_round,
    extra_comparisons,
    no_samples,
    pbr_log_term,
    pbr_uses_horizon,
    record_sample,
    win_rate,
)
from rankduel.bandits.parts.racing.race import (
    Race,
    is_race_over,
    is_round_over,
    new_race,
    next_pair,
    skip_after_race,
)
from rankduel.bandits.parts.racing.ranking import RankingRoom, mark_top, rank_arms, ranking_room
from rankduel.base.compiling import kernel


class Status(IntEnum):
    """Whether an arm is known to be among the kappa best."""

    UNDECIDED = 0
    SELECTED = 1
    DISCARDED = 2


class Params(NamedTuple):
    kappa: Kappa = 1
    n_max: MostSamples = 0
    delta: DeltaOrHorizon = 0.0
    ordered: Ordered = False
    rules: RulesSwitch = Rules.LITERAL
    horizon: ErrorHorizon = 0


class Room(NamedTuple):
    lead: np.ndarray  # (arms,) int64: sum of the leads of an arm over the undecided arms
    ranking: RankingRoom  # score: mean win rate, with selected arms above and discarded arms below all others


class State(NamedTuple):
    samples: Samples
    status: np.ndarray  # (arms,) int64: members of Status
    race: Race  # settled: arms that are selected or discarded
    tie_order: np.ndarray  # (arms,) int64: random order of the arms, which breaks ties
    room: Room


def init(n_arms, params, rng):
    return State(
        samples=no_samples(n_arms, params),
        status=np.full(n_arms, int(Status.UNDECIDED)),
        race=new_race(n_arms, pbr_log_term(n_arms, params), params.ordered),
        tie_order=rng.permutation(n_arms),
        room=Room(lead=np.zeros(n_arms, np.int64), ranking=ranking_room(n_arms)),
    )


def needs_horizon(params: Params) -> bool:
    return pbr_uses_horizon(params)


@kernel
def select(state, params, rng):
    return next_pair(state.race, rng)


@kernel
def update(state, params, first, second, first_won):
    if first == second:
        return
    race = state.race
    record_sample(state.samples, params, first, second, first_won)
    race.now[0].place += 1
    if is_round_over(race):
        _sum_leads(state)
        _select_and_discard(state, params)
        _close_pairs(state)
        end_round(race, params)
        if is_race_over(race):
            answers(state, params, race.commitment.answer)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip all steps once no pair is left."""
    return skip_after_race(state.race, limit, self_duels, rng)


@kernel
def recommend(state, params):
    _rank(state)
    return state.room.ranking.order[0]


@kernel
def answers(state, params, chosen):
    """Mark the selected arms, and the undecided arms with the best mean rates, kappa arms in all."""
    _rank(state)
    mark_top(state.room.ranking, params.kappa, chosen)


@kernel
def finished(state, params):
    return is_race_over(state.race)


@kernel
def _sum_leads(state):
    """Sum the leads of each arm over the undecided arms."""
    samples, lead = state.samples, state.room.lead
    for arm in range(len(lead)):
        lead[arm] = 0
        for other in range(len(lead)):
            if other != arm and not state.race.settled[other]:
                lead[arm] += 2 * samples.wins[arm, other] - samples.n[arm, other]


@kernel
def _select_and_discard(state, params):
    """Select or discard every undecided arm with enough intervals below or above its own."""
    status, extra = state.status, extra_comparisons(params)
    n_undecided, n_wanted = 0, params.kappa
    for arm in range(len(status)):
        n_undecided += status[arm] == Status.UNDECIDED
        n_wanted -= status[arm] == Status.SELECTED
    margin = 2.0 * (n_undecided - 1) * state.race.now[0].decisive_lead
    for arm in range(len(status)):
        if not state.race.settled[arm]:
            n_below, n_above = _count_disjoint(state, arm, margin)
            if n_below >= n_undecided - n_wanted + extra:
                status[arm] = Status.SELECTED
            elif n_above >= n_wanted + extra:
                status[arm] = Status.DISCARDED


@kernel
def _count_disjoint(state, arm, margin):
    """Return how many undecided arms have an interval below that of the arm, and how many above it."""
    lead = state.room.lead
    n_below = n_above = 0
    for other in range(len(lead)):
        if not state.race.settled[other]:
            n_below += lead[arm] - lead[other] > margin
            n_above += lead[other] - lead[arm] > margin
    return n_below, n_above


@kernel
def _close_pairs(state):
    """Settle the arms that have just been selected or discarded, and close all their pairs."""
    race = state.race
    for arm in range(len(state.status)):
        if state.status[arm] != Status.UNDECIDED and not race.settled[arm]:
            race.settled[arm] = True
            for other in range(len(state.status)):
                race.closed[arm, other] = race.closed[other, arm] = True


@kernel
def _rank(state):
    """Rank the selected arms first and the discarded arms last, each group by mean win rate."""
    status, score, n_arms = state.status, state.room.ranking.score, len(state.status)
    for arm in range(n_arms):
        total = 0.0
        for other in range(n_arms):
            if other != arm:
                total += win_rate(state.samples, arm, other)
        score[arm] = total / (n_arms - 1)
        if status[arm] != Status.UNDECIDED:
            score[arm] += 2.0 if status[arm] == Status.SELECTED else -2.0
    rank_arms(state.room.ranking, state.tie_order)


POLICY = policy_of(
    __name__,
    source="Busa-Fekete, Szorenyi, Weng, Cheng, Hullermeier 2013 (ICML), sum of expectations",
    assumes="Borda winner; regret is small where it is a Condorcet or Copeland winner too",
    variants={"paper": {"ordered": True, "delta": 0.1}},
)
