"""RCS, relative confidence sampling: a sampled champion meets its most dangerous challenger.

Zoghi, Whiteson, de Rijke and Munos, "Relative Confidence Sampling for Efficient On-Line Ranker Evaluation",
WSDM 2014, Algorithm 1 (Algorithm 3 of Zoghi's thesis, 2017).

The champion is the arm that beats all others in a tournament of Thompson samples; if there is none, the arm
that was champion least often. The challenger has the largest upper confidence bound against it, and is the
champion itself once that confidently beats everybody. No tournament is ever drawn: who beats everybody, if
anybody does, is a single draw (bandits/parts/thompson/champion_odds.py). Stretches in which the one arm that
confidently beats everybody is drawn again and again are skipped; the step after one is drawn given that this
arm is not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader
from bandits.parts.bounds import all_beaten_until, beaten_until
from bandits.parts.picks import NO_ARM, pick_largest
from bandits.parts.thompson.champion_odds import (
    ChampionOdds,
    alike_steps,
    even_champion_odds,
    note_champion,
)
from bandits.parts.thompson.pair_posterior import BeatOdds, even_odds, note_win
from bandits.parts.ucb_challenger import Challengers, new_challengers, note_rates, strongest_challenger
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

CLOCK, PASSED_OVER = 0, 1  # entries of State.now


class State(NamedTuple):
    wins: np.ndarray  # (arms, arms) int64
    odds: BeatOdds
    champions: ChampionOdds
    beats_until: np.ndarray  # (arms, arms) int64: arm i confidently beats j before step beats_until[i, j]
    challengers: Challengers
    minus_times: np.ndarray  # (arms,) int64: minus how often each was champion, drawn or not
    alpha: np.ndarray  # (1,) float64
    now: np.ndarray  # (2,) int64: steps played; an arm known not to win the next tournament, or NO_ARM


class Params(NamedTuple):
    alpha: float = 0.501
    unvisited_u: float = 2.0


def init(n_arms, params, rng):
    return State(
        wins=np.zeros((n_arms, n_arms), np.int64),
        odds=even_odds(n_arms),
        champions=even_champion_odds(n_arms),
        beats_until=np.zeros((n_arms, n_arms), np.int64),
        challengers=new_challengers(n_arms, params.unvisited_u),
        minus_times=np.zeros(n_arms, np.int64),
        alpha=np.array([params.alpha]),
        now=np.array([0, NO_ARM]),
    )


@kernel
def select(state, params, rng):
    t = state.now[CLOCK] + 1
    champion = _draw_champion(state.champions, state.now[PASSED_OVER], rng)
    state.now[PASSED_OVER] = NO_ARM
    if champion == NO_ARM:
        champion = pick_largest(state.minus_times, NO_ARM, rng)
    state.minus_times[champion] -= 1
    if all_beaten_until(state.beats_until[champion], champion) > t:
        return champion, champion
    scale = math.sqrt(params.alpha * math.log(t))
    return champion, strongest_challenger(state.challengers, champion, scale, rng)


@kernel
def update(state, first, second, first_won):
    state.now[CLOCK] += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    note_win(state.odds, state.wins, winner, loser)
    state.wins[winner, loser] += 1
    note_champion(state.champions, state.odds.minus_log, winner)
    note_champion(state.champions, state.odds.minus_log, loser)
    won, lost, alpha = state.wins[winner, loser], state.wins[loser, winner], state.alpha[0]
    state.beats_until[winner, loser] = beaten_until(lost, won, alpha, 0.0)
    state.beats_until[loser, winner] = beaten_until(won, lost, alpha, 0.0)
    note_rates(state.challengers, state.wins, first, second)


@kernel
def idle(state, params, limit, selves, rng):
    """An arm that confidently beats everybody is drawn as champion, and meets itself."""
    t, top = state.now[CLOCK] + 1, pick_largest(state.champions.chance, NO_ARM, rng)
    limit = min(limit, all_beaten_until(state.beats_until[top], top) - t)
    if limit <= 0 or state.champions.missing[top] > 0.5:
        return 0
    n = alike_steps(state.champions.missing[top], limit, rng)
    if n < limit:
        state.now[PASSED_OVER] = top
    selves[top] += n
    state.minus_times[top] -= n
    state.now[CLOCK] += n
    return n


@kernel
def recommend(state):
    return leader(state.wins)


@kernel
def _draw_champion(champions, passed_over, rng):
    """The arm that beats everybody in a tournament, or NO_ARM; given that it is not `passed_over`."""
    left = rng.random() * (champions.missing[passed_over] if passed_over != NO_ARM else 1.0)
    for arm in range(len(champions.chance)):
        if arm != passed_over:
            left -= champions.chance[arm]
            if left < 0.0:
                return arm
    return NO_ARM


POLICY = Policy(
    "rcs",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    late=True,
    about="The winner of a sampled tournament meets the challenger with the largest upper bound.",
    source="Zoghi, Whiteson, de Rijke, Munos 2014 (WSDM), Algorithm 1",
    assumes="Condorcet winner",
    settings={
        "alpha": Setting("width of the confidence bounds; theory wants it above 1/2", above=0),
        "unvisited_u": Setting("upper bound of a pair never compared: 1, 2 (literal) or inf", at_least=1),
    },
    variants={"paper": {}},
)
