"""Multileaved lists of different lengths: drafted places, preferences, and users who ignore relevance."""

import itertools
from dataclasses import replace

import naive.multileave
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.shared_worlds import chi_square_p_value, put, shown_pages
from support.small_worlds import two_rankings

from rankduel.clickmodels import click_model
from rankduel.interleave import MULTILEAVERS, make_shared_world, multileave_by, multileaved_page
from rankduel.interleave.world import DOC

pytestmark = pytest.mark.kernel

some_lists = st.lists(st.lists(st.integers(0, 7), unique=True, max_size=6), min_size=2, max_size=4).filter(
    any
)


@settings(max_examples=150)
@given(some_lists, st.integers(1, 9))
def test_rounds_are_complete_and_their_number_does_not_depend_on_the_seed(lists, length):
    drafted = set()
    for seed in range(8):
        page = multileaved_page(lists, length=length, seed=seed)
        n_docs = len(set(itertools.chain(*lists)))
        assert len(page.docs) == len(set(page.docs)) == min(length, n_docs)
        n = sum(team is not None for team in page.teams)
        assert page.teams[n:] == [None] * (len(page.docs) - n)
        for start in range(0, n, len(lists)):
            in_round = page.teams[start : min(n, start + len(lists))]
            assert len(set(in_round)) == len(in_round)
        assert n % len(lists) == 0 or n == len(page.docs)
        for at, team in enumerate(page.teams[:n]):
            assert page.docs[at] == next(doc for doc in lists[team] if doc not in page.docs[:at])
        drafted.add(n)
    assert len(drafted) == 1


@pytest.mark.parametrize(
    "lists, length, n_drafted",
    [
        (["abc", "def", "ghi"], 10, 9),
        (["a", "def", "ghi"], 10, 3),
        (["", "def", "ghi"], 10, 0),
        (["ab", "cd", "abefg"], 10, 3),  # only the last list shares documents with the first
        (["abc", "bca", "cab"], 10, 3),
        (["abcd", "bcda", "cdab"], 4, 4),  # the page ends in the second round
    ],
)
def test_number_of_drafted_places(lists, length, n_drafted):
    for seed in range(20):
        teams = multileaved_page(lists, length=length, seed=seed).teams
        assert sum(team is not None for team in teams) == n_drafted


def test_a_neutral_common_prefix_has_no_team():
    for seed in range(20):
        method = MULTILEAVERS.configured("team_draft", prefix="neutral")
        page = multileaved_page(["xa", "xbc", "x"], method, seed=seed)
        assert page.docs[0] == "x" and page.teams == [None] * 4
        page = multileaved_page(["xa", "xbc"], method, seed=seed)
        assert page.docs[0] == "x" and page.teams[0] is None and {*page.teams[1:3]} == {0, 1}
        assert (page.docs[3], page.teams[3]) == ("c", None)


METHODS = [
    ("team_draft", {}, ""),
    ("team_draft", {"prefix": "neutral"}, "neutral"),
    ("sosm", {}, ""),
    ("probabilistic", {}, ""),
    ("probabilistic", {"ranker": "rounds"}, "rounds"),
    ("probabilistic", {"credit": "expected"}, ""),
    ("pairwise", {}, ""),
    ("pairwise", {"considered": "strict"}, "strict"),
]
every_method = pytest.mark.parametrize("method, settings, setting", METHODS, ids=str)
LISTS = [  # documents are numbered in the order of their first appearance
    ((0, 1, 2), (3, 0), (1, 3, 4)),
    ((0, 1), (0, 2, 3, 1), (2, 0)),
    ((0, 1, 2), (0, 1, 3)),
    ((0,), (0, 1), (2, 3, 0)),
]
DISJOINT = [((0, 1), (2, 3), (4, 5)), ((0,), (1, 2, 3), (4, 5)), ((0, 1, 2), (3, 4))]


def judged_pages(lists, method, settings, setting, length=4):
    """Yield (probability, page, teams, clicks, preferences) for every page and set of clicked places."""
    shown = multileaved_page(lists, MULTILEAVERS.configured(method, **settings), length, seed=0)
    for (page, teams), chance in naive.multileave.pages(lists, length, method, setting).items():
        put(shown, page, teams)
        for clicks in itertools.product((False, True), repeat=len(page)):
            below = [True] * (len(shown.docs) - len(page))  # clicks below the drafted places earn no credit
            yield chance, page, teams, clicks, shown.preferences([*clicks, *below])


@every_method
@pytest.mark.parametrize("lists", LISTS, ids=str)
def test_page_frequencies_match_enumeration(lists, method, settings, setting):
    expected = {}
    for (page, teams), chance in naive.multileave.pages(lists, 4, method, setting).items():
        expected[(*page, *filled(lists, page, 4)), (*teams, *[None] * (4 - len(teams)))] = chance
    configured = MULTILEAVERS.configured(method, **settings)
    assert chi_square_p_value(shown_pages(lists, configured, 4, 2000), expected) > 1e-6


def filled(lists, page, k):
    """Return the documents below the drafted places, by rank; at equal ranks, the first list precedes."""
    by_rank = [doc for docs in itertools.zip_longest(*lists) for doc in docs if doc is not None]
    return [doc for doc in dict.fromkeys(by_rank) if doc not in page][: k - len(page)]


@every_method
@pytest.mark.parametrize("lists", LISTS + DISJOINT, ids=str)
def test_preferences_match_the_naive_twin(lists, method, settings, setting):
    for _, page, teams, clicks, found in judged_pages(lists, method, settings, setting):
        if settings == {"credit": "expected"}:
            shares = naive.multileave.contributions(lists, page)
            expected = naive.multileave.by_difference(naive.multileave.expected_clicks(shares, clicks))
        else:
            expected = naive.multileave.preferences(lists, page, teams, clicks, method, setting)
        assert found == pytest.approx(np.array(expected, float), abs=1e-12)


