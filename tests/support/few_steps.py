"""Distribution of the first few steps after given duels: a sensitive test of skipping idle steps."""

from collections import Counter

import numpy as np
from naive.policies import play_twin

from rankduel.bandits.loop import run_loop
from rankduel.bandits.matrix_duels import by_matrix
from support.policies import assert_same_pairs, generators, state_after, with_horizon

STEPS = [1, 5]  # the pair of the first step; then four steps of which several may be skipped at once


def leaves(state):
    """Yield every array of a state."""
    for field in state:
        yield from leaves(field) if isinstance(field, tuple) else (field,)


def few_steps(configured, wins, runs, fast_forward):
    """Return for each of STEPS how often each row of duels and self-duels per arm occurred; p = 1/2."""
    n_arms, (state, _) = len(wins), state_after(configured, wins)
    before = [array.copy() for array in leaves(state)]
    started = configured._replace(thing=configured.thing._replace(init=lambda *_: state))
    even, nothing, counted = np.full((n_arms, n_arms), 0.5), np.zeros(n_arms), [Counter() for _ in STEPS]
    rng, users = generators(5, fast_forward)
    for _ in range(runs):
        for array, value in zip(leaves(state), before):
            array[...] = value
        labels, steps = np.arange(n_arms), np.array(STEPS)
        trace = run_loop(
            started, by_matrix(even), nothing, labels, steps, rng, users, fast_forward=fast_forward
        )
        for row, counter in enumerate(counted):
            counter[(*trace.duels[row], *trace.selves[row])] += 1
    return counted


def few_steps_of_twin(twin, configured, wins, runs):
    """Return the counts of `few_steps` for the twin."""
    n_arms, (rng, users) = len(wins), generators(5, 2)
    even, counted = np.full((n_arms, n_arms), 0.5), [Counter() for _ in STEPS]
    for _ in range(runs):
        made = twin(n_arms, with_horizon(configured, 1000), rng)
        made.w += wins
        made.t = int(np.sum(wins))
        duels, selves = play_twin(made, even, STEPS, users)
        for row, counter in enumerate(counted):
            counter[(*duels[row], *selves[row])] += 1
    return counted


def assert_same_few_steps(twin, configured, wins, runs):
    """Assert that policy and twin have the same distribution, with and without skipping."""
    slow = few_steps_of_twin(twin, configured, wins, runs)
    for fast_forward in (True, False):
        for quick_counts, slow_counts in zip(few_steps(configured, wins, runs, fast_forward), slow):
            keys = sorted(quick_counts.keys() | slow_counts.keys())
            assert_same_pairs([quick_counts[key] for key in keys], [slow_counts[key] for key in keys])
