"""Paired tests against enumeration of signs, SciPy and known limits; corrections; and random streams."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankduel.experiments.paired_tests import FEW, exact_sign_flip_p, holm, paired_tests, weighted_sums

pytestmark = pytest.mark.kernel


def all_pairs(values, samples=2000, confidence=0.95, seed=3):
    return paired_tests(np.asarray(values, float), samples, confidence, seed, "a test")


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_few_differences_are_tested_with_all_signs(tenths):
    """Multiples of 0.1 have equal sums that differ by rounding errors only."""
    differences = [value / 10 for value in tenths]
    assert exact_sign_flip_p(np.array(differences)) == naive.sign_flip_p(differences)


def test_all_signs_match_scipy():
    differences = np.random.default_rng(1).normal(0.2, 1, 14)
    found = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert exact_sign_flip_p(differences) == pytest.approx(found.pvalue, abs=1e-12)


@pytest.mark.parametrize(("n", "p"), [(0, 1.0), (1, 1.0), (2, 0.5), (5, 2 / 2**5), (FEW, 2 / 2**FEW)])
def test_equal_differences_of_one_sign(n, p):
    assert exact_sign_flip_p(np.array([0.0, *[0.3] * n])) == p


@given(st.lists(st.sampled_from([0.001, 0.01, 0.02, 0.2, 0.5, 1.0]), min_size=1, max_size=7))
def test_holm_matches_its_definition(p_values):
    assert holm(np.array(p_values)) == pytest.approx(naive.holm(p_values), abs=1e-15)


def test_holm_on_a_worked_example():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_sampled_signs_approach_the_exact_value():
    """The sampled value is within six standard errors; the pair differs on FEW + 1 queries."""
    rng, samples = np.random.default_rng(5), 100_000
    first, second = rng.normal(0.3, 1, (2, FEW + 1)) + [[0.3], [0.0]]
    exact = exact_sign_flip_p(first - second)
    found = all_pairs([first, second], samples).p[0]
    assert 0.05 < exact < 0.95
    assert found == pytest.approx(exact, abs=6 * np.sqrt(exact * (1 - exact) / samples))


def test_sampled_p_values_are_never_zero():
    values = np.random.default_rng(2).random((2, 60)) + [[10.0], [0.0]]
    assert all_pairs(values, 999).p.tolist() == [1 / 1000]


def test_equal_sums_count_as_at_least_as_extreme():
    """The sums of 40 equal differences are on a lattice; the exact value is a binomial probability."""
    differences, samples = np.where(np.arange(40) < 25, 0.1, -0.1), 100_000
    found = all_pairs([0.7 + differences, np.full(40, 0.7)], samples).p[0]
    exact = 2 * stats.binom(40, 0.5).sf(24)
    assert found == pytest.approx(exact, abs=6 * np.sqrt(exact * (1 - exact) / samples))


def test_p_values_of_equal_rankers_are_uniform():
    """5 % of 400 pairs with symmetric differences have p below 0.05, within six standard errors."""
    rng = np.random.default_rng(8)
    p = [all_pairs(rng.normal(size=(2, 30)), 500, seed=seed).p[0] for seed in range(400)]
    for level in (0.05, 0.5):
        assert np.mean(np.array(p) <= level) == pytest.approx(
            level, abs=6 * np.sqrt(level * (1 - level) / 400)
        )


def test_the_interval_is_the_bootstrap_percentile():
    """The ends match those of SciPy; both have a sampling error of about 1 % of the width."""
    rng = np.random.default_rng(4)
    first, second = rng.gamma(2, 1, (2, 150))
    found = all_pairs([first, second], 20_000, 0.9)
    differences = first - second if first.mean() > second.mean() else second - first
    by_scipy = stats.bootstrap(
        (differences,),
        np.mean,
        n_resamples=20_000,
        confidence_level=0.9,
        method="percentile",
        rng=np.random.default_rng(7),
    ).confidence_interval
    width = by_scipy.high - by_scipy.low
    assert [found.lo[0], found.hi[0]] == pytest.approx([by_scipy.low, by_scipy.high], abs=0.06 * width)


def test_the_interval_covers_the_mean():
    """Of 400 intervals of 80 %, 79 % cover within six standard errors, as the bootstrap covers less."""
    rng, covered = np.random.default_rng(9), 0
    for seed in range(400):
        found = all_pairs([rng.normal(5, 1, 60), np.zeros(60)], 500, 0.8, seed)
        covered += found.lo[0] <= 5 <= found.hi[0]
    assert covered / 400 == pytest.approx(0.79, abs=6 * 0.4 / 20)


def test_pairs_list_the_better_ranker_first():
    values = np.array([[0.2, 0.3, 0.1], [0.9, 0.8, 0.7], [0.5, 0.5, 0.4]])
    found = all_pairs(values)
    assert list(zip(found.first.tolist(), found.second.tolist())) == [(1, 2), (1, 0), (2, 0)]
    assert found.difference == pytest.approx([1 / 3, 0.6, 0.8 / 3])
    assert (found.lo <= found.difference).all() and (found.difference <= found.hi).all()
    assert found.p.tolist() == [0.25] * 3 and found.p_holm.tolist() == [0.75] * 3


def test_an_added_ranker_changes_no_other_pair():
    values = np.random.default_rng(6).random((4, 50)) + np.arange(4)[:, None] / 20
    alone, together = all_pairs(values[:3]), all_pairs(values)
    pairs = list(zip(together.first.tolist(), together.second.tolist()))
    for n, pair in enumerate(zip(alone.first.tolist(), alone.second.tolist())):
        for name in ("difference", "lo", "hi", "p"):
            assert getattr(alone, name)[n] == getattr(together, name)[pairs.index(pair)]


def test_the_seed_decides_every_byte():
    values = np.random.default_rng(7).random((3, 50))
    first, again, other = (all_pairs(values, seed=seed) for seed in (1, 1, 2))
    assert [part.tobytes() for part in first] == [part.tobytes() for part in again]
    assert first.p.tolist() != other.p.tolist() and first.lo.tolist() != other.lo.tolist()


def test_weighted_sums():
    rng = np.random.default_rng(0)
    weights, columns = rng.integers(-3, 4, (7, 11), np.int32), rng.random((11, 5))
    assert weighted_sums(weights, columns) == pytest.approx(weights @ columns, abs=1e-12)
