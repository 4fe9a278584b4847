"""Lists of different lengths: rankers are credited for documents they list; random clicks favour neither."""

import collections
import itertools
from dataclasses import replace
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small_worlds import EXACT, OPTIMIZED, User, case_id, chosen, ended_world, two_rankings

from rankduel.base.errors import InterleaveError
from rankduel.interleave import (
    METHODS,
    interleaved_page,
    interleaving,
    is_exact,
    make_world,
    mean_odds,
    play_duels,
    query_odds,
)
from rankduel.interleave.methods import optimized
from rankduel.interleave.world import DOC, RANK

pytestmark = pytest.mark.kernel

# Cases that are fair to every user whose clicks depend on the place only.
FAIR = [case for case in EXACT if case[0] == "team_draft" or case[2] in ("assignment", "marginal_bernoulli")]
ALL_LISTS = [top for n in range(4) for top in itertools.permutations(range(4), n)]


@st.composite
def ended_duels(draw, most=5):
    """Draw (left, right, labels, user, length)."""
    docs = st.lists(st.integers(0, most - 1), unique=True, max_size=most)
    eighths = st.tuples(*[st.integers(0, 8).map(lambda eighth: Fraction(eighth, 8))] * 3)
    user = st.builds(User, eighths, eighths, st.sampled_from(("click", "any")), st.just((1, Fraction(1, 2))))
    labels = draw(st.lists(st.integers(0, 2), min_size=most, max_size=most))
    return tuple(draw(docs)), tuple(draw(docs)), labels, draw(user), draw(st.integers(1, most + 1))


def odds(left, right, labels, user, configured, length):
    world = ended_world(left, right, labels, user, configured, length)
    return query_odds(world, configured, 0, 0, 1, np.random.default_rng(0))


@pytest.mark.parametrize("case", EXACT, ids=case_id)
def test_exact_odds_equal_brute_force(case):
    probabilistic = case[0] == "probabilistic"

    @settings(max_examples=40 if probabilistic else 100)
    @given(ended_duels(4 if probabilistic else 6))
    def check(duel):
        left, right, labels, user, length = duel
        expected = naive.interleaving_odds(left, right, length, *case[::2], user.patterns(labels))
        found = odds(left, right, labels, user, chosen(case), length)
        assert found == pytest.approx([float(p) for p in expected], abs=1e-12)

    check()


@pytest.mark.parametrize("prefix", ["assign", "neutral"])
def test_team_draft_pages_are_among_the_enumerated_ones(prefix):
    """All lists of up to 3 of 4 documents."""
    configured = interleaving("team_draft", prefix=prefix)
    for seed, (left, right) in enumerate(itertools.product(ALL_LISTS, repeat=2)):
        if left or right:
            page = interleaved_page(left, right, configured, seed=seed)
            teams = tuple({"first": 0, "second": 1, "none": None}[team] for team in page.teams)
            possible = set()
            for _, docs, sides in naive.team_draft_pages(left, right, 4, prefix == "neutral"):
                below = naive.filled(left, right, docs, 4)
                possible.add(((*docs, *below), (*sides, *[None] * len(below))))
            assert (tuple(page.docs), teams) in possible


def clicks_exactly(places, length):
    """Return a user that clicks these places and no others."""
    return User((1.0, 1.0), (0.0, 0.0), "click", tuple(float(at in places) for at in range(length)))


@pytest.mark.parametrize("case", FAIR, ids=case_id)
def test_users_who_ignore_relevance_prefer_neither(case):
    """Wins equal losses for every set of clicked places, on random pairs of lists of up to 3 documents."""
    pairs = list(itertools.product(ALL_LISTS, repeat=2))
    for i in np.random.default_rng(1).permutation(len(pairs))[:150].tolist():
        for n in (1, 2, 3):
            for places in itertools.combinations(range(4), n):
                loss, _, win = odds(*pairs[i], [0] * 4, clicks_exactly(places, 4), chosen(case), 4)
                assert win == pytest.approx(loss, abs=1e-12), (pairs[i], places)


@pytest.mark.parametrize("case", EXACT, ids=case_id)
@pytest.mark.parametrize("n_left, n_right", [(0, 3), (1, 3), (1, 5), (2, 3)])
def test_lists_without_a_common_document_are_even_for_users_who_ignore_relevance(case, n_left, n_right):
    docs = tuple(range(n_left + n_right))
    for length in (2, 3, 5, 6):
        for places in itertools.chain(*(itertools.combinations(range(length), n) for n in (1, 2, 3))):
            user = clicks_exactly(places, length)
            loss, _, win = odds(docs[:n_left], docs[n_left:], [0] * len(docs), user, chosen(case), length)
            assert win == pytest.approx(loss, abs=1e-12)


