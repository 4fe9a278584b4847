"""Counts of a run, and their values at each checkpoint.

All counts are integers. They are counted per arm: the duels against other arms, the number of these in which
it was the arm with the smaller loss, and the steps in which it was chosen against itself. Every notion of
regret is a product of these counts with a loss per arm (bandits/regret.py). So regret has no rounding error
that grows with the horizon, and skipped steps are one addition. Duels are counted per pair as well, and the
largest of these counts is recorded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel


class Trace(NamedTuple):
    """Counts of one run at each checkpoint (rows); the columns are the arms as numbered by the caller."""

    steps: np.ndarray  # (checkpoints,) int64
    duels: np.ndarray  # (checkpoints, arms) int64: duels of the arm against other arms
    better: np.ndarray  # (checkpoints, arms) int64: duels in which it was the arm with the smaller loss
    selves: np.ndarray  # (checkpoints, arms) int64: steps in which it was chosen against itself
    recommended: np.ndarray  # (checkpoints,) int64: the recommended arm; -1 if there is none
    survivors: np.ndarray  # (checkpoints,) int64: arms not eliminated; -1 if the policy eliminates none
    answers: np.ndarray  # (checkpoints, arms) bool: all arms of the answer, with the recommended arm
    finished: np.ndarray  # (checkpoints,) bool: whether nothing was left to compare
    most: np.ndarray  # (checkpoints,) int64: number of duels of the pair with most duels
    rounds: np.ndarray  # (checkpoints,) int64: number of batches of outcomes that reached the policy
    measured: np.ndarray  # (checkpoints, n) float64: written by Duel.measure


class Counts(NamedTuple):
    """Counts up to the current step; arms are numbered as by the policy."""

    labels: np.ndarray  # (arms,) int64: arm a of the policy is arm labels[a] of the caller
    loss: np.ndarray  # (arms,) float64: loss of each arm; the better arm of a pair has the smaller loss
    duels: np.ndarray  # (arms,) int64, this and the next two: as in Trace
    better: np.ndarray  # (arms,) int64
    selves: np.ndarray  # (arms,) int64
    pairs: np.ndarray  # (arms, arms) int64: duels of each pair, at [smaller, larger] index
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
def count_duels(counts, first, second, n):
    """Count `n` duels of a pair of different arms."""
    counts.duels[first] += n
    counts.duels[second] += n
    counts.better[first if counts.loss[first] <= counts.loss[second] else second] += n
    times = counts.pairs[min(first, second), max(first, second)] + n
    counts.pairs[min(first, second), max(first, second)] = times
    counts.most[0] = max(counts.most[0], times)


@kernel
def copy_counts(counts, answer, chosen, trace, row):
    """Write the counts and the answer to a row of the trace, and clear `chosen`."""
    labels = counts.labels
    trace.recommended[row] = labels[answer] if answer >= 0 else -1
    trace.most[row] = counts.most[0]
    for arm in range(len(labels)):
        trace.duels[row, labels[arm]] = counts.duels[arm]
        trace.better[row, labels[arm]] = counts.better[arm]
        trace.selves[row, labels[arm]] = counts.selves[arm]
        trace.answers[row, labels[arm]] = chosen[arm] or arm == answer
        chosen[arm] = False
