"""Subsets of the rankers of a matrix: every n-th, or random with a Condorcet or two Copeland winners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.bandits import condorcet_winner
from rankduel.base.compiling import entry
from rankduel.base.errors import StudyError
from rankduel.base.streams import stream

_TRIES = 10_000  # largest number of draws until a subset has a Condorcet winner
DRAWS = 200_000  # draws among which the subset with the clearest two winners is selected


def random_arms(matrices: list[np.ndarray], size: int, seed: int) -> list[int]:
    """Draw a subset of `size` arms that has a Condorcet winner in each matrix; return it sorted."""
    most = min(map(len, matrices))
    _check_size(size, most)
    rng = stream(seed, "arms", size)
    for _ in range(_TRIES):
        arms = np.sort(rng.permutation(most)[:size])
        if all(condorcet_winner(matrix[np.ix_(arms, arms)]) >= 0 for matrix in matrices):
            return [int(arm) for arm in arms]
    raise StudyError(f"none of {_TRIES:,} random subsets of {size} rankers has a Condorcet winner")


def every_nth(n_arms: int, every: int, first: int, last: int) -> list[int]:
    """Return arms first, first + every, ..., up to `last` at most."""
    if not first <= last < n_arms:
        raise StudyError(f"rankers from {first} to {last}; expected numbers from 0 to {n_arms - 1}, in order")
    return list(range(first, last + 1, every))


def _check_size(size: int, most: int) -> None:
    if not 1 <= size <= most:
        raise StudyError(f"a subset of {size} rankers; expected 1 to {most}, the rankers of the matrix")


class TwoWinners(NamedTuple):
    """The drawn subset whose two Copeland winners have the largest `min_winner_gap`, and all gaps."""

    arms: list[int]  # in increasing order
    gaps: np.ndarray  # (DRAWS,) `min_winner_gap` of each drawn subset


def draw_two_winners(matrix: np.ndarray, size: int, seed: int) -> TwoWinners:
    """Draw subsets in which two Copeland winners beat all but one arm, as in Li et al. 2020, Figure 4."""
    _check_size(size, len(matrix))
    uniforms = stream(seed, "two winners", size).random((DRAWS, size))
    gaps = np.zeros(DRAWS)
    arms = np.zeros(size, np.int64)
    _search_subsets(np.array(matrix), np.arange(len(matrix)), uniforms, gaps, arms)
    if not gaps.any():
        raise StudyError(
            f"none of {DRAWS:,} random subsets of {size} rankers has two Copeland winners that beat "
            f"{size - 2} rankers each"
        )
    return TwoWinners(sorted(arms.tolist()), gaps)


@entry
def _search_subsets(matrix, permutation, uniforms, gaps, clearest):
    """Write the gap of every drawn subset to `gaps`, and the first subset with the largest to `clearest`.

    Row i of `uniforms` draws subset i by a partial Fisher-Yates shuffle of `permutation`.
    """
    size, most = len(clearest), 0.0
    for draw in range(len(gaps)):
        for place in range(size):
            other = place + int(uniforms[draw, place] * (len(permutation) - place))
            permutation[place], permutation[other] = permutation[other], permutation[place]
        gaps[draw] = min_winner_gap(matrix, permutation[:size])
        if gaps[draw] > most:
            most = gaps[draw]
            for place in range(size):
                clearest[place] = permutation[place]


@entry
def min_winner_gap(matrix, arms):
    """Return the least distance from 1/2 of a preference of the two winners; 0 without two such winners.

    The winners are exactly two arms that beat all but one of the others, so that no arm beats all others. If
    neither has a tie, one winner beats the other and loses to an arm that is not a winner.
    """
    first, second = -1, -1
    for arm in arms:
        n_not_beaten = _count_not_beaten(matrix, arm, arms)
        if n_not_beaten == 1 and second >= 0:
            return 0.0
        if n_not_beaten == 1:
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
def _count_not_beaten(matrix, arm, arms):
    """Return the number of other arms that `arm` does not beat, counting up to two."""
    n = 0
    for other in arms:
        n += other != arm and matrix[arm, other] <= 0.5
        if n == 2:
            break
    return n
