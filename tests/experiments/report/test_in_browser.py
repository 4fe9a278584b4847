"""Reports in Chromium: charts are drawn, controls work, nothing is fetched, no warnings or errors appear.

A script at the end of a copy of the page clicks the controls and writes its findings into the page.
"""

import numpy as np
import pytest
from support.browser import dom_of, findings, findings_and_network, in_browser, requested_addresses, scripted
from support.run_set_samples import made_up_study, ordered_preferences

from rankduel.experiments.report.charts.curves import spread_out
from rankduel.experiments.report.charts.styles import COLOURS, GRID
from rankduel.experiments.report.charts.styles import DARK as DARK_COLOURS
from rankduel.experiments.report.page import write_report

pytestmark = in_browser

HOSTILE = "</script><img src=x onerror=\"document.title='taken'\">"
LABEL = "script><img src=x "  # start of its label, which is cut to the width that is available
POLICIES = ("rucb", "dts(alpha=0.6)", "dts", HOSTILE)  # the last has the most regret
LABELS = ("RUCB", "DTS (alpha=0.6)", "DTS")
SPREADS = [np.random.default_rng(seed).uniform(0, 300, seed % 9 + 1).round(1).tolist() for seed in range(40)]

CLICKS = """
const clicks = document.getElementById("clicks-regret");
const form = clicks.closest("section").querySelector("form");
const view = () => clicks.drawn.view;
const words = figure => [...figure.querySelectorAll("svg text")].map(text => text.textContent);
const band = () => clicks.querySelector("path[aria-roledescription='area mark']").getAttribute("d");
const click = async (name, value) => {
  [...form.querySelectorAll("input")].find(box => box.name === name && box.value === value).click();
  await last;
};
const snapshot = () => {
  const x = view().scale("x"), y = view().scale("y");
  const ends = view().data("ends").map(row => [row.policy, row.end, row.at, y(row.end), row.beside]);
  return { x: x.type, y: y.type, top: y.domain()[1], words: words(clicks), ends, band: band() };
};
await last;
found.figures = figures.map(figure => {
  const drawn = figure.querySelector(".marks"), size = drawn.getBoundingClientRect();
  const about = figure.querySelector("[aria-label][role^=graphics]").getAttribute("aria-label");
  return [figure.id, drawn.tagName, size.width, size.height, about];
});
found.first = snapshot();
await click("y", "linear"); found.linear = snapshot();
await click("x", "linear"); found.both = snapshot();
await click("band", "quantiles"); found.quantiles = snapshot();
await click("x", "log"); await click("y", "log"); await click("band", "error"); found.back = snapshot();
await click("policy", POLICIES[3]); found.hidden = snapshot();
const others = ["accuracy", "final-regret", "ndcg"].map(kind => document.getElementById("clicks-" + kind));
found.hidden.others = others.map(words);
found.untouched = words(document.getElementById("five-regret"));
await click("y", "linear"); found.hiddenLinear = snapshot(); await click("y", "log");
await click("policy", POLICIES[3]); found.shown = snapshot();
found.complaints = [...complaints];
for (const policy of POLICIES) await click("policy", policy);
found.none = words(clicks);
for (const policy of POLICIES) await click("policy", policy);
found.again = snapshot();
// Vega warns that the domain of the empty chart is infinite.
complaints = complaints.filter(text => !text.startsWith("warn: "));

clicks.scrollIntoView();
const box = clicks.querySelector(".marks").getBoundingClientRect();
const middle = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
const place = { ...middle, bubbles: true, pointerType: "mouse" };
const under = document.elementFromPoint(place.clientX, place.clientY);
for (const kind of ["pointerover", "pointermove"]) under.dispatchEvent(new PointerEvent(kind, place));
under.dispatchEvent(new MouseEvent("mousemove", place));
await view().runAsync();
found.tooltip = document.getElementById("vg-tooltip-element")?.textContent;
found.saved = [await view().toImageURL("svg"), await view().toImageURL("png")];
found.spreads = SPREADS.map(places => spreadOut(places, 14, 0, 300));
found.fetched = performance.getEntriesByType("resource").map(entry => entry.name);
found.title = document.title;
"""
DARK = """
await last;
const paints = new Set(figures.flatMap(figure => [...figure.querySelectorAll("svg *")].flatMap(
  mark => ["fill", "stroke"].map(name => mark.getAttribute(name)))));
found.dark = matchMedia("(prefers-color-scheme: dark)").matches;
found.paints = [...paints].filter(paint => paint);
found.page = getComputedStyle(document.body).backgroundColor;
found.swatch = getComputedStyle(document.querySelector(".controls line")).stroke;
const plot = document.getElementById("clicks-regret");
found.filled = [plot.querySelector(".marks").getBoundingClientRect().width, plot.clientWidth];
"""

