"""What the documentation names exists, and what its pages show happens."""

import configparser
import importlib
import re
from pathlib import Path

import pytest
from support.shown import blocks_of, problem_with, run_block, runs

import rankduel
from rankduel.bandits.catalogue import FAMILIES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {
    str(path.relative_to(DOCS)): blocks_of(path)
    for path in sorted(DOCS.rglob("*.md"))
    if "_build" not in path.parts and "generated" not in path.parts
}
PAGES["CONTRIBUTING.md"] = blocks_of(ROOT / "CONTRIBUTING.md")
ARCHITECTURE = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| (\d+) \| `([\w.]+)` \|", ARCHITECTURE, re.MULTILINE)
NAMED = re.findall(
    r"`((?:rankduel|letor_data|clickmodels|interleave|bandits|experiments)\.[\w.]+)`", ARCHITECTURE
)
PATHS = re.findall(r"`((?:[a-z_]+/)+)[A-Z]+", ARCHITECTURE)


def resolved(dotted):
    """The module, function or method with this dotted name."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            value = getattr(value, name)
        return value
    raise ModuleNotFoundError(dotted)


def test_a_duel_takes_at_most_twelve_functions():
    assert [int(number) for number, _ in STEPS] == list(range(1, len(STEPS) + 1))
    assert 8 <= len(STEPS) <= 12


@pytest.mark.parametrize("name", sorted(set(NAMED)))
def test_every_name_exists(name):
    assert resolved(name) is not None


@pytest.mark.parametrize("folder", sorted(set(PATHS)))
def test_every_folder_exists(folder):
    assert (ROOT / folder).is_dir()


@pytest.mark.docs
@pytest.mark.parametrize(
    "page", [name for name, found in PAGES.items() if any(runs(b) and b.mark != "slow" for b in found)]
)
def test_what_a_page_shows_happens(page, tmp_path):
    for block in PAGES[page]:
        if block.mark != "slow":
            run_block(block, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [name for name, found in PAGES.items() if any(runs(b) and b.mark == "slow" for b in found)]
)
def test_what_a_page_shows_happens_in_full(page, tmp_path):
    for block in PAGES[page]:
        run_block(block, tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_no_block_can_go_stale_unnoticed(page):
    assert [(block.line, problem_with(block)) for block in PAGES[page] if problem_with(block)] == []


# ---- links, lists and versions ----

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"])
def test_every_local_link_leads_to_a_file(page):
    """Sphinx checks the links of the site."""
    links = LINK.findall((ROOT / page).read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (ROOT / link).exists()] == []


def test_the_reference_lists_everything_that_rankduel_exports():
    text = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^   (rankduel\.[\w.]+)$", text, re.MULTILINE)
    exports = set(rankduel.__all__) - {"__version__", "rankers"}
    rankers = {f"rankduel.rankers.{name}" for name in rankduel.rankers.__all__}
    assert sorted(listed) == sorted({f"rankduel.{name}" for name in exports} | rankers)


def test_every_family_of_policies_has_a_page():
    pages = (DOCS / "reference" / "policies").glob("*.md")
    shown = [re.findall(r"^```{policies} (.*)$", page.read_text("utf-8"), re.MULTILINE) for page in pages]
    assert sorted(sum(shown, [])) == sorted(FAMILIES)


def test_the_citation_names_this_version():
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    stated = configparser.ConfigParser()
    stated.read(ROOT / "setup.cfg", encoding="utf-8")
    about = stated["metadata"]
    assert f"\nversion: {about['version']}\n" in cited
    assert f'\n  - name: "{about["author"]}"\n' in cited
    assert f"\nlicense: {about['license']}\n" in cited


# ---- the site makes no request, and shows text of the code as it is ----


@pytest.fixture
def extension(monkeypatch):
    """Import a module of docs/_ext."""
    monkeypatch.syspath_prepend(DOCS / "_ext")
    return importlib.import_module


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://cdn.example.org/a.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//fonts.example.org/css">'),
        ("a.html", '<img srcset="HTTP://example.org/a.png 2x">'),
        ("a.html", '<p style="background: url(https://example.org/a.png)">'),
        ("a.html", "<style>@import 'https://example.org/a.css';</style>"),
        ("a.html", "<script>fetch('https://example.org/data')</script>"),
        ("a.svg", '<svg><image xlink:href="https://example.org/a.png"/></svg>'),
        ("a.css", "@font-face { src: url('https://example.org/a.woff2') }"),
        ("a.js", "const s = document.createElement('script'); s.src = \"https://example.org/a.js\""),
        ("a.js", "import a from 'https://example.org/a.js'"),
    ],
)
def test_what_a_page_would_load_from_elsewhere_is_found(extension, name, text):
    assert len(extension("offline").remote_resources(name, text)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.html",
            '<a href="https://example.org">a</a><img src="a.png"><script src="../a.js"></script>',
        ),
        ("a.html", '<svg xmlns="http://www.w3.org/2000/svg"></svg><img src="data:image/png;base64,//8=">'),
        ("a.css", "/* https://example.org */ a { background: url(data:image/png;base64,//8=) }"),
        ("a.js", "// see https://example.org"),
    ],
)
def test_links_and_local_files_are_no_requests(extension, name, text):
    assert extension("offline").remote_resources(name, text) == []


def test_text_of_the_code_is_no_markup(extension):
    pytest.importorskip("sphinx", reason="'make docs' installs it")
    pieces = extension("pieces")
    text = "See *this* and `that_` or |x|.\n\n    a  b\n\n    c  d\n\nEnd <b>."
    shown = pieces.docstring(text)
    assert [type(node).__name__ for node in shown] == ["paragraph", "literal_block", "paragraph"]
    assert [node.astext() for node in shown] == ["See *this* and that_ or |x|.", "a  b\n\nc  d", "End <b>."]
    assert [type(node).__name__ for node in shown[0].children] == ["Text", "literal", "Text"]


def test_a_name_that_does_not_exist_is_noticed():
    with pytest.raises(AttributeError):
        resolved("rankduel.bandits.loop.no_such_function")
