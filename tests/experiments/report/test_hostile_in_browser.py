"""Hostile names in Chromium: scripts in names do not run, nothing is requested, all charts are drawn."""

import pytest
from support.browser import POLICY, findings_and_network, in_browser, scripted
from support.html_pages import ATTACKS, CONTROLS
from support.run_set_samples import of_all_kinds, ordered_preferences, write_run_set
from support.study_samples import played_study

from rankduel.experiments.report.charts.heatmap import heatmap
from rankduel.experiments.report.files import save_chart
from rankduel.experiments.report.page import write_report
from rankduel.experiments.runs.run_set import read_run_sets
from rankduel.experiments.studies.pages.html import write_study_page

pytestmark = in_browser

ELSEWHERE = "http://127.0.0.1:9/picture.png"
TAKEN = f"<img src={ELSEWHERE} onerror=\"document.title='taken'\"><script>document.title='taken'</script>"
HOSTILE = f"{ATTACKS[0]}{ATTACKS[1]}\"'>{TAKEN}"
INSPECT = """
if (typeof last !== "undefined") await last;
const marks = [...document.querySelectorAll("figure .marks")];
const sizes = marks.map(mark => mark.getBoundingClientRect());
found.figures = document.querySelectorAll("figure[id]").length;
found.drawn = sizes.filter(size => size.width > 100 && size.height > 40).length;
found.pictures = [...document.images].map(image => [image.src.slice(0, 19), image.naturalWidth > 0]);
found.tips = [];
for (const mark of document.querySelectorAll("figure svg path[aria-roledescription='rect mark']")) {
  const box = mark.getBoundingClientRect(), bubbles = true;
  const place = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles };
  for (const kind of ["mouseover", "mousemove"]) mark.dispatchEvent(new MouseEvent(kind, place));
  for (const kind of ["pointerover", "pointermove"]) mark.dispatchEvent(new PointerEvent(kind, place));
  await new Promise(done => setTimeout(done, 0));
  const tip = document.getElementById("vg-tooltip-element");
  if (tip) found.tips.push([tip.textContent, [...tip.querySelectorAll("*")].map(one => one.localName)]);
}
await new Promise(done => setTimeout(done, 1000)); // until an image has failed to load
found.fetched = performance.getEntriesByType("resource").map(entry => entry.name);
found.title = document.title;
"""


def inspect(page, name="inspected"):
    return findings_and_network(scripted(page, name, INSPECT), "--window-size=1280,900")


def assert_harmless(found):
    assert found["complaints"] == [] and found["fetched"] == found["network"] == []
    assert "taken" not in found["title"].replace(TAKEN, "")


def assert_all_drawn(found, figures):
    assert found["figures"] == found["drawn"] == figures


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Write the report of run sets in memory, whose names may contain any character."""
    path = tmp_path_factory.mktemp("memory") / "report.html"
    write_report(of_all_kinds(f"{HOSTILE}{CONTROLS}", ("rucb", "dts\n,", "dts(alpha=0.6)")), path)
    return path


def test_a_report_from_memory(report):
    found = inspect(report)
    assert_harmless(found)
    assert_all_drawn(found, 1 + 6 + 3 + 1)
    assert any(HOSTILE in words for words, _ in found["tips"])
    assert {tag for _, tags in found["tips"] for tag in tags} <= {"table", "tbody", "tr", "td"}


def test_a_report_from_memory_without_its_content_security_policy(report):
    """Escaping alone suffices."""
    bare = report.with_name("bare.html")
    bare.write_text(POLICY.sub("", report.read_text("utf-8"), count=1), "utf-8")
    found = inspect(bare, "bare_inspected")
    assert_harmless(found)
    assert_all_drawn(found, 1 + 6 + 3 + 1)


def test_a_report_with_raw_text(report):
    """The content-security policy alone suffices."""
    raw = report.with_name("raw.html")
    raw.write_text(report.read_text("utf-8").replace("<main>", f"<main>{TAKEN}{HOSTILE}", 1), "utf-8")
    found = inspect(raw, "raw_inspected")
    assert "taken" not in found["title"].replace(HOSTILE, "") and found["network"] == []
    assert {text.partition(":")[0] for text in found["complaints"]} == {"securitypolicyviolation"}


def test_a_report_from_files(tmp_path):
    for run_set in of_all_kinds(f"\"'>{TAKEN}"):  # names of folders have at most 255 bytes
        write_run_set(run_set, tmp_path / "records" / run_set.name.replace("/", "")[:80])
    write_report(read_run_sets(tmp_path / "records"), tmp_path / "report.html")
    found = inspect(tmp_path / "report.html")
    assert_harmless(found)
    assert_all_drawn(found, 1 + 6 + 3 + 1)


def test_a_matrix(tmp_path):
    names = [f"a{HOSTILE}", f"b{CONTROLS}", "c"]
    save_chart(heatmap(ordered_preferences(3, names)), tmp_path / "matrix.html")
    found = inspect(tmp_path / "matrix.html")
    assert_harmless(found)
    assert_all_drawn(found, 1)
    assert found["title"] == "matrix" and any(HOSTILE in words for words, _ in found["tips"])


def test_studies(tmp_path):
    write_study_page([played_study(tmp_path, f"{HOSTILE}{CONTROLS}")], tmp_path / "page.html")
    found = inspect(tmp_path / "page.html")
    assert_harmless(found)
    assert found["pictures"] == [["data:image/svg+xml;", True]]
