"""Test that Opt-Max has the course of its literal twin, duel by duel, and the stages it consists of."""

import math

import numpy as np
import pytest
from naive.policies.opt_max import OptMax, PruneThenSoft
from support.best_items import assert_same_course
from support.policies import ladder

from rankduel.bandits.contract import configure
from rankduel.bandits.policies.best_item.opt_max import ARMS_LEFT, POLICY, Stage
from rankduel.base.compiling import record
from rankduel.base.errors import PolicyError
from rankduel.base.settings import kernel_params

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]

STEPS = [1, 2, 3, 10, 100, 300, 1000, 2000, 4000, 7000, 10_000, 20_000, 60_000]


def stages(n_arms, epsilon, delta):
    """Return the stages of a run."""
    params = kernel_params(configure(POLICY, epsilon=epsilon, delta=delta), 1)
    return POLICY.init(n_arms, params, np.random.default_rng(0)).stages


# Equality with the twin


@pytest.mark.parametrize(
    "n_arms, delta", [(2, 0.5), (15, 0.5), (16, 0.1), (27, 0.3), (30, 0.4), (30, 0.5)], ids=str
)
def test_course_equals_the_twin(n_arms, delta):
    """Few arms, low, medium and high delta; most arms are neither better nor worse than their anchor."""
    configured = configure(POLICY, epsilon=0.5, delta=delta)
    assert assert_same_course(OptMax, configured, ladder(n_arms, 1 / n_arms), STEPS, runs=3) >= 1


def test_pruning_equals_the_twin():
    """With delta = 1 Prune ends with 4 ln(2 * 40) = 17.5 arms, or after ln(40)^2 sweeps."""

    def init(n_arms, params, rng):
        prune, soft = Stage(True, n_arms, False, 0.1, 0.3, 1.0), Stage(False, ARMS_LEFT, False, 0.1, 0.3, 0.5)
        both = np.concatenate([record(prune), record(soft)]).view(np.recarray)
        return POLICY.init(n_arms, params, rng)._replace(stages=both)

    configured = configure(POLICY._replace(init=init))
    for prefs in (ladder(40, 0.2), ladder(40, 0.05), np.full((40, 40), 0.5)):
        assert assert_same_course(PruneThenSoft, configured, prefs, STEPS, runs=3) == 3


# Stages: Algorithms 2 and 10 to 12


def test_few_arms_are_one_soft_seq_elim():
    assert stages(15, 0.05, 0.1).tolist() == [(False, 15, False, 0, 0.05, 0.1)]


def test_stages_with_a_low_delta():
    """.1 <= 100^(-1/3): ceil(100^(3/4)) = 32 arms, of which ceil(sqrt(32 ln(4 * 32 / (.1 / 3)))) = 17."""
    low = stages(100, 0.06, 0.09)
    assert not low.prune.any() and low.n_arms.tolist() == [17, 32, 100] and not low.redraw.any()
    np.testing.assert_allclose(low.lower, [0, 0.015, 0.03])
    np.testing.assert_allclose(low.upper, [0.015, 0.03, 0.06])
    np.testing.assert_allclose(low.delta, [0.0075, 0.015, 0.03])


def test_stages_with_a_medium_delta():
    """1000^(-1/3) < .12 <= 1 / ln 1000: ceil(1000 / ln(1000)^2) = 21 arms are enough for a first anchor."""
    medium = stages(1000, 0.06, 0.12)
    assert medium.prune.tolist() == [False, False, True, False]
    assert medium.n_arms.tolist() == [13, 21, 1000, ARMS_LEFT]
    np.testing.assert_allclose(medium.lower, [0, 0.01, 0.02, 0.04])
    np.testing.assert_allclose(medium.upper, [0.01, 0.02, 0.04, 0.06])
    share = 0.12 / (4 * math.log(1000) ** 2 * math.log(4000 / 0.12))
    np.testing.assert_allclose(medium.delta, [0.0075, 0.015, share, 0.03])


def test_stages_with_a_high_delta():
    """1 / ln 100 < .3: M = ceil(2 ln ln 100 / ln(1 / .3)) = 3 subsets of 9, 30 and 100 arms."""
    high = stages(100, 0.06, 0.3)
    assert high.prune.tolist() == high.redraw.tolist() == [False, False] + [True, False] * 3
    assert high.n_arms.tolist() == [5, 5, 9, ARMS_LEFT, 30, ARMS_LEFT, 100, ARMS_LEFT]
    epsilons = 0.02 + 0.04 / 2 ** (np.array([3, 2, 1, 0]) / 3)
    np.testing.assert_allclose(high.lower[3::2], epsilons[:-1])
    np.testing.assert_allclose(high.upper[3::2], epsilons[1:])
    np.testing.assert_allclose(high.upper[2::2], (epsilons[:-1] + epsilons[1:]) / 2)
    np.testing.assert_allclose(high.delta[3::2], 0.3 ** np.array([6, 5, 4]) / 3)
    np.testing.assert_allclose(high.delta[2::2], 0.3 ** (5 * np.array([6, 5, 4])) / 3)


def test_delta_is_at_most_one_half():
    with pytest.raises(PolicyError, match="delta"):
        configure(POLICY, delta=0.6)
