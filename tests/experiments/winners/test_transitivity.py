"""Transitivity of large matrices: equal to plain array operations to the last bit, and much faster."""

import time

import numpy as np
import pytest

from rankduel.experiments.winners import transitivity as module
from rankduel.experiments.winners.transitivity import PROPERTIES, transitivity

pytestmark = pytest.mark.kernel


def naive_rows(matrix):
    """Return (violations, worst, first worst triple) by property, the number of triples, and gamma."""
    margins, size = matrix - 0.5, len(matrix)
    found, triples, gamma = [[0, 0.0, (-1, -1, -1)] for _ in PROPERTIES], 0, 1.0
    for i in range(size):
        left, right, across = margins[i][:, None], margins, margins[i][None, :]
        valid = (left >= 0) & (right >= 0) & ~np.eye(size, dtype=bool)
        valid[i], valid[:, i] = False, False
        triples += int(valid.sum())
        larger, smaller = np.maximum(left, right), np.minimum(left, right)
        for entry, amount in zip(
            found, (larger - across, smaller - across, -across + 0 * larger, across - left - right)
        ):
            amount = np.where(valid & (amount > 1e-12), amount, 0.0)
            entry[0] += int((amount > 0).sum())
            if amount.max() > entry[1]:
                entry[1:] = amount.max(), (i, *np.unravel_index(amount.argmax(), amount.shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(across > 0, larger / across, np.inf)
        gamma = max(gamma, ratio[valid & (larger > across)].max(initial=1.0))
    return found, triples, gamma


def mirrored(above):
    """Return a matrix with these entries above the diagonal."""
    matrix = np.triu(above, 1) + np.tril(1.0 - above.T, -1)
    np.fill_diagonal(matrix, 0.5)
    return matrix


def strengths(size, rng, noise):
    levels = rng.normal(size=size)
    return 1 / (1 + np.exp(levels - levels[:, None])) + rng.normal(0, noise, (size, size))


MATRICES = {
    "random": lambda size, rng: rng.random((size, size)),
    "many ties": lambda size, rng: rng.integers(0, 5, (size, size)) / 4,
    "one order": lambda size, rng: np.full((size, size), 0.6),
    "all tied": lambda size, rng: np.full((size, size), 0.5),
    "Bradley-Terry": lambda size, rng: strengths(size, rng, 0.0),
    "noisy": lambda size, rng: np.clip(strengths(size, rng, 0.05), 0, 1),
    "rounding errors": lambda size, rng: 0.5 + rng.choice([1e-13, -1e-13, 0, 0.3], (size, size)),
}


@pytest.mark.parametrize("make", MATRICES.values(), ids=list(MATRICES))
def test_tiles_and_blocks_change_nothing(make):
    for size in (1, 2, 3, module._BLOCK + 1, module._TILE + 3):
        matrix = mirrored(make(size, np.random.default_rng(size)))
        found, (expected, triples, gamma) = transitivity(matrix), naive_rows(matrix)
        checks = found.checks.drop(columns="property").to_numpy().tolist()
        assert checks == [[triples, count, worst, *where] for count, worst, where in expected]
        assert found.gamma == gamma


def test_a_scan_is_many_times_as_fast_as_array_operations():
    matrix = mirrored(np.random.default_rng(0).random((400, 400)))
    transitivity(matrix)  # compiles
    seconds = []
    for scan in (transitivity, naive_rows):
        start = time.process_time()
        scan(matrix)
        seconds.append(time.process_time() - start)
    assert seconds[0] < seconds[1] / 6
