"""prefBest: items meet a few random opponents, the better half stays; the last few all meet each other.

Clarke, Vtyurina and Smucker, "Assessing Top-k Preferences", ACM TOIS 2021, as in Yan's thesis, "Dueling
Bandits for Preference Judgments", University of Waterloo 2022, Figure 3.2.

The share of comparisons that an item wins against random opponents estimates its Borda score. In a phase each
pair is judged once at most, so few judges are needed who have not seen a pair before. Opponents are
the edges of a random graph: again and again, somebody with the fewest opponents gets one of those with the
fewest. That is the law of shuffling, sorting by opponents and taking the first new pair, in less time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.agenda import N_PAIRS, Agenda, add, clear, empty_agenda, rest, stepwise, times_compared
from bandits.contract import Policy
from bandits.parts.matches.standings import add_wins, first_with_most, mark_all_with_most
from bandits.parts.picks import NO_ARM, pick
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

N_POOL, PHASE, IS_FINAL, DONE = range(4)  # entries of State.now
MOST_PHASES = 50  # an even number of opponents may leave everybody with half of the wins, time and again


class State(NamedTuple):
    agenda: Agenda
    pool: np.ndarray  # (arms,) int64: items still in, ascending; the first of them count
    paired: np.ndarray  # (arms, arms) bool: room for the pairs drawn so far; nobody meets itself
    nobody: np.ndarray  # (arms,) bool: all False
    won: np.ndarray  # (arms,) int64: room for wins of the current agenda
    opponents: np.ndarray  # (arms,) int64: room for comparisons of the current agenda
    score: np.ndarray  # (arms,) float64: room for the standings
    now: np.ndarray  # (4,) int64: items still in; phases before the current one; is it the final; is it over


class Params(NamedTuple):
    n: int = 7
    m: int = 9
    extra: int = 0


def init(n_arms, params, rng):
    return State(
        agenda=empty_agenda(n_arms * (n_arms - 1) // 2),
        pool=np.arange(n_arms),
        paired=np.eye(n_arms, dtype=np.bool_),
        nobody=np.zeros(n_arms, np.bool_),
        won=np.zeros(n_arms, np.int64),
        opponents=np.zeros(n_arms, np.int64),
        score=np.zeros(n_arms),
        now=np.array([n_arms, 0, 0, 0]),
    )


@kernel
def plan(state, params, rng):
    """One phase. Comparisons are in random order, in case they have to end early."""
    now, pool = state.now, state.pool[: state.now[N_POOL]]
    if now[DONE]:
        rest(state.agenda, pool[0])
        return
    now[IS_FINAL] = len(pool) <= params.m or now[PHASE] == MOST_PHASES
    if now[IS_FINAL]:
        clear(state.agenda, 1 + params.extra)
        for place in range(len(pool)):
            for other in range(place):
                _add_anywhere(state.agenda, pool[other], pool[place], rng)
    else:
        clear(state.agenda, 1)
        _draw_pairs(state, pool, min(params.n, len(pool) - 1), rng)


@kernel
def learn(state):
    """Who won half of its comparisons stays; after the final, who won most."""
    now, pool = state.now, state.pool[: state.now[N_POOL]]
    _count(state)
    most = state.won[first_with_most(state.won, pool)]
    n_kept = 0
    for arm in pool:
        if state.won[arm] == most if now[IS_FINAL] else 2 * state.won[arm] >= state.opponents[arm]:
            pool[n_kept] = arm
            n_kept += 1
    now[N_POOL] = n_kept
    now[PHASE] += 1
    now[DONE] = now[IS_FINAL] or n_kept == 1


@kernel
def recommend(state):
    _rate(state)
    return first_with_most(state.score, state.pool[: state.now[N_POOL]])


@kernel
def answers(state, chosen):
    _rate(state)
    mark_all_with_most(state.score, state.pool[: state.now[N_POOL]], chosen)


@kernel
def survivors(state):
    return state.now[N_POOL]


@kernel
def finished(state):
    return state.now[DONE] == 1


@kernel
def _draw_pairs(state, pool, n, rng):
    """Pairs until everybody has n opponents; few have one more, hardly any two."""
    opponents, paired, agenda = state.opponents, state.paired, state.agenda
    for arm in pool:
        opponents[arm] = 0
    while True:
        first = _pick_loneliest(pool, opponents, state.nobody, rng)
        if opponents[first] >= n:
            break
        second = _pick_loneliest(pool, opponents, paired[first], rng)
        _add_anywhere(agenda, first, second, rng)
        paired[first, second] = paired[second, first] = True
        opponents[first] += 1
        opponents[second] += 1
    for index in range(agenda.now[N_PAIRS]):
        first, second = agenda.pairs[index, 0], agenda.pairs[index, 1]
        paired[first, second] = paired[second, first] = False


@kernel
def _pick_loneliest(pool, opponents, excluded, rng):
    """A uniform one of those with the fewest opponents."""
    fewest, n_tied = 1 << 60, 0
    for arm in pool:
        if not excluded[arm] and opponents[arm] <= fewest:
            n_tied = n_tied + 1 if opponents[arm] == fewest else 1
            fewest = opponents[arm]
    left = pick(n_tied, rng)
    for arm in pool:
        if not excluded[arm] and opponents[arm] == fewest:
            if left == 0:
                return arm
            left -= 1
    return NO_ARM


@kernel
def _add_anywhere(agenda, first, second, rng):
    """Add a pair at a random place; the pair that was there goes to the end."""
    place = pick(agenda.now[N_PAIRS] + 1, rng)
    add(agenda, first, second)
    last = agenda.now[N_PAIRS] - 1
    for side in range(2):
        agenda.pairs[last, side] = agenda.pairs[place, side]
    agenda.pairs[place, 0], agenda.pairs[place, 1] = first, second


@kernel
def _count(state):
    """Wins and comparisons of each item in the current agenda."""
    for arm in range(len(state.won)):
        state.won[arm], state.opponents[arm] = 0, 0
    add_wins(state.agenda, state.won)
    for index in range(state.agenda.now[N_PAIRS]):
        times = times_compared(state.agenda, index)
        for side in range(2):
            state.opponents[state.agenda.pairs[index, side]] += times


@kernel
def _rate(state):
    """Scores of the items still in: shares won, wins in the final, all alike when it is over."""
    _count(state)
    for arm in state.pool[: state.now[N_POOL]]:
        if state.now[DONE]:
            state.score[arm] = 0.0
        elif state.now[IS_FINAL]:
            state.score[arm] = state.won[arm]
        else:
            n = state.opponents[arm]
            state.score[arm] = state.won[arm] / n if n > 0 else 0.5


SELECT, UPDATE = stepwise(plan, learn)
POLICY = Policy(
    "prefbest",
    Params,
    init,
    SELECT,
    UPDATE,
    recommend,
    survivors,
    answers=answers,
    finished=finished,
    plan=plan,
    learn=learn,
    about="Items meet a few random opponents, the better half stays; the last few all meet each other.",
    source="Clarke, Vtyurina, Smucker 2021 (ACM TOIS); Yan 2022 (thesis), Figure 3.2",
    assumes="best items by Borda score, the chance to beat a random opponent",
    settings={
        "n": Setting("opponents of an item in a phase", at_least=1),
        "m": Setting("as soon as so few items are left, all their pairs are compared", at_least=1),
        "extra": Setting("how often the last items meet again after their first time", at_least=0),
    },
    variants={"paper": {}, "yan": {"extra": 1}},
)
