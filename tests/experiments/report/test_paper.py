"""Figures and tables for papers: width, font, order, labels, and LaTeX escaping."""

import re
from dataclasses import replace

import pytest
from support.html_pages import CONTROLS
from support.run_set_samples import made_up_study, made_up_table, of_all_kinds, write_run_set

import rankduel
from rankduel.base.errors import RankduelError, UsageError
from rankduel.experiments.report.charts.curves import View
from rankduel.experiments.report.charts.parts import Layout
from rankduel.experiments.report.files import fit_to_width, svg_width
from rankduel.experiments.report.html import Table
from rankduel.experiments.report.paper import Paper, chosen, labelled, latex, paper_of, write_figures
from rankduel.experiments.report.run_set import run_set_figures


def _written(folder, *run_sets, **paper):
    write_figures(run_sets, folder, Paper(kind="svg", **paper))
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


def _size(svg):
    return float(re.search(r'width="([\d.]+)pt"', svg)[1])


def _texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.parametrize("inches", [3.33, 7.0])
def test_figures_have_the_requested_width_and_font_size(tmp_path, inches):
    found = _written(tmp_path, made_up_study(mode="live"), width=inches, font_size=7.0)
    drawings = {name: text for name, text in found.items() if name.endswith("svg")}
    assert len(drawings) == 6
    for svg in drawings.values():
        assert _size(svg) == pytest.approx(72 * inches, abs=1.5)
    sizes = set(re.findall(r'font-size="(\d+)px"', drawings["sample-regret.svg"]))
    assert sizes == {"7"}


def test_pdfs_embed_their_fonts(tmp_path):
    (page, *_) = write_figures([made_up_study()], tmp_path, Paper(width=3.33))
    content = page.read_bytes()
    assert page.suffix == ".pdf" and b"/FontFile" in content
    box = re.search(rb"/MediaBox ?\[([\d. ]+)\]", content)[1].split()
    assert float(box[2]) - float(box[0]) == pytest.approx(72 * 3.33, abs=1.5)


def test_policies_are_chosen_ordered_and_labelled(tmp_path):
    study = made_up_study(policies=("rucb", "dts(alpha=0.6)", "rcs"))
    policies = {"rcs": "RCS (ours)", "dts": ""}
    found = _written(tmp_path, study, policies=policies, y="linear")
    for name in ("sample-regret.svg", "sample-final-regret.svg"):
        assert {"RCS (ours)", "DTS"} <= set(_texts(found[name])) and "RUCB" not in _texts(found[name])
    order = [text for text in _texts(found["sample-final-regret.svg"]) if text in ("RCS (ours)", "DTS")]
    assert order == ["RCS (ours)", "DTS"]
    rows = [line for line in found["sample-final.tex"].splitlines() if line.startswith(("RCS", "DTS"))]
    assert [row.partition(" &")[0] for row in rows] == ["RCS (ours)", "DTS (alpha=0.6)"]


def test_scales_of_axes():
    regret = run_set_figures("s", made_up_study())[0]
    for view in (View(), View("linear", "linear")):
        axes = regret.make(view, Layout()).to_dict()["layer"][1]["encoding"]
        assert (axes["x"]["scale"]["type"], axes["y"]["scale"]["type"]) == view[:2]


@pytest.mark.parametrize(
    "texts, labels",
    [
        (["dts"], {"dts": ""}),
        (["dts=DTS (ours)", " rucb "], {"dts": "DTS (ours)", "rucb": ""}),
        (
            ["dts(alpha=0.6)=tuned = best", "dts(alpha=1)"],
            {"dts(alpha=0.6)": "tuned = best", "dts(alpha=1)": ""},
        ),
    ],
)
def test_labels_follow_the_settings_of_a_policy(texts, labels):
    assert labelled(texts) == labels


def test_a_name_without_settings_selects_the_only_policy_of_that_name():
    records = ["dts(alpha=0.6)", "rucb", "rcs", "rcs(alpha=1)"]
    assert chosen(records, {"dts": "x", "rcs": ""}) == {"dts(alpha=0.6)": "x", "rcs": ""}
    with pytest.raises(UsageError, match="no policy of these records named 'rucd'; did you mean 'rucb'"):
        chosen(records, {"rucd": ""})


