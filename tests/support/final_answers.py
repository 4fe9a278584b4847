"""Comparison of the final answers of a policy and its twin."""

import numpy as np

from support.policies import fast, slow


def assert_same_answers(twin, configured, prefs, horizons, runs, seed=0):
    """Assert that a policy and its twin have the same answer and the same `finished` after each horizon.

    Return the number of finished runs.
    """
    n_finished = 0
    for horizon in horizons:
        for run in range(runs):
            made = []

            def remembered(*arguments, made=made):
                made.append(twin(*arguments))
                return made[0]

            slow(remembered, configured, prefs, [horizon], seed, run)
            trace = fast(configured, prefs, [horizon], seed, run)
            answer = np.flatnonzero(trace.answers[-1]).tolist()
            assert answer == sorted(made[0].answer()), (horizon, run)
            assert trace.finished[-1] == made[0].finished(), (horizon, run)
            assert trace.recommended[-1] in answer
            n_finished += int(trace.finished[-1])
    return n_finished
