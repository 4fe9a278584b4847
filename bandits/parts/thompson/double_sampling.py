"""Double Thompson sampling: a sampled tournament gives the first arm, new samples against it the second.

DTS and RTS share this. Samples are only compared with 1/2, or with each other where they exceed it. For the
former, Bernoulli variables with the same probabilities are drawn (bandits/parts/thompson/pair_posterior.py,
bandits/parts/thompson/bernoulli_rows.py).

First arm: the candidate with most wins in a tournament of all arms. An undefeated candidate has most wins and
is drawn directly (bandits/parts/thompson/champion_odds.py). Only if there is none is a tournament sampled,
conditional on no candidate being undefeated.

Second arm: the arm with the largest sample against the first arm, whose own sample is 1/2. So only samples
above 1/2 matter; without any, the first arm duels itself.

A self-duel of an undefeated arm changes nothing. Candidate i is undefeated with probability c_i, and all
samples against it are below 1/2 with probability c_i again. So the probability of such a step is the sum of
c_i^2, and the same in every step until the set of candidates changes. The number of these steps in a row is
one draw; the step after them is drawn conditional on not being one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankduel.bandits.parts.matches.standings import first_with_most
from rankduel.bandits.parts.picks import NO_ARM, pick
from rankduel.bandits.parts.thompson.bernoulli_rows import (
    RowOdds,
    admit_all,
    even_levels,
    sample_rows,
    update_levels,
)
from rankduel.bandits.parts.thompson.champion_odds import (
    Undefeated,
    draw_waiting_time,
    even_undefeated,
    update_undefeated,
)
from rankduel.bandits.parts.thompson.extreme_samples import sample_above_half, sample_beyond
from rankduel.bandits.parts.thompson.pair_posterior import AboveHalf, even_above_half, update_above_half
from rankduel.base.compiling import kernel

_ROUNDING = 1e-12  # a difference of probabilities that is relatively smaller is rounding, and counts as 0


class Posterior(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    above_half: AboveHalf
    undefeated: Undefeated
    level: np.ndarray  # (arms, row) int16, see RowOdds
    strength: np.ndarray  # (arms,) float64, approximate expected wins in a tournament


def uniform_posterior(n_arms: int) -> Posterior:
    """Return the posterior without duels: every p_ij is uniform on [0, 1]."""
    return Posterior(
        wins=np.zeros((n_arms, n_arms), np.int64),
        above_half=even_above_half(n_arms),
        undefeated=even_undefeated(n_arms),
        level=even_levels(n_arms),
        strength=np.full(n_arms, (n_arms - 1) / 2),
    )


@kernel
def record_win(posterior, winner, loser):
    """Record that `winner` beat `loser`."""
    wins, above_half, undefeated = posterior.wins, posterior.above_half, posterior.undefeated
    before = above_half.probability[winner, loser]
    update_above_half(above_half, wins, winner, loser)
    wins[winner, loser] += 1
    posterior.strength[winner] += above_half.probability[winner, loser] - before
    posterior.strength[loser] -= above_half.probability[winner, loser] - before
    update_levels(posterior.level, above_half.probability, winner, loser)
    update_undefeated(undefeated, above_half.neg_log, winner)
    update_undefeated(undefeated, above_half.neg_log, loser)


@kernel
def skip_self_duels(undefeated, candidates, limit, self_duels, rng):
    """Skip the coming steps, at most `limit`, in which an undefeated candidate duels itself.

    Return their number, and whether the step after them is known not to be such a step.
    """
    probability = undefeated.probability
    likeliest = first_with_most(probability, candidates)
    others = 0.0
    for arm in candidates:
        if arm != likeliest:
            others += probability[arm] * probability[arm]
    p_end = undefeated.complement[likeliest] * (1.0 + probability[likeliest]) - others
    if p_end > 0.5:
        return 0, False
    n = draw_waiting_time(p_end, limit, rng)
    # In nearly all of these steps the likeliest arm duels itself; the few of other arms are drawn one by one.
    left, p_other = n, others / (others + probability[likeliest] * probability[likeliest])
    while left > 0:
        n_likeliest = draw_waiting_time(p_other, left, rng)
        self_duels[likeliest] += n_likeliest
        left -= n_likeliest
        if left > 0:
            self_duels[_draw_other(probability, candidates, likeliest, others, rng)] += 1
            left -= 1
    return n, n < limit


@kernel
def sample_first_arm(posterior, room, arms, n_candidates, not_idle, rng):
    """Return a random one of the candidates arms[:n_candidates] with most wins in a sampled tournament.

    Return also its number of wins, and whether it is known not to duel itself. With `not_idle` the draw is
    conditional on no undefeated candidate dueling itself. If no candidate is undefeated, `room` holds the
    tournament afterwards.
    """
    candidates = arms[:n_candidates]
    first, likeliest = _draw_undefeated(posterior.undefeated, candidates, not_idle, rng)
    if first != NO_ARM:
        return first, len(arms) - 1, not_idle
    most_wins = sample_tournament(posterior, room, arms, n_candidates, likeliest, rng)
    return _pick_with_score(room.score, candidates, most_wins, rng), most_wins, False


@kernel
def _draw_undefeated(undefeated, candidates, not_idle, rng):
    """Return the undefeated candidate of a tournament, or NO_ARM; and the likeliest one.

    With `not_idle` the draw is conditional on no undefeated candidate dueling itself.
    """
    probability, complement = undefeated.probability, undefeated.complement
    likeliest = first_with_most(probability, candidates)
    total, others = 0.0, 0.0
    for arm in candidates:
        others += probability[arm] if arm != likeliest else 0.0
        total += probability[arm] * (complement[arm] if not_idle else 1.0)
    p_none = complement[likeliest] - others
    if p_none < _ROUNDING * complement[likeliest]:
        p_none = 0.0
    left = rng.random() * (total + p_none) - p_none
    if left < 0.0:
        return NO_ARM, likeliest
    for arm in candidates:
        left -= probability[arm] * (complement[arm] if not_idle else 1.0)
        if left < 0.0:
            return arm, likeliest
    return likeliest, likeliest


@kernel
def sample_tournament(posterior, room, arms, n_candidates, likeliest, rng):
    """Sample the scores of the candidates arms[:n_candidates], conditional on none being undefeated.

    Return the largest; the score of a candidate that cannot have it may be -1. The candidates and the other
    arms are each ascending in `arms`.

    The row of `likeliest`, the likeliest undefeated candidate, is sampled conditional on a loss, then the
    others; again from the start if one of them is undefeated. A tournament is sampled only without an
    undefeated candidate, so a step has at most one such repetition on average. Strong arms are sampled first,
    so that most weak arms need not be: their losses exceed those of a strong arm.
    """
    odds = RowOdds(posterior.level, posterior.above_half.probability, posterior.strength)
    candidates, n_others = arms[:n_candidates], len(arms) - 1
    last = arms[n_others] if n_candidates < len(arms) else -1
    while True:
        admit_all(room)
        sample_row(posterior, room, likeliest, posterior.undefeated.neg_log[likeliest], rng)
        most_wins = room.score[likeliest]
        n_lost = n_others - most_wins
        if 4 * n_lost < n_others:
            strong = n_others - 3.0 * n_lost
            most_wins = sample_rows(odds, room, candidates, last, strong, most_wins, rng)
        most_wins = sample_rows(odds, room, candidates, last, -1.0, most_wins, rng)
        if most_wins < n_others:
            return most_wins


@kernel
def _pick_with_score(score, candidates, wanted, rng):
    """Return a random candidate with this score."""
    n_tied = 0
    for arm in candidates:
        n_tied += score[arm] == wanted
    left = pick(n_tied, rng)
    for arm in candidates:
        if score[arm] == wanted:
            if left == 0:
                return arm
            left -= 1
    return NO_ARM


@kernel
def largest_sample_against(posterior, room, first, neg_log_self, not_idle, rng):
    """Return the admitted arm with the largest sample against `first`; `first` if none is above 1/2.

    `neg_log_self` is minus the logarithm of the probability of the latter; with `not_idle` the samples are
    conditional on its not happening.
    """
    wins, above_half = posterior.wins, posterior.above_half
    sample_row(posterior, room, first, neg_log_self if not_idle else 0.0, rng)
    second, largest = first, 0.5
    for arm in range(len(wins)):
        if room.lost[arm] == 1:  # `first` lost to this arm: its sample is above 1/2
            won = float(wins[arm, first])
            lost = float(wins[first, arm])
            probability = above_half.probability[arm, first]
            if second == first:
                sample = sample_above_half(won, lost, probability, rng)
            else:
                log_g = above_half.log_g[min(arm, first), max(arm, first)]
                sample = sample_beyond(won, lost, probability, log_g, largest, rng)
            if sample > largest:
                second, largest = arm, sample
    return second


@kernel
def sample_row(posterior, room, arm, neg_log, rng):
    """Sample the duels of `arm` against all admitted arms; conditional on a loss if `neg_log` is above 0.

    `neg_log` is minus the logarithm of the probability of no loss.
    """
    loss = _draw_first_loss(posterior.above_half.neg_log[arm], room.admitted, neg_log, rng)
    odds = RowOdds(posterior.level, posterior.above_half.probability, posterior.strength)
    room.single[0] = arm
    sample_rows(odds, room, room.single, len(posterior.wins) - 1, -1.0, 0, rng)
    won = room.won[arm % len(room.won)]
    for other in range(loss + 1):  # replace the duels up to the first loss by wins, and by that loss
        is_win = room.admitted[other] if other < loss else 0
        room.score[arm] += is_win - won[other]
        room.lost[other] -= is_win - won[other]
        won[other] = is_win


@kernel
def _draw_first_loss(neg_log_above_half, admitted, neg_log, rng):
    """Return the first admitted arm that an arm loses to, conditional on a loss; -1 if `neg_log` is 0.

    It is where the sum of -ln q_ij exceeds an exponential variable truncated at `neg_log`.
    """
    loss = -1
    if neg_log > 0.0:
        left = -math.log1p(rng.random() * math.expm1(-neg_log))
        for other in range(len(neg_log_above_half)):
            if admitted[other] == 1 and neg_log_above_half[other] > 0.0:
                loss = other
                left -= neg_log_above_half[other]
                if left < 0.0:
                    break
    return loss


@kernel
def _draw_other(probability, candidates, likeliest, total, rng):
    """Draw a candidate other than `likeliest` in proportion to probability^2; `total` is the sum of these."""
    left, last = rng.random() * total, likeliest
    for arm in candidates:
        if arm != likeliest and probability[arm] > 0.0:
            last = arm
            left -= probability[arm] * probability[arm]
            if left < 0.0:
                break
    return last
