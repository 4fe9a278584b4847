"""DTS, double Thompson sampling, and DTS+: two samples, each held in check by confidence bounds.

Wu and Liu, "Double Thompson Sampling for Dueling Bandits", NIPS 2016, Algorithm 1; DTS+ is its variant with
another way to break ties.

Candidates are the arms with the best optimistic Copeland score, that is, confidently beaten by the fewest.
The first arm is the candidate that wins most duels of a sampled tournament, the second the one with the
largest fresh sample against it, unless it is already known to beat it. Tournaments are drawn and stretches of
idle steps skipped as in bandits/parts/thompson/double_sampling.py.

In DTS+ candidates that tie compare the regret, in lost Copeland score, of the duels they may still need.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader, leaders
from bandits.parts.bounds import beaten_until
from bandits.parts.fewest_beaters import Beaters, no_beaters, note_beat, order_by_beats
from bandits.parts.picks import NO_ARM, pick
from bandits.parts.relative_entropy import entropy_of_edge
from bandits.parts.thompson.bernoulli_rows import all_present, new_step
from bandits.parts.thompson.champion_odds import alike_steps
from bandits.parts.thompson.double_sampling import (
    Beliefs,
    draw_champion,
    draw_second,
    draw_tournament,
    learn,
    no_beliefs,
    pick_scoring,
    skip_alike,
    toss_row,
)
from bandits.parts.thompson.extreme_samples import sample_above_half
from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting

CLOCK, N_CANDIDATES, N_BEATERS, LOOK_AGAIN, ENDED = range(5)  # entries of State.now
_CLIPPED = 1.0 - 1e-7  # a larger sample is taken for this
_NOT_ZERO = 1e-30  # a smaller divergence is taken for this


class State(NamedTuple):
    beliefs: Beliefs
    beats: Beaters
    arms: np.ndarray  # (arms,) int64: the candidates, then the others, each part ascending
    bounds: np.ndarray  # (2,) float64: alpha, and prior wins of either side
    now: np.ndarray  # (5,) int64: steps played; candidates, and by how many each is beaten, until LOOK_AGAIN;
    # whether the coming step ends a stretch of idle ones


class Params(NamedTuple):
    alpha: float = 0.51
    plus: bool = False
    w0: int = 0


def init(n_arms, params, rng):
    return State(
        beliefs=no_beliefs(n_arms, params.plus),
        beats=no_beaters(n_arms),
        arms=np.arange(n_arms),
        bounds=np.array([params.alpha, params.w0]),
        now=np.zeros(5, np.int64),
    )


@kernel
def select(state, params, rng):
    beliefs, t, ended = state.beliefs, state.now[CLOCK] + 1, state.now[ENDED] == 1
    state.now[ENDED] = 0
    n_candidates = _candidates(state, t)
    new_step(beliefs.coins, rng)
    first, top = state.arms[0], NO_ARM
    if n_candidates > 1:
        first, top = draw_champion(beliefs.champions, state.arms[:n_candidates], ended, rng)
    if first == NO_ARM:
        ended = False
        largest = draw_tournament(beliefs, state.arms, n_candidates, top, rng)
        first = pick_scoring(beliefs.rows.score, state.arms[:n_candidates], largest, rng)
        if params.plus:
            first = _least_regret(beliefs, state.arms, n_candidates, first, largest, rng)
    exponent = _admit(state, first, t)
    return first, draw_second(beliefs, first, exponent, ended, rng)


@kernel
def update(state, first, second, first_won):
    state.now[CLOCK] += 1
    if first == second:
        return
    winner, loser = (first, second) if first_won else (second, first)
    learn(state.beliefs, winner, loser)
    t, alpha, prior = state.now[CLOCK] + 1, state.bounds[0], state.bounds[1]
    won, lost = state.beliefs.wins[winner, loser] + prior, state.beliefs.wins[loser, winner] + prior
    for step in (
        note_beat(state.beats, winner, loser, beaten_until(won, lost, alpha, 0.0), t),
        note_beat(state.beats, loser, winner, beaten_until(lost, won, alpha, 0.0), t),
    ):
        state.now[LOOK_AGAIN] = min(state.now[LOOK_AGAIN], step)


@kernel
def idle(state, params, limit, selves, rng):
    """A champion, or the only candidate, meets itself."""
    t = state.now[CLOCK] + 1
    n_candidates = _candidates(state, t)
    limit = min(limit, state.now[LOOK_AGAIN] - t)
    if n_candidates == 1:
        first = state.arms[0]
        ending = -math.expm1(-_admit(state, first, t))
        n = alike_steps(ending, limit, rng) if ending < 0.5 else 0
        ended = ending < 0.5 and n < limit
        selves[first] += n
    elif state.now[N_BEATERS] == 0:
        n, ended = skip_alike(state.beliefs.champions, state.arms[:n_candidates], limit, selves, rng)
    else:
        return 0  # several candidates, each of them beaten: a champion is most unlikely
    state.now[CLOCK] += n
    state.now[ENDED] = ended
    return n


@kernel
def recommend(state):
    return leader(state.beliefs.wins)


@kernel
def answers(state, chosen):
    leaders(state.beliefs.wins, chosen)


@kernel
def _candidates(state, t):
    """How many candidates there are at step t; they are in front of state.arms."""
    if t >= state.now[LOOK_AGAIN]:
        n_candidates, n_beaters, soonest = order_by_beats(state.beats, state.arms, t)
        state.now[N_CANDIDATES], state.now[N_BEATERS] = n_candidates, n_beaters
        state.now[LOOK_AGAIN] = soonest
    return state.now[N_CANDIDATES]


@kernel
def _admit(state, first, t):
    """Flag who may be second: nobody known to beat `first`. -ln of the chance that `first` meets itself."""
    beliefs, present = state.beliefs, state.beliefs.rows.present
    all_present(beliefs.rows)
    if state.now[N_BEATERS] == 0:
        return beliefs.champions.exponent[first]
    exponent = 0.0
    for arm in range(len(state.arms)):
        if t < state.beats.until[first, arm]:
            present[arm] = 0
        elif arm != first:
            exponent += beliefs.odds.minus_log[first, arm]
    return exponent


@kernel
def _least_regret(beliefs, arms, n_candidates, first, largest, rng):
    """Of the candidates with the largest score, of whom `first` is one, that with the least regret ahead."""
    n_tied = 0
    for arm in arms[:n_candidates]:
        n_tied += beliefs.rows.score[arm] == largest
    if n_tied == 1:
        return first
    for arm in arms:  # the scores of all arms matter
        if beliefs.rows.present[arm] == 1:
            toss_row(beliefs, arm, 0.0, rng)
    best, smallest, n_tied = first, math.inf, 0
    for arm in arms[:n_candidates]:
        if beliefs.rows.score[arm] == largest:
            regret = _expected_regret(beliefs, arm, largest, rng)
            n_tied = n_tied + 1 if regret == smallest else int(regret < smallest)
            if n_tied > 0 and pick(n_tied, rng) == 0:
                best, smallest = arm, regret
    return best


@kernel
def _expected_regret(beliefs, arm, largest, rng):
    """Sum over all others of the score both lack, divided by the divergence of their sample from one half.

    The samples are given by who won, which is in the row of the arm whose turn was first; the divergence is
    the same on either side of one half.
    """
    regret, won, turn, chance = 0.0, beliefs.rows.won, beliefs.rows.turn, beliefs.odds.chance
    for other in range(len(turn)):
        lacking = largest - beliefs.rows.score[other]
        if other != arm and lacking != 0:
            won_it = won[arm, other] == 1 if turn[arm] > turn[other] else won[other, arm] == 0
            up, down = (arm, other) if won_it else (other, arm)
            wins = float(beliefs.wins[up, down])
            losses = float(beliefs.wins[down, up])
            edge = 2.0 * min(sample_above_half(wins, losses, chance[up, down], rng), _CLIPPED) - 1.0
            regret += lacking / max(entropy_of_edge(edge), _NOT_ZERO)
    return regret


POLICY = Policy(
    "dts",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    answers=answers,
    late=True,
    about="The winner of a sampled tournament of candidates meets the strongest fresh sample against it.",
    source="Wu, Liu 2016 (NIPS), Algorithm 1",
    assumes="Condorcet winner (or Copeland winners)",
    settings={
        "alpha": Setting("width of the confidence bounds; theory wants it above 1/2", above=0),
        "plus": Setting("DTS+: ties of candidates go to the least expected regret"),
        "w0": Setting("wins each side of a pair starts with, in the bounds only", at_least=0, at_most=1),
    },
    variants={"paper": {}, "published": {"alpha": 0.2097152}},
)
