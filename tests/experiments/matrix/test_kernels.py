"""The inner loops of preference matrices against every tie break, page and click, and against live duels."""

import naive.matrix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.live_duels import USERS, full_size, query_groups, tiny
from support.small_worlds import EXACT, User, case_id, chosen, ended_world

from rankduel.experiments.matrix import kernels
from rankduel.experiments.matrix.kernels import CENTRED, WITHIN, choose_kernel, duel_kernel, has_odds
from rankduel.interleave import METHODS, for_another_thread, interleaving, is_exact, make_world, mean_odds
from rankduel.interleave.exact.outcome_odds import LOSS, TIE, WIN
from rankduel.interleave.world import asked_in_turn

pytestmark = pytest.mark.kernel

TEAM_DRAFT = (("team_draft", "prefix", "assign"), ("team_draft", "prefix", "neutral"))
DRAWN = tuple(
    ("probabilistic", "credit", credit) for credit in ("assignment", "marginal_sign", "marginal_bernoulli")
)
PAIRS = ((0, 1), (2, 3), (0, 4))  # rankers without ties, with ties, and a constant one; see live_duels
USER = USERS["navigational"]
users_drawn = pytest.mark.parametrize("user", ["navigational", "perfect", "leaves unclicked"])


def odds_kernel(world, configured):
    return choose_kernel(world, configured, simulate=False).kernel()


def sums_of(kernel, world, pairs, times, seed=0, start=0, stop=None):
    """Return the sums of a kernel over the queries from start to stop, each played `times` times."""
    return both_sums_of(kernel, world, pairs, times, seed, start, stop)[0]


def both_sums_of(kernel, world, pairs, times, seed=0, start=0, stop=None):
    """Return (sums, sums of values by query)."""
    firsts, seconds = np.array(pairs).T.copy()
    times_per_query = np.full((len(world.offsets) - 1 if stop is None else stop) - start, times)
    centres = np.full(len(firsts), 0.5)
    users = np.random.default_rng(seed)
    by_query = np.full((len(times_per_query), len(firsts)), np.nan)
    sums = kernel(
        for_another_thread(world), start, times_per_query, firsts, seconds, centres, by_query, users
    )
    return sums, by_query


def twin_odds(case, pair, length):
    labels, rankings = tiny()
    grades = [labels[a:b].tolist() for a, b in zip(rankings.offsets, rankings.offsets[1:])]
    first, second = (query_groups(rankings, ranker) for ranker in pair)
    return naive.matrix.pair_odds(first, second, grades, length, case[0], case[2], USER)


def tiny_world(configured, length=3, **more):
    labels, rankings = tiny()
    return make_world(rankings, labels, USER, configured, length=length, **more)


def assert_same_mean(found, expected, variance, n):
    """Assert that the means agree within 5 standard errors."""
    assert abs(found - expected) <= 5 * np.sqrt(variance / n) + 1e-12, (found, expected, variance, n)


# --- against brute force


@pytest.mark.parametrize("case", TEAM_DRAFT, ids=case_id)
@pytest.mark.parametrize("length", [1, 3, 10])
def test_team_draft_without_ties_equals_brute_force(case, length):
    configured = chosen(case)
    sums = sums_of(
        odds_kernel(tiny_world(configured), configured), tiny_world(configured, length), [(0, 1), (1, 0)], 1
    )
    np.testing.assert_allclose(sums[0, :3] / 6, twin_odds(case, (0, 1), length), atol=1e-12)
    np.testing.assert_allclose(sums[1, :3], sums[0, 2::-1], atol=1e-12)
    assert (sums[:, WITHIN] == 0).all()


@pytest.mark.parametrize("case", TEAM_DRAFT, ids=case_id)
def test_team_draft_with_ties_is_the_mean_over_tie_breaks(case):
    configured, times = chosen(case), 3000
    sums = sums_of(odds_kernel(tiny_world(configured), configured), tiny_world(configured), PAIRS, times)
    assert_sums_match(sums, case, PAIRS, times)
    assert sums[0, WITHIN] < 1e-20 < sums[1, WITHIN]


@pytest.mark.parametrize("case", DRAWN, ids=case_id)
def test_drawn_pages_match_brute_force_on_average(case):
    """The pair has no ties, as the twin takes minutes over all tie breaks; live duels below test ties."""
    configured, times = chosen(case), 20_000
    kernel = kernels.drawn_pages_kernel(configured)
    assert_sums_match(sums_of(kernel, tiny_world(configured), PAIRS[:1], times), case, PAIRS[:1], times)


