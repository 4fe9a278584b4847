"""Subsets of the rankers of a matrix, by a seed: with a Condorcet winner, or with two Copeland winners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bandits import condorcet_winner
from rankduel.base.compiling import entry
from rankduel.base.errors import StudyError
from rankduel.base.streams import stream

_TRIES = 10_000  # random subsets looked at for one with a winner
DRAWS = 200_000  # random subsets, of which the one with the clearest two winners is taken


def random_arms(matrices: list[np.ndarray], size: int, seed: int) -> list[int]:
    """A random subset with a Condorcet winner in each of the matrices, in increasing order."""
    most = min(map(len, matrices))
    _check_size(size, most)
    rng = stream(seed, "arms", size)
    for _ in range(_TRIES):
        arms = np.sort(rng.permutation(most)[:size])
        if all(condorcet_winner(matrix[np.ix_(arms, arms)]) >= 0 for matrix in matrices):
            return [int(arm) for arm in arms]
    raise StudyError(f"{_TRIES:,} random subsets of {size} rankers, and none of them has a Condorcet winner")


def _check_size(size: int, most: int) -> None:
    if not 1 <= size <= most:
        raise StudyError(f"a subset of {size} rankers; there are {most}")


class TwoWinners(NamedTuple):
    arms: list[int]  # in increasing order: of the subsets drawn, the one whose winners are the clearest
    gaps: np.ndarray  # (DRAWS,) how clear each subset is, see `clearness`


def draw_two_winners(matrix: np.ndarray, size: int, seed: int) -> TwoWinners:
    """Random subsets in which two Copeland winners beat all but one, as in Li et al. 2020, Figure 4."""
    _check_size(size, len(matrix))
    chances = stream(seed, "two winners", size).random((DRAWS, size))
    gaps = np.zeros(DRAWS)
    arms = np.zeros(size, np.int64)
    _look_at_subsets(np.array(matrix), np.arange(len(matrix)), chances, gaps, arms)
    if not gaps.any():
        raise StudyError(
            f"{DRAWS:,} random subsets of {size} rankers, and none has two Copeland winners that beat "
            f"{size - 2} each"
        )
    return TwoWinners(sorted(arms.tolist()), gaps)


@entry
def _look_at_subsets(matrix, deck, chances, gaps, clearest):
    """How clear is the subset that each row of `chances` draws? The first of the clearest is left there."""
    size, most = len(clearest), 0.0
    for draw in range(len(gaps)):
        for place in range(size):
            other = place + int(chances[draw, place] * (len(deck) - place))
            deck[place], deck[other] = deck[other], deck[place]
        gaps[draw] = clearness(matrix, deck[:size])
        if gaps[draw] > most:
            most = gaps[draw]
            for place in range(size):
                clearest[place] = deck[place]


@entry
def clearness(matrix, arms):
    """How far from 1/2 the duels of the two winners are at least; 0 if there are no two as wanted.

    Exactly two arms beat all but one of the others; then nobody beats all. If no duel of theirs is a tie, one
    of the two beats the other, and loses to an arm that is no winner.
    """
    first, second = -1, -1
    for arm in arms:
        unbeaten = _unbeaten(matrix, arm, arms)
        if unbeaten == 1 and second >= 0:
            return 0.0
        if unbeaten == 1:
            first, second = arm, first
    if second < 0:
        return 0.0
    least = 0.5
    for arm in arms:
        for winner in (first, second):
            if arm != winner:
                least = min(least, abs(matrix[winner, arm] - 0.5))
    return least


@entry
def _unbeaten(matrix, arm, arms):
    """How many of the others the arm does not beat; from two on it does not matter."""
    n = 0
    for other in arms:
        n += other != arm and matrix[arm, other] <= 0.5
        if n == 2:
            break
    return n
