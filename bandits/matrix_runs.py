"""Single runs of a policy on a preference matrix."""

from __future__ import annotations

import numpy as np

from rankduel.bandits.catalogue import configured_policy
from rankduel.bandits.draws import PROXY, draws_of
from rankduel.bandits.feedback import AT_ONCE, Feedback
from rankduel.bandits.loop import run_loop
from rankduel.bandits.matrix_duels import by_matrix, checked_prefs, gaps
from rankduel.bandits.steps import checked_horizon, checkpoints
from rankduel.bandits.trace import Trace
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
    """Play one run of a policy in which duels are drawn from a preference matrix.

    The arms are labelled at random for the policy; the trace has the numbers of the rows of `prefs`. The run
    is the one that `rankduel.experiments.runs` records for the same seed and run number.

    Parameters
    ----------
    configured : Configured or str
        The policy, or text such as ``"rucb(alpha=0.6)"``.
    prefs : (K, K) array of float
        Probability that the arm of the row beats the arm of the column.
    horizon : float
        Number of steps.
    seed : int, default 0
        Seed of all random numbers.
    run : int, default 0
        Number of the run; runs with different numbers are independent.
    loss : (K,) array of float, optional
        Loss of each arm, which decides the better arm of a pair in the counts; by default the gaps to the
        Condorcet winner.
    steps : array of int, optional
        Checkpoints; by default `checkpoints(horizon)`.
    fast_forward : bool, default True
        Whether idle steps are skipped. The distribution of the trace is the same without.
    feedback : Feedback, optional
        When outcomes reach the policy; at once by default.

    Returns
    -------
    Trace
        Counts and answers at each checkpoint.

    Raises
    ------
    RankduelError
        If the policy, the matrix or the horizon is invalid, or if `loss` is not given and the matrix has no
        Condorcet winner.
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
