"""PBR-CO: duel all open pairs once per round until known signs single out the best Copeland scores.

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013: preference-based racing (PBR) with the sampling strategy for Copeland's ranking.
Assumes that no pair has p_ij = 1/2.

An arm is selected for the kappa best if enough other arms cannot beat as many arms as it is known to beat,
and discarded if enough other arms are known to beat more arms than it can. A pair is removed when its sign is
known, or when both arms are selected or discarded. The race also ends when a pair has more than n_max
samples.

    step of a round                                          here
    sample every active pair                                 select, record_sample (preference_racing.py)
    intervals; wins w and losses z of each arm               _record_sign (KnownSigns)
    selected and discarded arms                              _select_and_discard
    deactivate pairs; stop at n_max                          end_round (preference_racing.py)
    answer: kappa arms that lead the most others             answers

preference_racing.py is in bandits/parts/racing. Known signs do not change, so arms are selected and discarded
when a sign becomes known and not in every round. `idle` is not in the paper: it skips the self-duels after
the end. The pairs equal those of the literal twin, tests/naive/policies/pbr.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.common_settings import DeltaOrHorizon, ErrorHorizon
from rankduel.bandits.parts.racing.known_signs import KnownSigns, no_known_signs
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


class Params(NamedTuple):
    kappa: Kappa = 1
    n_max: MostSamples = 0
    delta: DeltaOrHorizon = 0.0
    ordered: Ordered = False
    rules: RulesSwitch = Rules.LITERAL
    horizon: ErrorHorizon = 0


class State(NamedTuple):
    samples: Samples
    known: KnownSigns
    race: Race  # settled: arms that are selected or discarded
    tie_order: np.ndarray  # (arms,) int64: random order of the arms, which breaks ties
    room: RankingRoom  # score: number of other arms that the arm leads


def init(n_arms, params, rng):
    return State(
        samples=no_samples(n_arms, params),
        known=no_known_signs(n_arms),
        race=new_race(n_arms, pbr_log_term(n_arms, params), params.ordered),
        tie_order=rng.permutation(n_arms),
        room=ranking_room(n_arms),
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
    if _record_sign(state, params, first, second):
        _select_and_discard(state, params)
    if is_round_over(race):
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
    return state.room.order[0]


@kernel
def answers(state, params, chosen):
    """Mark the kappa arms that lead the most others."""
    _rank(state)
    mark_top(state.room, params.kappa, chosen)


@kernel
def finished(state, params):
    return is_race_over(state.race)


@kernel
def _record_sign(state, params, first, second):
    """Close the pair and count its sign if its interval excludes 1/2; return whether it does."""
    samples, known, race = state.samples, state.known, state.race
    lead = 2 * samples.wins[first, second] - samples.n[first, second]
    if abs(lead) <= race.now[0].decisive_lead:
        return False
    race.closed[first, second] = True
    known.wins[first] += lead > 0
    known.losses[first] += lead < 0
    if not params.ordered:  # otherwise (second, first) has samples of its own
        known.wins[second] += lead < 0
        known.losses[second] += lead > 0
    return True


@kernel
def _select_and_discard(state, params):
    """Settle the arms that are among the kappa best, or not, whatever the signs that are not yet known."""
    wins, losses = state.known
    n_arms = len(wins)
    extra = extra_comparisons(params)
    most = n_arms - 1 + extra  # number of arms that an arm can beat if no loss is known
    for arm in range(n_arms):
        n_below = n_above = 0
        for other in range(n_arms):
            n_below += most - losses[other] < wins[arm]
            n_above += most - wins[other] < losses[arm]
        selected = n_below >= n_arms - params.kappa + extra
        discarded = n_above >= params.kappa + extra
        state.race.settled[arm] = selected or discarded


@kernel
def _rank(state):
    """Rank the arms by the number of other arms that they lead."""
    samples, ranking = state.samples, state.room
    for arm in range(len(ranking.score)):
        n_led = 0
        for other in range(len(ranking.score)):
            n_led += 2 * samples.wins[arm, other] > samples.n[arm, other]
        ranking.score[arm] = n_led
    rank_arms(ranking, state.tie_order)


POLICY = policy_of(
    __name__,
    source="Busa-Fekete, Szorenyi, Weng, Cheng, Hullermeier 2013 (ICML), Copeland's ranking",
    assumes="Copeland winners, and no two arms exactly alike",
    variants={"paper": {"ordered": True, "delta": 0.1}},
)
