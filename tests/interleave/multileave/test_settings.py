"""Asking for multileaving: names, settings, worlds and lists, and what is refused."""

import itertools
import re

import pytest
from support.shared_worlds import QUERIES, shared_world_of

from interleave import InterleaveError
from interleave.multileave import MULTILEAVERS, multileaved_page, multileaving
from interleave.multileave.catalogue import Choice


def asked_for(text):
    """The way that a printed way asks for."""
    name, *settings = re.split(r"[(,)]", text.rstrip(")"))
    return multileaving(name, **dict(setting.split("=") for setting in settings))


def every_way():
    for name, method in MULTILEAVERS.items():
        values = {
            setting: list(kind.codes) if isinstance(kind, Choice) else [kind.default, kind.high]
            for setting, kind in method.settings.items()
        }
        for chosen in itertools.product(*values.values()):
            yield multileaving(name, **dict(zip(values, chosen)))


@pytest.mark.parametrize("way", [*every_way()], ids=str)
def test_a_way_prints_as_it_is_asked_for(way):
    assert asked_for(str(way)) == way
    assert asked_for(way.method) == multileaving(way.method)


@pytest.mark.parametrize(
    "name, settings, message",
    [
        ("team_daft", {}, "no multileaving method named 'team_daft'; did you mean 'team_draft'?"),
        ("sosm", {"taw": 3}, "no setting of sosm named 'taw'; did you mean 'tau'?"),
        ("sosm", {"tau": "x"}, "tau of sosm must be a number from 0 to 50, not x"),
        (
            "optimized",
            {"n_lists": 2.5},
            "n_lists of optimized must be a whole number from 1 to 10000, not 2.5",
        ),
        ("pairwise", {"considered": "all"}, "must be one of last_plus_one, strict, not 'all'"),
    ],
)
def test_what_is_not_known_is_refused(name, settings, message):
    with pytest.raises(InterleaveError, match=re.escape(message)):
        multileaving(name, **settings)


def test_credit_may_not_break_ties_anew():
    with pytest.raises(InterleaveError, match="credits the rankings that made the page"):
        shared_world_of(QUERIES, multileaving("sosm"), 3, ties="random_impression_redraw")


@pytest.mark.parametrize(
    "rankings, message",
    [
        ([], "there are no rankings"),
        ([[]], "the rankings are empty"),
        ([["a", "a"]], "a document twice"),
        ([["a", "b"], ["b", "a"], ["a", "c"]], "'c' is in one only"),
    ],
)
def test_lists_that_cannot_be_multileaved(rankings, message):
    with pytest.raises(InterleaveError, match=message):
        multileaved_page(rankings)
