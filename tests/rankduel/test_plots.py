"""Test charts of tables, folders, matrices and comparisons from Python, in the style of the report."""

import re

import altair as alt
import pandas as pd
import pytest
import vl_convert
from support.run_set_samples import (
    made_up_multileave,
    made_up_study,
    made_up_table,
    ordered_preferences,
    write_run_set,
)

import rankduel
from rankduel.base.errors import RankduelError
from rankduel.experiments.report.charts.parts import vega_lite_version
from rankduel.experiments.report.charts.styles import LOWER_BOUND, line_styles
from rankduel.experiments.runs.compare import compare_runs

POLICIES = ("rucb", "merge_dts")


def texts(chart):
    drawn = vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=vega_lite_version())
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawn)


@pytest.fixture
def folder(tmp_path):
    write_run_set(made_up_study(policies=POLICIES, runs=2), tmp_path / "records" / "five")
    return tmp_path / "records"


@pytest.mark.parametrize("plot", [rankduel.plot_regret, rankduel.plot_accuracy])
def test_tables_and_folders_give_the_same_curves(plot, folder):
    of_table = plot(made_up_table(POLICIES, runs=2))
    of_folder = plot(folder)
    assert isinstance(of_table, alt.LayerChart)
    assert {"RUCB", "MergeDTS", "duels"} <= set(texts(of_table)) & set(texts(of_folder))
    colours = {look.colour for look in line_styles(POLICIES).values()}
    assert colours <= set(of_table.to_dict()["layer"][0]["encoding"]["color"]["scale"]["range"])


def test_curves_of_a_folder_have_the_lower_bound(folder):
    assert LOWER_BOUND in texts(rankduel.plot_regret(folder))
    assert LOWER_BOUND not in texts(rankduel.plot_regret(made_up_table(POLICIES)))


def test_scales_bands_order_and_labels():
    table = made_up_table(POLICIES)
    chart = rankduel.plot_regret(
        table, policies=["merge_dts=ours", "rucb"], x="linear", y="linear", band="none"
    )
    line = chart.to_dict()["layer"][1]["encoding"]
    assert (line["x"]["scale"]["type"], line["y"]["scale"]["type"]) == ("linear", "linear")
    assert line["color"]["scale"]["domain"] == ["merge_dts", "rucb"] and "ours" in texts(chart)
    bare = rankduel.plot_accuracy(table, band=False).to_dict()["layer"][0]["transform"]
    assert {"calculate": "datum.mean", "as": "bottom"} in bare


@pytest.mark.parametrize("given", ["arxiv6", ordered_preferences(3), ordered_preferences(3).matrix])
def test_matrices(given):
    chart = rankduel.plot_matrix(given, highlight=["0"])
    assert {"opponent", "0", "0.50"} <= set(texts(chart))


def test_comparisons():
    found = compare_runs(*(made_up_table(POLICIES, seed=seed) for seed in (1, 2)))
    assert {"RUCB", "MergeDTS"} <= set(texts(rankduel.plot_comparison(found)))
    one = texts(rankduel.plot_comparison(found, policies=["rucb=R"]))
    assert "R" in one and "MergeDTS" not in one


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda table: rankduel.plot_regret(table.drop(columns="regret")),
            "a table without a column 'regret'",
        ),
        (lambda table: rankduel.plot_regret(pd.DataFrame()), "a table without a column 'policy'"),
        (lambda table: rankduel.plot_regret(table, y="sqrt"), "scale 'sqrt'; expected log or linear"),
        (
            lambda table: rankduel.plot_regret(table, band="all"),
            "band 'all'; expected error or quantiles or none",
        ),
        (
            lambda table: rankduel.plot_accuracy(table, policies=["dts"]),
            "no policy of these records named 'dts'",
        ),
        (
            lambda table: rankduel.plot_matrix("arxiv6", highlight=["9"]),
            "no ranker '9' to highlight; there are 0",
        ),
        (lambda table: rankduel.plot_regret("nothing/here"), "nothing/here"),
    ],
)
def test_values_that_cannot_be_drawn_are_errors(call, message):
    with pytest.raises(RankduelError, match=message):
        call(made_up_table(POLICIES))


def test_curves_need_one_run_set_with_regret(folder):
    write_run_set(made_up_study(policies=POLICIES, runs=2), folder / "more")
    with pytest.raises(RankduelError, match="2 run sets, five, more; name the folder of one"):
        rankduel.plot_regret(folder)
    write_run_set(made_up_multileave("pages", ["sosm"], ordered_preferences(3)), folder.parent / "pages")
    with pytest.raises(RankduelError, match="runs without 'regret', as of multileaving"):
        rankduel.plot_regret(folder.parent / "pages")
