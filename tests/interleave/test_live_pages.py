"""Live duels sum the measures of the pages they show; their outcomes are those of single impressions."""

import numpy as np
import pytest
from numba import njit
from support import arenas

from rankduel.interleave import (
    for_another_thread,
    go_live,
    impression_by,
    live_duel_by,
    outcome_by,
    own_pages,
    shown_so_far,
    unmeasured_duel_by,
)
from rankduel.letor_data.evaluation.gains import ideal_dcg
from rankduel.letor_data.evaluation.values import expected_values

pytestmark = [pytest.mark.kernel, pytest.mark.compiling]


@njit
def read_shown(live, out):
    shown_so_far(live, out)


@pytest.mark.parametrize("method", ["team_draft", "probabilistic"])
@pytest.mark.parametrize("tied_duels", ["coin", "drop"])
def test_live_duels_sum_the_measures_of_impressions(method, tied_duels):
    world = arenas.arena(method, tied=True, tied_duels=tied_duels).world()
    live, out = go_live(world), np.zeros(3)
    ideal = ideal_dcg(world.labels, world.offsets, 5)
    live_duel, impression = live_duel_by(method), impression_by(method)
    users, again = np.random.default_rng(3), np.random.default_rng(3)
    expected, n_ties = np.zeros(3), 0
    for step in range(200):
        first, second = step % 4, (step + 1 + step // 4 % 3) % 4
        won = live_duel(live, first, second, users)
        lead = 0.0
        while lead == 0.0:
            lead, clicks, ndcg = impression(world, first, second, ideal, again)
            expected += (1, ndcg, clicks)
            n_ties += lead == 0.0
            if lead == 0.0 and tied_duels == "coin":
                lead = 0.5 - again.random()
        assert won == (lead > 0)
    read_shown(live, out)
    np.testing.assert_array_equal(out, expected)
    assert n_ties > 10 and users.random() == again.random()


def test_own_pages_match_the_list_of_the_ranker():
    chosen = arenas.arena(tied=True)
    world, ranked = chosen.world(), chosen.rankings
    found = own_pages(world, np.random.default_rng(0), draws=200)
    exact = expected_values("ndcg@5", chosen.labels, ranked.offsets, ranked.order, ranked.ties).mean(axis=1)
    # Only ties are drawn. NDCG of the tied ranker has a standard deviation of at most 0.25 on 2,400 pages.
    np.testing.assert_allclose(found[:3, 0], exact[:3], rtol=1e-12)
    assert found[3, 0] == pytest.approx(exact[3], abs=4 * 0.25 / 2400**0.5)
    live, duel, users = go_live(world), live_duel_by("team_draft"), np.random.default_rng(1)
    n = 20_000
    for ranker in (0, 3):  # two rankers with the same list show that list
        live.shown[:] = 0.0
        for _ in range(n):
            duel(live, ranker, ranker, users)
        assert live.shown[1:] / n == pytest.approx(found[ranker], abs=5 * 1.5 / n**0.5)


@pytest.mark.parametrize("tied_duels", ["coin", "drop"])
def test_unmeasured_duels_replay_the_outcomes(tied_duels):
    world = arenas.arena("team_draft", tied=True, tied_duels=tied_duels).world()
    duel, outcome, other = (
        unmeasured_duel_by("team_draft"),
        outcome_by("team_draft"),
        for_another_thread(world),
    )
    users, again = np.random.default_rng(3), np.random.default_rng(3)
    n_ties = 0
    for step in range(200):
        first, second = step % 4, (step + 1 + step // 4 % 3) % 4
        won, lead = duel(world, first, second, users), 0.0
        while lead == 0.0:
            lead = outcome(other, first, second, again)
            n_ties += lead == 0.0
            if lead == 0.0 and tied_duels == "coin":
                lead = 0.5 - again.random()
        assert won == (lead > 0)
    assert n_ties > 10 and users.random() == again.random()


@pytest.mark.parametrize("method", ["team_draft", "probabilistic", "document_constraints"])
def test_winners_have_the_same_distribution_without_measures(method):
    """Shares of 4,000 duels each, within 4.5 standard errors of their difference."""
    world, n = arenas.arena(method, tied=True).world(), 4000
    measured, unmeasured = live_duel_by(method), unmeasured_duel_by(method)
    live, users = go_live(world), np.random.default_rng(5)
    shares = [
        np.mean([measured(live, 0, 3, users) for _ in range(n)]),
        np.mean([unmeasured(world, 0, 3, users) for _ in range(n)]),
    ]
    assert abs(shares[0] - shares[1]) < 4.5 * (2 * 0.25 / n) ** 0.5
