"""Live duels have the exact distribution of outcomes.

Frequencies are compared within 4 standard errors, of the difference where both sides are drawn. With
N = 160,000 duels a standard error is at most 0.00125, so that a shift of 0.01 is detected almost surely.
"""

import functools

import naive
import numpy as np
import pytest
from joblib import Parallel, delayed
from numba import njit
from support.live_duels import TIED, UNTIED, USERS, full_size, query_groups, shares, tiny, winner
from support.small_worlds import EXACT, NAVIGATIONAL, OPTIMIZED, PERFECT, RANDOM, case_id, chosen, small_world

from rankduel.clickmodels import click_model
from rankduel.interleave import (
    METHODS,
    for_another_thread,
    interleaving,
    is_exact,
    make_world,
    mean_odds,
    play_duels,
)
from rankduel.interleave.duel import choose_query
from rankduel.interleave.world import CLICKED, document_at, forget_ties, pair_on, rank_of
from rankduel.letor_data.rankings import Rankings, positions_of

pytestmark = pytest.mark.kernel

N = 160_000
SAMPLED = ("probabilistic", "credit", "marginal_sampled")
E0 = ([0, 1, 2, 3], [1, 2, 3, 0], [1, 0, 0, 1])
BY_METHOD = (
    interleaving("balanced"),
    interleaving("team_draft"),
    interleaving("document_constraints"),
    interleaving("probabilistic"),
    interleaving("probabilistic", credit="assignment"),
    interleaving("exploitative", rate=0.3),
)


def _slow_unless(name, quick):
    """Return the marks of a case: slow unless `name` is `quick`, the case for the quick run."""
    return () if name == quick else (pytest.mark.slow,)


def assert_close(found, expected, n, error=0.0):
    """Assert that frequencies of `n` draws match probabilities with standard errors `error`."""
    allowed = 4 * np.sqrt(expected * (1 - expected) / n + error**2) + 1e-9
    assert np.all(np.abs(found - expected) <= allowed), (found, expected, allowed)


def exact_shares(world, configured, pair, draws):
    """Return (loss, tie, win) probabilities and standard errors; ties and pages are drawn unless exact."""
    users = np.random.default_rng(1)
    if is_exact(world, configured, *pair):
        return mean_odds(world, configured, *pair, users), 0.0
    odds = np.array([mean_odds(world, configured, *pair, users) for _ in range(draws)])
    return odds.mean(axis=0), odds.std(axis=0) / draws**0.5


# --- live against exact


@pytest.mark.parametrize("pair", [UNTIED, TIED], ids=["untied", "tied"])
@pytest.mark.parametrize("user", [pytest.param(u, marks=_slow_unless(u, "navigational")) for u in USERS])
@pytest.mark.parametrize("case", EXACT, ids=case_id)
def test_frequencies_match_the_exact_odds_on_small_queries(case, user, pair):
    configured, (labels, rankings) = chosen(case), tiny()
    world = make_world(rankings, labels, USERS[user], configured, length=3)
    expected, error = exact_shares(world, configured, pair, draws=30)
    assert_close(shares(world, configured, pair, N), expected, N, error)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [UNTIED, TIED], ids=["untied", "tied"])
@pytest.mark.parametrize(
    "case", [c for c in EXACT if c[2] not in ("neutral", "marginal_bernoulli")], ids=case_id
)
def test_the_plain_python_twin_has_the_same_odds(case, pair):
    """The benchmarks time this twin. With 8,000 impressions, 4 standard errors are at most 0.022."""
    (labels, rankings), rng, n = tiny(), np.random.default_rng(5), 8000
    user, groups = USERS["navigational"], [query_groups(rankings, ranker) for ranker in pair]
    counts = np.zeros(3)
    for query in rng.integers(rankings.n_queries, size=n):
        grades = labels[rankings.offsets[query] : rankings.offsets[query + 1]].tolist()
        both = (side[query] for side in groups)
        lead = naive.live_lead(
            rng, *both, grades, 3, case[0], case[2], user.p_click.tolist(), user.p_stop.tolist()
        )
        counts[1 + (lead > 1e-12) - (lead < -1e-12)] += 1
    world = make_world(rankings, labels, user, chosen(case), length=3)
    expected, error = exact_shares(world, chosen(case), pair, draws=30)
    assert_close(counts / n, expected, n, error)


