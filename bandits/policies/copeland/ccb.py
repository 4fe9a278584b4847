"""CCB: duel an arm that may be a Copeland winner with the opponent most likely to refute that.

Zoghi, Karnin, Whiteson and de Rijke, "Copeland Dueling Bandits", NIPS 2015, Algorithm 1 (Algorithm 5 of
Zoghi's thesis, 2017). Assumes that no pair has p_ij = 1/2.

Optimistic winners are the arms with the largest optimistic Copeland score, and those in the shortlist B of
potential best arms are preferred. The opponent is an arm whose pair with the optimistic winner is open: its
confidence interval contains 1/2. Arms that have confidently beaten arm i before, L_C + 1 of them in the
shortlist B^i, are preferred as its opponents, so that few pairs are needed in the long run.

    Thesis, Algorithm 5                                              here
    1-4     W = 0, B = all arms, B^i = {}, L_C = K                   init, _reset
    6       bounds U, L                                              update, _reopen_pairs
    7       optimistic and pessimistic Copeland score                Scores
    8       optimistic winners C_t                                   _find_optimistic_winners
    9 A     reset disproven hypotheses                               _part_a_reset_disproven
    9 B     remove non-Copeland winners from B_t                     _part_b_remove_non_copeland_winners
    9 C     add Copeland winners to B_t, shorten every B^j_t         _part_c_add_copeland_winners
    10      open pair (i, j) with j in B^i_t                         _sample_open_pair
    11, 12  a_c from C_t, preferably from B_t and C_t                _sample_optimistic_winner
    13      opponent a_d                                             _choose_opponent
    14      comparison, W                                            update

Whether u_ij < 1/2 changes when the pair is compared, or at a step that is known in advance
(bandits/parts/bounds.py). Lines 6 to 9 change nothing at other steps, and are skipped there. No bound equals
1/2, since ln t is irrational from t = 2 on and no pair is compared before; so strict and weak inequalities
need not be distinguished. `idle` is not in the paper: it skips the steps in which no pair is open and every
optimistic winner duels itself. Without `idle` and given the same random numbers, the pairs equal those of the
literal twin, tests/naive/policies/ccb.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.contract import policy_of
from rankduel.bandits.parts.answers import copeland_leader, mark_copeland_leaders
from rankduel.bandits.parts.bounds import NEVER, beaten_until
from rankduel.bandits.parts.common_settings import Alpha
from rankduel.bandits.parts.distributions import binomial
from rankduel.bandits.parts.picks import pick, pick_largest
from rankduel.bandits.parts.ucb_challenger import (
    Challengers,
    new_challengers,
    record_rates,
    strongest_challenger,
)
from rankduel.base.compiling import kernel, record

_UNVISITED = 2.0  # upper bound of a pair without duels: the paper's x / 0 = 1
_EXCLUDED = -1.0  # below every upper bound


class Params(NamedTuple):
    alpha: Alpha = 0.51


class Now(NamedTuple):
    clock: int = 0  # steps played
    recompute_at: int = 1  # no score and no set changes before this step
    disproven: bool = False  # an arm i confidently beats an arm of B^i
    l_c: int = 0  # L_C, estimated number of losses of a Copeland winner
    n_winners: int = 0  # number of arms in C_t
    n_preferred: int = 0  # number of arms in both B_t and C_t
    n_open: int = 0  # number of open pairs (i, j) with j in B^i


class Scores(NamedTuple):
    beaten_until: np.ndarray  # (arms, arms) int64: u_ij < 1/2 before this step; 0 if u_ij >= 1/2
    next_reopening: np.ndarray  # (arms,) int64: no entry of the row above is smaller, except 0
    optimistic: np.ndarray  # (arms,) int64: number of k with u_ik >= 1/2
    pessimistic: np.ndarray  # (arms,) int64: number of k with l_ik >= 1/2


class Shortlists(NamedTuple):
    potential_best: np.ndarray  # (arms,) bool, B
    formidable: np.ndarray  # (arms, arms) bool, B^i in row i
    n_formidable: np.ndarray  # (arms,) int64, |B^i|
    n_open: np.ndarray  # (arms,) int64: number of arms in B^i whose pair with i is open


class State(NamedTuple):
    now: np.recarray  # (1,), fields of Now
    wins: np.ndarray  # (arms, arms) int64, W
    challengers: Challengers  # arms that confidently beat the row's arm have the bound _EXCLUDED
    scores: Scores
    shortlists: Shortlists
    winners: np.ndarray  # (arms,) int64: the n_winners arms of C_t, ascending
    preferred: np.ndarray  # (arms,) int64: the n_preferred arms in both B_t and C_t, ascending


def init(n_arms, params, rng):
    shape = (n_arms, n_arms)
    return State(
        now=record(Now(l_c=n_arms)),
        wins=np.zeros(shape, np.int64),
        challengers=new_challengers(n_arms, _UNVISITED),
        scores=Scores(
            beaten_until=np.zeros(shape, np.int64),
            next_reopening=np.full(n_arms, NEVER, np.int64),
            optimistic=np.full(n_arms, n_arms - 1, np.int64),
            pessimistic=np.zeros(n_arms, np.int64),
        ),
        shortlists=Shortlists(
            potential_best=np.ones(n_arms, np.bool_),
            formidable=np.zeros(shape, np.bool_),
            n_formidable=np.zeros(n_arms, np.int64),
            n_open=np.zeros(n_arms, np.int64),
        ),
        winners=np.zeros(n_arms, np.int64),
        preferred=np.zeros(n_arms, np.int64),
    )


@kernel
def select(state, params, rng):
    now = state.now[0]
    t = now.clock + 1
    _update_sets(state, t, rng)
    if now.n_open > 0 and rng.random() < 0.25:
        return _sample_open_pair(state, rng)
    candidate = _sample_optimistic_winner(state, rng)
    return candidate, _choose_opponent(state, params, candidate, t, rng)


@kernel
def update(state, params, first, second, first_won):
    state.now[0].clock += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    state.wins[winner, loser] += 1
    record_rates(state.challengers, state.wins, first, second)
    _record_bound(state, params, first, second)
    _record_bound(state, params, second, first)


@kernel
def idle(state, params, limit, self_duels, rng):
    """Skip steps in which no pair is open; each optimistic winner is equally likely to duel itself."""
    now = state.now[0]
    t = now.clock + 1
    _update_sets(state, t, rng)
    if now.n_open > 0:
        return 0
    winners = state.winners[: now.n_winners]
    for arm in winners:
        if _has_open_pair(state.scores, arm):
            return 0
    n = min(limit, now.recompute_at - t)
    left = n
    for place in range(len(winners) - 1):
        # The n steps are spread over the winners at random. The number of the first is binomial with
        # probability 1 / (number of winners); given it, the rest are spread over the other winners in the
        # same way.
        share = binomial(left, 1.0 / (len(winners) - place), rng)
        self_duels[winners[place]] += share
        left -= share
    self_duels[winners[-1]] += left
    now.clock += n
    return n


@kernel
def recommend(state, params):
    return copeland_leader(state.wins)


@kernel
def answers(state, params, chosen):
    mark_copeland_leaders(state.wins, chosen)


@kernel
def _record_bound(state, params, arm, other):
    """Recompute u_ij for i = `arm` and j = `other`; if it is below 1/2 now, close the pair."""
    now, scores = state.now[0], state.scores
    t = now.clock + 1
    # u_ij = w_ij / n + sqrt(alpha ln t / n) grows with t and reaches 1/2 at ln t = n (1/2 - w_ij / n)^2 /
    # alpha. `until` is the first such step; before it, arm i is confidently beaten by arm j.
    until = beaten_until(state.wins[arm, other], state.wins[other, arm], params.alpha, 0.0)
    if until <= t:
        return
    scores.beaten_until[arm, other], now.recompute_at = until, t
    scores.next_reopening[arm] = min(scores.next_reopening[arm], until)
    state.challengers.rate[arm, other], state.challengers.width[arm, other] = _EXCLUDED, 0.0
    _count_losses(state, arm, other, 1)
    if state.shortlists.formidable[other, arm]:
        now.disproven = True


@kernel
def _count_losses(state, arm, other, change):
    """Add `change` to the number of confident losses of `arm` against `other`."""
    now, shortlists = state.now[0], state.shortlists
    # cpld+(i) counts the k with u_ik >= 1/2, cpld-(k) those with l_ki >= 1/2, and l_ki = 1 - u_ik. So a
    # change of u_ik < 1/2 moves both by one, in opposite directions.
    state.scores.optimistic[arm] -= change
    state.scores.pessimistic[other] += change
    if shortlists.formidable[arm, other]:
        shortlists.n_open[arm] -= change
        now.n_open -= change


@kernel
def _has_open_pair(scores, arm):
    # Each opponent k is beaten for sure (l_ik > 1/2), a sure winner (u_ik < 1/2), or neither: an open pair.
    # The two scores count the first, and the first and third. They are equal if no pair is open.
    return scores.pessimistic[arm] < scores.optimistic[arm]


@kernel
def _update_sets(state, t, rng):
    """Lines 6 to 9: bring scores and sets up to step `t`."""
    now = state.now[0]
    if t < now.recompute_at:
        return
    now.recompute_at = _reopen_pairs(state, t)
    _find_optimistic_winners(state)
    _part_a_reset_disproven(state)
    _part_b_remove_non_copeland_winners(state, t)
    _part_c_add_copeland_winners(state, rng)
    _find_preferred_winners(state)


@kernel
def _reopen_pairs(state, t):
    """Reopen the pairs whose u_ij reaches 1/2 at step `t`; return a step before which no other pair does."""
    scores, next_reopening = state.scores, NEVER
    for arm in range(len(scores.next_reopening)):
        if scores.next_reopening[arm] <= t:
            scores.next_reopening[arm] = NEVER
            for other in range(len(scores.next_reopening)):
                until = scores.beaten_until[arm, other]
                if until > t:
                    scores.next_reopening[arm] = min(scores.next_reopening[arm], until)
                elif until > 0:
                    scores.beaten_until[arm, other] = 0
                    _count_losses(state, arm, other, -1)
                    record_rates(state.challengers, state.wins, arm, other)
        next_reopening = min(next_reopening, scores.next_reopening[arm])
    return next_reopening


@kernel
def _find_optimistic_winners(state):
    """Line 8: C_t, the arms with the largest optimistic Copeland score."""
    now, optimistic = state.now[0], state.scores.optimistic
    largest = _largest(optimistic)
    now.n_winners = 0
    for arm in range(len(optimistic)):
        if optimistic[arm] == largest:
            state.winners[now.n_winners] = arm
            now.n_winners += 1


@kernel
def _largest(scores):
    largest = 0
    for score in scores:
        largest = max(largest, score)
    return largest


@kernel
def _part_a_reset_disproven(state):
    """Part A: reset all hypotheses if some arm i confidently beats an arm of B^i."""
    if state.now[0].disproven:
        _reset(state)


@kernel
def _part_b_remove_non_copeland_winners(state, t):
    """Part B: remove from B the arms whose optimistic score is below the pessimistic score of another arm."""
    now, scores, shortlists = state.now[0], state.scores, state.shortlists
    largest, n_potential_best = _largest(scores.pessimistic), 0
    for arm in range(len(scores.optimistic)):
        # Even if arm i wins all of its open pairs, another arm has more wins already: i is no Copeland
        # winner.
        if shortlists.potential_best[arm] and scores.optimistic[arm] < largest:
            shortlists.potential_best[arm] = False
            if shortlists.n_formidable[arm] != now.l_c + 1:
                _fill_shortlist(state, arm)
        n_potential_best += shortlists.potential_best[arm]
    if n_potential_best == 0:
        _reset(state)
        now.recompute_at = t + 1  # then part B removes the same arms again


@kernel
def _part_c_add_copeland_winners(state, rng):
    """Part C: add to B the optimistic winners without open pairs; L_C is their number of losses."""
    now, n_arms = state.now[0], len(state.winners)
    for winner in state.winners[: now.n_winners]:
        if not _has_open_pair(state.scores, winner):
            state.shortlists.potential_best[winner] = True
            _clear_shortlist(state, winner)
            # Without open pairs the score of the winner is known, and L_C is exact. An arm with L_C + 1
            # confident losses cannot be a Copeland winner, so that many opponents suffice to refute one: the
            # length of B^i.
            now.l_c = n_arms - 1 - state.scores.optimistic[winner]
            for arm in range(n_arms):
                _limit_shortlist(state, arm, now.l_c + 1, rng)


@kernel
def _find_preferred_winners(state):
    """Find the arms that are in both B_t and C_t."""
    now = state.now[0]
    now.n_preferred = 0
    for arm in state.winners[: now.n_winners]:
        if state.shortlists.potential_best[arm]:
            state.preferred[now.n_preferred] = arm
            now.n_preferred += 1


@kernel
def _reset(state):
    """Set B, L_C and every B^i to their original values, lines 2 to 4."""
    now, n_arms = state.now[0], len(state.winners)
    for arm in range(n_arms):
        state.shortlists.potential_best[arm] = True
        _clear_shortlist(state, arm)
    now.l_c, now.disproven = n_arms, False


@kernel
def _clear_shortlist(state, arm):
    """Remove all arms from B^i for i = `arm`."""
    now, shortlists = state.now[0], state.shortlists
    if shortlists.n_formidable[arm] > 0:
        for other in range(len(shortlists.n_formidable)):
            shortlists.formidable[arm, other] = False
        now.n_open -= shortlists.n_open[arm]
        shortlists.n_formidable[arm] = shortlists.n_open[arm] = 0


@kernel
def _fill_shortlist(state, arm):
    """Set B^i to the arms k with u_ik < 1/2, for i = `arm`."""
    scores, shortlists = state.scores, state.shortlists
    n_arms = len(shortlists.n_formidable)
    _clear_shortlist(state, arm)
    for other in range(n_arms):
        shortlists.formidable[arm, other] = scores.beaten_until[arm, other] > 0
    shortlists.n_formidable[arm] = n_arms - 1 - scores.optimistic[arm]


@kernel
def _limit_shortlist(state, arm, n, rng):
    """Clear B^i for i = `arm` if it has fewer than `n` arms; if more, keep `n` of them, drawn uniformly."""
    n_formidable = state.shortlists.n_formidable[arm]
    if n_formidable < n:
        _clear_shortlist(state, arm)
    elif n_formidable > n:
        _shorten_shortlist(state, arm, n, rng)


@kernel
def _shorten_shortlist(state, arm, n, rng):
    """Keep `n` arms of B^i for i = `arm`, drawn uniformly without replacement."""
    now, shortlists = state.now[0], state.shortlists
    left, wanted = shortlists.n_formidable[arm], n
    for other in range(len(shortlists.n_formidable)):
        # Selection sampling: keep each of `left` candidates with probability wanted / left. Every subset of
        # size n is then equally likely.
        if shortlists.formidable[arm, other]:
            if pick(left, rng) < wanted:
                wanted -= 1
            else:
                shortlists.formidable[arm, other] = False
                is_open = state.scores.beaten_until[arm, other] == 0
                shortlists.n_open[arm] -= is_open
                now.n_open -= is_open
            left -= 1
    shortlists.n_formidable[arm] = n


@kernel
def _sample_open_pair(state, rng):
    """Line 10: draw one of the open pairs (i, j) with j in B^i."""
    shortlists = state.shortlists
    left = pick(state.now[0].n_open, rng)
    arm = 0
    while left >= shortlists.n_open[arm]:
        left -= shortlists.n_open[arm]
        arm += 1
    for other in range(len(shortlists.n_open)):
        if shortlists.formidable[arm, other] and state.scores.beaten_until[arm, other] == 0:
            if left == 0:
                return arm, other
            left -= 1
    return arm, arm


@kernel
def _sample_optimistic_winner(state, rng):
    """Lines 11 and 12: draw a_c from C_t, with probability 2/3 from its arms in B_t if there are any."""
    now = state.now[0]
    if 0 < now.n_preferred < now.n_winners and rng.random() < 2.0 / 3.0:
        return state.preferred[pick(now.n_preferred, rng)]
    return state.winners[pick(now.n_winners, rng)]


@kernel
def _choose_opponent(state, params, candidate, t, rng):
    """Line 13: return the arm j with the largest u_jc whose pair with c = `candidate` is open; c if none is.

    With probability 1/2 only the arms of B^c are considered, if one of them has an open pair with c.
    """
    if not _has_open_pair(state.scores, candidate):
        return candidate
    scale = math.sqrt(params.alpha * math.log(t))
    if state.shortlists.n_open[candidate] > 0 and rng.random() < 0.5:
        return _strongest_formidable(state, candidate, scale, rng)
    return strongest_challenger(state.challengers, candidate, scale, rng)


@kernel
def _strongest_formidable(state, candidate, scale, rng):
    """Return the arm of B^c with the largest upper bound, as in bandits/parts/ucb_challenger.py."""
    formidable, bound = state.shortlists.formidable[candidate], state.challengers.bound
    rate, width = state.challengers.rate[candidate], state.challengers.width[candidate]
    for arm in range(len(bound)):
        bound[arm] = rate[arm] + width[arm] * scale if formidable[arm] else _EXCLUDED
    return pick_largest(bound, candidate, rng)


POLICY = policy_of(
    __name__,
    source="Zoghi, Karnin, Whiteson, de Rijke 2015 (NIPS), Algorithm 1",
    assumes="no ties",
    variants={"paper": {}, "duelpy": {"alpha": 0.501}},
)
