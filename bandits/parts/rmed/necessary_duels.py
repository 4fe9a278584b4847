"""Play what is necessary to know the Copeland winners: the common course of CW-RMED and ECW-RMED.

Komiyama, Honda and Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
Computationally Efficient Algorithm", ICML 2016, Algorithm 1.

The evidence of a pair is N d(w / N, 1/2): N duels, of which one arm won w, d the relative entropy of two
coins in nats. Candidates are the arms that lose to the fewest others. A candidate has enough evidence when
whatever would let another arm overtake it has at least ln t in sum, and no pair more than ln t. A plan says
what multiple of ln t each pair should have at the least regret; here the two policies differ.

First comes a sweep through the pairs, in which those are played that are hardly known or nearly even. Then a
list of pairs is played. After each of them, what is necessary joins the next list: a candidate with enough
evidence against itself; if there is none, the pairs behind the plan, and the arm it was made for.

Duels aside, all this depends on ln t alone: each condition begins or ends as ln t reaches a level. So as long
as the list is an arm against itself, the step at which that ends is known in advance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.parts.answers import leader_among
from bandits.parts.picks import NO_ARM
from bandits.parts.relative_entropy import divergence
from bandits.parts.rmed.candidate_rounds import admitted_from
from bandits.parts.rmed.overtaking import Sorted, fewest_losses, least_to_overtake, room_to_sort
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

ONCE, UNTIL_QUIET = range(2)  # choices of `sweep`
SWEEPING, LISTED = range(2)  # now[PHASE]
# Entries of Course.now.
CLOCK, PHASE, ROW, COLUMN, SWEPT, LEFT, ALONE, FEWEST, LOOKED, PLANNED, FAVOURITE = range(11)
BALANCED, COST = range(2)  # entries of Course.levels

# Evidence of one-sided pairs is a multiple of ln 2, and meets ln t exactly: rounding must not decide then.
_ROUNDING = 1e-12


class Course(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    evidence: np.ndarray  # (arms, arms) float64, symmetric
    losses: np.ndarray  # (arms,) int64: others that have won more duels against it than it against them
    remaining: np.ndarray  # (arms, arms) bool: pairs i >= j of the list yet to be played
    following: np.ndarray  # (arms, arms) bool: pairs of the next list
    enough_until: np.ndarray  # (arms,) float64: level of ln t at which a candidate's evidence gets too little
    plan: np.ndarray  # (arms, arms) float64, symmetric: evidence each pair should have, in units of ln t
    behind_from: np.ndarray  # (arms, arms) float64: level of ln t at which a pair i > j gets behind the plan
    levels: np.ndarray  # (2,) float64: that from which no pair has too much evidence; regret of the best plan
    now: np.ndarray  # (11,) int64: steps played; what is under way, and the pair it has come to; whether this
    #   sweep found one; pairs left in the list; the arm it is, against itself, or NO_ARM; fewest losses of an
    #   arm; whether evidence was looked at, and plans made, since the last duel; the arm of the best plan
    room: Sorted
    flags: np.ndarray  # (arms,) bool: room for candidates


class Params(NamedTuple):
    alpha: float = 3.0
    beta: float = 0.01
    sweep: str = "once"


SETTINGS = {
    "alpha": Setting("every pair gets alpha * sqrt(ln t) duels", above=0),
    "beta": Setting("so does one whose win rate is within beta / ln ln t of 1/2", at_least=0, at_most=0.5),
    "sweep": Setting(
        "go once through the pairs that lack such duels, or until there are none",
        choices=("once", "until_quiet"),
    ),
}


def first_list(n_arms: int) -> Course:
    """All pairs."""
    shape = (n_arms, n_arms)
    now = np.zeros(11, np.int64)
    now[[LEFT, ALONE]] = n_arms * (n_arms - 1) // 2, NO_ARM
    return Course(
        wins=np.zeros(shape, np.int64),
        evidence=np.zeros(shape),
        losses=np.zeros(n_arms, np.int64),
        remaining=np.tri(n_arms, k=-1, dtype=np.bool_),
        following=np.zeros(shape, np.bool_),
        enough_until=np.zeros(n_arms),
        plan=np.zeros(shape),
        behind_from=np.zeros(shape),
        levels=np.zeros(2),
        now=now,
        room=room_to_sort(n_arms),
        flags=np.zeros(n_arms, np.bool_),
    )


@kernel
def select(state, params, rng):
    """The next pair of the sweep that needs a duel; after the sweep, the next of the list."""
    course, now = state.course, state.course.now
    log_time = math.log(now[CLOCK] + 1)
    while now[PHASE] == SWEEPING:
        if now[ROW] == len(course.wins):
            if params.sweep == ONCE or not now[SWEPT]:
                now[PHASE] = LISTED
            now[ROW], now[COLUMN], now[SWEPT] = 0, 0, 0
        elif _needs_duel(course.wins, params, now[ROW], now[COLUMN], log_time):
            return now[ROW], now[COLUMN]
        else:
            _go_on(now)
    while not course.remaining[now[ROW], now[COLUMN]]:
        _go_on(now)
    return now[ROW], now[COLUMN]


@kernel
def idle(state, params, limit, selves, rng):
    """A list of one arm against itself is played again and again until ln t reaches some level."""
    course, now = state.course, state.course.now
    alone, t = now[ALONE], now[CLOCK] + 1
    log_time = math.log(t)
    at_start = now[PHASE] == SWEEPING and now[ROW] == 0 and now[COLUMN] == 0
    if alone == NO_ARM or not at_start:
        return 0
    who = _who_has_enough(course, log_time)
    if who == alone:
        level = course.enough_until[alone]
    elif who == NO_ARM and now[PLANNED] and now[FAVOURITE] == alone:
        level = _plan_holds_until(course, log_time)
    else:
        return 0
    for i in range(len(course.wins)):
        for j in range(i):
            if _needs_duel(course.wins, params, i, j, log_time):
                return 0
            level = min(level, _explored_until(course.wins[i, j] + course.wins[j, i], params.alpha))
    n = min(limit, admitted_from(level, 0.0) - t)
    if n <= 0:
        return 0
    selves[alone] += n
    now[CLOCK] += n
    return n


@kernel
def recommend(state):
    course = state.course
    answers(state, course.flags)
    return leader_among(course.wins, course.flags)


@kernel
def answers(state, chosen):
    """The arms that lose to the fewest others."""
    losses = state.course.losses
    fewest = fewest_losses(losses, NO_ARM)
    for arm in range(len(losses)):
        chosen[arm] = losses[arm] == fewest


@kernel
def note_duel(course, first, second, first_won):
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    wins = course.wins
    wins[winner, loser] += 1
    won, lost = wins[winner, loser], wins[loser, winner]
    if won == lost:
        course.losses[winner] -= 1
    elif won == lost + 1:
        course.losses[loser] += 1
    course.evidence[winner, loser] = divergence(min(won, lost), max(won, lost))
    course.evidence[loser, winner] = course.evidence[winner, loser]
    course.now[LOOKED], course.now[PLANNED] = 0, 0


@kernel
def plan_is_due(course):
    """Whether the pair under way is of the list, no candidate has enough evidence, and there is no plan."""
    now = course.now
    if now[PHASE] == SWEEPING:
        return False
    if not now[LOOKED]:
        _look(course)
    if now[PLANNED] or _who_has_enough(course, math.log(now[CLOCK] + 1)) != NO_ARM:
        return False
    course.levels[COST] = math.inf
    now[PLANNED] = 1
    return True


@kernel
def is_candidate(course, arm):
    return course.losses[arm] == course.now[FEWEST]


@kernel
def price(course, one, other, surcharge):
    """Regret per unit of evidence, for a pair that is not even; `surcharge` is added to that of a duel."""
    excess = course.losses[one] + course.losses[other] - 2 * course.now[FEWEST]
    regret = excess / (2 * (len(course.wins) - 1)) + surcharge
    n = course.wins[one, other] + course.wins[other, one]
    return regret / (course.evidence[one, other] / n)


@kernel
def keep_if_cheaper(course, arm):
    """Make course.plan, made for this arm, the plan to follow, if its regret is clearly the least so far."""
    plan, cost = course.plan, 0.0
    for i in range(len(plan)):
        for j in range(i):
            if plan[i, j] > 0.0:
                cost += plan[i, j] * price(course, i, j, 0.0)
    if cost >= course.levels[COST] * (1.0 - _ROUNDING):
        return
    course.levels[COST], course.now[FAVOURITE] = cost, arm
    for i in range(len(plan)):
        for j in range(i):
            needed = plan[i, j] > 0.0
            course.behind_from[i, j] = course.evidence[i, j] / plan[i, j] + _ROUNDING if needed else math.inf


@kernel
def end_step(course):
    now = course.now
    if now[PHASE] == SWEEPING:
        now[SWEPT] = 1
        _go_on(now)
    else:
        course.remaining[now[ROW], now[COLUMN]] = False
        _add_necessary(course, math.log(now[CLOCK] + 1))
        now[LEFT] -= 1
        if now[LEFT] == 0:
            _next_list(now, course.remaining, course.following)
    now[CLOCK] += 1


@kernel
def _go_on(now):
    """To the next pair i >= j, in lexicographic order."""
    now[COLUMN] += 1
    if now[COLUMN] > now[ROW]:
        now[ROW] += 1
        now[COLUMN] = 0


@kernel
def _needs_duel(wins, params, i, j, log_time):
    """Is the pair hardly known, or nearly even? With time, the latter only ceases."""
    if i == j:
        return False
    n = wins[i, j] + wins[j, i]
    if _explored_until(n, params.alpha) <= log_time:
        return True
    width = params.beta / math.log(log_time) if log_time > math.e else params.beta
    return abs(wins[i, j] / n - 0.5) < width


@kernel
def _explored_until(n, alpha):
    """The level of ln t at which n duels get fewer than alpha sqrt(ln t)."""
    return (n / alpha) ** 2


@kernel
def _look(course):
    """Find the candidates, and between which levels of ln t their evidence is enough."""
    now = course.now
    now[FEWEST], now[LOOKED] = fewest_losses(course.losses, NO_ARM), 1
    most = 0.0
    for arm in range(len(course.losses)):
        for other in range(arm):
            most = max(most, course.evidence[arm, other])
    course.levels[BALANCED] = most - _ROUNDING
    for arm in range(len(course.losses)):
        if is_candidate(course, arm):
            found = least_to_overtake(course.wins, course.losses, course.evidence, arm, course.room)
            course.enough_until[arm] = found[0] + _ROUNDING


@kernel
def _who_has_enough(course, log_time):
    """The first candidate with enough evidence, no pair having too much; or NO_ARM."""
    if log_time >= course.levels[BALANCED]:
        for arm in range(len(course.losses)):
            if is_candidate(course, arm) and log_time < course.enough_until[arm]:
                return arm
    return NO_ARM


@kernel
def _plan_holds_until(course, log_time):
    """The level of ln t at which a pair gets behind the plan, or no pair has too much evidence any more."""
    level = course.levels[BALANCED] if log_time < course.levels[BALANCED] else math.inf
    for i in range(len(course.wins)):
        for j in range(i):
            level = min(level, course.behind_from[i, j])
    return level


@kernel
def _add_necessary(course, log_time):
    """What is necessary now, unless it is yet to be played, joins the next list."""
    arm = _who_has_enough(course, log_time)
    if arm == NO_ARM:
        arm = course.now[FAVOURITE]
        for i in range(len(course.wins)):
            for j in range(i):
                if course.behind_from[i, j] <= log_time and not course.remaining[i, j]:
                    course.following[i, j] = True
    if not course.remaining[arm, arm]:
        course.following[arm, arm] = True


@kernel
def _next_list(now, remaining, following):
    now[PHASE], now[ROW], now[COLUMN] = SWEEPING, 0, 0
    now[LEFT], now[ALONE] = 0, NO_ARM
    for i in range(len(remaining)):
        for j in range(i + 1):
            remaining[i, j], following[i, j] = following[i, j], False
            if remaining[i, j]:
                now[LEFT] += 1
                now[ALONE] = i if i == j and now[LEFT] == 1 else NO_ARM