NARROW = """
await last;
found.width = innerWidth;
found.page = document.documentElement.scrollWidth;
const right = figure => figure.querySelector(".marks").getBoundingClientRect().right;
found.figures = figures.map(figure => [figure.id, right(figure)]);
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    live = made_up_study("clicks", "live", POLICIES, runs=5, seed=1)
    proxy = made_up_study("five", "proxy", POLICIES[:2], runs=5, seed=2)
    large = made_up_study(
        "large", "proxy", POLICIES[:1], ordered_preferences(70, [f"r{i}" for i in range(70)])
    )
    write_report([live, proxy, large], path)
    return path


@pytest.fixture(scope="module")
def found(page):
    copy = scripted(page, "clicks", CLICKS, POLICIES=POLICIES, SPREADS=SPREADS)
    return findings_and_network(copy, "--window-size=1280,900")


def test_there_are_no_warnings_or_errors(found):
    assert found["complaints"] == [] and found["title"].startswith("Which policy finds the best of 5 rankers")


def test_every_chart_is_drawn_and_described(found):
    assert len(found["figures"]) == 1 + 6 + 3 + 4
    for name, tag, width, height, about in found["figures"]:
        assert tag == ("CANVAS" if name == "large-matrix" else "svg")
        assert 150 < width <= 960 and 50 < height < 900 and len(about) > 40


def test_axes_and_bands_follow_the_choices(found):
    kinds = {
        key: (found[key]["x"], found[key]["y"]) for key in ("first", "linear", "both", "quantiles", "back")
    }
    assert kinds == {
        "first": ("log", "log"),
        "linear": ("log", "linear"),
        "both": ("linear", "linear"),
        "quantiles": ("linear", "linear"),
        "back": ("log", "log"),
    }
    assert found["both"]["band"] != found["quantiles"]["band"]
    assert found["back"] == found["first"]


@pytest.mark.parametrize("state", ["first", "linear", "quantiles", "hidden", "hiddenLinear", "shown"])
def test_labels_are_at_the_ends_of_their_curves_and_do_not_overlap(found, state):
    hidden = [HOSTILE] if state.startswith("hidden") else []
    ends = [row for row in found[state]["ends"] if row[0] not in hidden]
    for _, _, at, drawn, _ in ends:
        assert at == pytest.approx(drawn, abs=0.2)
    beside = np.sort([row[4] for row in ends])
    assert (np.diff(beside) >= 14 - 1e-6).all() and beside[0] >= 0 and beside[-1] <= 340


def is_labelled(words):
    """Return whether the hostile policy is labelled."""
    return any(word.startswith(LABEL) for word in words)


def test_hiding_a_policy_fits_the_axis_to_the_others(found):
    assert is_labelled(found["first"]["words"]) and not is_labelled(found["hidden"]["words"])
    assert "RUCB" in found["hidden"]["words"]
    assert found["hidden"]["top"] < 0.9 * found["first"]["top"]
    assert all(not is_labelled(words) and "RUCB" in words for words in found["hidden"]["others"])
    assert not is_labelled(found["hiddenLinear"]["words"])  # stays hidden when the axis changes
    assert (
        found["shown"]["words"] == found["first"]["words"] and found["shown"]["top"] == found["first"]["top"]
    )
    assert "RUCB" in found["untouched"]  # every run set has its own controls


def test_all_policies_can_be_hidden(found):
    assert not set(LABELS) & set(found["none"]) and not is_labelled(found["none"])
    assert set(LABELS) <= set(found["again"]["words"]) and is_labelled(found["again"]["words"])


def test_hovering_shows_numbers(found):
    for words in ("policy", "duels", "mean", "standard error", "10% quantile"):
        assert words in found["tooltip"]


@pytest.mark.parametrize("is_dark", [False, True])
def test_charts_follow_the_colour_scheme(page, is_dark):
    copy = scripted(page, f"dark{is_dark}", DARK)
    chosen = ["--blink-settings=preferredColorScheme=0"] if is_dark else []
    found = findings_and_network(copy, "--window-size=1280,900", *chosen)
    assert found["complaints"] == [] and found["dark"] == is_dark
    ours, others = (set(COLOURS), {DARK_COLOURS[one] for one in COLOURS})
    assert (others if is_dark else ours) & set(found["paints"])
    assert not (ours if is_dark else others - {GRID}) & set(found["paints"])
    assert found["page"] == ("rgb(22, 24, 29)" if is_dark else "rgb(255, 255, 255)")
    assert found["swatch"] == ("rgb(86, 180, 233)" if is_dark else "rgb(0, 114, 178)")
    drawn, column = found["filled"]
    assert drawn == pytest.approx(column, abs=4)  # as wide as its column


def test_charts_can_be_saved(found):
    svg, png = found["saved"]
    assert svg.startswith("blob:") and png.startswith("data:image/png;base64,")


def test_the_script_places_labels_as_python_does(found):
    assert found["spreads"] == [pytest.approx(spread_out(places, 14, 0, 300)) for places in SPREADS]


def test_nothing_is_fetched(found):
    assert found["fetched"] == [] and found["network"] == []


def test_a_request_would_be_detected(tmp_path):
    page, log = tmp_path / "fetching.html", tmp_path / "network.json"
    page.write_text('<!DOCTYPE html><img src="http://127.0.0.1:9/picture.png">')
    dom_of(page, f"--log-net-log={log}")
    assert "http://127.0.0.1:9/picture.png" in requested_addresses(log)


def test_a_narrow_page_does_not_scroll_sideways(page):
    inner = scripted(page, "inner", NARROW)
    frame = page.with_name("narrow.html")
    frame.write_text(
        f'<!DOCTYPE html><iframe src="{inner.name}" width="400" height="3000"></iframe><pre id="found"></pre>'
        "<script>addEventListener('message', event => { found.textContent = event.data; });</script>"
    )
    found = findings(dom_of(frame))
    assert found["complaints"] == [] and found["width"] == 400 and found["page"] <= 400
    assert all(right <= 400 for _, right in found["figures"])
