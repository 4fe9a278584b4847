"""Double sampling: a simulated tournament names the first arm, fresh samples against it the second.

What DTS and RTS share. Beta samples are never drawn to be compared with one half: coins with the right
chances do (bandits/parts/thompson/pair_posterior.py, bandits/parts/thompson/bernoulli_rows.py).

First arm: the candidate that wins most duels of a tournament of all arms. A candidate that beats everybody, a
champion, is a single draw (bandits/parts/thompson/champion_odds.py), and wins. Only if there is none are the
candidates' duels tossed, given that there is none.

Second arm: the one with the largest sample of beating the first; the first itself counts as one half. So only
samples above one half matter, and with none the first arm meets itself.

A champion that meets itself teaches nothing. With chance c_i for candidate i to be champion, and c_i again
for all samples against it to stay below one half, each coming step is of this kind with the same chance,
the sum of c_i^2, until an arm becomes a candidate or ceases to be one. How many in a row is one draw; the
step after them is drawn given that it is of another kind.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.parts.picks import NO_ARM, pick
from bandits.parts.thompson.bernoulli_rows import (
    BernoulliRows,
    DrawnRows,
    Tournament,
    all_present,
    even_rows,
    new_rows,
    note_chance,
    toss_rows,
)
from bandits.parts.thompson.champion_odds import (
    ChampionOdds,
    alike_steps,
    even_champion_odds,
    note_champion,
)
from bandits.parts.thompson.extreme_samples import sample_above_half, sample_beyond
from bandits.parts.thompson.pair_posterior import BeatOdds, even_odds, note_win
from rankduel.base.compiling import kernel

_NO_SCORE = np.int64(0)  # typed: a literal 0 is a type of its own, for which Numba would compile again
_ROUNDING = 1e-12  # a chance that is the rest of others is taken for 0 if it is this much smaller than they


class Beliefs(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    odds: BeatOdds
    champions: ChampionOdds
    coins: BernoulliRows
    rows: DrawnRows
    strength: np.ndarray  # (arms,) float64: expected wins in a tournament, roughly
    single: np.ndarray  # (1,) int64, room for a list of one arm


def no_beliefs(n_arms: int, keep_rows: bool) -> Beliefs:
    """`keep_rows`: who won each duel of a tournament will be asked for."""
    return Beliefs(
        wins=np.zeros((n_arms, n_arms), np.int64),
        odds=even_odds(n_arms),
        champions=even_champion_odds(n_arms),
        coins=even_rows(n_arms),
        rows=new_rows(n_arms, keep_rows),
        strength=np.full(n_arms, (n_arms - 1) / 2),
        single=np.zeros(1, np.int64),
    )


@kernel
def learn(beliefs, winner, loser):
    """`winner` beat `loser`."""
    before = beliefs.odds.chance[winner, loser]
    note_win(beliefs.odds, beliefs.wins, winner, loser)
    beliefs.wins[winner, loser] += 1
    beliefs.strength[winner] += beliefs.odds.chance[winner, loser] - before
    beliefs.strength[loser] -= beliefs.odds.chance[winner, loser] - before
    note_chance(beliefs.coins.level, beliefs.odds.chance, winner, loser)
    note_champion(beliefs.champions, beliefs.odds.minus_log, winner)
    note_champion(beliefs.champions, beliefs.odds.minus_log, loser)


@kernel
def skip_alike(champions, candidates, limit, selves, rng):
    """(steps, ended): coming steps in which a champion meets itself; did another kind of step end them?"""
    top = _likeliest(champions.chance, candidates)
    others = 0.0
    for arm in candidates:
        if arm != top:
            others += champions.chance[arm] * champions.chance[arm]
    ending = champions.missing[top] * (1.0 + champions.chance[top]) - others
    if ending > 0.5:
        return 0, False
    n = alike_steps(ending, limit, rng)
    # One arm has nearly all of these steps; the others' are few and drawn one by one.
    left, share = n, others / (others + champions.chance[top] * champions.chance[top])
    while left > 0:
        n_top = alike_steps(share, left, rng)
        selves[top] += n_top
        left -= n_top
        if left > 0:
            selves[_draw_other(champions.chance, candidates, top, others, rng)] += 1
            left -= 1
    return n, n < limit


@kernel
def draw_champion(champions, candidates, ended, rng):
    """(champion or NO_ARM, likeliest champion). `ended`: it is known that no champion will meet itself."""
    top = _likeliest(champions.chance, candidates)
    total, others = 0.0, 0.0
    for arm in candidates:
        others += champions.chance[arm] if arm != top else 0.0
        total += champions.chance[arm] * (champions.missing[arm] if ended else 1.0)
    nobody = champions.missing[top] - others
    if nobody < _ROUNDING * champions.missing[top]:
        nobody = 0.0
    left = rng.random() * (total + nobody) - nobody
    if left < 0.0:
        return NO_ARM, top
    for arm in candidates:
        left -= champions.chance[arm] * (champions.missing[arm] if ended else 1.0)
        if left < 0.0:
            return arm, top
    return top, top


@kernel
def draw_tournament(beliefs, arms, n_candidates, top, rng):
    """The largest score of the candidates arms[:n_candidates], given that none of them beats everybody.

    Their scores are written, or -1 for who cannot have the largest. Both parts of `arms` are ascending.

    The duels of `top`, the likeliest champion, are tossed given that it loses one, then those of others as
    they come; again from the start if that made somebody champion. As steps come here only without a
    champion, an average step has at most one such round. Who has lost more duels than another in total is out
    of the running and need not be tossed for: strong arms go first, so that the many weak ones soon are.
    """
    rows = beliefs.rows
    tournament = Tournament(beliefs.coins, beliefs.odds.chance, beliefs.strength, rows)
    candidates, most = arms[:n_candidates], len(arms) - 1
    last_other = arms[most] if n_candidates < len(arms) else -1
    while True:
        all_present(rows)
        toss_row(beliefs, top, beliefs.champions.exponent[top], rng)
        largest = rows.score[top]
        n_lost = most - largest
        if 4 * n_lost < most:
            strong = most - 3.0 * n_lost
            largest = toss_rows(tournament, candidates, last_other, strong, largest, rng)
        largest = toss_rows(tournament, candidates, last_other, -1.0, largest, rng)
        if largest < most:
            return largest


@kernel
def pick_scoring(score, candidates, largest, rng):
    """A uniform candidate among those with the largest score."""
    n_tied = 0
    for arm in candidates:
        n_tied += score[arm] == largest
    left = pick(n_tied, rng)
    for arm in candidates:
        if score[arm] == largest:
            if left == 0:
                return arm
            left -= 1
    return NO_ARM


@kernel
def draw_second(beliefs, first, exponent, ended, rng):
    """The second arm, of those present and `first`; `ended`: it is known not to be `first` itself.

    `exponent` is minus the logarithm of the chance that it is.
    """
    hit, wins, odds = beliefs.rows.lost, beliefs.wins, beliefs.odds
    toss_row(beliefs, first, exponent if ended else 0.0, rng)
    second, largest = first, 0.5
    for arm in range(len(wins)):
        if hit[arm] == 1:
            won = float(wins[arm, first])
            lost = float(wins[first, arm])
            chance = odds.chance[arm, first]
            if second == first:
                sample = sample_above_half(won, lost, chance, rng)
            else:
                log_g = odds.log_g[min(arm, first), max(arm, first)]
                sample = sample_beyond(won, lost, chance, log_g, largest, rng)
            if sample > largest:
                second, largest = arm, sample
    return second


@kernel
def toss_row(beliefs, arm, exponent, rng):
    """Toss for `arm` against all present. An `exponent` above 0: it is known to lose to one at least.

    It is minus the logarithm of the chance to lose to none. The first it loses to comes where an exponential,
    cut off at `exponent`, is used up by the -ln q_ij.
    """
    rows, odds = beliefs.rows, beliefs.odds
    left = -math.log1p(rng.random() * math.expm1(-exponent)) if exponent > 0.0 else math.inf
    loss = -1
    for other in range(len(odds.chance)):
        if exponent > 0.0 and rows.present[other] == 1 and odds.minus_log[arm, other] > 0.0:
            loss = other
            left -= odds.minus_log[arm, other]
            if left < 0.0:
                break
    beliefs.single[0], last = arm, len(odds.chance) - 1
    tournament = Tournament(beliefs.coins, odds.chance, beliefs.strength, rows)
    toss_rows(tournament, beliefs.single, last, -1.0, _NO_SCORE, rng)
    won = rows.won[arm % len(rows.won)]
    for other in range(loss + 1):  # overrule
        right = rows.present[other] if other < loss else 0
        rows.score[arm] += right - won[other]
        rows.lost[other] -= right - won[other]
        won[other] = right


@kernel
def _likeliest(chance, candidates):
    top = candidates[0]
    for arm in candidates:
        if chance[arm] > chance[top]:
            top = arm
    return top


@kernel
def _draw_other(chance, candidates, top, total, rng):
    """A candidate but `top`, with chances in proportion to chance^2, which add up to `total`."""
    left, last = rng.random() * total, top
    for arm in candidates:
        if arm != top and chance[arm] > 0.0:
            last = arm
            left -= chance[arm] * chance[arm]
            if left < 0.0:
                break
    return last