def mean_preferences(lists, method, settings, setting):
    """Return the mean preferences over all pages, by set of clicked places."""
    means = {}
    for chance, _, _, clicks, found in judged_pages(lists, method, settings, setting):
        means[clicks] = means.get(clicks, 0.0) + float(chance) * found
    return means


@every_method
@pytest.mark.parametrize("lists", LISTS + DISJOINT, ids=str)
def test_users_who_ignore_relevance_prefer_no_ranker(lists, method, settings, setting):
    """The mean preference is 0 for every set of clicked places.

    Sample-only scores and contributors drawn in rounds have this property only if no two rankings have a
    document in common, for complete lists as well.
    """
    if lists in DISJOINT or method != "sosm" and setting != "rounds":
        for clicks, mean in mean_preferences(lists, method, settings, setting).items():
            assert mean == pytest.approx(np.zeros_like(mean), abs=1e-12), clicks


@pytest.mark.parametrize(
    "settings", [{}, {"credit": "expected"}, {"credit": "sampled"}, {"ranker": "rounds"}]
)
def test_probabilistic_multileaving_ties_a_list_with_its_own_beginnings(settings):
    configured = MULTILEAVERS.configured("probabilistic", **settings)
    for lists in (("abcd", "ab", "abc"), (range(1000), range(100), range(10))):
        for seed in range(20):
            page = multileaved_page(lists, configured, 10, seed)
            found = page.preferences([1, seed % 2, *[0] * (len(page.docs) - 2)])
            assert np.abs(found).max() <= (5 / 100 if "sampled" in settings.values() else 0)  # 5 s.e.


@pytest.mark.parametrize("lists", LISTS, ids=str)
def test_clicks_at_random_places_give_all_rankers_the_same_mean_sample_only_score(lists):
    for page, _ in naive.multileave.pages(lists, 4, "sosm"):
        for n in range(len(page) + 1):
            patterns = [clicks for clicks in itertools.product((0, 1), repeat=len(page)) if sum(clicks) == n]
            scores = [naive.multileave.sosm_scores(lists, page, clicks) for clicks in patterns]
            assert len(set(map(sum, zip(*scores)))) == 1


@pytest.mark.parametrize("credit", ["inverse", "linear"])
@pytest.mark.parametrize("lists", LISTS + DISJOINT, ids=str)
def test_optimized_pages_equal_those_of_lists_cut_to_the_shortest(lists, credit):
    """Documents below the length of the shortest list do not matter: two orders of them give the same."""
    configured, n, docs = MULTILEAVERS.configured("optimized", credit=credit), min(map(len, lists)), 6
    for seed in range(20):
        page = multileaved_page(lists, configured, 4, seed=seed)
        for rest in (range(docs), reversed(range(docs))):
            complete = [tuple(dict.fromkeys([*ranking[:n], *rest])) for ranking in lists]
            full = multileaved_page(complete, configured, n, seed=seed)
            assert [complete[0].index(doc) for doc in page.docs[:n]] == [
                complete[0].index(doc) for doc in full.docs
            ]
            for clicks in itertools.product((0, 1), repeat=n):
                below = [1] * (len(page.docs) - n)
                assert (page.preferences([*clicks, *below]) == full.preferences(clicks)).all()


@pytest.mark.parametrize("credit", ["inverse", "linear"])
@pytest.mark.parametrize("lists", DISJOINT, ids=str)
def test_optimized_multileaving_of_lists_without_a_common_document_is_even(lists, credit):
    """All allowed pages are sampled, and at every place the rankers have the same expected credit."""
    configured = MULTILEAVERS.configured("optimized", credit=credit, n_lists=200)
    shown = multileaved_page(lists, configured, 4, seed=0)
    n, chances = min(map(len, lists)), shown._shared.programme.chances
    listed = naive.multileave.allowed_pages(lists, n)
    pages = shown._shared.sampled.pages[: len(listed), :n].tolist()
    assert sorted(map(tuple, pages)) == listed
    for place in range(n):
        mean = np.zeros(len(lists))
        for page, chance in zip(pages, chances):
            mean += chance * np.array(naive.multileave.worth(lists, n, page[place], credit), float)
        assert mean == pytest.approx(np.full(len(lists), mean[0]), abs=1e-9)


@pytest.mark.parametrize("name", MULTILEAVERS)
def test_no_ranker_is_preferred_if_one_list_is_empty(name):
    page = multileaved_page(["", "ab", "bc"], name, seed=0)
    assert (page.docs, page.teams) == (["a", "b", "c"], [None] * 3)
    assert not page.preferences([1, 1, 1]).any()


@pytest.mark.parametrize("name", MULTILEAVERS)
def test_tied_documents_of_ended_lists_stay_in_their_lists(name):
    """Each list has two tied documents; only documents of the lists are shown at the drafted places."""
    rankings = replace(
        two_rankings((0, 1, 2, 3), (2, 3, 0, 1), [1, -1, 0, 0], [1, -1, 0, 0]),
        lengths=np.array([[2], [2]], np.int32),
    )
    configured, users, seen = MULTILEAVERS.configured(name), np.random.default_rng(0), set()
    shared = make_shared_world(rankings, np.zeros(4, np.int8), click_model("perfect", 2), configured, 4)
    impression, found = multileave_by(name), np.zeros((2, 2))
    for _ in range(200):
        impression(shared, np.arange(2), 2, found, users)
        seen.add(tuple(shared.world.page[DOC, :4].tolist()))
    assert all(sorted(page) == [0, 1, 2, 3] for page in seen)
    assert {page[0] for page in seen} == {0, 1, 2, 3}