@pytest.mark.parametrize("credit", ["marginal_sign", "marginal_sampled", "marginal_bernoulli", "assignment"])
@pytest.mark.parametrize("n_first, n_second", [(3, 2), (2, 3), (5, 1), (6, 4), (1000, 100), (1000, 999)])
def test_probabilistic_does_not_prefer_a_list_to_its_own_beginning(credit, n_first, n_second):
    """With the sign of the marginal outcome, they tie."""
    configured, tops = interleaving("probabilistic", credit=credit), (range(n_first), range(n_second))
    if credit in ("marginal_sign", "marginal_sampled"):
        most = 5 / 100 if credit == "marginal_sampled" else 0.0  # 5 s.e.
        for seed in range(30):
            page = interleaved_page(*tops, configured, 10, seed)
            assert abs(page.credit(page.docs[: 1 + seed % 3]).lead) <= most
    if credit != "marginal_sampled" and max(n_first, n_second) <= 6:
        labels, user = [0] * max(n_first, n_second), clicks_exactly((0, 2), 4)
        loss, tie, win = odds(*map(tuple, tops), labels, user, configured, 4)
        assert win == pytest.approx(loss, abs=1e-12)
        assert tie == pytest.approx(1.0 if credit == "marginal_sign" else tie)


def test_exploitative_ties_a_list_with_its_own_beginning():
    for seed in range(30):
        page = interleaved_page("abcdef", "abcd", "exploitative", 4, seed)
        assert page.credit(page.docs[seed % 4 :]).lead == 0.0


@pytest.mark.parametrize("credit", ["marginal_sign", "assignment", "marginal_bernoulli"])
def test_ties_at_the_last_rank_that_is_drawn_from_may_be_broken_anew(credit):
    """After a redraw, a shown document may be below this rank on both sides. Within 5 standard errors."""
    rankings = replace(
        two_rankings((0, 1, 2, 3, 4), (0, 1, 2, 3, 4), [4, -1, -2, -3, -4], [1, -1, 0, 0, 0]),
        lengths=np.array([[5], [2]], np.int32),
    )
    user, n = User((0.2, 0.6, 0.9), (0.1, 0.3, 0.5)), 20_000
    configured, labels = interleaving("probabilistic", credit=credit), np.array([2, 0, 1, 2, 1], np.int8)
    world = make_world(rankings, labels, user.model(), configured, length=3, ties="random_impression_redraw")
    expected = mean_odds(world, configured, 0, 1, np.random.default_rng(2), draws=4000, all_patterns=True)
    assert expected.sum() == pytest.approx(1.0)
    found = play_duels(world, configured, 0, 1, n, np.random.default_rng(3)) / n
    assert np.abs(found - expected).max() <= 5 * 0.5 * (1 / n + 1 / 4000) ** 0.5


@settings(max_examples=60)
@given(ended_duels(6), st.sampled_from(("linear", "inverse")))
def test_optimized_plans_are_fair_for_the_shorter_length(duel, credit):
    left, right, _, _, length = duel
    n = min(len(left), len(right), length)
    if n:
        plan = optimized.plan(left[:n], right[:n], interleaving("optimized", credit=credit).code("credit"))
        assert not plan.relaxed and plan.chances @ plan.credits == pytest.approx(np.zeros(n), abs=1e-8)
        page = interleaved_page(left, right, interleaving("optimized", credit=credit), length, seed=0)
        assert tuple(page.docs[:n]) in set(map(tuple, plan.pages.tolist()))


@settings(max_examples=30)
@given(ended_duels(4))
def test_the_mean_marginal_outcome_is_even_for_users_who_ignore_relevance(duel):
    """The mean of its sign need not be even, for complete lists as well."""
    left, right, _, _, length = duel
    for clicks in itertools.product((False, True), repeat=min(length, len(left), len(right))):
        mean = 0
        for chance, assignments in naive.assignments_by_page(
            naive.probabilistic_pages(left, right, length)
        ).values():
            loss, _, win = naive.marginal_odds(assignments, clicks)
            mean += chance * (win - loss)
        assert mean == 0


@settings(max_examples=15)
@given(ended_duels(4), st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(7, 8)]))
def test_the_mean_exploitative_lead_is_even_for_users_who_ignore_relevance(duel, rate):
    """The mean over pages is 0 for every set of clicked places; each lead equals that of the naive twin."""
    left, right, _, _, length = duel
    n = min(length, len(left), len(right))
    if n:
        shown = interleaved_page(left, right, interleaving("exploitative", rate=float(rate)), length, seed=0)
        pages = naive.assignments_by_page(naive.probabilistic_pages(left, right, length, rate=rate))
        for clicks in itertools.product((False, True), repeat=n):
            mean = 0.0
            for docs, (chance, _) in pages.items():
                put(shown, left, right, docs)
                lead = shown.credit([*clicks, *[True] * (len(shown.docs) - n)]).lead
                expected = naive.exploitative_lead(left, right, length, docs, clicks, rate)
                assert lead == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
                mean += float(chance) * lead
            assert mean == pytest.approx(0.0, abs=1e-9)


