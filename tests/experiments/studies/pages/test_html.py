"""The page of studies: its content, and the escaping of all text of a study."""

import base64
import dataclasses
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.html_pages import ATTACKS, CONTROLS, Page
from support.run_set_samples import made_up_table
from support.study_samples import played_study, played_toml

from rankduel.experiments.report.charts.parts import PHONE, printable
from rankduel.experiments.report.files import chart_svg, svg_width
from rankduel.experiments.studies import all_studies
from rankduel.experiments.studies.checks import Results
from rankduel.experiments.studies.pages.captions import caption, styles_of, with_policy_titles
from rankduel.experiments.studies.pages.figures import draw, points_table, published_values
from rankduel.experiments.studies.pages.html import write_study_page
from rankduel.experiments.studies.published.batched.cases import BTM
from rankduel.experiments.studies.study import (
    Bubbles,
    Check,
    Exact,
    Measure,
    Order,
    Points,
    Report,
    Runs,
    Size,
)
from rankduel.experiments.studies.verdicts import VERDICTS


def page(folder, *all_played):
    write_study_page(all_played, folder / "page.html")
    return Page(folder / "page.html")


def svg_texts(chart):
    """Return the texts of a chart as drawn."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", chart_svg(chart))


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_string_of_a_study_becomes_an_element_or_an_attribute(attack, tmp_path):
    plain = page(tmp_path / "plain", played_study(tmp_path, "."), played_study(tmp_path, "."))
    attacked = page(tmp_path / "attacked", played_study(tmp_path, attack), played_study(tmp_path, attack))
    assert attacked.structure == plain.structure
    for word in (
        "title",
        "source",
        "question",
        "claim",
        "reference: known",
        "test",
        "reason",
        "figure",
        "column",
    ):
        assert f"{word}{attack}" in attacked.text


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_string_of_a_study_in_toml_becomes_an_element_or_an_attribute(attack, tmp_path):
    plain, attacked = (
        page(tmp_path / name, played_toml(tmp_path / name, text))
        for name, text in (("plain", ""), ("attacked", attack))
    )
    assert attacked.structure == plain.structure and attacked.policy == attacked.own_policy
    for word in ("title", "source", "question", "claim", "reference: known", "why", "figure"):
        assert f"{word}{attack}" in attacked.text


def test_unprintable_characters_are_escaped(tmp_path):
    found = page(tmp_path, played_study(tmp_path, CONTROLS))
    for word in ("title", "claim", "figure", "column"):
        assert f"{word}{printable(CONTROLS)}" in found.text
    assert not set(CONTROLS) & set(found.source)


def test_a_page_of_studies_has_no_scripts(tmp_path):
    found = page(tmp_path, played_study(tmp_path, ""))
    assert found.policy == found.own_policy and found.policy["script-src"] == ["'none'"]


def test_a_page_shows_verdicts_and_reasons_for_failures(tmp_path):
    found = page(tmp_path, played_study(tmp_path, ""))
    styles = [attributes["class"] for tag, attributes in found.elements if tag == "span"]
    assert styles == ["holds", "fails", "warns", "unjudged"]
    assert (
        "does not hold claim test 1 ± 0.5 (1 and 2; n = 3, 3; z = 2.0) reference: known reason" in found.text
    )
    assert (
        "skipped claim test reason reference: known" in found.text
    )  # the reason replaces the measured value
    assert [attributes["alt"] for tag, attributes in found.elements if tag == "img"] == ["figure"]
    assert found.ids("figure") == []


def test_a_page_of_several_studies_has_contents(tmp_path):
    one = played_study(tmp_path, "")
    other = one._replace(study=dataclasses.replace(one.study, id="other"))
    links = [a["href"] for tag, a in page(tmp_path, one, other).elements if tag == "a"]
    assert links == ["#mine-quick", "#other-quick"]


def test_studies_with_the_same_name_have_distinct_sections(tmp_path):
    one = played_study(tmp_path, "")
    assert page(tmp_path, one, one).ids("section") == ["mine-quick", "mine-quick-2"]


def test_a_caption_states_the_runs_the_band_and_the_tier(tmp_path):
    found = page(tmp_path, played_study(tmp_path, ""))
    caption = "Mean of 4 runs of each policy, up to 100 duels; the band is one standard error. Tier quick."
    assert caption in found.text


def test_the_note_explains_every_verdict(tmp_path):
    note = page(tmp_path, played_study(tmp_path, "")).text.partition("Verdicts: ")[2]
    assert all(f"'{verdict}'" in note for verdict in VERDICTS)


def test_skipped_claims_are_not_marked_as_tested_on_stand_in_data(tmp_path):
    mixed = played_study(tmp_path, "x")
    skipped = [dataclasses.replace(record, stand_in="x") for record in mixed.records[3:]]
    before, after = (
        page(tmp_path, mixed._replace(records=[*mixed.records[:3], *rest])).text.count("on stand-in data")
        for rest in (mixed.records[3:], skipped)
    )
    assert [record.verdict for record in skipped] == ["skipped"] and before == after


def test_stand_in_data_are_named_once(tmp_path):
    mixed = played_study(tmp_path, "x")
    found = page(tmp_path, mixed).text
    assert "Some parts were run on stand-ins for data that were not found: stand-inx." in found
    in_text = 1 + 1  # the note explains 'warns'; the headline counts verdicts on stand-in data apart
    assert found.count("stand-in") == 2 + 1 + 1 + in_text  # the figure and the claim are marked
    only = mixed._replace(records=[record for record in mixed.records if record.stand_in])
    found = page(tmp_path, only).text
    assert "This study was run on stand-ins for data that were not found: stand-inx." in found
    assert found.count("stand-in") == 2 + in_text


def test_a_picture_has_a_version_for_phones_and_follows_the_colour_scheme(tmp_path):
    found = page(tmp_path, played_study(tmp_path, ""))
    (narrow,) = [a for tag, a in found.elements if tag == "source"]
    (wide,) = [a for tag, a in found.elements if tag == "img"]
    assert narrow["media"] == "(max-width: 600px)"
    drawings = [base64.b64decode(a.partition(",")[2]).decode() for a in (wide["src"], narrow["srcset"])]
    widths = [float(re.search(r'width="([0-9.]+)"', svg)[1]) for svg in drawings]
    assert widths[0] > 600 and widths[1] < 400
    for svg in drawings:
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert '@media (prefers-color-scheme:dark){[fill="#0072b2"]{fill:#56b4e9}' in svg


def test_claims_and_legends_have_the_same_names():
    study = dataclasses.replace(
        played_study(Path(), "").study,
        parts=(Runs("p", "cycle", ("merge_dts", "rmed1(variant=chang-li)", "knockout"), {}),),
    )
    claim = "merge_dts, not my_merge_dts or merge_dts.py, is below rmed1(variant=chang-li): a knockout"
    named = "MergeDTS, not my_merge_dts or merge_dts.py, is below RMED1(variant=chang-li): a knockout"
    assert with_policy_titles(claim, study) == named
    labels = [look.label for look in styles_of(study, ["merge_dts"]).values()]
    assert labels == ["MergeDTS"]


def with_checks(study, *checks):
    return dataclasses.replace(study, checks=checks)


def test_published_values_are_those_of_the_drawn_measures():
    study = played_study(Path(), "").study
    table = made_up_table(("rucb",), 100)
    drawn, other = Measure("p", "rucb"), Measure("p", "rucb", "correct")
    study = with_checks(
        study,
        Check("a", "claim", Report(drawn), published=(5.0,)),
        Check("b", "claim", Report(other), published=(6.0,)),
        Check("c", "claim", Report(Measure("p", "rucb", at=1000)), published=(7.0,)),  # beyond the tier
        Check("d", "claim", Order(Measure("p", "rucb", at=50), drawn), published=(3.0, 5.0)),
        Check("e", "claim", Report(Measure("p", "dts")), published=(8.0,)),  # not in the records
        # Not published: the expected value of a test, and values of an independent program.
        Check("f", "claim", Exact(Measure("p", "rucb", at=10), 2.0), "2"),
    )
    found = published_values(study, study.figures[0], Results({"p": table}, {}, {}))
    rows = sorted(found.itertuples(index=False, name=None))
    assert rows == [("rucb", 50, 3.0), ("rucb", 100, 5.0)]
    on_stand_in = published_values(study, study.figures[0], Results({"p": table}, {}, {"p": "others"}))
    assert on_stand_in.empty


def test_a_published_final_value_belongs_to_the_full_horizon():
    study = played_study(Path(), "").study
    longer = Runs("p", "cycle", ("rucb",), {"quick": Size(100, 2), "paper": Size(1000, 2)})
    final = Check("a", "claim", Report(Measure("p", "rucb")), published=(5.0,))
    study = dataclasses.replace(study, parts=(longer,), checks=(final,))
    found = {
        horizon: published_values(study, study.figures[0], Results({"p": table}, {}, {}))["step"].tolist()
        for horizon in (100, 1000)
        for table in [made_up_table(("rucb",), horizon)]
    }
    assert found == {100: [], 1000: [1000]}


def test_a_page_shows_and_lists_published_values(tmp_path):
    one = played_study(tmp_path, "")
    measures = Measure("p", "rucb", at=50), Measure("p", "rucb")
    checks = [Check(f"{m.at}", "claim", Report(m), published=(12.5 + m.at,)) for m in measures]
    one = one._replace(study=with_checks(one.study, *checks), results=one.results._replace(stand_ins={}))
    found = page(tmp_path, one)
    assert "Tier quick. Diamonds: published values (RUCB 62.5 after 50 duels, RUCB 12.5)." in found.text
    drawn = [attributes for tag, attributes in found.elements if tag in ("source", "img")]
    for attributes in drawn:
        svg = base64.b64decode((attributes.get("src") or attributes["srcset"]).partition(",")[2]).decode()
        assert ">published</text>" in svg  # the legend
    assert ">published</text>" in (tmp_path / "figures" / "regret.svg").read_text()


def test_published_points_and_levels_of_lines():
    lines = {"a": {1.0: Measure("v", "a1", "value")}, "b": {1.0: Measure("v", "b1", "value")}}
    figure = Points("f", "title", "x", "y", lines, levels={"at most": 0.75})
    check = Check("a", "claim", Report(Measure("v", "a1", "value")), published=(0.5,))
    study = dataclasses.replace(played_study(Path(), "").study, figures=(figure,), checks=(check,))
    results = Results({}, {"v": {"a1": 0.25, "b1": 1.0}}, {})
    assert published_values(study, figure, results).to_numpy().tolist() == [["a", 1.0, 0.5]]
    assert {"published", "published: at most 0.75"} <= set(svg_texts(draw(study, figure, results)))
    replaced = results._replace(stand_ins={"v": "others"})
    assert not [text for text in svg_texts(draw(study, figure, replaced)) if "published" in text]
    bubbles = Bubbles("g", "title", "x", "y", {0: lines["a"]})
    assert published_values(study, bubbles, results).empty


def test_every_label_of_a_figure_for_phones_is_whole(tmp_path):
    names = ["merge_rucb", "merge_rucb(single_batch=merge)", "c2b(batches=16,c_scale=0,extra=6)", "dts"]
    study = dataclasses.replace(
        played_study(Path(), "").study, parts=(Runs("p", "cycle", names, {"quick": Size(100, 2)}),)
    )
    policies = [str(study.policy(name)) for name in names]
    results = Results({"p": made_up_table(policies, 100)}, {}, {})
    labels = {style.label for style in styles_of(study, policies).values()}
    assert "mergeRUCB (single_batch=merge)" in labels
    chart = draw(study, study.figures[0], results, PHONE)
    assert labels <= set(svg_texts(chart))
    assert svg_width(chart_svg(chart)) < 380


def test_only_sources_are_called_published():
    """Values from independent programs, such as those of the cycles study, are in no figure."""
    found = {
        name: {
            (m.part, m.policy): value for check in study.checks for m, value in check.published_values.items()
        }
        for name, study in all_studies().items()
    }
    assert {name: values for name, values in found.items() if values} == {
        "batched": {
            ("six", "rucb"): 620,
            ("six", "rmed1"): 250,
            ("six", BTM): 4700,
            ("six", "scomp2"): 340,
        },
        "winner-notions": {("gaps", "of all"): 1419},
    }


def test_bars_may_be_the_range_of_the_runs():
    lines = {"a": {1.0: Measure("v", "many", "value")}}
    results = Results({}, {"v": {"many": [1.0, 2.0, 6.0]}}, {})
    figure = Points("f", "title", "x", "y", lines, bars="range")
    (row,) = points_table(figure, results).itertuples(index=False, name=None)
    assert row == ("a", 1.0, 3.0, 1.0, 6.0)
    study = played_study(Path(), "").study
    none = published_values(study, figure, results)
    text = caption(study, figure._replace(published="as here."), "quick", results, none)
    assert text == (
        "Each point is the mean of n = 3 values; bars are from the smallest to the largest value. "
        "Tier quick. Published: as here."
    )
