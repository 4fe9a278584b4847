"""The page of studies: what is on it, and that no text of a study can break out of its place."""

import dataclasses

import pandas as pd
import pytest
from support.html_pages import ATTACKS, Page
from support.run_set_samples import made_up_table

from experiments.studies.checks import FAILS, HOLDS, SKIPPED, WARNS, Record, Results
from experiments.studies.page import write_study_page
from experiments.studies.playing import Played
from experiments.studies.study import Curves, Runs, Size, Study, Table


def record(verdict, text, stand_in=""):
    numbers = (1.0, 2.0, 3, 3, 1.0, 0.5, 2.0)
    words = (f"claim{text}", f"known{text}", stand_in, f"reason{text}")
    return Record(f"s.{verdict}", f"test{text}", *numbers, verdict, *words)


def played(folder, text):
    """A study with everything a page shows, `text` in every string that is not a name of a file."""
    study = Study(
        id=f"mine{text}",
        title=f"title{text}",
        source=f"source{text}",
        question=f"question{text}",
        data=f"data{text}",
        parts=(Runs("p", "cycle", ("rucb",), {"quick": Size(100, 2)}),),
        checks=(),
        figures=(Curves("regret", f"figure{text}", "p"),),
        tables=(Table("table", f"table{text}", lambda values: pd.DataFrame({f"column{text}": [text]})),),
    )
    results = Results({"p": made_up_table((f"rucb{text}",), 100)}, {}, {"p": f"stand-in{text}"})
    records = [record(HOLDS, text), record(FAILS, text), record(WARNS, text, text), record(SKIPPED, text)]
    return Played(study, "quick", results, records, folder / "figures")


def page(folder, *all_played):
    write_study_page(all_played, folder / "page.html")
    return Page(folder / "page.html")


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_string_of_a_study_becomes_an_element_or_an_attribute(attack, tmp_path):
    plain = page(tmp_path / "plain", played(tmp_path, "."), played(tmp_path, "."))
    attacked = page(tmp_path / "attacked", played(tmp_path, attack), played(tmp_path, attack))
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


def test_a_page_shows_verdicts_and_why_a_claim_fails(tmp_path):
    found = page(tmp_path, played(tmp_path, ""))
    styles = [attributes["class"] for tag, attributes in found.elements if tag == "span"]
    assert styles == ["holds", "fails", "warns", "unjudged"]
    assert "does not hold claim test 1 ± 0.5 (1 and 2; n = 3, 3; z = 2.0) known: known reason" in found.text
    assert "skipped claim test reason known: known" in found.text  # what was measured is why it was skipped
    assert [attributes["alt"] for tag, attributes in found.elements if tag == "img"] == ["figure"]
    assert found.ids("figure") == [] and "On stand-in." in found.text


def test_a_page_of_several_studies_has_contents(tmp_path):
    one = played(tmp_path, "")
    other = one._replace(study=dataclasses.replace(one.study, id="other"))
    links = [a["href"] for tag, a in page(tmp_path, one, other).elements if tag == "a"]
    assert links == ["#mine-quick", "#other-quick"]
