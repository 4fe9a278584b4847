"""Exact odds against brute force over all pages, sets of clicks and assignments."""

import functools
import itertools
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from support.small_worlds import (
    EXACT,
    INFORMATIONAL,
    NAVIGATIONAL,
    OPTIMIZED,
    RANDOM,
    User,
    case_id,
    chosen,
    odds,
    small_world,
)

from rankduel.base.errors import InterleaveError
from rankduel.clickmodels import click_model
from rankduel.interleave import interleaving, is_exact, make_world, mean_odds, query_odds
from rankduel.interleave.exact import dispatch as exact_module
from rankduel.interleave.exact.team_draft import team_draft_odds
from rankduel.interleave.methods import optimized
from rankduel.interleave.world import BY_SHARE, user_table
from rankduel.letor_data.rankings import Rankings

pytestmark = pytest.mark.kernel

every_method = pytest.mark.parametrize("case", EXACT + OPTIMIZED, ids=case_id)
eighths = st.integers(0, 8).map(lambda eighth: Fraction(eighth, 8))
three_eighths = st.tuples(eighths, eighths, eighths)
users = st.builds(
    User,
    three_eighths,
    three_eighths,
    st.sampled_from(("click", "any", "first", "never")),
    st.sampled_from([(1,), (1, Fraction(1, 2)), (Fraction(7, 8), 1, Fraction(1, 4), 0)]),
)


@st.composite
def duels(draw, most=5):
    """Draw (left, right, labels, user, length)."""
    n = draw(st.integers(1, most))
    left, right = draw(st.permutations(range(n))), draw(st.permutations(range(n)))
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return tuple(left), tuple(right), labels, draw(users), draw(st.integers(1, n + 1))


def floats(numbers):
    return [float(number) for number in numbers]


# --- brute force


def brute_odds(case, left, right, labels, user, length, tau=3, judges=None):
    return floats(
        naive.interleaving_odds(left, right, length, case[0], case[2], user.patterns(labels), tau, judges)
    )


@pytest.mark.parametrize("case", EXACT, ids=case_id)
def test_exact_odds_equal_brute_force(case):
    probabilistic = case[0] == "probabilistic"

    @settings(max_examples=25 if probabilistic else 50)
    @given(duels(4 if probabilistic else 5), st.sampled_from((3, 1, 0)))
    def check(duel, tau):
        configured = chosen(case, tau=tau) if probabilistic else chosen(case)
        assert odds(*duel[:4], configured, duel[4]) == pytest.approx(brute_odds(case, *duel, tau), abs=1e-12)

    check()


@pytest.mark.parametrize("case", EXACT, ids=case_id)
@pytest.mark.parametrize("user", [NAVIGATIONAL, User((0.1, 0.7), (0.3, 0.6), "any", (0.9, 0.5, 0.3))])
def test_exact_odds_equal_brute_force_on_a_larger_query(case, user):
    length = 3 if case[0] == "probabilistic" else 6
    duel = (3, 1, 4, 0, 5, 2), (1, 3, 5, 4, 2, 0), (1, 0, 0, 1, 0, 1), user
    assert odds(*duel, chosen(case), length) == pytest.approx(brute_odds(case, *duel, length), abs=1e-12)


def test_an_odd_page_may_end_in_more_than_two_sets():
    """The two-set lemma is for complete rounds; the last pick of an odd page once wrote out of bounds."""
    left, right, case = (2, 1, 3, 4, 0), (2, 4, 3, 1, 0), ("team_draft", "prefix", "assign")
    sets = {frozenset(page) for _, page, _ in naive.team_draft_pages(left, right, 3)}
    assert len(sets) > 2
    duel = left, right, (1, 0, 1, 1, 0), NAVIGATIONAL
    assert odds(*duel, chosen(case), 3) == pytest.approx(brute_odds(case, *duel, 3), abs=1e-12)


