"""Comparison with the twin for tests of policies that return an answer, and a common model."""

import numpy as np

from support.policies import fast, generators, with_horizon


def equal_margins(n_arms):
    """Return the matrix in which an arm beats every later arm with p = 0.6 (Falahatgar et al. 2017)."""
    place = np.arange(n_arms)
    return 0.5 + 0.1 * np.sign(place[None, :] - place[:, None])


def assert_same_course(twin, configured, prefs, steps, runs, fast_forwards=(True, False), seed=0):
    """Assert that counts, answer and end of the run equal those of the twin at every checkpoint.

    Return the number of runs that ended.
    """
    n_finished = 0
    for run in range(runs):
        course = slow_course(twin, configured, prefs, steps, seed, run)
        for fast_forward in fast_forwards:
            trace = fast(configured, prefs, steps, seed, run, fast_forward)
            for row, (duels, selves, answer, finished) in enumerate(course):
                where = f"run {run}, step {steps[row]}, fast_forward={fast_forward}"
                np.testing.assert_array_equal(trace.duels[row], duels, where)
                np.testing.assert_array_equal(trace.selves[row], selves, where)
                assert np.flatnonzero(trace.answers[row]).tolist() == sorted(answer), where
                assert trace.recommended[row] in answer and trace.finished[row] == finished, where
                assert trace.survivors[row] >= len(answer), where
                assert not finished or trace.survivors[row] == len(answer), where
        n_finished += course[-1][-1]
    return n_finished


def slow_course(twin, configured, prefs, steps, seed, run):
    """Return (duels, selves, answer, finished) of the twin at each of `steps`."""
    rng, users = generators(seed, run)
    made, course = twin(len(prefs), with_horizon(configured, 0), rng), []
    duels, selves = np.zeros((2, len(prefs)), int)
    for t in range(1, steps[-1] + 1):
        first, second = made.select()
        if first == second:
            selves[first] += 1
            made.update(first, second, True)
        else:
            duels[[first, second]] += 1
            made.update(first, second, users.random() < prefs[first, second])
        if t in steps:
            course.append((duels.copy(), selves.copy(), list(made.answer()), made.finished()))
    return course


def n_duels(trace):
    return int(trace.duels[-1].sum()) // 2
