"""Test that the simplex method without a list of constraints finds the plan of a solver that has them all."""

import numpy as np
import pytest
from naive.policies.cw_rmed import Preferences
from scipy.optimize import linprog
from support.necessary_duels import PAPERS, counts_like, random_wins
from support.policies import CYCLIC

from rankduel.bandits.parts.rmed.overtaking import least_to_overtake, mark_overtaking, opponents_room
from rankduel.bandits.policies.copeland.cw_rmed import find_optimal_plan, simplex_room

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]


def lower(n_arms):
    return np.tril_indices(n_arms, -1)  # pairs i > j in lexicographic order


def solved(wins, prices, candidate):
    """Return the plan of each pair i > j; check that it satisfies every constraint."""
    n_arms, room = len(wins), opponents_room(len(wins))
    losses, plan, simplex = (wins < wins.T).sum(axis=1), np.ones((n_arms, n_arms)), simplex_room(n_arms)
    simplex.values[:] = prices
    find_optimal_plan(wins, losses, candidate, plan, simplex, room)
    np.testing.assert_array_equal(plan, plan.T)
    assert least_to_overtake(wins, losses, plan, candidate, room)[0] >= 1 - 1e-9
    return plan[lower(n_arms)]


def by_solver(prices, rows):
    """Return the cheapest plan between 0 and 1 with at least one unit in each row."""
    found = linprog(prices, -np.array(rows, float), -np.ones(len(rows)), bounds=(0, 1), method="highs-ds").x
    assert found is not None
    return found


def assert_optimal(wins, prices, candidate):
    """Compare with a solver; prices are random, so that there is one optimal plan."""
    ways = Preferences(wins.tolist()).conditions(candidate)
    plan = solved(wins, prices, candidate)
    if not ways:
        assert (plan == 0).all()
        return
    pairs = list(zip(*lower(len(wins))))
    rows = [[pair in way for pair in pairs] for way in ways]
    expected = by_solver(prices, rows)
    assert plan @ prices == pytest.approx(expected @ prices, rel=1e-9)
    np.testing.assert_allclose(plan, expected, atol=1e-7)


def check_random_programs(n_programs, most_arms, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n_programs):
        wins = random_wins(int(rng.integers(2, most_arms + 1)), rng)
        prices = 10 ** rng.uniform(-2, 2, len(wins) * (len(wins) - 1) // 2)
        for candidate in Preferences(wins.tolist()).candidates:
            assert_optimal(wins, prices, candidate)


def test_random_programs():
    check_random_programs(100, most_arms=6, seed=1)


@pytest.mark.slow
def test_many_random_programs():
    check_random_programs(5000, most_arms=6, seed=2)
    check_random_programs(100, most_arms=8, seed=3)


@pytest.mark.parametrize(
    "name, n_candidates", [("cyclic", 1), ("multisol", 3), ("gap", 1), ("mslr5-cycle", 3)]
)
def test_matrices_of_the_papers(name, n_candidates):
    wins, rng = counts_like(PAPERS[name], 1000), np.random.default_rng(5)
    candidates = Preferences(wins.tolist()).candidates
    assert len(candidates) == n_candidates
    for candidate in candidates:
        assert_optimal(wins, rng.random(len(wins) * (len(wins) - 1) // 2), candidate)


def test_lower_bound_of_the_paper():
    """Cyclic: Komiyama et al. 2016 give 27.5 ln T, where plans by sorting have 49.7 ln T."""
    wins = counts_like(CYCLIC, 10)
    seen = Preferences(wins.tolist())
    prices = np.array([seen.r(i, j) / seen.d(i, j) for i, j in seen.pairs])
    assert solved(wins, prices, 0) @ prices == pytest.approx(27.55, abs=0.005)


def test_plans_of_two_and_three_arms():
    """Two arms have one pair, with all of the evidence; three arms in a circle: see below."""
    np.testing.assert_array_equal(solved(np.array([[0, 3], [1, 0]]), np.ones(1), 0), [1.0])
    np.testing.assert_array_equal(solved(np.array([[0, 3], [1, 0]]), np.full(1, 1e9), 0), [1.0])
    # 0 beats 1 beats 2 beats 0. For arm 0 to be a winner still, neither may 1 lose no duel (by the pair 1, 0)
    # nor 2 (by 2, 1), or 0 come to lose two while another loses one (by 1, 0).
    circle = np.array([[0, 9, 1], [1, 0, 9], [9, 1, 0]])
    np.testing.assert_allclose(solved(circle, np.array([5.0, 1.0, 7.0]), 0), [1.0, 0.0, 1.0])


def cheapest_by_cuts(wins, prices, candidate):
    """Return the least cost by a solver that is given the most violated constraint until none is violated."""
    n_arms, room, rows = len(wins), opponents_room(len(wins)), []
    losses, values, expected = (wins < wins.T).sum(axis=1), np.zeros((n_arms, n_arms)), np.zeros(len(prices))
    while True:
        values[lower(n_arms)] = expected
        values = np.tril(values) + np.tril(values, -1).T
        found = least_to_overtake(wins, losses, values, candidate, room)
        if found[0] >= 1 - 1e-9:
            return expected @ prices
        row = np.zeros(len(prices), np.bool_)
        mark_overtaking(wins, values, candidate, found, room, row)
        rows.append(row)
        expected = by_solver(prices, rows)


@pytest.mark.parametrize("n_arms", [10, pytest.param(16, marks=pytest.mark.slow)])
def test_many_arms(n_arms):
    """There are too many constraints to list."""
    rng = np.random.default_rng(7)
    for _ in range(3):
        wins = random_wins(n_arms, rng, most=1000)
        prices = 10 ** rng.uniform(-2, 2, n_arms * (n_arms - 1) // 2)
        candidate = int((wins < wins.T).sum(axis=1).argmin())
        plan = solved(wins, prices, candidate)
        assert ((plan > -1e-9) & (plan < 1 + 1e-9)).all()
        assert plan @ prices == pytest.approx(cheapest_by_cuts(wins, prices, candidate), rel=1e-7)
