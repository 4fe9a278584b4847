"""Who is beaten by the fewest, against a look at all pairs."""

import numpy as np
import pytest

from bandits.parts.bounds import NEVER
from bandits.parts.fewest_beaters import no_beaters, note_beat, order_by_beats

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("n_arms", [2, 3, 6, 20])
def test_fewest_are_found_after_duels_and_in_time(n_arms):
    rng = np.random.default_rng(n_arms)
    beats, until, arms = no_beaters(n_arms), np.zeros((n_arms, n_arms), int), np.arange(n_arms)
    t, look_again = 1, 0
    for _ in range(3000):
        loser, winner = rng.permutation(n_arms)[:2]
        steps = [0, t - 1, t, t + 1, t + rng.integers(60), NEVER]
        step = int(rng.choice(steps, p=[0.2, 0.1, 0.1, 0.2, 0.39, 0.01]))
        until[loser, winner] = step
        look_again = min(look_again, note_beat(beats, loser, winner, step, t))
        if t >= look_again:
            n, fewest, look_again = order_by_beats(beats, arms, t)
            assert look_again > t
        counts = (until > t).sum(axis=1)
        assert fewest == counts.min()
        np.testing.assert_array_equal(arms[:n], np.flatnonzero(counts == fewest))
        np.testing.assert_array_equal(arms[n:], np.flatnonzero(counts != fewest))
        for later in range(t, min(look_again, t + 8)):
            np.testing.assert_array_equal((until > later).sum(axis=1), counts)
        t += int(rng.integers(4))
        if t >= look_again:
            n, fewest, look_again = order_by_beats(beats, arms, t)
