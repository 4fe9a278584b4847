"""The page of reproductions: verdicts by paper, findings, folded claims, and copies of figures."""

import dataclasses
import re

import pytest
from markdown_it import MarkdownIt
from support.study_samples import record

from rankduel.experiments.studies import all_studies
from rankduel.experiments.studies.pages.markdown import anchor, code, plain
from rankduel.experiments.studies.pages.reproduction import by_paper, figures_and_tables, findings, write_page
from rankduel.experiments.studies.play import folder_of
from rankduel.experiments.studies.shared import papers
from rankduel.experiments.studies.study import (
    FAILS,
    HOLDS,
    REPORT,
    SKIPPED,
    WARNS,
    Curves,
    Finding,
    Study,
    Table,
    Use,
)
from rankduel.experiments.studies.verdicts import DATA, LONGER, write_records

EMPTY = Study("s", "t", "source", "q", "d", (), ())
STUDIES = all_studies()


def claim(verdict, name="a", paper="A 2020", stand_in="", **more):
    made = record(verdict, "", stand_in)
    return dataclasses.replace(made, id=f"s.{name}", paper=paper, why="", **more)


def rows_of(table):
    return [[cell.strip() for cell in line.strip("| \n").split(" |")] for line in table.splitlines()]


def test_verdicts_are_counted_by_paper_and_stand_ins_apart():
    records = [
        claim(HOLDS, paper=papers.NONE),
        claim(HOLDS),
        claim(HOLDS),
        claim(FAILS),
        claim(HOLDS, stand_in="x"),
        claim(WARNS, stand_in="x"),
        claim(REPORT, stand_in="x"),
        claim(SKIPPED, stand_in="x", lacks=DATA),
        claim(SKIPPED, lacks=LONGER, paper="B 2021"),
        claim(SKIPPED, lacks=LONGER, paper="B 2021"),
        claim(SKIPPED, lacks=DATA, paper="B 2021"),
        claim(REPORT, paper="B 2021"),
    ]
    _, _, *rows, total = rows_of(by_paper(records))
    assert rows == [
        ["A 2020", "2", "1", "", "1", "1", "1", f"1 lack {DATA}"],
        ["B 2021", "", "", "1", "", "", "", f"2 lack {LONGER}, 1 lack {DATA}"],
        [papers.NONE, "1"],
    ]
    assert total == ["**all**", "3", "1", "1", "1", "1", "1", f"2 lack {DATA}, 2 lack {LONGER}"]


def test_a_finding_is_printed_only_with_the_verdicts_it_states():
    study = dataclasses.replace(
        EMPTY,
        findings=(
            Finding("less: {it.lhs:.0f} and {it.rhs:.1f}", {"it": Use("a")}),
            Finding("not less", {"it": Use("a", FAILS)}),
            Finding("both", {"it": Use("a"), "other": Use("b")}),
        ),
    )
    assert list(findings(study, [claim(HOLDS)])) == ["less: 1 and 2.0"]
    assert list(findings(study, [claim(FAILS)])) == ["not less"]
    assert list(findings(study, [claim(SKIPPED)])) == []
    assert list(findings(study, [claim(HOLDS), claim(HOLDS, "b", stand_in="x")])) == [
        "less: 1 and 2.0",
        "both (On stand-in data.)",
    ]


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_findings_quote_checks_of_their_study(study):
    known = {check.id for check in study.checks}
    for finding in study.findings:
        assert {use.check for use in finding.uses.values()} <= known, finding.text
        quoted = {name: claim(use.verdict) for name, use in finding.uses.items()}
        text = finding.text.format(**quoted)
        assert text.startswith("**") and "{" not in text
        used = set(re.findall(r"{(\w+)\.", finding.text))
        assert used and used <= set(finding.uses)  # others only guard the text


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_every_claim_has_a_paper(study):
    names = {value for name, value in vars(papers).items() if name.isupper()}
    assert {study.paper_of(check.id) for check in study.checks} <= names
    for begin in (*study.papers, *study.warnings):
        assert any(check.id.startswith(begin) for check in study.checks), begin


def test_the_longest_beginning_of_an_id_decides_the_paper():
    study = dataclasses.replace(EMPTY, papers={"": "A", "fig": "B", "fig2.": "C"})
    assert [study.paper_of(name) for name in ("x", "fig1", "fig2.x")] == ["A", "B", "C"]
    assert EMPTY.paper_of("x") == "source"