@pytest.mark.parametrize("user", [pytest.param(u, marks=_slow_unless(u, "navigational")) for u in USERS])
def test_sampled_assignments_on_small_queries(user):
    configured, (labels, rankings) = chosen(SAMPLED, samples=15), tiny()
    world = make_world(rankings, labels, USERS[user], configured, length=3)
    expected, error = exact_shares(world, configured, UNTIED, draws=60)
    assert_close(shares(world, configured, UNTIED, N), expected, N, error)


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=_slow_unless(c[2], "inverse"), id=case_id(c)) for c in OPTIMIZED]
)
def test_optimized_on_small_queries(case):
    # Plans are made in Python, so n is small. Shifts of 0.04 are detected.
    configured, n, (labels, rankings) = chosen(case), 10_000, tiny()
    world = make_world(rankings, labels, USERS["informational"], configured, length=3)
    for pair in (UNTIED, TIED):
        expected, error = exact_shares(world, configured, pair, draws=200)
        assert_close(shares(world, configured, pair, n), expected, n, error)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [UNTIED, TIED, (3, 4)], ids=["untied", "tied", "constant"])
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("case", EXACT, ids=case_id)
def test_frequencies_match_the_exact_odds_on_full_queries(case, user, pair):
    configured, (labels, rankings) = chosen(case), full_size()
    world = make_world(rankings, labels, USERS[user], configured, length=8)
    expected, error = exact_shares(world, configured, pair, draws=150)
    assert_close(shares(world, configured, pair, N), expected, N, error)


# --- lazy against whole pages


@functools.cache
def whole_page_counter(method):
    """Return a counter of outcomes like `play_duels` that completes every page before the clicks."""
    next_document, credit = METHODS[method].next_document, METHODS[method].credit
    live_clicks = njit(naive.live_clicks)

    @njit
    def count(world, model, first, second, n, users):
        counts = np.zeros(3, np.int64)
        p_click, p_stop, attention, any_stop = model
        for _ in range(n):
            query = int(users.random() * (len(world.offsets) - 1))
            pair = pair_on(world, query, first, second)
            forget_ties(world)
            length = min(world.user.shape[1], pair.n_docs)
            grades = np.empty(length, np.int64)
            for at in range(length):
                grades[at] = world.labels[pair.start + next_document(world, pair, at, users)]
            clicks = live_clicks(users, grades, p_click, p_stop, attention, any_stop)
            for at in range(length):
                world.page[CLICKED, at] = clicks[at]
            lead = credit(world, pair, length, users)
            counts[1 + (lead > 0) - (lead < 0)] += 1
        return counts

    return count


def assert_lazy_pages_match_whole_pages(configured, user, pair, ties):
    labels, rankings = full_size()
    world = make_world(rankings, labels, USERS[user], configured, ties=ties)
    users = np.random.default_rng(2)
    whole = whole_page_counter(configured.name)(world, USERS[user], *pair, N, users) / N
    assert_close(shares(world, configured, pair, N), whole, N, np.sqrt(whole * (1 - whole) / N))


@pytest.mark.parametrize("ties", ["random_impression", "random_impression_redraw"])
@pytest.mark.parametrize(
    "configured", [w for w in BY_METHOD if w.name in ("document_constraints", "team_draft")], ids=str
)
def test_lazy_pages_have_the_distribution_of_whole_pages(configured, ties):
    assert_lazy_pages_match_whole_pages(configured, "navigational", TIED, ties)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["random_impression", "random_impression_redraw"])
@pytest.mark.parametrize("pair", [UNTIED, TIED], ids=["untied", "tied"])
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("configured", BY_METHOD, ids=str)
def test_lazy_pages_have_the_distribution_of_whole_pages_for_every_user(configured, user, pair, ties):
    assert_lazy_pages_match_whole_pages(configured, user, pair, ties)


