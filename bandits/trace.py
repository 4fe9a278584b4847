"""What a run counts, and what it leaves at each checkpoint.

Only whole numbers are counted. Per arm: in how many real duels it stood, in how many of them it was the
better of the two, and how often it was chosen against itself. Every regret is a product of these counts with
a loss per arm (bandits/regret.py), exact at any horizon, and a skipped stretch is an addition. Per pair: how
often it was compared, of which the largest is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel


class Trace(NamedTuple):
    """What one run left at each checkpoint (rows); arms (columns) as the caller numbers them."""

    steps: np.ndarray  # (checkpoints,) int64
    duels: np.ndarray  # (checkpoints, arms) int64: real duels in which the arm stood
    better: np.ndarray  # (checkpoints, arms) int64: real duels in which it was the arm with the smaller loss
    selves: np.ndarray  # (checkpoints, arms) int64: steps in which it was chosen against itself
    recommended: np.ndarray  # (checkpoints,) int64: the answer at that time; -1 if the policy has none
    survivors: np.ndarray  # (checkpoints,) int64: arms not yet given up; -1 if the policy never gives up
    answers: np.ndarray  # (checkpoints, arms) bool: all arms of the answer, of which `recommended` is one
    finished: np.ndarray  # (checkpoints,) bool: nothing was left to compare
    most: np.ndarray  # (checkpoints,) int64: comparisons of the pair that was compared most often
    rounds: np.ndarray  # (checkpoints,) int64: how often outcomes were handed to the policy
    measured: np.ndarray  # (checkpoints, n) float64: what the duels' owner counts, if anything; see `Duel`


class Counts(NamedTuple):
    """What `play` counts, and by what; arms as the policy numbers them."""

    labels: np.ndarray  # (arms,) int64: how everybody else numbers them
    loss: np.ndarray  # (arms,) float64: decides which of two is the better
    duels: np.ndarray  # (arms,) int64
    better: np.ndarray  # (arms,) int64
    selves: np.ndarray  # (arms,) int64
    pairs: np.ndarray  # (arms, arms) int64, the smaller number first
    most: np.ndarray  # (1,) int64: the largest entry of `pairs`


def empty_trace(steps: np.ndarray, n_arms: int, n_measured: int = 0) -> Trace:
    steps = np.ascontiguousarray(steps, np.int64)
    n = len(steps)
    duels, better, selves = np.zeros((3, n, n_arms), np.int64)
    recommended, survivors, most, rounds = np.zeros((4, n), np.int64)
    answers = np.zeros((n, n_arms), np.bool_)
    finished = np.zeros(n, np.bool_)
    measured = np.zeros((n, n_measured))
    return Trace(
        steps, duels, better, selves, recommended, survivors, answers, finished, most, rounds, measured
    )


def empty_counts(labels: np.ndarray, loss: np.ndarray) -> Counts:
    n_arms = len(labels)
    duels, better, selves = np.zeros((3, n_arms), np.int64)
    return Counts(
        labels=np.asarray(labels, np.int64),
        loss=np.asarray(loss, np.float64)[labels],
        duels=duels,
        better=better,
        selves=selves,
        pairs=np.zeros((n_arms, n_arms), np.int64),
        most=np.zeros(1, np.int64),
    )


@kernel
def count(counts, first, second, n):
    """n duels of this pair."""
    counts.duels[first] += n
    counts.duels[second] += n
    counts.better[first if counts.loss[first] <= counts.loss[second] else second] += n
    times = counts.pairs[min(first, second), max(first, second)] + n
    counts.pairs[min(first, second), max(first, second)] = times
    counts.most[0] = max(counts.most[0], times)


@kernel
def copy_counts(counts, answer, chosen, trace, row):
    """Write the counts and the answer so far to a row of the trace, and clear `chosen`."""
    labels = counts.labels
    trace.recommended[row] = labels[answer] if answer >= 0 else -1
    trace.most[row] = counts.most[0]
    for arm in range(len(labels)):
        trace.duels[row, labels[arm]] = counts.duels[arm]
        trace.better[row, labels[arm]] = counts.better[arm]
        trace.selves[row, labels[arm]] = counts.selves[arm]
        trace.answers[row, labels[arm]] = chosen[arm] or arm == answer
        chosen[arm] = False
