"""Single runs of policies on a known preference matrix."""

from __future__ import annotations

import numpy as np

from bandits.catalogue import configured_policy
from bandits.draws import PROXY, draws_of
from bandits.feedback import AT_ONCE, Feedback
from bandits.loop import run_loop
from bandits.matrix_duels import by_matrix, checked_prefs, gaps
from bandits.steps import checked_horizon, checkpoints
from bandits.trace import Trace
from rankduel.base.settings import Configured


def play_matrix(
    configured: Configured | str,
    prefs: np.ndarray,
    horizon: float,
    *,
    seed: int = 0,
    run: int = 0,
    loss: np.ndarray | None = None,
    steps: np.ndarray | None = None,
    fast_forward: bool = True,
    feedback: Feedback = AT_ONCE,
) -> Trace:
    """Play run number `run` of a policy, which may be text such as 'rucb(alpha=0.6)'.

    `loss` says who is the better of a pair (default: Condorcet gaps).

    It is the run that experiments.runs records by that number and seed. The policy sees the arms under random
    labels; the trace has the caller's numbers.
    """
    configured = configured_policy(configured)
    prefs = checked_prefs(prefs)
    horizon = checked_horizon(horizon)
    labels, rng, users = draws_of(configured, len(prefs), mode=PROXY, seed=seed, run=run)
    return run_loop(
        configured,
        by_matrix(prefs),
        gaps(prefs) if loss is None else loss,
        labels,
        checkpoints(horizon) if steps is None else steps,
        rng,
        users,
        fast_forward=fast_forward,
        feedback=feedback,
    )