def assert_sums_match(sums, case, pairs, times):
    """Assert that means of `times` values of six queries are exact; standard errors are at most 0.002."""
    for row, pair in enumerate(pairs):
        loss, tie, win = twin_odds(case, pair, 3)
        variance = sums[row, WITHIN] / 6 / (times - 1)
        assert sums[row, :3].sum() == pytest.approx(6 * times)
        assert_same_mean(
            (sums[row, WIN] + sums[row, TIE] / 2) / 6 / times, win + tie / 2, variance, 6 * times
        )
        assert_same_mean(sums[row, TIE] / 6 / times, tie, 0.25, 6 * times)
        assert variance < 0.1


@pytest.mark.slow  # compiling takes long
@pytest.mark.parametrize("method", ["balanced", "document_constraints", "optimized"])
def test_other_methods_sum_their_exact_odds(method):
    configured = interleaving(method)
    world = tiny_world(configured)
    sums = sums_of(odds_kernel(world, configured), world, [(0, 1)], 1)
    expected = mean_odds(world, configured, 0, 1, np.random.default_rng(0))
    np.testing.assert_allclose(sums[0, :3] / 6, expected, atol=1e-12)


@pytest.mark.slow  # compiling takes long
def test_queries_of_few_documents_are_exact_under_probabilistic():
    configured = interleaving("probabilistic")
    world = tiny_world(configured)
    assert is_exact(world, configured, 0, 1)
    sums = sums_of(odds_kernel(world, configured), world, [(0, 1)], 1)
    twin = twin_odds(("probabilistic", "credit", "marginal_sign"), (0, 1), 3)
    np.testing.assert_allclose(sums[0, :3] / 6, twin, atol=1e-12)


COMPILED = [  # compiling the others takes long
    case if case[2] == "joachims" else pytest.param(case, marks=pytest.mark.slow)
    for case in EXACT
    if case[0] != "team_draft"
]


@pytest.mark.parametrize("ties", ["random_impression", "random_impression_redraw"])
@pytest.mark.parametrize("case", COMPILED, ids=case_id)
def test_compiled_sums_are_those_of_the_odds_of_every_play(case, ties):
    """The sums have the same bits, and are of the same draws, as with a call per query, pair and play."""
    way = chosen(case)
    assert_sums_of_every_play(way, tiny_world(way, ties=ties), PAIRS)


@pytest.mark.parametrize("case", COMPILED, ids=case_id)
def test_compiled_sums_of_lists_that_end(case):
    way, user = chosen(case), User((0.2, 0.6, 0.9), (0.1, 0.3, 0.5))
    for left, right in (((0, 1, 2), (3, 0)), ((4,), (5, 3, 4, 1)), ((), (0, 1))):
        assert_sums_of_every_play(way, ended_world(left, right, [2, 0, 1, 2, 1, 0], user, way, 5), [(0, 1)])


def assert_sums_of_every_play(way, world, pairs):
    chosen_kernel = choose_kernel(world, way, simulate=False)
    assert chosen_kernel.kind == "odds"
    found = both_sums_of(chosen_kernel.kernel(), world, pairs, 2)
    expected = both_sums_of(kernels._any_sums(way), world, pairs, 2)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


# --- on queries of full size


@pytest.mark.parametrize("prefix", ["assign", "neutral"])
def test_team_draft_is_mean_odds_where_nothing_is_tied(prefix):
    (labels, rankings), configured = full_size(), interleaving("team_draft", prefix=prefix)
    world, pairs = make_world(rankings, labels, USER, configured, ties="stable"), [(0, 1), (2, 4)]
    kernel, n = odds_kernel(world, configured), rankings.n_queries
    sums = sums_of(kernel, world, pairs, 1)
    for row, pair in enumerate(pairs):
        expected = mean_odds(world, configured, *pair, np.random.default_rng(0))
        np.testing.assert_allclose(sums[row, :3] / n, expected, atol=1e-12)
    halves = [sums_of(kernel, world, pairs, 1, start=a, stop=b) for a, b in ((0, 11), (11, n))]
    np.testing.assert_allclose(sum(halves), sums, atol=1e-12)


LIVE = [
    (("team_draft", "prefix", "assign"), "random_impression"),
    *((case, ties) for case in DRAWN for ties in ("random_impression", "random_impression_redraw")),
]