# --- random clicks


# Shares of (loss, tie, win) on E0 for a user that clicks with probability 1/2, by enumeration.
RANDOM_CLICKS = {
    ("team_draft", "prefix", "assign"): (5 / 16, 3 / 8, 5 / 16),
    ("team_draft", "prefix", "neutral"): (5 / 16, 3 / 8, 5 / 16),
    ("probabilistic", "credit", "assignment"): (93 / 256, 35 / 128, 93 / 256),
    ("probabilistic", "credit", "marginal_bernoulli"): (15 / 32, 1 / 16, 15 / 32),
    ("probabilistic", "credit", "marginal_sign"): (0.455661039, 1 / 8, 0.419338961),
    ("balanced", "credit", "joachims"): (7 / 16, 1 / 2, 1 / 16),
    ("document_constraints", "type", "1"): (13 / 32, 15 / 32, 1 / 8),
    ("document_constraints", "type", "3"): (7 / 16, 1 / 8, 7 / 16),
}


@pytest.mark.parametrize("case", RANDOM_CLICKS, ids=case_id)
def test_random_clicks_give_the_enumerated_shares(case):
    world = small_world(*E0, RANDOM, chosen(case))
    assert_close(shares(world, chosen(case), (0, 1), N), np.array(RANDOM_CLICKS[case]), N)


@pytest.mark.parametrize("credit", ["linear", "inverse"])
def test_random_clicks_favour_no_ranker_under_optimized(credit):
    configured, n = interleaving("optimized", credit=credit), 20_000
    world = small_world(*E0, RANDOM, configured)
    assert_close(shares(world, configured, (0, 1), n), np.array([7 / 16, 1 / 8, 7 / 16]), n)


@pytest.mark.parametrize("configured", BY_METHOD, ids=str)
def test_swapping_the_rankers_swaps_wins_and_losses(configured):
    if configured.name == "exploitative":
        configured = interleaving("exploitative", rate=0.5)  # the only rate that is symmetric
    labels, rankings = full_size()
    world = make_world(rankings, labels, USERS["informational"], configured)
    one, other = shares(world, configured, TIED, N, seed=3), shares(world, configured, TIED[::-1], N, seed=4)
    assert_close(one, other[::-1], N, np.sqrt(other * (1 - other) / N)[::-1])


# --- settings of a world


def constant_rankers(n_docs=40, n_queries=20):
    """Return two rankers for which all documents are tied."""
    offsets = np.arange(n_queries + 1) * n_docs
    order = np.tile(np.arange(n_docs, dtype=np.int16), (2, n_queries))
    ties = np.tile(np.array([n_docs - 1, *range(-1, -n_docs, -1)], np.int16), (2, n_queries))
    keys = np.arange(n_queries, dtype=np.uint64)
    return Rankings(("one", "two"), offsets, keys, order, positions_of(order, ties, offsets), ties)


@pytest.mark.parametrize(
    "ties, identical",
    [
        ("random_impression", False),
        ("random_impression_redraw", False),
        ("random_run", False),
        ("random_run_shared", True),
        ("stable", True),
    ],
)
def test_constant_rankers_are_identical_where_ties_are_shared(ties, identical):
    rankings, configured = constant_rankers(), interleaving("probabilistic")
    labels = (np.arange(rankings.n_docs) % 5).astype(np.int8)
    world = make_world(rankings, labels, USERS["informational"], configured, ties=ties)
    loss, tie, win = shares(world, configured, (0, 1), 20_000)
    assert (tie == 1.0) == identical
    # Ties broken once per run give 20 pairs of fixed rankings, whose mean lead need not be near 0.
    assert win - loss == pytest.approx(0.0, abs=0.3 if ties == "random_run" else 0.03)


def test_the_seed_decides_the_tie_breaks_of_a_run():
    rankings, configured = constant_rankers(), interleaving("team_draft")
    labels = (np.arange(rankings.n_docs) % 5).astype(np.int8)
    worlds = [
        make_world(rankings, labels, USERS["perfect"], configured, ties="random_run", seed=s)
        for s in (0, 0, 1)
    ]
    one, again, other = (shares(world, configured, (0, 1), 1000).tolist() for world in worlds)
    assert one == again != other


