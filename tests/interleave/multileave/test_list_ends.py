"""Multileaved lists that end: complete rounds, whose number no random order changes."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interleave import MULTILEAVERS, multileaved_page
from rankduel.base.errors import InterleaveError

pytestmark = pytest.mark.kernel

some_lists = st.lists(st.lists(st.integers(0, 7), unique=True, max_size=6), min_size=2, max_size=4).filter(
    any
)


@settings(max_examples=150)
@given(some_lists, st.integers(1, 9))
def test_rounds_are_complete_and_as_many_whatever_the_orders(lists, length):
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
        (["ab", "cd", "abefg"], 10, 3),  # one other captain shares documents with the first
        (["abc", "bca", "cab"], 10, 3),
        (["abcd", "bcda", "cdab"], 4, 4),  # the page ends in the second round
    ],
)
def test_how_many_places_are_drafted(lists, length, n_drafted):
    for seed in range(20):
        teams = multileaved_page(lists, length=length, seed=seed).teams
        assert sum(team is not None for team in teams) == n_drafted


def test_documents_on_which_all_agree_are_nobodys():
    for seed in range(20):
        method = MULTILEAVERS.configured("team_draft", prefix="neutral")
        page = multileaved_page(["xa", "xbc", "x"], method, seed=seed)
        assert page.docs[0] == "x" and page.teams == [None] * 4
        page = multileaved_page(["xa", "xbc"], method, seed=seed)
        assert page.docs[0] == "x" and page.teams[0] is None and {*page.teams[1:3]} == {0, 1}
        assert (page.docs[3], page.teams[3]) == ("c", None)


@pytest.mark.parametrize("name", sorted(set(MULTILEAVERS) - {"team_draft"}))
def test_other_methods_refuse_different_documents(name):
    with pytest.raises(
        InterleaveError, match=f"^'{name}' needs rankers that rank the same documents.*'team_draft'"
    ):
        multileaved_page(["ab", "abc"], name)
