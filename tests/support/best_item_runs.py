"""Comparisons for best-item policies: with the twin in whole runs, and of agendas with single duels."""

from collections import Counter

import numpy as np

from support.best_items import slow_course
from support.policies import assert_same_pairs, fast


def assert_same_runs(twin, configured, prefs, horizon, runs, seed=0):
    """Assert that counts, answers and ends of runs equal those of the twin after every duel.

    Return the number of runs that ended.
    """
    n_ended, steps = 0, list(range(1, horizon + 1))
    for run in range(runs):
        trace = fast(configured, prefs, steps, seed, run, fast_forward=False)
        course = slow_course(twin, configured, prefs, steps, seed, run)
        for row, (duels, selves, answer, finished) in enumerate(course):
            where = f"run {run}, step {row + 1}"
            np.testing.assert_array_equal(trace.duels[row], duels, where)
            np.testing.assert_array_equal(trace.selves[row], selves, where)
            assert np.flatnonzero(trace.answers[row]).tolist() == sorted(answer), where
            assert trace.recommended[row] == answer[0] and trace.finished[row] == finished, where
        n_ended += course[-1][-1]
    return n_ended


def count_answers(configured, prefs, cuts, runs, fast_forward, seed):
    """Return for each of `cuts` the number of runs with each answer after this many duels."""
    counted = [Counter() for _ in cuts]
    for run in range(runs):
        trace = fast(configured, prefs, cuts, seed, run, fast_forward)
        for row, counter in enumerate(counted):
            counter[tuple(np.flatnonzero(trace.answers[row]).tolist())] += 1
    return counted


def assert_same_answers_at_once(configured, prefs, cuts, runs):
    """Assert that one draw per pair of an agenda and single duels give the same distribution of answers.

    For each of `cuts`, a chi-square test with p above 1e-6.
    """
    one_by_one, at_once = (count_answers(configured, prefs, cuts, runs, f, seed=f) for f in (False, True))
    for counters in zip(one_by_one, at_once):
        keys = sorted(set().union(*counters))
        assert_same_pairs(*([counter[key] for key in keys] for counter in counters))
