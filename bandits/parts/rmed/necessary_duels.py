"""Algorithm 1 of CW-RMED and ECW-RMED: duel the pairs that are necessary to know a Copeland winner.

Komiyama, Honda and Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
Computationally Efficient Algorithm", ICML 2016, Algorithm 1.

The evidence of a pair is N_ij d(mu_ij, 1/2), with N_ij duels of which i won the share mu_ij, and the
Kullback-Leibler divergence d in nats. Candidates are the arms with the fewest losses: the arms that trail the
fewest others. A candidate has enough evidence if each set of pairs whose reversal lets another arm overtake
it has at least ln t in sum, and no pair has more than ln t. A plan is the multiple of ln t that each pair
should have at the least regret; CW-RMED and ECW-RMED differ in how they find it.

The current list L_C of pairs i >= j is played in lexicographic order, so only L_R, its pairs that have not
been played yet, is stored. After each pair the set NC of necessary pairs is added to the next list L_N: a
candidate with enough evidence against itself; if there is none, the pairs with less evidence than the plan,
and the arm of the plan against itself. A sweep of forced exploration comes before each list.

Between duels all this depends on ln t only: each condition begins or ends as ln t reaches a level. So if the
list is one arm against itself, the step at which that ends is known in advance.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from rankduel.bandits.parts.answers import copeland_leader_among
from rankduel.bandits.parts.picks import NO_ARM
from rankduel.bandits.parts.relative_entropy import divergence
from rankduel.bandits.parts.rmed.log_time import step_when_log_reaches
from rankduel.bandits.parts.rmed.overtaking import (
    OpponentsRoom,
    fewest_losses,
    least_to_overtake,
    opponents_room,
)
from rankduel.base.compiling import kernel, record
from rankduel.base.settings import Setting

# The evidence of a pair in which one arm won every duel is a multiple of ln 2, and so is ln t at powers of 2.
# With this tolerance, the result of comparing them does not depend on rounding.
_ROUNDING = 1e-12


class SweepMode(IntEnum):
    """How often the sweep of forced exploration goes through the pairs."""

    ONCE = 0
    UNTIL_QUIET = 1


ExplorationAlpha = Annotated[float, Setting("every pair has at least alpha * sqrt(ln t) duels", above=0)]
ExplorationBeta = Annotated[
    float, Setting("a pair with a win rate within beta / ln ln t of 1/2 is duelled", at_least=0, at_most=0.5)
]
Sweep = Annotated[
    SweepMode, Setting("one sweep over the pairs that need such duels, or sweeps until none needs one")
]


class Now(NamedTuple):
    clock: int = 0  # steps played
    exploring: bool = True  # the sweep of forced exploration before this list is not over
    found_pair: bool = False  # this sweep has found a pair that needed a duel
    row: int = 0  # this and the next: the current pair of the sweep or the list
    column: int = 0
    n_remaining: int = 0  # |L_R|
    sole_arm: int = NO_ARM  # arm i if L_R is the pair (i, i) only
    fewest_losses: int = 0  # L_(1), smallest number of losses
    tested: bool = False  # candidates and Levels.enough_until are up to date with the duels
    planned: bool = False  # the plan is up to date with the duels
    planned_arm: int = 0  # candidate with the plan of least regret
    plan_regret: float = 0.0  # regret of its plan, per ln t
    balanced_from: float = 0.0  # level of ln t from which no pair has more evidence than ln t


class Counts(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    evidence: np.ndarray  # (arms, arms) float64, N_ij d(mu_ij, 1/2)
    losses: np.ndarray  # (arms,) int64, L_i: number of arms that arm i trails


class PairLists(NamedTuple):
    remaining: np.ndarray  # (arms, arms) bool, L_R: pairs i >= j of L_C that have not been played yet
    following: np.ndarray  # (arms, arms) bool, L_N: pairs i >= j of the next list


class Levels(NamedTuple):
    enough_until: np.ndarray  # (arms,) float64: level of ln t up to which a candidate's evidence suffices
    behind_from: np.ndarray  # (arms, arms) float64: level of ln t from which a pair i > j needs more evidence


class PlanRoom(NamedTuple):
    plan: np.ndarray  # (arms, arms) float64, symmetric: evidence per pair, in units of ln t
    opponents: OpponentsRoom
    candidate: np.ndarray  # (arms,) bool


def first_now(n_arms: int) -> np.recarray:
    """Return the record of `Now` in which L_R has all pairs."""
    return record(Now(n_remaining=n_arms * (n_arms - 1) // 2))


def no_counts(n_arms: int) -> Counts:
    """Return the counts before the first duel."""
    shape = (n_arms, n_arms)
    return Counts(wins=np.zeros(shape, np.int64), evidence=np.zeros(shape), losses=np.zeros(n_arms, np.int64))


def first_lists(n_arms: int) -> PairLists:
    """Return lists in which L_C = L_R = all pairs i > j."""
    return PairLists(
        remaining=np.tri(n_arms, k=-1, dtype=np.bool_), following=np.zeros((n_arms, n_arms), np.bool_)
    )


def no_levels(n_arms: int) -> Levels:
    """Return levels that have not been computed."""
    return Levels(enough_until=np.zeros(n_arms), behind_from=np.zeros((n_arms, n_arms)))


def plan_room(n_arms: int) -> PlanRoom:
    """Return the workspace of the functions below."""
    return PlanRoom(
        plan=np.zeros((n_arms, n_arms)),
        opponents=opponents_room(n_arms),
        candidate=np.zeros(n_arms, np.bool_),
    )


@kernel
def next_pair(state, params):
    """Return the next pair of the sweep that needs a duel; after the sweep, the next pair of L_R."""
    now, wins, remaining = state.now[0], state.counts.wins, state.lists.remaining
    log_t = math.log(now.clock + 1)
    while now.exploring:
        if now.row == len(wins):
            now.exploring = params.sweep == SweepMode.UNTIL_QUIET and now.found_pair
            now.row, now.column, now.found_pair = 0, 0, False
        elif _needs_exploration(wins, params, now.row, now.column, log_t):
            return now.row, now.column
        else:
            _advance(now)
    while not remaining[now.row, now.column]:
        _advance(now)
    return now.row, now.column


@kernel
def record_duel(state, first, second, first_won):
    """Count a duel, unless it is of an arm against itself."""
    if first == second:
        return
    now, wins, losses, evidence = state.now[0], state.counts.wins, state.counts.losses, state.counts.evidence
    winner, loser = (first, second) if first_won else (second, first)
    wins[winner, loser] += 1
    won, lost = wins[winner, loser], wins[loser, winner]
    if won == lost:
        losses[winner] -= 1
    elif won == lost + 1:
        losses[loser] += 1
    # N d(mu, 1/2) with mu = won / (won + lost) is symmetric in won and lost. It is the logarithm of the
    # likelihood ratio of the observed rate to an even pair: exp(-evidence) bounds the probability of such a
    # record if the other arm leads. ln t of evidence makes an error at step t as unlikely as 1 / t.
    evidence[winner, loser] = evidence[loser, winner] = divergence(min(won, lost), max(won, lost))
    now.tested, now.planned = False, False


@kernel
def needs_plan(state):
    """Return whether NC needs a plan: no candidate has enough evidence, and a duel has changed the counts.

    True discards the plan. The sweep of forced exploration needs no plan.
    """
    now = state.now[0]
    if now.exploring:
        return False
    if not now.tested:
        find_candidates(state)
    if now.planned or _candidate_with_enough(state, math.log(now.clock + 1)) != NO_ARM:
        return False
    now.plan_regret, now.planned = math.inf, True
    return True


@kernel
def find_candidates(state):
    """Find the fewest losses of an arm, and the levels of ln t between which evidence is enough."""
    now, counts, n_arms = state.now[0], state.counts, len(state.counts.losses)
    now.fewest_losses, now.tested = fewest_losses(counts.losses, NO_ARM), True
    largest = 0.0
    for i in range(n_arms):
        for j in range(i):
            largest = max(largest, counts.evidence[i, j])
    now.balanced_from = largest - _ROUNDING
    opponents = state.room.planning.opponents
    for arm in range(n_arms):
        if is_candidate(state, arm):
            # The candidate is safe while every set of pairs whose reversal lets a rival have fewer losses has
            # evidence of at least ln t in sum. The set with the least sum decides, so ln t may grow up to
            # that sum.
            least = least_to_overtake(counts.wins, counts.losses, counts.evidence, arm, opponents)[0]
            state.levels.enough_until[arm] = least + _ROUNDING


@kernel
def is_candidate(state, arm):
    """Return whether the arm has the fewest losses."""
    return state.counts.losses[arm] == state.now[0].fewest_losses


@kernel
def regret_per_evidence(state, i, j, surcharge):
    """Return r_ij / d_ij of a pair that is not even; `surcharge` is added to the regret of a duel."""
    wins, losses = state.counts.wins, state.counts.losses
    # A duel of i and j has the regret (L_i + L_j - 2 L_(1)) / (2 (K - 1)), the mean shortfall of their
    # Copeland scores. It adds d_ij = evidence / N of evidence on average, so a unit of evidence costs regret
    # / d_ij.
    excess = losses[i] + losses[j] - 2 * state.now[0].fewest_losses
    regret = excess / (2 * (len(wins) - 1)) + surcharge
    n = wins[i, j] + wins[j, i]
    return regret / (state.counts.evidence[i, j] / n)


@kernel
def keep_cheaper_plan(state, arm):
    """Follow the plan for candidate `arm` in the workspace, if its regret is clearly the least so far."""
    now, plan, regret = state.now[0], state.room.planning.plan, 0.0
    for i in range(len(plan)):
        for j in range(i):
            if plan[i, j] > 0.0:
                regret += plan[i, j] * regret_per_evidence(state, i, j, 0.0)
    if regret >= now.plan_regret * (1.0 - _ROUNDING):
        return
    now.plan_regret, now.planned_arm = regret, arm
    evidence, behind_from = state.counts.evidence, state.levels.behind_from
    for i in range(len(plan)):
        for j in range(i):
            # The pair needs a duel when its evidence is below plan * ln t, which is from ln t = evidence /
            # plan on.
            behind_from[i, j] = evidence[i, j] / plan[i, j] + _ROUNDING if plan[i, j] > 0.0 else math.inf


@kernel
def end_step(state):
    """Advance the sweep, or remove the pair from L_R, add NC to L_N, and begin a list if L_R is empty."""
    now = state.now[0]
    if now.exploring:
        now.found_pair = True
        _advance(now)
    else:
        state.lists.remaining[now.row, now.column] = False
        _add_necessary_pairs(state, math.log(now.clock + 1))
        now.n_remaining -= 1
        if now.n_remaining == 0:
            _begin_list(state)
    now.clock += 1


@kernel
def skip_self_duels(state, params, limit, self_duels):
    """Skip steps in which the list is one arm against itself, until ln t reaches a level; return how many."""
    now = state.now[0]
    arm, t = now.sole_arm, now.clock + 1
    at_start = now.exploring and now.row == 0 and now.column == 0
    if arm == NO_ARM or not at_start:
        return 0
    log_t = math.log(t)
    # Self-duels change no count, so NC stays the pair (arm, arm) until ln t reaches a level of the counts.
    # The last step before that is the largest t with ln t below the level.
    level = _necessary_until(state, arm, log_t)
    if level > log_t:
        level = min(level, _exploration_from(state, params, log_t))
    n = min(limit, step_when_log_reaches(level, 0.0) - t)
    if n <= 0:
        return 0
    self_duels[arm] += n
    now.clock += n
    return n


@kernel
def mark_fewest_losses(losses, chosen):
    """Mark the arms with the fewest losses in `chosen`, and no others."""
    fewest = fewest_losses(losses, NO_ARM)
    for arm in range(len(losses)):
        chosen[arm] = losses[arm] == fewest


@kernel
def best_candidate(state):
    """Return the candidate that leads most others."""
    counts, candidate = state.counts, state.room.planning.candidate
    mark_fewest_losses(counts.losses, candidate)
    return copeland_leader_among(counts.wins, candidate)


@kernel
def _advance(now):
    """Advance to the next pair i >= j, in lexicographic order."""
    now.column += 1
    if now.column > now.row:
        now.row += 1
        now.column = 0


@kernel
def _needs_exploration(wins, params, i, j, log_t):
    """Return whether the pair has fewer than alpha sqrt(ln t) duels, or a win rate close to 1/2.

    Without duels, a pair whose win rate is close to 1/2 ceases to be so, as the margin shrinks.
    """
    if i == j:
        return False
    n = wins[i, j] + wins[j, i]
    if _explored_until(n, params.alpha) <= log_t:
        return True
    margin = params.beta / math.log(log_t) if log_t > math.e else params.beta
    return abs(wins[i, j] / n - 0.5) < margin


@kernel
def _explored_until(n, alpha):
    """Return the level of ln t from which n duels are fewer than alpha sqrt(ln t)."""
    return (n / alpha) ** 2


@kernel
def _exploration_from(state, params, log_t):
    """Return the level of ln t from which a pair needs exploration; 0 if a pair needs it at `log_t`."""
    wins, level = state.counts.wins, math.inf
    for i in range(len(wins)):
        for j in range(i):
            if _needs_exploration(wins, params, i, j, log_t):
                return 0.0
            level = min(level, _explored_until(wins[i, j] + wins[j, i], params.alpha))
    return level


@kernel
def _candidate_with_enough(state, log_t):
    """Return the first candidate with enough evidence, or NO_ARM."""
    if log_t >= state.now[0].balanced_from:
        for arm in range(len(state.counts.losses)):
            if is_candidate(state, arm) and log_t < state.levels.enough_until[arm]:
                return arm
    return NO_ARM


@kernel
def _necessary_until(state, arm, log_t):
    """Return the level of ln t up to which NC is `arm` against itself; 0 if it is not at `log_t`."""
    now, candidate = state.now[0], _candidate_with_enough(state, log_t)
    if candidate == arm:
        return state.levels.enough_until[arm]
    if candidate != NO_ARM or not now.planned or now.planned_arm != arm:
        return 0.0
    level = now.balanced_from if log_t < now.balanced_from else math.inf
    for i in range(len(state.counts.losses)):
        for j in range(i):
            level = min(level, state.levels.behind_from[i, j])
    return level


@kernel
def _add_necessary_pairs(state, log_t):
    """Add to L_N the pairs of NC that are not in L_R."""
    remaining, following = state.lists.remaining, state.lists.following
    arm = _candidate_with_enough(state, log_t)
    if arm == NO_ARM:
        arm = state.now[0].planned_arm
        for i in range(len(remaining)):
            for j in range(i):
                if state.levels.behind_from[i, j] <= log_t and not remaining[i, j]:
                    following[i, j] = True
    if not remaining[arm, arm]:
        following[arm, arm] = True


@kernel
def _begin_list(state):
    """Set L_C and L_R to L_N, empty L_N, and begin a sweep of forced exploration."""
    now, remaining, following = state.now[0], state.lists.remaining, state.lists.following
    now.exploring, now.row, now.column = True, 0, 0
    now.n_remaining, now.sole_arm = 0, NO_ARM
    for i in range(len(remaining)):
        for j in range(i + 1):
            remaining[i, j], following[i, j] = following[i, j], False
            if remaining[i, j]:
                now.n_remaining += 1
                now.sole_arm = i if i == j and now.n_remaining == 1 else NO_ARM