def test_figures_are_copied_from_the_longest_tier_on_original_data(tmp_path):
    study = dataclasses.replace(
        EMPTY,
        figures=(
            Curves("one", "Figure 1", "p", published="log time."),
            Curves("two", "Figure 2", "p"),
            Curves("three", "Figure 3", "p"),
        ),
        tables=(Table("table", "Table 1", lambda values: None),),
    )
    for name in ("quick/one.svg", "paper/one.svg", "long/one-stand-in.svg", "quick/two-stand-in.svg"):
        tier, _, file = name.partition("/")
        folder = folder_of(study, tier, tmp_path) / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(name)
    (folder_of(study, "quick", tmp_path) / "figures" / "table.md").write_text("Table 1\n\n| a |\n| --- |\n")
    one, two, table = figures_and_tables(study, tmp_path, tmp_path / "docs" / "page.md")
    assert one == "**Figure 1.** Tier paper. *Published:* log time.\n\n![Figure 1](page/s/one.svg)\n"
    assert two.startswith("**Figure 2.** Tier quick, on stand-in data.\n")
    assert table == "**Table 1.** Tier quick.\n\n| a |\n| --- |\n"
    copies = {path.name: path.read_text() for path in (tmp_path / "docs" / "page" / "s").iterdir()}
    assert copies == {"one.svg": "paper/one.svg", "two-stand-in.svg": "quick/two-stand-in.svg"}
    # With the original data at last, the figure replaces that on stand-in data.
    (folder_of(study, "paper", tmp_path) / "figures" / "two.svg").write_text("paper/two.svg")
    list(figures_and_tables(study, tmp_path, tmp_path / "docs" / "page.md"))
    assert {path.name for path in (tmp_path / "docs" / "page" / "s").iterdir()} == {"one.svg", "two.svg"}


HOSTILE = "a|b `c` <script>x</script> *d* [e](f) $g$ \\ ~~h~~\n\n# i"


def rendered(text):
    """Return the page as GitHub renders it: Markdown with tables and HTML."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def test_text_of_a_study_is_no_markup(tmp_path):
    made = record(FAILS, HOSTILE)
    folder = tmp_path / "mine-quick"
    folder.mkdir()
    about = {"study": "mine", "title": HOSTILE, "source": HOSTILE, "tier": "quick"}
    write_records([dataclasses.replace(made, id="mine.x", paper=HOSTILE)], folder / "checks.json", about)
    write_page(tmp_path, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    html = rendered(text)
    assert "<script>" not in html and "<h1>i" not in html and 'href="f"' not in html and "<s>" not in html
    assert html.count("<tr>") == 3 + 2  # headings, the paper and the total; headings and the claim
    assert re.sub(r"\s+", " ", html).count("&lt;script&gt;x&lt;/script&gt;") >= 5


def test_claims_are_folded_tables(tmp_path):
    folder = tmp_path / "mine-quick"
    folder.mkdir()
    about = {"study": "mine", "title": "title", "source": "source", "tier": "quick"}
    records = [dataclasses.replace(record(v, ""), id=f"mine.{k}") for k, v in enumerate((HOLDS, FAILS))]
    write_records(records, folder / "checks.json", about)
    lines = write_page(tmp_path, tmp_path / "page.md")
    html = rendered((tmp_path / "page.md").read_text())
    inside = html.partition("<summary>Claims (2)</summary>")[2].partition("</details>")[0]
    assert inside.count("<tr>") == 3 and "<code>1</code> <code>test</code>" in inside
    before = html.partition("<details>")[0]
    assert "<strong>does not hold</strong>: claim. Measured: 1 ± 0.5" in before and "reason" in before
    assert [line.record.paper for line in lines] == ["source", "source"]


def test_claims_with_the_same_reason_are_listed_below_it(tmp_path):
    shared = [dataclasses.replace(claim(FAILS, name), why="The radius.") for name in "ab"]
    other = dataclasses.replace(claim(FAILS, "c"), why="The noise.")
    (tmp_path / "s-quick").mkdir()
    about = {"study": "s", "title": "t", "source": "source", "tier": "quick"}
    write_records([*shared, other], tmp_path / "s-quick" / "checks.json", about)
    write_page(tmp_path, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert text.count("The radius.") == 1
    assert "* **does not hold**, 2 claims: The radius.\n  * claim. Measured: 1" in text
    assert re.search(r"\n\* \*\*does not hold\*\*: claim\. Measured: .* The noise\.\n", text)


def test_words():
    assert plain("a_b |\n c") == "a_b \\| c"
    assert (
        plain("ln(T K^2) after 10^7 duels, <10^8")
        == "ln(T K<sup>2</sup>) after 10<sup>7</sup> duels, \\<10<sup>8</sup>"
    )
    assert code("x | `y`") == "`x \\| 'y'`"
    assert anchor("k-scan: From 10 to 130 rankers, and 2.5") == "k-scan-from-10-to-130-rankers-and-25"