@users_drawn
@pytest.mark.parametrize(
    ("case", "ties"), LIVE, ids=lambda value: value if isinstance(value, str) else value[2]
)
def test_odds_agree_with_live_duels(case, ties, user):
    """80 values and 4,000 duels of 30 queries, untied and tied: the duels' standard error is about 0.0013."""
    (labels, rankings), configured = full_size(), chosen(case)
    world, pairs = make_world(rankings, labels, USERS[user], configured, ties=ties), [(0, 1), (2, 3), (1, 4)]
    drawn = sums_of(odds_kernel(world, configured), world, pairs, 80)
    played = sums_of(duel_kernel(configured), asked_in_turn(world), pairs, 4000, seed=1)
    n, duels = 80 * 30, 4000 * 30
    assert (played[:, :3].sum(axis=1) == duels).all()
    for row in range(len(pairs)):
        variance = drawn[row, WITHIN] / (n - 30) / n + 0.25 / duels
        values = [
            (sums[row, WIN] + sums[row, TIE] / 2) / size for sums, size in ((drawn, n), (played, duels))
        ]
        assert_same_mean(*values, variance, 1)
        tie = played[row, TIE] / duels
        assert_same_mean(drawn[row, TIE] / n, tie, tie * (1 - tie) * (1 / duels + 1 / n), 1)


def test_sampled_assignments_agree_with_live_duels():
    (labels, rankings), configured = (
        full_size(),
        interleaving("probabilistic", credit="marginal_sampled", samples=5),
    )
    world, pairs = make_world(rankings, labels, USER, configured), [(0, 1), (1, 4)]
    drawn = sums_of(odds_kernel(world, configured), world, pairs, 200)
    played = sums_of(duel_kernel(configured), asked_in_turn(world), pairs, 2000)
    for row in range(2):
        values = [(sums[row, WIN] + sums[row, TIE] / 2) / n for sums, n in ((drawn, 6000), (played, 60_000))]
        assert_same_mean(*values, 0.25 / 6000 + 0.25 / 60_000, 1)


def test_all_pairs_share_the_tie_breaks():
    """A pair that is given twice has equal sums, and swapped rankers have swapped sums."""
    (labels, rankings), configured = full_size(), interleaving("team_draft")
    world = make_world(rankings, labels, USER, configured)
    sums = sums_of(odds_kernel(world, configured), world, [(2, 3), (3, 2), (2, 3)], 10)
    np.testing.assert_array_equal(sums[0], sums[2])
    np.testing.assert_allclose(
        sums[0, [WIN, TIE, LOSS, WITHIN]], sums[1, [LOSS, TIE, WIN, WITHIN]], atol=1e-9
    )


# --- sums and their columns


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6), st.floats(0, 1))
def test_sums_of_squares_match_the_twin(pairs, centre):
    sums, seen, values = np.zeros((1, 5)), 0.0, []
    for turn, (win, share) in enumerate(pairs):
        odds = np.array([(1 - win) * (1 - share), (1 - win) * share, win])
        values.append(win + odds[TIE] / 2)
        seen = kernels._add(sums, 0, odds, turn, seen, centre)
    assert seen == pytest.approx(sum(values))
    assert sums[0, [WITHIN, CENTRED]] == pytest.approx(naive.matrix.spread(values, centre), abs=1e-12)
    assert sums[0, :3].sum() == pytest.approx(len(pairs))


@pytest.mark.parametrize(
    ("method", "length", "expected"),
    [
        ("team_draft", 32, True),
        ("team_draft", 33, False),
        ("probabilistic", 80, True),
        ("balanced", 80, True),
        ("balanced(credit=lerot)", 21, False),
        ("document_constraints", 20, True),
        ("document_constraints", 21, False),
        ("exploitative", 10, False),
    ],
)
def test_which_methods_have_odds(method, length, expected):
    (labels, rankings), configured = full_size(), METHODS.parsed(method)
    assert has_odds(make_world(rankings, labels, USER, configured, length=length), configured) == expected


@pytest.mark.parametrize("case", [TEAM_DRAFT[0], *DRAWN], ids=case_id)
@pytest.mark.parametrize("kind", ["drawn", "any", "played"])
def test_values_by_query_sum_to_the_sums(case, kind):
    """The first query played alone with the same random draws has the same value."""
    configured, times = chosen(case), 3
    world = tiny_world(configured)
    by_kind = {"drawn": odds_kernel, "any": lambda world, configured: kernels._any_sums(configured)}
    kernel = duel_kernel(configured) if kind == "played" else by_kind[kind](world, configured)
    world = asked_in_turn(world) if kind == "played" else world
    sums, by_query = both_sums_of(kernel, world, PAIRS, times)
    np.testing.assert_allclose(by_query.sum(axis=0), sums[:, WIN] + sums[:, TIE] / 2, rtol=1e-12)
    alone, first = both_sums_of(kernel, world, PAIRS, times, stop=1)
    np.testing.assert_array_equal(by_query[0], first[0])
    np.testing.assert_allclose(first[0], alone[:, WIN] + alone[:, TIE] / 2, rtol=1e-12)
    assert (np.ptp(by_query, axis=0) > 0).any()
