"""Matrices of synthetic data resemble the public ones of MSLR-WEB30K (Zoghi et al. 2015).

The numbers of the public matrices were computed from the files of github.com/chang-li/MergeDTS: 136 feature
rankers, probabilistic interleave by Lerot, about 414,700 duels of each pair.
"""

import numpy as np
import pytest

from rankduel.experiments.arena import open_arena
from rankduel.experiments.matrix.build import build_matrix
from rankduel.experiments.winners.transitivity import count_cycles, transitivity
from rankduel.letor_data.synthetic.generate import shape, synthesize

# Quantiles 5, 25, 50, 75 and 95 % of |p - 1/2| over all pairs.
QUANTILES = {
    "navigational": (0.0049, 0.0270, 0.0650, 0.1238, 0.2888),
    "perfect": (0.0059, 0.0311, 0.0745, 0.1364, 0.2927),
}
MEDIAN_LEAD = {"navigational": 0.0756, "perfect": 0.0893}
CYCLES = {"navigational": 377, "perfect": 447}
SST_VIOLATIONS = {"navigational": 62_891, "perfect": 60_579}
# (first, second): share of duels that the first wins, for features of various kinds and numbers of ties.
PAIRS = {(1, 2): 0.2907, (15, 20): 0.7754, (110, 16): 0.8360, (110, 26): 0.5462, (96, 110): 0.1766}


def played(letor, clicks, duels, rankers=""):
    arena = open_arena(letor, clicks=clicks, preset="lerot", rankers=rankers)
    return build_matrix(arena, duels=duels, simulate=True)


@pytest.mark.kernel
def test_some_pairs_are_as_even_as_those_of_mslr():
    """The tolerance is 0.04; the standard errors of 30,000 duels and of 1,500 queries are 0.003 and 0.006."""
    letor = synthesize(shape("mslr-web10k", queries=1500))
    matrix = played(letor, "navigational", 30_000, "1,2,15,16,20,26,96,110")
    place = {int(name): place for place, name in enumerate(matrix.names)}
    found = {pair: matrix.matrix[place[pair[0]], place[pair[1]]] for pair in PAIRS}
    assert found == pytest.approx(PAIRS, abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("clicks", ["navigational", "perfect"])
def test_the_matrix_is_as_hard_as_that_of_mslr(clicks):
    """The tolerance is one third. The standard error of a pair after 100,000 duels is 0.0015."""
    matrix = played(synthesize(shape("mslr-web10k")), clicks, 100_000).matrix
    edges = np.abs(matrix - 0.5)[np.triu_indices(136, 1)]
    lead = np.delete(matrix[109], 109) - 0.5
    assert lead.min() == pytest.approx(0.0065, abs=0.0035)  # the best feature is BM25 of the whole document
    assert np.median(lead) == pytest.approx(MEDIAN_LEAD[clicks], rel=1 / 3)
    assert np.quantile(edges, (0.05, 0.25, 0.5, 0.75, 0.95)) == pytest.approx(QUANTILES[clicks], rel=1 / 3)
    assert count_cycles(matrix) == pytest.approx(CYCLES[clicks], rel=1 / 3)
    checks = transitivity(matrix).checks.set_index("property")
    assert checks.loc["SST", "violations"] == pytest.approx(SST_VIOLATIONS[clicks], rel=1 / 3)
