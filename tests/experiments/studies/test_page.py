"""The page of studies: what is on it, and that no text of a study can break out of its place."""

import dataclasses

import pytest
from support.html_pages import ATTACKS, CONTROLS, Page
from support.study_samples import played_study, played_toml

from experiments.report.charts.parts import printable
from experiments.studies.page import write_study_page


def page(folder, *all_played):
    write_study_page(all_played, folder / "page.html")
    return Page(folder / "page.html")


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
        "known: known",
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
    for word in ("title", "source", "question", "claim", "known: known", "why", "figure"):
        assert f"{word}{attack}" in attacked.text


def test_characters_that_are_not_text_are_shown_as_escapes(tmp_path):
    found = page(tmp_path, played_study(tmp_path, CONTROLS))
    for word in ("title", "claim", "figure", "column"):
        assert f"{word}{printable(CONTROLS)}" in found.text
    assert not set(CONTROLS) & set(found.source)


def test_a_page_of_studies_runs_no_script(tmp_path):
    found = page(tmp_path, played_study(tmp_path, ""))
    assert found.policy == found.own_policy and found.policy["script-src"] == ["'none'"]


def test_a_page_shows_verdicts_and_why_a_claim_fails(tmp_path):
    found = page(tmp_path, played_study(tmp_path, ""))
    styles = [attributes["class"] for tag, attributes in found.elements if tag == "span"]
    assert styles == ["holds", "fails", "warns", "unjudged"]
    assert "does not hold claim test 1 ± 0.5 (1 and 2; n = 3, 3; z = 2.0) known: known reason" in found.text
    assert "skipped claim test reason known: known" in found.text  # what was measured is why it was skipped
    assert [attributes["alt"] for tag, attributes in found.elements if tag == "img"] == ["figure"]
    assert found.ids("figure") == [] and "On stand-in." in found.text


def test_a_page_of_several_studies_has_contents(tmp_path):
    one = played_study(tmp_path, "")
    other = one._replace(study=dataclasses.replace(one.study, id="other"))
    links = [a["href"] for tag, a in page(tmp_path, one, other).elements if tag == "a"]
    assert links == ["#mine-quick", "#other-quick"]


def test_studies_that_share_a_name_have_sections_of_their_own(tmp_path):
    one = played_study(tmp_path, "")
    assert page(tmp_path, one, one).ids("section") == ["mine-quick", "mine-quick-2"]