@pytest.mark.parametrize("case", OPTIMIZED, ids=case_id)
def test_optimized_odds_equal_brute_force_over_the_plan(case):
    @settings(max_examples=40)
    @given(duels())
    def check(duel):
        left, right, labels, user, length = duel
        made = optimized.plan(left[:length], right[:length], chosen(case).code("credit"))
        patterns, expected = user.patterns(labels), [0.0, 0.0, 0.0]
        for page, chance in zip(map(tuple, made.pages.tolist()), made.chances):
            worth = [naive.optimized_credit(left[:length], right[:length], doc, case[2]) for doc in page]
            for clicks, p in patterns(page).items():
                expected[1 + np.sign(sum(itertools.compress(worth, clicks)))] += chance * float(p)
        assert odds(left, right, labels, user, chosen(case), length) == pytest.approx(expected, abs=1e-12)

    check()


rankings_cut = st.integers(1, 4).flatmap(
    lambda k: st.tuples(*[st.permutations(range(6)).map(lambda r: tuple(r[:k]))] * 2)
)


@settings(max_examples=60)
@given(rankings_cut, st.sampled_from(("linear", "inverse", "binary")))
def test_plans_are_allowed_fair_and_most_sensitive(rankings, kind):
    left, right = rankings
    code = interleaving("optimized", credit=kind).code("credit")
    made = optimized.plan(left, right, code)
    assert made.chances.sum() == pytest.approx(1, abs=1e-12) and (made.chances > 0).all()
    pages = sorted(naive.allowed_pages(left, right))
    assert {*map(tuple, made.pages.tolist())} <= {*pages} == {*optimized._allowed_pages(left, right)}
    worth = [[float(naive.optimized_credit(left, right, doc, kind)) for doc in page] for page in pages]
    assert made.unfairness == pytest.approx(np.abs(made.chances @ made.credits).sum(), abs=1e-8)
    sums, target = np.vstack([np.transpose(worth), np.ones(len(pages))]), [0.0] * len(left) + [1.0]
    best = linprog([-naive.openness(left, right, page) for page in pages], A_eq=sums, b_eq=target)
    assert made.relaxed == (best.status == 2)
    if not made.relaxed:
        assert made.sensitivity == pytest.approx(-best.fun, abs=1e-7)
    shown = [naive.openness(left, right, page) for page in map(tuple, made.pages.tolist())]
    assert made.sensitivity == pytest.approx(made.chances @ shown, abs=1e-9)


def test_linear_and_inverse_plans_are_never_relaxed():
    for right in itertools.permutations(range(5)):
        for code in (optimized.Credit.LINEAR, optimized.Credit.INVERSE):
            assert not optimized.plan((0, 1, 2, 3, 4), right, code).relaxed


def test_the_choice_among_optimal_plans_ignores_the_order_of_the_rankers():
    """Binary credit has several optimal plans for 8 of these pairs."""
    for right in itertools.permutations(range(5)):
        left = (0, 1, 2, 3, 4)
        here, there = (
            optimized.plan(*two, optimized.Credit.BINARY) for two in ((left, right), (right, left))
        )
        assert here.pages.tolist() == there.pages.tolist() and (here.chances == there.chances).all()
        assert (here.credits == -there.credits).all()


# --- properties of every method


@every_method
def test_swapping_the_rankers_swaps_the_odds(case):
    @settings(max_examples=25)
    @given(duels(6 if case[0] != "probabilistic" else 4))
    def check(duel):
        here = odds(*duel[:4], chosen(case), duel[4])
        there = odds(*duel[:4], chosen(case), duel[4], first=1, second=0)
        assert here == pytest.approx(there[::-1], abs=1e-12)
        assert here.sum() == pytest.approx(1, abs=1e-12) and (here >= -1e-15).all()

    check()


@every_method
def test_identical_rankings_are_even(case):
    order, labels = (2, 0, 3, 1), (0, 1, 1, 0)
    for length in (1, 2, 3, 4):
        loss, tie, win = odds(order, order, labels, INFORMATIONAL, chosen(case), length)
        assert win == pytest.approx(loss, abs=1e-12)
        ties = case[0] in ("balanced", "document_constraints", "optimized")
        ties |= case[2] in ("marginal_sign", "neutral")
        assert (tie == pytest.approx(1, abs=1e-12)) == ties


