"""Charts contain the data and labels of their tables, read back from the SVG or the chart's definition."""

import csv
import io
import itertools
import re
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pandas as pd
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st
from support.html_pages import ATTACKS, CONTROLS, Page
from support.run_set_samples import made_up_study, made_up_table, ordered_preferences

from rankduel.base.errors import UsageError
from rankduel.experiments.matrix.preferences import checked, preferences_of
from rankduel.experiments.report.charts.curves import (
    View,
    accuracy_chart,
    bound_curve,
    curve_chart,
    regret_chart,
    spread_out,
)
from rankduel.experiments.report.charts.differences import difference_chart
from rankduel.experiments.report.charts.finals import final_chart
from rankduel.experiments.report.charts.heatmap import MOST_RANKERS, heatmap
from rankduel.experiments.report.charts.parts import estimate_text, number, runs_text, vega_lite_version
from rankduel.experiments.report.charts.styles import LOWER_BOUND
from rankduel.experiments.report.files import save_chart
from rankduel.experiments.report.html import CHOICES
from rankduel.experiments.runs.compare import compare_runs
from rankduel.experiments.runs.summaries import curves, share_curves
from rankduel.experiments.statistics import Estimate
from rankduel.experiments.winners.notions import copeland_order

POLICIES = ("rucb", "dts(alpha=0.6)", "dts")
LABELS = ("RUCB", "DTS (alpha=0.6)", "DTS")
EVERY_VIEW = [View(*choice) for choice in itertools.product(*CHOICES.values())]


def svg(chart):
    return vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=vega_lite_version())


