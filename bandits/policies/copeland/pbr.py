"""PBR-CO, preference-based racing for Copeland's ranking: which kappa arms beat the most others?

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013, with the sampling strategy for Copeland's ranking.

All open pairs duel once per round. An arm is selected when enough others cannot beat as many as it is known
to beat, and discarded when enough others are known to beat more than it can. A pair leaves when its sign is
known or both of its arms are selected or discarded.

Known signs stay known, so arms are judged when a sign becomes known, and not in every round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.racing.preference_racing import (
    COMMON_SETTINGS,
    KAPPA,
    LITERAL,
    N_MAX,
    ORDERED,
    RULES_SETTING,
    Samples,
    log_term,
    needs_horizon,
    no_samples,
    note_sample,
)
from bandits.parts.racing.racing import (
    BARRIER,
    LOSSES,
    PLACE,
    WINS,
    Race,
    end_round,
    finished,
    idle,
    is_over,
    is_round_over,
    new_race,
    select,
)
from bandits.parts.racing.ranked_arms import Ranked, mark_top, no_scores, rank_arms
from rankduel.base.compiling import kernel


class State(NamedTuple):
    samples: Samples
    known: np.ndarray  # (arms, 2) int64: how many others each arm is known to beat, and to be beaten by
    race: Race  # settled: arms selected or discarded
    ranked: Ranked  # score: how many others the arm leads
    slack: np.ndarray  # (1,) int64: comparisons more than necessary


class Params(NamedTuple):
    kappa: int = 1
    n_max: int = 0
    delta: float = 0.0
    ordered: bool = False
    rules: str = "literal"
    horizon: int = 0


def init(n_arms, params, rng):
    return State(
        samples=no_samples(n_arms, params),
        known=np.zeros((n_arms, 2), np.int64),
        race=new_race(n_arms, log_term(n_arms, params), 0.0, params.ordered),
        ranked=no_scores(n_arms, rng),
        slack=np.array([int(params.rules == LITERAL)]),
    )


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    samples, race = state.samples, state.race
    note_sample(samples, first, second, first_won)
    race.now[PLACE] += 1
    lead = 2 * samples.wins[first, second] - samples.n[first, second]
    if abs(lead) > race.bound[BARRIER]:
        race.closed[first, second] = True
        state.known[first, WINS if lead > 0 else LOSSES] += 1
        if samples.limits[ORDERED] == 0:
            state.known[second, LOSSES if lead > 0 else WINS] += 1
        _settle(state.known, samples.limits[KAPPA], state.slack[0], race.settled)
    if is_round_over(race):
        end_round(race, samples.limits[N_MAX])
        if is_over(race):
            answers(state, race.commitment.answer)


@kernel
def recommend(state):
    _rank(state.samples, state.ranked)
    return state.ranked.order[0]


@kernel
def answers(state, chosen):
    """The kappa arms that lead the most others."""
    _rank(state.samples, state.ranked)
    mark_top(state.ranked, state.samples.limits[KAPPA], chosen)


@kernel
def _rank(samples, ranked):
    for arm in range(len(ranked.score)):
        n_led = 0
        for other in range(len(ranked.score)):
            n_led += 2 * samples.wins[arm, other] > samples.n[arm, other]
        ranked.score[arm] = n_led
    rank_arms(ranked)


@kernel
def _settle(known, kappa, slack, settled):
    """Note who is in the top kappa or out of it, whatever the signs not yet known."""
    n_arms = len(known)
    n_most = n_arms - 1 + slack  # others that an arm can beat, if it is not known to lose
    for arm in range(n_arms):
        n_below = n_above = 0
        for other in range(n_arms):
            n_below += n_most - known[other, LOSSES] < known[arm, WINS]
            n_above += n_most - known[other, WINS] < known[arm, LOSSES]
        settled[arm] = n_below >= n_arms - kappa + slack or n_above >= kappa + slack


POLICY = Policy(
    "pbr",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    finished=finished,
    about="All open pairs in rounds; arms are in or out of the top when enough signs are known (Copeland).",
    source="Busa-Fekete, Szorenyi, Weng, Cheng, Hullermeier 2013 (ICML), Copeland's ranking",
    assumes="Copeland winners, and no two arms exactly alike",
    settings={**COMMON_SETTINGS, "rules": RULES_SETTING},
    variants={"paper": {"ordered": True, "delta": 0.1}},
    horizon_when=needs_horizon,
)
