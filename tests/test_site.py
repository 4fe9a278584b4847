"""Test the built site in Chromium: no requests, no page wider than a phone, search without a server."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.browser import dom_of, findings_and_network, in_browser, scripted

SITE = Path(__file__).parents[1] / "docs" / "_build" / "html"
pytestmark = [
    *in_browser,
    pytest.mark.skipif(not (SITE / "index.html").exists(), reason="no site; 'make docs' builds it"),
]
PAGES = (
    "index.html",
    "gallery.html",
    "reproduction.html",
    "guides/rankers.html",
    "explanation/architecture.html",
    "notebooks/bandit_study.html",
    "notebooks/ir_experiment.html",
    "notebooks/search_team_decision.html",
    "reference/api.html",
    "reference/commands.html",
    "reference/file_formats.html",
    "reference/generated/rankduel.run.html",
    "reference/policies/condorcet.html",
    "reference/studies.html",
)
FIRST_VISIT = "error: Got invalid theme mode: . Resetting to auto."  # logged by the theme
WIDTH = """
    await new Promise(resolve => setTimeout(resolve, 500));
    found.width = innerWidth;
    found.page = document.documentElement.scrollWidth;
    const scrolls = element => element.closest("table, pre, .math, .highlight, dialog") !== null;
    const wide = element => element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element);
    const all = [...document.querySelectorAll("main article *")];
    found.wide = all.filter(wide).map(element => element.outerHTML.slice(0, 120));
"""
FRAME = """<!DOCTYPE html><iframe src="{page}" width="400" height="3000"></iframe><pre id="found"></pre>
<script>addEventListener('message', event => {{ found.textContent = event.data; }});</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return Path(shutil.copytree(SITE, tmp_path_factory.mktemp("site") / "html"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_a_phone_and_makes_no_request(site, page):
    inner = scripted(site / page, f"{Path(page).stem}_inner", WIDTH)
    frame = inner.with_name(f"{inner.stem}_frame.html")
    frame.write_text(FRAME.format(page=inner.name))
    found = findings_and_network(frame)
    assert set(found["complaints"]) <= {FIRST_VISIT} and found["network"] == []
    assert found["width"] == 400 and found["page"] <= 400 and found["wide"] == []


def test_the_search_works_without_a_server(site):
    page = site / "search.html"
    dom = dom_of(SimpleNamespace(parent=site, as_uri=lambda: f"{page.as_uri()}?q=rucb"))
    assert 'href="reference/policies/condorcet.html' in dom.partition('id="search-results"')[2]
