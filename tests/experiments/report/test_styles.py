"""Line styles and names of policies: stable, distinct within a chart, and legible on light and dark pages."""

import itertools

import numpy as np
import pytest
from support.run_set_samples import ordered_preferences

from rankduel.bandits.catalogue import POLICIES
from rankduel.experiments.matrix.preferences import preferences_of
from rankduel.experiments.report.charts.styles import (
    COLOURS,
    DARK,
    DARK_PAPER,
    INK,
    LOWER_BOUND,
    PALE,
    PAPER,
    line_styles,
)
from rankduel.experiments.report.names import policy_names, policy_title, ranker_in_words, ranker_titles

WELL_KNOWN = ("rucb", "merge_dts", "dts", "merge_rucb", "self_sparring", "rmed1", "rcs", "savage", "rex3")


def _linear(colour):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _contrast(one, other):
    """Return the contrast ratio of WCAG 2."""
    low, high = sorted(_linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _lab(colour):
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(to_xyz @ _linear(colour) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("n", [1, 10, 11, 40])
def test_policies_of_a_report_have_distinct_styles(n):
    found = line_styles([*(f"policy {i}" for i in range(n)), LOWER_BOUND])
    assert len({(style.colour, style.dash) for style in found.values()}) == n + 1
    solid = [style.colour for style in found.values() if style.dash == ()]
    assert len(solid) == len(set(solid)) == min(n, 10)


def test_the_colour_of_a_policy_does_not_depend_on_the_other_policies():
    alone = {policy: line_styles([policy])[policy].colour for policy in WELL_KNOWN}
    together = line_styles(WELL_KNOWN)
    assert {policy: style.colour for policy, style in together.items()} == alone
    others = line_styles([*POLICIES, *WELL_KNOWN])
    assert {policy: others[policy].colour for policy in WELL_KNOWN} == alone
    for policy in POLICIES:
        assert line_styles(["rucb", policy])[policy] == line_styles([policy, "rucb"])[policy]


def test_of_policies_with_one_name_the_shortest_text_has_the_colour_of_the_name():
    found = line_styles(
        ["dts(k=1)", "merge_rucb", "dts"]
    )  # sorted by length, 'dts(k=1)' would take the colour of merge_rucb
    assert found["dts"].colour == line_styles(["dts"])["dts"].colour
    assert found["merge_rucb"].colour == line_styles(["merge_rucb"])["merge_rucb"].colour
    assert line_styles(["dts(k=1)"])["dts(k=1)"].colour == found["dts"].colour


@pytest.mark.parametrize("paper, colours", [(PAPER, COLOURS), (DARK_PAPER, [DARK[one] for one in COLOURS])])
def test_colours_are_legible_and_distinct(paper, colours):
    assert min(_contrast(colour, paper) for colour in colours) >= 3
    apart = [np.linalg.norm(_lab(one) - _lab(other)) for one, other in itertools.combinations(colours, 2)]
    assert min(apart) > 25


def test_text_is_legible_on_light_and_dark_pages():
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


def test_labels_replace_the_names_of_policies():
    assert line_styles(["dts", "rucb"], {"dts": "ours"})["dts"].label == "ours"


def test_rankers_are_named_by_the_feature_list_of_the_data():
    matrix = ordered_preferences(3).matrix
    features = preferences_of(matrix, ["110", "-3", "mine"], profile="mslr")
    assert ranker_titles(features)["110"] == "110 BM25, whole document"
    assert ranker_in_words(features, "-3") == "feature -3 (covered query terms, title)"
    assert ranker_in_words(features, "mine") == "mine"
    by_path = preferences_of(matrix, ["1", "2", "3"], data="MSLR-WEB10K/Fold1/train.txt")
    assert ranker_titles(by_path)["2"] == "2 covered query terms, anchor"
    unknown = preferences_of(matrix)
    assert ranker_titles(unknown)["0"] == "0" and ranker_in_words(unknown, "0") == "ranker 0"