def texts(chart):
    """Return all text elements of a chart."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg(chart))


def rows_of(chart, *columns):
    """Return the rows of the first data set of a chart that has these columns."""
    for text in chart.to_dict()["datasets"].values():
        rows = list(csv.DictReader(io.StringIO(text)))
        if set(columns) <= set(rows[0]):
            return rows
    raise AssertionError(f"no data with {columns}")


# Labels


@given(
    st.lists(st.floats(0, 300), min_size=1, max_size=20),
    st.floats(1, 20),
)
def test_labels_are_a_gap_apart_and_in_order(places, gap):
    moved = spread_out(places, gap, 0, 300)
    order = np.argsort(places, kind="stable")
    sorted_moves = np.array(moved)[order]
    assert (np.diff(sorted_moves) >= gap - 1e-9).all()
    if gap * (len(places) - 1) <= 300:
        assert -1e-9 <= min(moved) and max(moved) <= 300
    if (np.diff(np.sort(places)) >= gap).all():
        assert moved == pytest.approx(places)


@pytest.mark.parametrize(
    "places, moved",
    [
        ([50], [50]),
        ([50, 50], [50, 60]),
        ([52, 50], [60, 50]),
        ([95, 100, 99], [80, 100, 90]),  # moved beyond the last place, and therefore up again
        ([0, 3, 90], [0, 10, 90]),
    ],
)
def test_labels_move_no_farther_than_needed(places, moved):
    assert spread_out(places, 10, 0, 100) == moved


@pytest.mark.parametrize(
    "found, text",
    [
        (Estimate(312.4, 290.2, 334.6), "312 [290, 335]"),
        (Estimate(1269.2, 1126, 1412), "1,269 [1,126, 1,412]"),
        (Estimate(0.01234, 0.0101, 0.0146), "0.0123 [0.0101, 0.0146]"),
        (Estimate(0.0001, -20.5, 20.5), "0.0 [-20.5, 20.5]"),
        (Estimate(3.14159, np.nan, np.nan), "3.14"),
        (Estimate(0.0, 0.0, 0.0), "0 [0, 0]"),
    ],
)
def test_estimates_as_text(found, text):
    assert estimate_text(found) == text


@pytest.mark.parametrize(
    "value, text",
    [(11506.4, "11,506"), (11306, "11,306"), (312.44, "312.4"), (0.0123456, "0.01235"), (0.0, "0")],
)
def test_numbers_have_no_exponent(value, text):
    assert number(value) == text


def test_unknown_numbers_are_a_dash():
    assert number(np.nan) == number(np.inf) == "–" and number(0.0012345, 3) == "0.00123"


# Curves


@pytest.mark.parametrize("view", EVERY_VIEW)
def test_the_axes_have_the_scales_of_the_view(view):
    chart = regret_chart(curves(made_up_table(POLICIES), "regret"), 3.0, view).to_dict(validate=True)
    line = next(layer for layer in chart["layer"] if layer["mark"]["type"] == "line")["encoding"]
    assert (line["x"]["scale"]["type"], line["y"]["scale"]["type"]) == (view.x, view.y)
    compiled = vl_convert.vegalite_to_vega(chart, vl_version=vega_lite_version())
    assert {scale["name"]: scale["type"] for scale in compiled["scales"]}["y"] == view.y


def test_the_default_axes_are_logarithmic():
    assert View()[:2] == ("log", "log")


@pytest.mark.parametrize("view", [View(), View("linear", "log", "quantiles")])
def test_every_curve_is_labelled(view):
    shown = texts(regret_chart(curves(made_up_table(POLICIES), "regret"), 3.0, view))
    assert {*LABELS, LOWER_BOUND, "duels", "cumulative regret"} <= set(shown)


def test_labels_are_connected_to_the_ends_of_their_curves():
    """The line to a label starts at the last point of the drawn curve."""
    drawn = svg(curve_chart(curves(made_up_table(POLICIES), "regret"), "regret"))
    ends = [float(y) for y in re.findall(r'"line mark"[^>]*L620,([\d.]+)"', drawn)]
    starts = [float(y) for y in re.findall(r'"rule mark" transform="translate\(620,([\d.]+)\)', drawn)]
    assert len(starts) == len(POLICIES) == len(ends)
    assert sorted(starts) == pytest.approx(sorted(ends), abs=0.2)


def test_the_data_of_a_chart_are_those_of_its_table():
    table = curves(made_up_table(POLICIES), "regret")
    rows = rows_of(curve_chart(table, "regret"), "mean", "error", "low", "high")
    assert [row["policy"] for row in rows] == table["policy"].tolist()
    for column in ("step", "mean", "error", "low", "high"):
        assert [float(row[column]) for row in rows] == pytest.approx(table[column].tolist(), rel=1e-4)


def test_the_bound_is_a_multiple_of_the_logarithm():
    bound = bound_curve(2.5, [1, 10, 100, 10])
    assert bound["step"].tolist() == [1, 10, 100]
    assert bound["mean"].tolist() == pytest.approx([0, 2.5 * 2.302585, 2.5 * 4.605170])


def test_a_bound_far_above_the_curves_is_drawn_on_the_logarithmic_axis_only():
    table = curves(made_up_table(POLICIES), "regret")
    assert LOWER_BOUND not in texts(regret_chart(table, 1e4, View(y="linear")))
    assert LOWER_BOUND in texts(regret_chart(table, 1e4, View(y="log")))
    assert LOWER_BOUND not in texts(regret_chart(table, None, View(y="log")))


@pytest.mark.parametrize("y", ["log", "linear"])
def test_regret_that_is_zero_can_be_drawn(y):
    table = curves(made_up_table(POLICIES), "regret")
    nothing = table.assign(mean=0.0, error=0.0, low=0.0, high=0.0)
    assert "DTS" in texts(regret_chart(nothing, None, View(y=y)))
    partly = pd.concat([table[table["policy"] != "dts"], nothing[nothing["policy"] == "dts"]])
    assert "RUCB" in texts(regret_chart(partly, 3.0, View(y=y)))


def test_single_runs_and_single_steps_can_be_drawn():
    table = made_up_table(POLICIES, runs=1)
    assert "DTS" in texts(regret_chart(curves(table, "regret"), 3.0))
    assert "DTS" in texts(accuracy_chart(share_curves(table[table["step"] == 1000], "correct")))


def test_accuracy_has_a_band_of_its_interval():
    found = share_curves(made_up_table(POLICIES), "correct")
    assert ((found["low"] < found["mean"]) | (found["mean"] == 0)).all()
    rows = rows_of(accuracy_chart(found), "mean", "low", "high")
    assert [float(row["low"]) for row in rows] == pytest.approx(found["low"].tolist(), rel=1e-4)
    layers = accuracy_chart(found).to_dict()["layer"]
    assert [layer["mark"]["interpolate"] for layer in layers[:2]] == ["step-after", "step-after"]
    assert layers[0]["transform"][1] == {"calculate": "datum.low", "as": "bottom"}
    bare = accuracy_chart(found, View(band="none")).to_dict()["layer"][0]
    assert bare["transform"][1] == {"calculate": "datum.mean", "as": "bottom"}


def test_published_values_are_diamonds_within_the_axis():
    table = curves(made_up_table(POLICIES), "regret")
    far = 10 * table["mean"].max()
    near = 0.01 * table["mean"].min()
    known = pd.DataFrame({"policy": ["dts", "dts"], "step": [100, 1000], "mean": [near, far]})
    chart = curve_chart(table, "regret", known=known)
    layers = chart.to_dict()["layer"]
    (marks,) = [layer for layer in layers if "shape" in layer["encoding"]]
    assert marks["encoding"]["shape"]["scale"] == {"domain": ["published"], "range": ["diamond"]}
    assert marks["encoding"]["tooltip"][-1]["title"] == "published"
    assert texts(chart).count("published") == 1  # in the legend
    top = next(param["value"] for param in chart.to_dict()["params"] if param["name"] == "highest")
    assert top > far and layers[1]["encoding"]["y"]["scale"]["domainMin"] <= near
    assert "published" not in str(curve_chart(table, "regret").to_dict()["layer"])


def test_the_difference_of_live_and_proxy_has_a_panel_per_policy():
    live, proxy = (made_up_table(POLICIES, seed=seed) for seed in (1, 2))
    found = compare_runs(live, proxy)
    shown = texts(difference_chart(found.by_step))
    assert set(LABELS) <= set(shown) and shown.count("duels") == 3
    rows = [row for row in rows_of(difference_chart(found.by_step), "mean", "low") if row["step"] == "1000"]
    for row, last in zip(rows, found.final.itertuples()):
        assert row["policy"] == last.policy
        expected = [100 * value / last.proxy for value in (last.difference, last.lo, last.hi)]
        assert [float(row[name]) for name in ("mean", "low", "high")] == pytest.approx(expected, rel=1e-3)


# Final results


def test_final_results_show_means_and_intervals_as_text():
    table = made_up_table(POLICIES, runs=3)
    shown = texts(final_chart(table, "regret", "regret"))
    last = table[(table["step"] == 1000) & (table["policy"] == "rucb")]["regret"]
    assert any(text.startswith(f"{last.mean():.1f} [") for text in shown)
    assert [text for text in shown if text in LABELS] == list(LABELS)  # best first
    turned = texts(final_chart(table, "regret", "regret", order=POLICIES[::-1]))
    assert [text for text in turned if text in LABELS] == list(LABELS[::-1])


def test_final_results_far_apart_get_a_logarithmic_axis():
    table = made_up_table(POLICIES)
    far = table.assign(regret=table["regret"] * np.where(table["policy"] == "dts", 100, 1))
    assert "regret" in texts(final_chart(table, "regret", "regret"))
    assert "regret (log scale)" in texts(final_chart(far, "regret", "regret"))


# Matrices


def test_the_heatmap_shows_every_pair_best_ranker_first():
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(9)
    names = [f"r{place}" for place in shuffled]
    matrix = ordered_preferences(9).matrix[np.ix_(shuffled, shuffled)]
    preferences = preferences_of(matrix, names)
    chart = heatmap(preferences)
    shown = next(param["value"] for param in chart.to_dict()["params"] if param["name"] == "names")
    assert shown == [f"r{i}" for i in range(9)]
    for row in rows_of(chart, "row", "column", "p"):
        first, second = (names.index(shown[int(row[side])]) for side in ("row", "column"))
        assert float(row["p"]) == pytest.approx(matrix[first, second], abs=1e-4)
    assert {"r0", "r8", "0.50"} <= set(texts(chart))


def test_rankers_with_equal_copeland_scores_are_ordered_by_their_mean_preference():
    matrix = np.array([[0.5, 0.6, 0.4], [0.4, 0.5, 0.9], [0.6, 0.1, 0.5]])  # a cycle
    assert copeland_order(preferences_of(matrix).matrix).tolist() == [1, 0, 2]


def test_highlighted_rankers_are_framed():
    plain, framed = (svg(heatmap(ordered_preferences(4), which)) for which in (None, ["0", "2"]))
    frame = r'ranker, best first: (\d)"[^>]*stroke="#222222"'
    assert re.findall(frame, plain) == [] and re.findall(frame, framed) == ["0", "2"]


@pytest.mark.parametrize("size", [1, 2, 136, MOST_RANKERS + 50])
def test_heatmaps_of_every_size(size):
    chart = heatmap(ordered_preferences(size))
    rows = rows_of(chart, "row", "column", "p")
    assert len(rows) == min(size, MOST_RANKERS) ** 2
    about = chart.to_dict()["description"]
    assert ("the best 200 of 250" in about) == (size > MOST_RANKERS)


def test_even_pairs_are_white_and_the_colour_scale_is_symmetric():
    scale = heatmap(ordered_preferences(4)).to_dict()["layer"][0]["encoding"]["color"]["scale"]
    low, _, middle, _, high = scale["domain"]
    assert middle == 0.5 and high - 0.5 == pytest.approx(0.5 - low) and scale["range"][2] == "#ffffff"


def test_undecided_pairs_are_paler_and_hatched():
    preferences = ordered_preferences(4)
    wide = preferences.pairs.assign(lo=preferences.pairs["p"] - 0.15, hi=preferences.pairs["p"] + 0.15)
    undecided = checked(preferences.names, wide, {}, "test")
    rows = rows_of(heatmap(undecided), "row", "column", "p", "decided")
    for row in rows:
        includes_half = abs(float(row["p"]) - 0.5) <= 0.15 and row["row"] != row["column"]
        assert row["decided"] == ("0" if includes_half else "1")
    assert 0 < sum(row["decided"] == "0" for row in rows) < len(rows) - 4
    opacity = heatmap(undecided).to_dict()["layer"][0]["encoding"]["opacity"]
    assert opacity["condition"]["value"] == 1 and opacity["value"] < 0.5
    shapes = [[layer["mark"].get("shape") for layer in heatmap(one).to_dict()["layer"]]
              for one in (undecided, preferences)]  # fmt: skip
    assert any(shapes[0]) and not any(shapes[1])
    assert "pairs are undecided" in heatmap(undecided).to_dict()["description"]


def test_rows_are_labelled_with_the_descriptions_of_features():
    known = preferences_of(ordered_preferences(2).matrix, ["110", "136"], profile="mslr")
    assert {"110 BM25, whole document", "136 URL dwell time", "110"} <= set(texts(heatmap(known)))


# Files


@pytest.mark.parametrize("name, start", [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.svg", b"<svg")])
def test_charts_as_files(tmp_path, name, start):
    save_chart(heatmap(ordered_preferences(3)), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_saved_charts_have_no_invisible_points(tmp_path):
    chart = curve_chart(curves(made_up_table(POLICIES), "regret"), "regret")
    save_chart(chart, tmp_path / "curves.svg")
    saved = (tmp_path / "curves.svg").read_text()
    assert len(saved) < len(svg(chart)) / 3 and 'opacity="0"' not in saved
    assert all(f">{label}</text>" in saved for label in LABELS) and saved.count('"line mark"') == 3


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_name_in_a_chart_as_a_page_becomes_an_element_or_an_attribute(attack, tmp_path):
    def saved(name, text):
        save_chart(heatmap(ordered_preferences(3, [f"{ranker}{text}" for ranker in "abc"])), tmp_path / name)
        return Page(tmp_path / name)

    plain, attacked = saved("plain.html", ""), saved("attacked.html", attack)
    assert attacked.structure == plain.structure and attacked.policy == plain.policy == plain.own_policy
    assert f"from a{attack} to c{attack}" in attacked.text and not set("<>&") & set(attacked.report)
    assert not [a for _, a in plain.elements if {"src", "href"} & set(a) and a.get("href") != "data:,"]


@pytest.mark.parametrize("kind", ["svg", "pdf", "png", "html"])
def test_names_may_contain_any_character(kind, tmp_path):
    names = [f"a{ATTACKS[0]}", f"b{CONTROLS}", "c\ud800\n\t'"]
    matrix = preferences_of(ordered_preferences(3).matrix, names)
    save_chart(heatmap(matrix), tmp_path / f"matrix.{kind}")
    policies = (names[0], names[1], "c\n\t'\r,\"")
    found = compare_runs(*(made_up_table(policies, seed=seed) for seed in (1, 2)))
    save_chart(difference_chart(found.by_step), tmp_path / f"pair.{kind}")
    if kind == "svg":
        for name in ("matrix", "pair"):
            drawn = ElementTree.parse(tmp_path / f"{name}.svg").getroot()
            assert {element.tag.rpartition("}")[2] for element in drawn.iter()} <= {
                "svg",
                "g",
                "path",
                "text",
                "rect",
                "defs",
                "clipPath",
                "linearGradient",
                "stop",
                "style",
                "line",
            }
            assert any(text.startswith("b\\x00") for element in drawn.iter() for text in [element.text or ""])


def test_a_chart_as_a_page_is_named_by_its_file(tmp_path):
    save_chart(heatmap(ordered_preferences(3)), tmp_path / "clip0.html")
    page = Page(tmp_path / "clip0.html")
    assert page.ids("figure") == ["clip0-chart"] and page.text.startswith("clip0 clip0 ")
    assert "Preference matrix of 3 rankers" in page.text


def test_unknown_file_formats_are_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(UsageError, match=r"charts cannot be saved as '\.gif'; expected \.pdf, \.svg"):
        save_chart(heatmap(ordered_preferences(3)), tmp_path / "a.gif")
    broken = alt.Chart(alt.InlineData(values=[])).mark_point().transform_filter("no such (expression")
    with pytest.raises(ValueError):
        save_chart(broken, tmp_path / "b.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("counts", "words"), [([1, 1], "1 run"), ([3], "3 runs"), ([2, 3, 2], "2 to 3 runs")]
)
def test_numbers_of_runs_as_text(counts, words):
    assert runs_text(pd.Series(counts)) == words


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__"])
def test_names_of_javascript_object_members_are_drawn_like_any_other(tmp_path, name):
    drawings = []
    for second in ("plain", name):
        run_set = made_up_study("set", "proxy", ("rucb", f"{second}.py"), runs=2)
        charts = [
            final_chart(run_set.table, "regret", "regret"),
            difference_chart(compare_runs(run_set.table, run_set.table).by_step),
        ]
        for place, chart in enumerate(charts):
            save_chart(chart, tmp_path / f"{place}.svg")
        drawings.append([(tmp_path / f"{place}.svg").read_text("utf-8") for place in range(2)])
    for plain, owned in zip(*drawings):
        assert f">{name}<" in owned and owned.count("<path") == plain.count("<path")
