"""Regret from the counts of a run, for any loss per arm; exact products, no running sums."""

from __future__ import annotations

import numpy as np

from bandits.loop import Trace


def strong_regret(trace: Trace, loss: np.ndarray) -> np.ndarray:
    """The mean loss of the two arms, summed over steps (Yue et al. 2012)."""
    return 0.5 * trace.duels @ loss + trace.selves @ loss


def weak_regret(trace: Trace, loss: np.ndarray) -> np.ndarray:
    """The smaller loss of the two arms, summed over steps; `loss` must be the one the run was played with."""
    return trace.better @ loss + trace.selves @ loss


def strong_binary_regret(trace: Trace, winner: int) -> np.ndarray:
    """Steps in which a non-winner took part (Chen and Frazier 2017)."""
    return trace.steps - trace.selves[:, winner]


def weak_binary_regret(trace: Trace, winner: int) -> np.ndarray:
    """Steps without the winner."""
    return strong_binary_regret(trace, winner) - trace.duels[:, winner]


def informative_steps(trace: Trace) -> np.ndarray:
    """Steps that were a real duel."""
    return trace.duels.sum(axis=1) // 2
