"""Colours, dashes and names of policies: alike everywhere, apart in one chart, legible on light and dark."""

import itertools

import numpy as np
import pytest
from support.run_set_samples import ordered_preferences

from bandits.catalogue import POLICIES
from experiments.matrix.preferences import preferences_of
from experiments.report.charts.looks import (
    COLOURS,
    DARK,
    DARK_PAPER,
    INK,
    LOWER_BOUND,
    PALE,
    PAPER,
    looks,
)
from experiments.report.names import policy_names, policy_title, ranker_in_words, ranker_titles

FAMILIAR = ("rucb", "merge_dts", "dts", "merge_rucb", "self_sparring", "rmed1", "rcs", "savage", "rex3")


def _linear(colour):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _contrast(one, other):
    """As WCAG 2 defines it."""
    low, high = sorted(_linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _lab(colour):
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(to_xyz @ _linear(colour) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("n", [1, 10, 11, 40])
def test_policies_of_a_report_look_unlike_each_other(n):
    found = looks([*(f"policy {i}" for i in range(n)), LOWER_BOUND])
    assert len({(look.colour, look.dash) for look in found.values()}) == n + 1
    solid = [look.colour for look in found.values() if look.dash == ()]
    assert len(solid) == len(set(solid)) == min(n, 10)


def test_a_policy_keeps_its_colour_whatever_else_is_drawn():
    alone = {policy: looks([policy])[policy].colour for policy in FAMILIAR}
    together = looks(FAMILIAR)
    assert {policy: look.colour for policy, look in together.items()} == alone
    others = looks([*POLICIES, *FAMILIAR])
    assert {policy: others[policy].colour for policy in FAMILIAR} == alone
    for policy in POLICIES:
        assert looks(["rucb", policy])[policy] == looks([policy, "rucb"])[policy]


def test_the_shortest_of_some_settings_has_the_colour_of_the_name():
    found = looks(["dts(k=1)", "merge_rucb", "dts"])  # the first would otherwise take the second's
    assert found["dts"].colour == looks(["dts"])["dts"].colour
    assert found["merge_rucb"].colour == looks(["merge_rucb"])["merge_rucb"].colour
    assert looks(["dts(k=1)"])["dts(k=1)"].colour == found["dts"].colour


@pytest.mark.parametrize("paper, colours", [(PAPER, COLOURS), (DARK_PAPER, [DARK[one] for one in COLOURS])])
def test_colours_are_legible_and_apart(paper, colours):
    assert min(_contrast(colour, paper) for colour in colours) >= 3
    apart = [np.linalg.norm(_lab(one) - _lab(other)) for one, other in itertools.combinations(colours, 2)]
    assert min(apart) > 25


def test_ink_is_legible_on_both_pages():
    for ink, least in ((INK, 7), (PALE, 4.5)):
        assert _contrast(ink, PAPER) >= least and _contrast(DARK[ink], DARK_PAPER) >= least


@pytest.mark.parametrize(
    "full, names",
    [
        (["rucb", "merge_dts(alpha=0.8)"], ["RUCB", "MergeDTS"]),
        (["dts", "dts(alpha=0.6)", "rcs"], ["DTS", "DTS (alpha=0.6)", "RCS"]),
        (["rmed1", "rmed1(variant=chang-li)"], ["RMED1", "RMED1 (chang-li)"]),
        (["path/to/mine.py", "rucb"], ["mine", "RUCB"]),
        (["a/mine.py", "b/mine.py(x=1)"], ["mine", "mine (x=1)"]),
        (["a/mine.py", "b/mine.py"], ["a/mine.py", "b/mine.py"]),
        (["<script>", "", "("], ["<script>", "", "("]),
    ],
)
def test_names_of_policies(full, names):
    assert policy_names(full) == dict(zip(full, names))


def test_every_policy_has_a_name_in_the_literature():
    assert policy_title("self_sparring") == "Self-sparring"
    titles = [policy.title for policy in POLICIES.values()]
    assert len(set(titles)) == len(titles) and not any("_" in title for title in titles)


def test_labels_replace_names():
    assert looks(["dts", "rucb"], {"dts": "ours"})["dts"].label == "ours"


def test_rankers_are_named_by_the_profile_of_the_data():
    matrix = ordered_preferences(3).matrix
    features = preferences_of(matrix, ["110", "-3", "mine"], profile="mslr")
    assert ranker_titles(features)["110"] == "110 BM25, whole document"
    assert ranker_in_words(features, "-3") == "feature -3 (covered query terms, title)"
    assert ranker_in_words(features, "mine") == "mine"
    by_path = preferences_of(matrix, ["1", "2", "3"], data="MSLR-WEB10K/Fold1/train.txt")
    assert ranker_titles(by_path)["2"] == "2 covered query terms, anchor"
    unknown = preferences_of(matrix)
    assert ranker_titles(unknown)["0"] == "0" and ranker_in_words(unknown, "0") == "ranker 0"
