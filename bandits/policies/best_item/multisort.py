"""Multisort: sort all arms by quicksort, again and again, and let the rankings vote.

Maystre and Grossglauser, "Just Sort It! A Simple and Effective Approach to Active Preference Learning", ICML
2017.

A comparison is one duel. In a ranking every part that is not yet in order gets a random pivot, which all
others of the part meet once; parts are independent, so one agenda holds these comparisons for all of them,
and a ranking takes some 2 log2 K agendas. The answer is the arms that precede the most others in most
rankings (Copeland); or, as in the paper's section 4, the strongest arm by a Bradley-Terry model of all duels,
which needs no complete ranking.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.agenda import N_PAIRS, Agenda, add, clear, empty_agenda, is_over, stepwise, times_compared
from bandits.contract import Policy
from bandits.parts.matches.bradley_terry import Fit, empty_fit, fit_strengths
from bandits.parts.picks import pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

COPELAND, BRADLEY_TERRY = range(2)  # choices of `aggregation`
AGGREGATION, N_PARTS, N_RANKINGS = range(3)  # entries of State.now


class State(NamedTuple):
    agenda: Agenda
    order: np.ndarray  # (2, arms) int64: the arms as far as they are sorted; room for the next order
    start: np.ndarray  # (2, arms + 1) int64: where parts start that are to be sorted; room likewise
    wins: np.ndarray  # (arms, arms) int64: duels, in agendas that are over
    ahead: np.ndarray  # (arms, arms) int64: complete rankings in which i precedes j
    fit: Fit
    now: np.ndarray  # (3,) int64: how to aggregate; parts; complete rankings


class Params(NamedTuple):
    aggregation: str = "copeland"


def init(n_arms, params, rng):
    start = np.zeros((2, n_arms + 1), np.int64)
    start[0, 1] = n_arms
    return State(
        agenda=empty_agenda(n_arms),
        order=np.array([np.arange(n_arms)] * 2),
        start=start,
        wins=np.zeros((n_arms, n_arms), np.int64),
        ahead=np.zeros((n_arms, n_arms), np.int64),
        fit=empty_fit(n_arms),
        now=np.array([params.aggregation, 1, 0]),
    )


@kernel
def plan(state, params, rng):
    """In every part a random pivot moves to the front and meets the others."""
    order, start = state.order[0], state.start[0]
    clear(state.agenda, 1)
    for part in range(state.now[N_PARTS]):
        first, end = start[part], start[part + 1]
        chosen = first + pick(end - first, rng)
        order[first], order[chosen] = order[chosen], order[first]
        for place in range(first + 1, end):
            add(state.agenda, order[place], order[first])


@kernel
def learn(state):
    _add_wins(state.agenda, state.wins)
    _split_parts(state.agenda, state.order, state.start, state.now)
    order, start, n_arms = state.order[0], state.start[0], len(state.wins)
    if state.now[N_PARTS] < n_arms:
        return
    for place in range(n_arms):
        for later in range(place + 1, n_arms):
            state.ahead[order[place], order[later]] += 1
    state.now[N_RANKINGS] += 1
    state.now[N_PARTS], start[1] = 1, n_arms


@kernel
def recommend(state):
    if _is_voted(state.now):
        return _best_score(state)
    _fit_all_duels(state)
    best = 0
    for arm in range(1, len(state.wins)):
        if state.fit.strength[arm] > state.fit.strength[best]:
            best = arm
    return best


@kernel
def answers(state, chosen):
    if _is_voted(state.now):
        most = _score(state, _best_score(state))
        for arm in range(len(chosen)):
            chosen[arm] = _score(state, arm) == most


@kernel
def _split_parts(agenda, order, start, now):
    """Those who beat their pivot, the pivot, and the others: three parts, of which two may be empty."""
    index = n_parts = 0
    for part in range(now[N_PARTS]):
        first, end = start[0, part], start[0, part + 1]
        n_won = 0
        for offset in range(end - first - 1):
            n_won += agenda.wins[index + offset]
        pivot = first + n_won
        order[1, pivot] = order[0, first]
        above, below = first, pivot + 1
        for place in range(first + 1, end):
            if agenda.wins[index] == 1:
                order[1, above] = order[0, place]
                above += 1
            else:
                order[1, below] = order[0, place]
                below += 1
            index += 1
        n_parts = _add_part(start[1], n_parts, first, pivot)
        n_parts = _add_part(start[1], n_parts, pivot, pivot + 1)
        n_parts = _add_part(start[1], n_parts, pivot + 1, end)
    now[N_PARTS] = n_parts
    for place in range(order.shape[1]):
        order[0, place] = order[1, place]
    for part in range(n_parts + 1):
        start[0, part] = start[1, part]


@kernel
def _add_part(start, n_parts, first, end):
    if first == end:
        return n_parts
    start[n_parts], start[n_parts + 1] = first, end
    return n_parts + 1


@kernel
def _add_wins(agenda, wins):
    """Add the duels of the agenda so far."""
    for index in range(agenda.now[N_PAIRS]):
        one, other = agenda.pairs[index, 0], agenda.pairs[index, 1]
        if times_compared(agenda, index) == 1:
            wins[one, other] += agenda.wins[index]
            wins[other, one] += 1 - agenda.wins[index]


@kernel
def _is_voted(now):
    return now[AGGREGATION] == COPELAND and now[N_RANKINGS] > 0


@kernel
def _best_score(state):
    best = 0
    for arm in range(1, len(state.wins)):
        if _score(state, arm) > _score(state, best):
            best = arm
    return best


@kernel
def _score(state, arm):
    """Twice the others it precedes in most rankings, plus those it precedes in half of them."""
    score = 0
    for other in range(len(state.ahead)):
        if other != arm:
            lead = state.ahead[arm, other] - state.ahead[other, arm]
            score += 2 * (lead > 0) + (lead == 0)
    return score


@kernel
def _fit_all_duels(state):
    wins = state.fit.wins
    for one in range(len(wins)):
        for other in range(len(wins)):
            wins[one, other] = state.wins[one, other]
    if not is_over(state.agenda):
        _add_wins(state.agenda, wins)
    fit_strengths(state.fit)


SELECT, UPDATE = stepwise(plan, learn)
POLICY = Policy(
    "multisort",
    Params,
    init,
    SELECT,
    UPDATE,
    recommend,
    answers=answers,
    plan=plan,
    learn=learn,
    about="Sort all arms by quicksort, again and again, and let the rankings vote.",
    source="Maystre, Grossglauser 2017 (ICML)",
    assumes="Bradley-Terry preferences",
    settings={
        "aggregation": Setting(
            "the arm ahead of most others in most rankings, or the strongest by a model of all duels",
            choices=("copeland", "bradley_terry"),
        )
    },
    variants={"paper": {}, "practical": {"aggregation": "bradley_terry"}},
)