@njit
def choose_queries(world, n, users):
    queries = np.empty(n, np.int64)
    for i in range(n):
        queries[i] = choose_query(world, users)
    return queries


def draw_queries(queries, n):
    labels, rankings = tiny()
    world = make_world(rankings, labels, USERS["perfect"], interleaving("team_draft"), queries=queries)
    return choose_queries(world, n, np.random.default_rng(5)), world


def test_queries_are_drawn_uniformly():
    found = np.bincount(draw_queries("uniform", N)[0], minlength=6) / N
    assert_close(found, np.full(6, 1 / 6), N)


def test_queries_are_cycled_through():
    assert draw_queries("cycle", 14)[0].tolist() == [*range(6), *range(6), 0, 1]


@pytest.mark.parametrize("weights", [[1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 3, 0], [0, 1e-9, 0, 0, 0, 0]])
def test_queries_are_drawn_by_weight(weights):
    found = np.bincount(draw_queries(np.array(weights), N)[0], minlength=6) / N
    assert_close(found, np.array(weights) / sum(weights), N)
    assert not found[np.array(weights) == 0].any()


def test_duels_use_the_weights_of_queries():
    """The only query with a weight has no relevant document."""
    (labels, rankings), configured = tiny(), interleaving("team_draft")
    world = make_world(rankings, labels, USERS["perfect"], configured, queries=np.array([0, 0, 0, 0, 0, 2.0]))
    assert shares(world, configured, UNTIED, 1000).tolist() == [0, 1, 0]


def wins(world, configured, n=N, pair=(0, 1)):
    return winner(configured.name)(world, *pair, n, np.random.default_rng(6)) / n


def test_tied_duels_are_settled_at_random():
    configured = interleaving("team_draft")  # E0, perfect user: half won, half tied, none lost
    assert_close(wins(small_world(*E0, PERFECT, configured), configured), np.array(0.75), N)


def test_dropped_ties_are_played_again():
    configured = interleaving("team_draft")
    assert wins(small_world(*E0, PERFECT, configured, tied_duels="drop"), configured) == 1.0


@pytest.mark.parametrize("tied_duels", ["coin", "drop"])
@pytest.mark.parametrize("configured", BY_METHOD, ids=str)
def test_a_ranker_against_itself_wins_half_of_its_duels(configured, tied_duels):
    world = small_world(*E0, NAVIGATIONAL, configured, tied_duels=tied_duels)
    assert shares(world, configured, (1, 1), 2000).tolist() == [0, 1, 0]
    if configured.name == "team_draft":  # all methods share the random draw
        assert_close(wins(world, configured, 20_000, pair=(1, 1)), np.array(0.5), 20_000)


@pytest.mark.parametrize("configured", BY_METHOD, ids=str)
def test_one_document(configured):
    """All pages are equal: credit by picks goes to a random ranker, and other credit ties."""
    world = small_world([0], [0], [1], PERFECT, configured)
    by_picks = configured.name == "team_draft" or configured.get("credit") == "assignment"
    assert_close(shares(world, configured, (0, 1), N), np.array([0.5, 0, 0.5] if by_picks else [0, 1, 0]), N)


@pytest.mark.parametrize("configured", BY_METHOD, ids=str)
def test_the_perfect_user_ties_without_relevant_documents(configured):
    world = small_world(E0[0], E0[1], [0, 0, 0, 0], PERFECT, configured)
    assert shares(world, configured, (0, 1), 1000).tolist() == [0, 1, 0]


@pytest.mark.parametrize("configured", BY_METHOD, ids=str)
def test_identical_rankings_win_as_often_as_they_lose(configured):
    world = small_world(E0[0], E0[0], E0[2], NAVIGATIONAL, configured)
    loss, tie, win = shares(world, configured, (0, 1), N)
    assert abs(win - loss) <= 4 * np.sqrt((win + loss) / N)


