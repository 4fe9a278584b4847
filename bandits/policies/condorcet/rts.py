"""RTS, relative Thompson sampling: double Thompson sampling without any confidence bounds.

Named and used as a baseline by Li, Markov, de Rijke and Zoghi, "MergeDTS: A Method for Effective Large-Scale
Online Ranker Evaluation", TOIS 2020; it has no paper of its own.

The first arm wins most duels of a tournament of Thompson samples, the second has the largest fresh sample
against it. Time plays no role, and stretches in which a champion meets itself are skipped without end
(bandits/parts/thompson/double_sampling.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits.contract import Policy
from bandits.parts.answers import leader
from bandits.parts.picks import NO_ARM
from bandits.parts.thompson.bernoulli_rows import all_present, new_step
from bandits.parts.thompson.double_sampling import (
    Beliefs,
    draw_champion,
    draw_second,
    draw_tournament,
    learn,
    no_beliefs,
    pick_scoring,
    skip_alike,
)
from rankduel.base.compiling import kernel


class State(NamedTuple):
    beliefs: Beliefs
    arms: np.ndarray  # (arms,) int64: all of them
    ended: np.ndarray  # (1,) bool: the coming step ends a stretch of idle ones


class Params(NamedTuple):
    pass


def init(n_arms, params, rng):
    return State(no_beliefs(n_arms, False), np.arange(n_arms), np.zeros(1, np.bool_))


@kernel
def select(state, params, rng):
    beliefs, arms, ended = state.beliefs, state.arms, state.ended[0]
    state.ended[0] = False
    new_step(beliefs.coins, rng)
    first, top = draw_champion(beliefs.champions, arms, ended, rng)
    if first == NO_ARM:
        ended = False
        largest = draw_tournament(beliefs, arms, len(arms), top, rng)
        first = pick_scoring(beliefs.rows.score, arms, largest, rng)
    all_present(beliefs.rows)
    return first, draw_second(beliefs, first, beliefs.champions.exponent[first], ended, rng)


@kernel
def update(state, first, second, first_won):
    if first != second:
        winner, loser = (first, second) if first_won else (second, first)
        learn(state.beliefs, winner, loser)


@kernel
def idle(state, params, limit, selves, rng):
    """A champion meets itself, until it does not."""
    n, state.ended[0] = skip_alike(state.beliefs.champions, state.arms, limit, selves, rng)
    return n


@kernel
def recommend(state):
    return leader(state.beliefs.wins)


POLICY = Policy(
    "rts",
    Params,
    init,
    select,
    update,
    recommend,
    idle=idle,
    late=True,
    about="The winner of a sampled tournament meets the arm with the largest fresh sample against it.",
    source="Li, Markov, de Rijke, Zoghi 2020 (TOIS), a baseline there",
    assumes="Condorcet winner",
    variants={"paper": {}},
)