def put(page, left, right, docs):
    """Replace the documents at the drafted places of a page."""
    number = {doc: i for i, doc in enumerate(dict.fromkeys([*left, *right]))}
    for at, doc in enumerate(docs):
        ranks = [ranking.index(doc) if doc in ranking else len(number) for ranking in (left, right)]
        page._world.page[DOC, at], page._world.page[RANK : RANK + 2, at] = number[doc], ranks


@pytest.mark.parametrize("left, right", [("ab", "cad"), ("abc", "ca")])
def test_exploitative_page_frequencies_match_enumeration(left, right):
    """Within 5 standard errors."""
    configured, n = interleaving("exploitative", rate=0.25), 2000
    expected = naive.assignments_by_page(naive.probabilistic_pages(left, right, 3, rate=Fraction(1, 4)))
    drawn = (interleaved_page(left, right, configured, 3, seed) for seed in range(n))
    seen = collections.Counter(tuple(page.docs[:2]) for page in drawn)
    assert set(seen) <= set(expected)
    for docs, (chance, _) in expected.items():
        assert seen[docs] / n == pytest.approx(float(chance), abs=5 * 0.5 / n**0.5)


@pytest.mark.parametrize("method", ["probabilistic", "exploitative", "optimized"])
def test_places_below_are_filled_by_rank_and_the_first_list_first(method):
    """Three places are drafted; on many pages the other three documents include two of the same rank."""
    for seed in range(20):
        page = interleaved_page("abc", "def", method, seed=seed)
        drafted = tuple(page.docs[:3])
        assert tuple(page.docs[3:]) == naive.filled("abc", "def", drafted, 6)
        assert page.teams[3:] == ["none"] * 3


@pytest.mark.parametrize("method", METHODS)
def test_a_ranker_without_documents_ties(method):
    for left, right in (("", "abc"), ("abc", "")):
        page = interleaved_page(left, right, method, seed=1)
        assert (page.docs, page.teams) == (["a", "b", "c"], ["none"] * 3)
        assert page.credit([1, 1, 1]) == ("tie", 0.0)
    configured = interleaving(method)
    world = ended_world((), (0, 1), [1, 1], clicks_exactly((0, 1), 2), configured)
    if method != "exploitative":  # exploitative has no exact odds
        assert query_odds(world, configured, 0, 0, 1, np.random.default_rng(0)).tolist() == [0, 1, 0]
    assert play_duels(world, configured, 0, 1, 100, np.random.default_rng(0)).tolist() == [0, 100, 0]


@pytest.mark.parametrize("case", [*EXACT, *OPTIMIZED], ids=case_id)
def test_duels_follow_the_odds(case):
    """Within 5 standard errors."""
    configured, n = chosen(case), 2000 if case[0] == "optimized" else 20_000
    user = User((0.2, 0.6, 0.9), (0.1, 0.3, 0.5))
    for left, right in (((0, 1, 2), (3, 0)), ((4,), (5, 3, 4, 1)), ((2, 0), (2, 1, 3, 4))):
        world = ended_world(left, right, [2, 0, 1, 2, 1, 0], user, configured, 5)
        expected = mean_odds(world, configured, 0, 1, np.random.default_rng(2), all_patterns=True)
        found = play_duels(world, configured, 0, 1, n, np.random.default_rng(3)) / n
        assert np.abs(found - expected).max() <= 5 * 0.5 / n**0.5
        assert is_exact(world, configured, 0, 1)


def test_one_irrelevant_document_does_not_beat_a_list_with_the_relevant_one():
    """When unretrieved documents were appended at random, the irrelevant document won 0.88 of the duels."""
    configured, nine = interleaving("team_draft"), tuple(range(1, 10))
    perfect = User((0.0, 1.0), (0.0, 0.0))
    for place in range(9):
        labels = [0] * 10
        labels[nine[place]] = 1
        loss, tie, win = odds((0,), nine, labels, perfect, configured, 10)
        assert (loss, tie, win) == ((1, 0, 0) if place == 0 else (0, 1, 0))


def test_team_draft_drafts_only_the_rounds_that_every_order_allows():
    """Team draft of ('a', 'b') and ('a', 'c', 'd'): one round; only some orders allow a second."""
    seen = collections.Counter(
        (tuple(page.docs), tuple(page.teams))
        for page in (interleaved_page("ab", "acd", seed=seed) for seed in range(2000))
    )
    rest = ("none", "none")
    assert set(seen) == {
        (("a", "c", "b", "d"), ("first", "second", *rest)),
        (("a", "b", "c", "d"), ("second", "first", *rest)),
    }
    assert min(seen.values()) / 2000 > 0.5 - 5 * 0.5 / 2000**0.5  # 5 s.e.


@pytest.mark.parametrize("rate, hidden", [(0, "second"), (1, "first")])
def test_exploitative_is_refused_if_documents_are_never_shown(rate, hidden):
    configured, user = interleaving("exploitative", rate=rate), User((0.0, 1.0), (0.0, 0.0))
    with pytest.raises(
        InterleaveError, match=f"that the {hidden} ranker alone lists are never shown; choose"
    ):
        ended_world((0,), (1, 0), [0, 1], user, configured)