@pytest.mark.parametrize("jobs", [1, 4])
def test_threads_and_order_of_pairs_change_nothing(jobs):
    (labels, rankings), configured = full_size(), interleaving("probabilistic")
    world = make_world(rankings, labels, USERS["navigational"], configured)
    pairs = [(i, j) for i in range(4) for j in range(i)]

    def played(pair):
        return pair, play_duels(
            for_another_thread(world), configured, *pair, 5000, np.random.default_rng(pair)
        ).tolist()

    alone = dict(map(played, pairs))
    together = Parallel(n_jobs=jobs, backend="threading")(delayed(played)(pair) for pair in reversed(pairs))
    assert dict(together) == alone


def test_a_copied_world_shares_no_workspace():
    _, world = draw_queries("cycle", 1)
    other = for_another_thread(world)
    for field in ("rules", "page", "chances", "settled"):
        assert not np.shares_memory(getattr(world, field), getattr(other, field)), field


# --- the artefact of redrawn ties


MSLR_GRADES = (0.52, 0.32, 0.13, 0.02, 0.01)
# Shares of duels that the untied ranker wins, measured by a separate simulation, not by this package: 100,000
# duels per user on 2,000 queries of 40 to 199 documents, with pages of 10. Standard errors are about 0.001.
REDRAWN = {"perfect": 0.813, "navigational": 0.838, "informational": 0.912}


def noise_against_constant(n_queries):
    """Return a random ranker, a constant ranker, and grades that are independent of both."""
    rng = np.random.default_rng(8)
    sizes = rng.integers(40, 200, n_queries)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    noise = np.concatenate([rng.permutation(n) for n in sizes])
    files = np.concatenate([np.arange(n) for n in sizes])
    constant = np.concatenate([[n - 1, *range(-1, -n, -1)] for n in sizes])
    order, ties = (np.array(rows, np.int16) for rows in ((noise, files), (0 * files, constant)))
    keys, positions = np.arange(n_queries, dtype=np.uint64), positions_of(order, ties, offsets)
    labels = rng.choice(5, size=offsets[-1], p=MSLR_GRADES).astype(np.int8)
    return labels, Rankings(("noise", "constant"), offsets, keys, order, positions, ties)


def assert_share_of_wins(user, n_queries, n, within):
    (labels, rankings), configured = noise_against_constant(n_queries), interleaving("probabilistic")
    for ties, expected in (("random_impression_redraw", REDRAWN[user]), ("random_impression", 0.5)):
        world = make_world(rankings, labels, click_model(user, 5), configured, ties=ties)
        loss, tie, win = shares(world, configured, (0, 1), n)
        assert win + tie / 2 == pytest.approx(expected, abs=within)


@pytest.mark.parametrize("user", REDRAWN)
def test_redrawn_ties_favour_the_untied_ranker(user):
    assert_share_of_wins(user, 300, 20_000, within=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("user", REDRAWN)
def test_redrawn_ties_favour_the_untied_ranker_on_many_queries(user):
    assert_share_of_wins(user, 2000, 100_000, within=0.01)


def test_tied_ranks_and_documents_form_one_permutation():
    """There are more documents than bits in a word, so that marks of settled ranks and documents collide."""
    rankings, n_docs = constant_rankers(n_docs=150, n_queries=1), 150
    configured, users = interleaving("team_draft"), np.random.default_rng(4)
    world = make_world(rankings, np.zeros(n_docs, np.int8), USERS["perfect"], configured, length=n_docs)
    pair = pair_on(world, 0, 0, 1)
    for side in (0, 1):
        ranks = {doc: rank_of(world, pair, side, doc, users) for doc in range(0, n_docs, 3)}
        docs = [document_at(world, pair, side, rank, users) for rank in range(n_docs)]
        assert sorted(docs) == list(range(n_docs))
        assert [rank_of(world, pair, side, doc, users) for doc in docs] == list(range(n_docs))
        assert all(docs[rank] == doc for doc, rank in ranks.items())
        assert docs != list(range(n_docs))
