"""Play a policy against a preference matrix: the proxy for live duels."""

from __future__ import annotations

import numpy as np

from bandits.checkpoints import checked_horizon, checkpoints
from bandits.loop import AT_ONCE, Feedback, Trace, run_loop
from bandits.matrix import by_matrix, checked_prefs, gaps
from bandits.policy import Configured
from bandits.streams import stream


def play_matrix(
    configured: Configured,
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
    """Run number `run` of a policy. `loss` says who is the better of a pair (default: Condorcet gaps).

    The policy sees the arms under random labels, so no index is favoured; the trace has the caller's numbers.
    """
    prefs = checked_prefs(prefs)
    horizon = checked_horizon(horizon)
    names = (str(configured), run)
    return run_loop(
        configured,
        by_matrix(prefs),
        gaps(prefs) if loss is None else loss,
        stream(seed, *names, "labels").permutation(len(prefs)),
        checkpoints(horizon) if steps is None else steps,
        stream(seed, *names, "policy"),
        stream(seed, *names, "users"),
        fast_forward,
        feedback,
    )