def test_a_policy_is_named_once():
    with pytest.raises(UsageError, match="policy 'dts' is given twice; name each policy once"):
        labelled(["dts=ours", "rucb", " dts =theirs"])
    with pytest.raises(
        UsageError, match=r"'dts' and 'dts\(alpha=0.6\)' are the same policy of these records"
    ):
        chosen(["dts(alpha=0.6)", "rucb"], {"dts": "ours", "dts(alpha=0.6)": "theirs"})


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"width": "page"}, "width of figures is 'page'; expected column, text, or inches from 1.5 to 30"),
        ({"width": 0}, "expected column, text, or inches"),
        ({"width": "nan"}, "expected column, text, or inches"),
        ({"font_size": 3}, "font size is 3; expected 4 to 40 points"),
        ({"font_size": float("nan")}, "font size is nan"),
        ({"x": "square"}, "scale of the x axis is 'square'; expected log or linear"),
        ({"policies": ["=DTS"]}, "policy is '=DTS'; expected a policy, or a policy and its label"),
    ],
)
def test_wrong_values_are_refused_before_anything_is_written(tmp_path, wrong, message):
    write_run_set(made_up_study(runs=2), tmp_path / "records" / "five")
    with pytest.raises(RankduelError, match=message):
        rankduel.report(tmp_path / "records", tmp_path / "out.html", figures=tmp_path / "figures", **wrong)
    assert [path.name for path in tmp_path.iterdir()] == ["records"]


def test_widths_are_names_or_inches():
    assert paper_of("pdf", "column", 8, "log", "log", []).width == 3.33
    assert paper_of("pdf", "4.5", 8, "log", "log", []).width == 4.5


def test_latex_escapes_special_characters():
    table = Table("50 % & more", ("policy", "regret"), [("a_b#1 {x} $y^2~\\z\n–", "1 [0, 2]")])
    text = latex(table)
    assert r"a\_b\#1 \{x\} \$y\textasciicircum{}2\textasciitilde{}\textbackslash{}z -- & 1 [0, 2] \\" in text
    assert text.startswith(r"% 50 \% \& more") and text.count("\n") == 8
    rules = [line for line in text.splitlines() if line.endswith("rule")]
    assert rules == [r"\toprule", r"\midrule", r"\bottomrule"]


def test_latex_prints_less_than_with_its_oldest_fonts():
    """There, a plain < is an inverted exclamation mark."""
    text = latex(Table("p", ("policy", "p"), [("a|b", "< 0.0001"), ("c", "> 1")]))
    assert r"a\textbar{}b & $<$ 0.0001 \\" in text and r"c & $>$ 1 \\" in text


def test_hostile_names_stay_in_their_cells(tmp_path):
    found = _written(tmp_path, *of_all_kinds(f"\\input{{x}}%&{CONTROLS}"))
    tables = [text for name, text in found.items() if name.endswith(".tex")]
    assert len(tables) == 4  # live, proxy, multileaving, live against proxy
    for text in tables:
        assert r"\input" not in text and not set(CONTROLS) & set(text)
        rows = text.splitlines()[3:-2]
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows if "rule" not in row}) == 1


def test_a_matrix_of_two_run_sets_is_drawn_once(tmp_path):
    table = made_up_table(("rucb",))
    pair = [replace(made_up_study(mode, mode, ("rucb",)), rows=table) for mode in ("live", "proxy")]
    found = _written(tmp_path, *pair)
    assert [name for name in found if "matrix" in name] == ["live-matrix.svg"]
    assert {"live-versus-proxy-1-difference.svg", "live-versus-proxy-1-difference.tex"} <= set(found)


def test_fitting_stops_at_the_least_plot_width():
    regret = run_set_figures("s", made_up_study())[0]
    chart = fit_to_width(lambda width: regret.make(View(), Layout(width, 100, 40)), 100)
    assert chart.to_dict()["width"] == pytest.approx(20)
    assert svg_width('<svg class="a" width="12.5" height="3" viewBox="0 0 1 1">') == 12.5