@every_method
def test_no_click_is_a_tie(case):
    never_clicks = User((0, 0), (0.5, 0.5), "any")
    found = odds((0, 1, 2), (2, 1, 0), (1, 0, 1), never_clicks, chosen(case))
    assert found[0] == found[2] == 0 and found[1] == pytest.approx(1, abs=1e-12)


@every_method
def test_a_ranker_ties_with_itself(case):
    assert odds((0, 1), (1, 0), (1, 0), RANDOM, chosen(case), first=1, second=1).tolist() == [0, 1, 0]


# --- team draft


def test_at_most_two_sets_of_documents_are_reachable():
    for n in range(2, 8):
        left, most = tuple(range(n)), 0
        for right in itertools.permutations(left):
            for rounds in range(1, n // 2 + 1):
                pages = naive.team_draft_pages(left, right, 2 * rounds)
                most = max(most, len({frozenset(page) for _, page, _ in pages}))
        assert most == (2 if n >= 3 else 1)


@pytest.mark.parametrize("n, lengths", [(3, (1, 2, 3)), (4, (3, 4)), (5, (4, 5))])
def test_team_draft_odds_for_all_permutations(n, lengths):
    left, labels = tuple(range(n)), np.array([1, 0, 1, 0, 1][:n], np.int8)
    user = User((0.25, 0.75), (0.125, 0.5))
    for length in lengths:
        table = user_table(user.model(), length)
        for right in itertools.permutations(left):
            found = team_draft_odds(np.array(left), np.array(right), labels, table, False)
            assert found == pytest.approx(brute_odds(EXACT[2], left, right, labels, user, length), abs=1e-12)


def test_team_draft_on_the_longest_page():
    """Two rankings without a common document on the page need all bits of an integer."""
    n = 64
    left = tuple(range(n))
    configured = interleaving("team_draft")
    loss, tie, win = odds(left, left[::-1], [1] * 32 + [0] * 32, User((0, 1), (0, 0)), configured, 32)
    assert (loss, tie, win) == (0, 0, 1)  # the first team has all relevant documents
    even = odds(left, left[::-1], [1] * 64, User((0, 1), (0, 0)), configured, 31)
    assert even == pytest.approx(
        [0.5, 0, 0.5], abs=1e-12
    )  # an odd page: the ranker that picks first in the last round has one document more


# --- ties between documents

# (order, ties, all orders that break the ties)
LEFT = (0, 1, 2), [0, 1, -1], [(0, 1, 2), (0, 2, 1)]
RIGHT = (2, 1, 0), [2, -1, -2], [*itertools.permutations(range(3))]


def mean_and_error(draws):
    return np.mean(draws, axis=0), np.std(draws, axis=0) / len(draws) ** 0.5 + 1e-12


# Team-draft credit uses no ranks, so redrawn ties do not change it.
TIED = [
    (case, redraw) for case in EXACT for redraw in (False, True) if not (redraw and case[0] == "team_draft")
]


@pytest.mark.parametrize("length", [2, 3])
@pytest.mark.parametrize("case, redraw", TIED)
def test_tied_rankings_average_over_all_their_orders(case, redraw, length):
    labels, configured, user = (0, 1, 1), chosen(case), User((0.25, 0.75), (0.25, 0.5))
    orders = [*itertools.product(LEFT[2], RIGHT[2])]
    judges = orders if redraw else [None]
    expected = np.mean(
        [
            brute_odds(case, *order, labels, user, length, judges=judge)
            for order in orders
            for judge in judges
        ],
        axis=0,
    )
    mode = "random_impression_redraw" if redraw else "random_impression"
    world = small_world(LEFT[0], RIGHT[0], labels, user, configured, length, (LEFT[1], RIGHT[1]), ties=mode)
    rng = np.random.default_rng(1)
    mean, error = mean_and_error([query_odds(world, configured, 0, 0, 1, rng) for _ in range(1000)])
    assert (np.abs(mean - expected) <= 5 * error).all()
    assert not is_exact(world, configured, 0, 1)


# --- drawn pages

LONG = (4, 0, 6, 2, 1, 7, 3, 5), (0, 7, 4, 1, 5, 6, 2, 3), (0, 1, 0, 1, 1, 0, 0, 1)


@functools.cache
def long_brute_odds(credit):
    user = User((0.25, 0.75), (0.25, 0.5))
    return brute_odds(("probabilistic", "credit", credit), *LONG, user, 3)


@pytest.mark.parametrize("few_clickable", [6, 2])
@pytest.mark.parametrize("credit", ["marginal_sign", "assignment", "marginal_bernoulli"])
def test_drawn_pages_and_clicks_are_right_on_average(credit, few_clickable, monkeypatch):
    monkeypatch.setattr(exact_module, "FEW_CLICKABLE", few_clickable)  # 2 of 3: clicks are drawn
    configured = interleaving("probabilistic", credit=credit)
    world = small_world(*LONG, User((0.25, 0.75), (0.25, 0.5)), configured, 3)
    rng = np.random.default_rng(2)
    draws = [query_odds(world, configured, 0, 0, 1, rng) for _ in range(4000)]
    mean, error = mean_and_error(draws)
    assert (np.abs(mean - long_brute_odds(credit)) <= 5 * error).all()
    split = credit == "marginal_sign" and few_clickable == 2
    assert split == np.isin(np.array(draws) * 4, range(5)).all()


def test_clicks_are_drawn_only_where_many_ranks_may_be_clicked():
    configured, rng = interleaving("probabilistic"), np.random.default_rng(3)

    def quarters(user, **more):
        world = small_world(range(10), range(9, -1, -1), [0] * 6 + [1] * 4, user, configured)
        draws = [query_odds(world, configured, 0, 0, 1, rng, **more) for _ in range(5)]
        return np.isin(np.array(draws) * 4, range(5)).all()

    assert quarters(User((0.1, 0.7), (0.1, 0.3)))
    assert not quarters(User((0.1, 0.7), (0.1, 0.3)), all_patterns=True)
    assert not quarters(User((0, 0.7), (0.1, 0.3)))


def test_sampled_assignments_agree_with_the_marginal_sign():
    user = User((0.25, 0.75), (0.25, 0.5))
    sampled = interleaving("probabilistic", credit="marginal_sampled", samples=20_000)
    duel = (0, 1, 2), (1, 2, 0), (1, 0, 1), user
    world, rng = small_world(*duel, sampled), np.random.default_rng(4)
    loss, tie, win = np.mean([query_odds(world, sampled, 0, 0, 1, rng) for _ in range(50)], axis=0)
    expected = odds(*duel, interleaving("probabilistic"))
    assert win + tie / 2 == pytest.approx(expected[2] + expected[1] / 2, abs=0.03)
    assert tie < expected[1]  # assignments rarely tie if there are clicks


# --- many queries, and `is_exact`

MODEL = click_model("informational", 2)


def two_query_world(configured, **more):
    order = np.array([[0, 1, 2, 0, 1], [2, 1, 0, 1, 0]], np.int16)
    positions = np.array([[0, 1, 2, 0, 1], [2, 1, 0, 1, 0]], np.int16)
    keys = np.zeros(2, np.uint64)
    rankings = Rankings(("a", "b"), np.array([0, 3, 5]), keys, order, positions, np.zeros_like(order))
    return make_world(rankings, np.array([1, 0, 0, 0, 1], np.int8), MODEL, configured, **more)


def test_mean_odds_weigh_the_queries_as_the_world_does():
    configured, rng = interleaving("team_draft"), np.random.default_rng(0)
    one, other = (query_odds(two_query_world(configured), configured, query, 0, 1, rng) for query in (0, 1))
    for queries, shares in (
        ("uniform", (0.5, 0.5)),
        ("cycle", (0.5, 0.5)),
        ([3, 1], (0.75, 0.25)),
        ([0, 2], (0, 1)),
    ):
        mean = mean_odds(two_query_world(configured, queries=queries), configured, 0, 1, rng, draws=2)
        assert mean == pytest.approx(shares[0] * one + shares[1] * other, abs=1e-12)


def test_a_single_query_with_a_weight_is_drawn_by_share():
    configured = interleaving("team_draft")
    world = small_world((0, 1), (1, 0), (0, 1), RANDOM, configured, queries=[2.0])
    assert world.rules[0].query_choice == BY_SHARE


DEEP = (None, [0, 0, 0, 0, 1, -1])  # the last two documents of the second ranking are tied
IS_EXACT = [
    ("team_draft", {}, 4, (None, None), True),
    ("team_draft", {}, 4, DEEP, True),
    ("team_draft", {}, 5, DEEP, False),
    ("balanced", {}, 4, DEEP, True),
    ("balanced", {}, 5, DEEP, False),
    ("balanced", {"credit": "lerot"}, 4, DEEP, False),
    ("document_constraints", {}, 4, DEEP, False),
    ("optimized", {}, 4, DEEP, True),
    ("optimized", {}, 5, DEEP, False),
    ("probabilistic", {}, 2, (None, None), True),
    ("probabilistic", {}, 2, DEEP, False),
    ("probabilistic", {"credit": "marginal_sampled"}, 2, (None, None), False),
    ("exploitative", {}, 2, (None, None), False),
]


@pytest.mark.parametrize("method, more, length, ties, expected", IS_EXACT)
def test_is_exact(method, more, length, ties, expected):
    """Exact odds do not depend on the seed; the other odds do."""
    configured = interleaving(method, **more)
    left = (5, 4, 3, 2, 1, 0) if length < 5 else (3, 2, 1, 0, 5, 4)
    world = small_world(left, range(6), (1, 0, 0, 1, 1, 0), INFORMATIONAL, configured, length, ties)
    assert is_exact(world, configured, 0, 1) == expected
    if method == "exploitative":
        return
    found = {
        tuple(query_odds(world, configured, 0, 0, 1, np.random.default_rng(s)).round(12)) for s in range(12)
    }
    assert (len(found) == 1) == expected


def test_many_documents_are_not_exact_for_probabilistic():
    configured = interleaving("probabilistic")
    for n, expected in ((6, True), (7, False)):
        world = small_world(range(n), range(n), [0] * n, RANDOM, configured, 2)
        assert is_exact(world, configured, 0, 1) == expected


# --- errors


@pytest.mark.parametrize(
    "method, more, n, message",
    [
        ("team_draft", {}, 33, "at most 32 documents here, not 33"),
        ("balanced", {"credit": "lerot"}, 21, "at most 20 documents here, not 21"),
        ("document_constraints", {}, 21, "at most 20 documents here, not 21"),
        ("probabilistic", {}, 63, "at most 62 documents here, not 63"),
        ("exploitative", {}, 3, "'exploitative' has no exact odds; simulate it"),
    ],
)
def test_unavailable_exact_odds_are_refused(method, more, n, message):
    with pytest.raises(InterleaveError, match=message):
        odds(range(n), range(n), [0] * n, RANDOM, interleaving(method, **more), n)


def test_all_patterns_of_a_long_page_are_refused():
    configured = interleaving("probabilistic")
    world = small_world(range(21), range(21), [0] * 21, RANDOM, configured, 21)
    with pytest.raises(InterleaveError, match="at most 20 documents here, not 21"):
        query_odds(world, configured, 0, 0, 1, np.random.default_rng(0), all_patterns=True)
    assert query_odds(world, configured, 0, 0, 1, np.random.default_rng(0)).sum() == 1


def test_odds_of_a_long_balanced_page_sum_to_one():
    n = 60
    configured = interleaving("balanced")
    found = odds(range(n), range(n - 1, -1, -1), [0, 1] * 30, INFORMATIONAL, configured, n)
    assert found.sum() == pytest.approx(1, abs=1e-12)
