"""Opt-Max: which stages it consists of, and that its course is the naive twin's, duel by duel."""

import math

import numpy as np
import pytest
from naive.policies.opt_max import OptMax, PruneThenSoft
from support.best_items import assert_same_course
from support.policies import ladder

from bandits.contract import configure
from bandits.policies.best_item.opt_max import (
    DELTA,
    KIND,
    LOWER,
    POLICY,
    PRUNE,
    REDRAW,
    SIZE,
    SOFT,
    UPPER,
    WHO_IS_LEFT,
)
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 300, 1000, 2000, 4000, 7000, 10_000, 20_000, 60_000]


def stages(n_arms, epsilon, delta):
    params = kernel_params(configure(POLICY, epsilon=epsilon, delta=delta), 1)
    return POLICY.init(n_arms, params, np.random.default_rng(0)).stages


@pytest.mark.parametrize(
    "n_arms, delta", [(2, 0.5), (15, 0.5), (16, 0.1), (27, 0.3), (30, 0.4), (30, 0.5)], ids=str
)
def test_the_course_is_the_twins(n_arms, delta):
    """Few arms, low, medium and high delta; most arms are neither better nor worse than their anchor."""
    configured = configure(POLICY, epsilon=0.5, delta=delta)
    assert assert_same_course(OptMax, configured, ladder(n_arms, 1 / n_arms), STEPS, runs=3) >= 1


def test_pruning_is_the_twins():
    """With delta = 1 it goes on down to 4 ln(2 * 40) = 17.5 arms, in at most ln(40)^2 sweeps."""

    def init(n_arms, params, rng):
        prune, soft = (PRUNE, n_arms, False, 0.1, 0.3, 1.0), (SOFT, WHO_IS_LEFT, False, 0.1, 0.3, 0.5)
        return POLICY.init(n_arms, params, rng)._replace(stages=np.array([prune, soft], np.float64))

    configured = configure(POLICY._replace(init=init))
    for prefs in (ladder(40, 0.2), ladder(40, 0.05), np.full((40, 40), 0.5)):
        assert assert_same_course(PruneThenSoft, configured, prefs, STEPS, runs=3) == 3


def test_few_arms_are_for_soft_seq_elim():
    np.testing.assert_array_equal(stages(15, 0.05, 0.1), [[SOFT, 15, 0, 0, 0.05, 0.1]])


def test_stages_with_a_low_delta():
    """.1 <= 100^(-1/3): ceil(100^(3/4)) = 32 arms, of which ceil(sqrt(32 ln(4 * 32 / (.1 / 3)))) = 17."""
    low = stages(100, 0.06, 0.09)
    assert low[:, KIND].tolist() == [SOFT] * 3 and low[:, SIZE].tolist() == [17, 32, 100]
    np.testing.assert_allclose(low[:, [LOWER, UPPER]], [[0, 0.015], [0.015, 0.03], [0.03, 0.06]])
    np.testing.assert_allclose(low[:, DELTA], [0.0075, 0.015, 0.03])
    assert not low[:, REDRAW].any()


def test_stages_with_a_medium_delta():
    """1000^(-1/3) < .12 <= 1 / ln 1000: ceil(1000 / ln(1000)^2) = 21 arms are enough for a first anchor."""
    medium = stages(1000, 0.06, 0.12)
    assert medium[:, KIND].tolist() == [SOFT, SOFT, PRUNE, SOFT]
    assert medium[:, SIZE].tolist() == [13, 21, 1000, WHO_IS_LEFT]
    np.testing.assert_allclose(
        medium[:, [LOWER, UPPER]], [[0, 0.01], [0.01, 0.02], [0.02, 0.04], [0.04, 0.06]]
    )
    share = 0.12 / (4 * math.log(1000) ** 2 * math.log(4000 / 0.12))
    np.testing.assert_allclose(medium[:, DELTA], [0.0075, 0.015, share, 0.03])


def test_stages_with_a_high_delta():
    """1 / ln 100 < .3: M = ceil(2 ln ln 100 / ln(1 / .3)) = 3 subsets of 9, 30 and 100 arms."""
    high = stages(100, 0.06, 0.3)
    assert high[:, KIND].tolist() == [SOFT, SOFT] + [PRUNE, SOFT] * 3
    assert high[:, SIZE].tolist() == [5, 5, 9, 0, 30, 0, 100, 0]
    assert high[:, REDRAW].tolist() == [0, 0] + [1, 0] * 3
    epsilons = 0.02 + 0.04 / 2 ** (np.array([3, 2, 1, 0]) / 3)
    np.testing.assert_allclose(high[3::2, LOWER], epsilons[:-1])
    np.testing.assert_allclose(high[3::2, UPPER], epsilons[1:])
    np.testing.assert_allclose(high[2::2, UPPER], (epsilons[:-1] + epsilons[1:]) / 2)
    np.testing.assert_allclose(high[3::2, DELTA], 0.3 ** np.array([6, 5, 4]) / 3)
    np.testing.assert_allclose(high[2::2, DELTA], 0.3 ** (5 * np.array([6, 5, 4])) / 3)


def test_delta_is_at_most_one_half():
    with pytest.raises(PolicyError, match="delta"):
        configure(POLICY, delta=0.6)
