"""PBR-SE, preference-based racing by sums of expectations: which kappa arms have the best chance on average?

Busa-Fekete, Szorenyi, Weng, Cheng and Hullermeier, "Top-k Selection based on Adaptive Sampling of Noisy
Preferences", ICML 2013, with the sampling strategy for the sum of expectations (Borda's ranking).

All pairs of arms still in question duel once per round. The interval of an arm is the sum of those of its
pairs. An arm is selected when enough others are below it, and discarded when enough are above it; then its
pairs leave, and no longer count for the others: of the last two arms the winner of their duels is the answer,
who need not be the winner by the mean over all.

Arms in question have met equally often, so all their intervals are equally wide: one sum of leads has to be
ahead of another by 2 (k - 1) sqrt(2 n L), with k arms in question, n duels of each pair and L of the radius.
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
    RULES_SETTING,
    Samples,
    log_term,
    needs_horizon,
    no_samples,
    note_sample,
    rate,
)
from bandits.parts.racing.racing import (
    BARRIER,
    PLACE,
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
from bandits.policies.copeland.pbr import Params
from rankduel.base.compiling import kernel

IN_QUESTION, SELECTED, DISCARDED = range(3)  # what an arm is


class State(NamedTuple):
    samples: Samples
    status: np.ndarray  # (arms,) int64: IN_QUESTION, SELECTED or DISCARDED
    lead: np.ndarray  # (arms,) int64: sum of an arm's leads over those in question; room
    race: Race  # settled: arms selected or discarded
    ranked: Ranked  # score: mean of win rates; selected arms above, discarded ones below all others
    slack: np.ndarray  # (1,) int64: comparisons more than necessary


def init(n_arms, params, rng):
    return State(
        samples=no_samples(n_arms, params),
        status=np.full(n_arms, IN_QUESTION),
        lead=np.zeros(n_arms, np.int64),
        race=new_race(n_arms, log_term(n_arms, params), 0.0, params.ordered),
        ranked=no_scores(n_arms, rng),
        slack=np.array([int(params.rules == LITERAL)]),
    )


@kernel
def update(state, first, second, first_won):
    if first == second:
        return
    race = state.race
    note_sample(state.samples, first, second, first_won)
    race.now[PLACE] += 1
    if is_round_over(race):
        _add_leads(state.samples, race.settled, state.lead)
        _judge(state.lead, race, state.status, state.samples.limits[KAPPA], state.slack[0])
        _close_pairs(state.status, race)
        end_round(race, state.samples.limits[N_MAX])
        if is_over(race):
            answers(state, race.commitment.answer)


@kernel
def recommend(state):
    _rank(state.samples, state.status, state.ranked)
    return state.ranked.order[0]


@kernel
def answers(state, chosen):
    """The selected arms, and of those in question the ones with the best mean rates."""
    _rank(state.samples, state.status, state.ranked)
    mark_top(state.ranked, state.samples.limits[KAPPA], chosen)


@kernel
def _rank(samples, status, ranked):
    n_arms = len(status)
    for arm in range(n_arms):
        total = 0.0
        for other in range(n_arms):
            if other != arm:
                total += rate(samples, arm, other)
        ranked.score[arm] = total / (n_arms - 1)
        if status[arm] != IN_QUESTION:
            ranked.score[arm] += 2.0 if status[arm] == SELECTED else -2.0
    rank_arms(ranked)


@kernel
def _add_leads(samples, settled, lead):
    for arm in range(len(lead)):
        lead[arm] = 0
        for other in range(len(lead)):
            if other != arm and not settled[other]:
                lead[arm] += 2 * samples.wins[arm, other] - samples.n[arm, other]


@kernel
def _judge(lead, race, status, kappa, slack):
    """Select or discard the arms in question for which that is now clear."""
    n_arms, n_in_question, n_wanted = len(lead), 0, kappa
    for arm in range(n_arms):
        n_in_question += status[arm] == IN_QUESTION
        n_wanted -= status[arm] == SELECTED
    clear = 2.0 * (n_in_question - 1) * race.bound[BARRIER]
    for arm in range(n_arms):
        if not race.settled[arm]:
            n_below = n_above = 0
            for other in range(n_arms):
                if not race.settled[other]:
                    n_below += lead[arm] - lead[other] > clear
                    n_above += lead[other] - lead[arm] > clear
            if n_below >= n_in_question - n_wanted + slack:
                status[arm] = SELECTED
            elif n_above >= n_wanted + slack:
                status[arm] = DISCARDED


@kernel
def _close_pairs(status, race):
    """Arms no longer in question need no more duels, whoever the opponent."""
    for arm in range(len(status)):
        if status[arm] != IN_QUESTION and not race.settled[arm]:
            race.settled[arm] = True
            for other in range(len(status)):
                race.closed[arm, other] = race.closed[other, arm] = True


POLICY = Policy(
    "pbr_borda",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    finished=finished,
    about="All open pairs in rounds; arms are in or out of the top when mean rates are apart (Borda).",
    source="Busa-Fekete, Szorenyi, Weng, Cheng, Hullermeier 2013 (ICML), sum of expectations",
    assumes="Borda winner; regret is small where it is a Condorcet or Copeland winner too",
    settings={**COMMON_SETTINGS, "rules": RULES_SETTING},
    variants={"paper": {"ordered": True, "delta": 0.1}},
    horizon_when=needs_horizon,
)
