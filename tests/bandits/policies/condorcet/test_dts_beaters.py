"""Test that the arms with the fewest beaters equal those of a search of all pairs."""

import numpy as np
import pytest

from rankduel.bandits.parts.bounds import NEVER
from rankduel.bandits.policies.condorcet.dts import no_beaters, order_by_beaters, record_beater

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("n_arms", [2, 3, 6, 20])
def test_arms_with_the_fewest_beaters_are_found_after_duels_and_after_time(n_arms):
    rng = np.random.default_rng(n_arms)
    beaters, until, arms = no_beaters(n_arms), np.zeros((n_arms, n_arms), int), np.arange(n_arms)
    t, recount_at = 1, 0
    for _ in range(3000):
        arm, other = rng.permutation(n_arms)[:2]
        steps = [0, t - 1, t, t + 1, t + rng.integers(60), NEVER]
        step = int(rng.choice(steps, p=[0.2, 0.1, 0.1, 0.2, 0.39, 0.01]))
        until[arm, other] = step
        recount_at = min(recount_at, record_beater(beaters, arm, other, step, t))
        if t >= recount_at:
            n, fewest, recount_at = order_by_beaters(beaters, arms, t)
            assert recount_at > t
        counts = (until > t).sum(axis=1)
        assert fewest == counts.min()
        np.testing.assert_array_equal(arms[:n], np.flatnonzero(counts == fewest))
        np.testing.assert_array_equal(arms[n:], np.flatnonzero(counts != fewest))
        for later in range(t, min(recount_at, t + 8)):
            np.testing.assert_array_equal((until > later).sum(axis=1), counts)
        t += int(rng.integers(4))
        if t >= recount_at:
            n, fewest, recount_at = order_by_beaters(beaters, arms, t)
