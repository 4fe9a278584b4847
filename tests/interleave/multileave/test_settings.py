"""Multileaving methods by name: settings, printed forms, and errors for invalid input."""

import itertools
import re

import pytest
from support.shared_worlds import QUERIES, shared_world_of

from rankduel.base.errors import InterleaveError
from rankduel.base.settings import settings_of
from rankduel.interleave.multileave import MULTILEAVERS, multileaved_page, multileaving


def parsed(text):
    """Return the configured method that `text` describes."""
    name, *settings = re.split(r"[(,)]", text.rstrip(")"))
    return multileaving(name, **dict(setting.split("=") for setting in settings))


def every_configuration():
    for name, method in MULTILEAVERS.items():
        values = {
            name: setting.choices or [getattr(method.params(), name), setting.at_most]
            for name, setting in settings_of(method).items()
        }
        for chosen in itertools.product(*values.values()):
            yield multileaving(name, **dict(zip(values, chosen)))


@pytest.mark.parametrize("configured", [*every_configuration()], ids=str)
def test_the_printed_form_can_be_parsed(configured):
    assert parsed(str(configured)) == configured
    assert parsed(configured.name) == multileaving(configured.name)


@pytest.mark.parametrize(
    "name, settings, message",
    [
        ("team_daft", {}, "no multileaving method named 'team_daft'; did you mean 'team_draft'?"),
        ("sosm", {"taw": 3}, "no setting of sosm named 'taw'; did you mean 'tau'?"),
        ("sosm", {"tau": "x"}, "sosm: tau is 'x'; expected a number"),
        ("sosm", {"tau": 51}, "sosm: tau is 51; expected at least 0 and at most 50"),
        ("optimized", {"n_lists": 2.5}, "optimized: n_lists is '2.5'; expected a whole number"),
        ("optimized", {"n_lists": 0}, "optimized: n_lists is 0; expected at least 1 and at most 10000"),
        (
            "pairwise",
            {"considered": "all"},
            "considered is 'all'; expected last_plus_one or strict",
        ),
    ],
)
def test_unknown_names_and_invalid_settings_are_refused(name, settings, message):
    with pytest.raises(InterleaveError, match=re.escape(message)):
        multileaving(name, **settings)


def test_redrawn_ties_are_refused():
    with pytest.raises(InterleaveError, match="credits the rankings that made the page"):
        shared_world_of(QUERIES, multileaving("sosm"), 3, ties="random_impression_redraw")


@pytest.mark.parametrize(
    "rankings, message",
    [
        ([], "there are no rankings"),
        ([[]], "the rankings are empty"),
        ([["a", "a"]], "a document twice"),
    ],
)
def test_invalid_lists_are_refused(rankings, message):
    with pytest.raises(InterleaveError, match=message):
        multileaved_page(rankings)
