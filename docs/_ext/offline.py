"""Fail the build if a page of the site would load anything from another host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

# Attributes that make a browser load something; a link that a reader may follow is not one of them.
LOADING = {"src", "srcset", "data", "poster", "background"}
REMOTE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
CSS_REMOTE = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)
SCRIPT_REMOTE = re.compile(
    r"""(?:fetch|import|importScripts|Worker|sendBeacon)\(\s*["'`]((?:https?:)?//[^"'`]+)"""
    r"""|\.src\s*=\s*["'`]((?:https?:)?//[^"'`]+)|\bfrom\s*["']((?:https?:)?//[^"']+)"""
)


class _Resources(HTMLParser):
    """Collect the addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        for name, value in attrs:
            loads = name in LOADING or (tag in ("link", "use", "image") and name in ("href", "xlink:href"))
            if loads and REMOTE.match(value or ""):
                self.found.append(value or "")
            elif name == "style":
                self.found += CSS_REMOTE.findall(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "style":
            self.found += CSS_REMOTE.findall(data)
        elif self.inside == "script":
            self.found += _in_script(data)


def _in_script(text: str) -> list[str]:
    return ["".join(groups) for groups in SCRIPT_REMOTE.findall(text)]


def remote_resources(name: str, text: str) -> list[str]:
    """Return the addresses on other hosts that a file of the site makes a browser load.

    `name` ends in .html, .svg, .css or .js, and says how `text` is read.
    """
    if name.endswith(".css"):
        return CSS_REMOTE.findall(text)
    if name.endswith(".js"):
        return _in_script(text)
    page = _Resources()
    page.feed(text)
    page.close()
    return page.found


def check_site(folder: Path) -> Iterator[str]:
    """Yield a line for every address on another host that a file of the site loads."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".svg", ".css", ".js"):
            for address in remote_resources(path.name, path.read_text("utf-8")):
                yield f"{path.relative_to(folder)} loads {address}"


def _check(app, problem) -> None:  # type: ignore[no-untyped-def]
    from sphinx.errors import ExtensionError

    found = [] if problem or app.builder.format != "html" else list(check_site(Path(app.outdir)))
    if found:
        raise ExtensionError("the site must make no request:\n" + "\n".join(found))


def setup(app) -> dict[str, bool]:  # type: ignore[no-untyped-def]
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
