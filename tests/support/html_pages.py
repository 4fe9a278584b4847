"""Parsed HTML pages, and text that would become an element or attribute if it were not escaped."""

import base64
import hashlib
import html.parser
from collections.abc import Mapping

ATTACKS = ("</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>')
# Characters that vl-convert, UTF-8, XML or Vega expressions do not accept or treat as an end.
CONTROLS = "\x00\x01\x1b\r\x85\u2028\u2029\u202e\ufffe"


class Page(html.parser.HTMLParser):
    """Elements, attributes and text of an HTML page."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.words, self.report, self.inside = [], [], "", None
        self.sources = []  # (tag, content) of every script and style
        self.source = path.read_text("utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.inside = (tag, dict(attributes).get("id"))
        if tag in ("script", "style"):
            self.sources.append((tag, ""))

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if not self.inside or self.inside[0] not in ("script", "style"):
            self.words.append(data)
            return
        tag, content = self.sources.pop()
        self.sources.append((tag, content + data))
        if self.inside == ("script", "report"):
            self.report += data

    def ids(self, tag):
        return [attributes["id"] for name, attributes in self.elements if name == tag and "id" in attributes]

    @property
    def structure(self):
        """Every element with the names of its attributes, which must not depend on text."""
        return [(tag, *attributes) for tag, attributes in self.elements]

    @property
    def policy(self):
        """The sources that the content-security policy allows, by directive."""
        kind = "Content-Security-Policy"
        (found,) = (a["content"] for tag, a in self.elements if tag == "meta" and a.get("http-equiv") == kind)
        return {name: sources for name, *sources in map(str.split, found.split(";"))}

    @property
    def own_policy(self):
        """A policy that allows only the style, scripts and embedded images of this page."""
        scripts, styles = (
            [_digest(content) for tag, content in self.sources if tag == kind and content != self.report]
            for kind in ("script", "style")
        )
        nothing = dict.fromkeys(("default-src", "base-uri", "form-action"), ["'none'"])
        return nothing | {"script-src": scripts or ["'none'"], "style-src": styles, "img-src": ["data:"]}

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def _digest(source):
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def with_text(value, text, keep=()):
    """Return `value` with `text` appended to every nested string, except for values of the keys in `keep`."""
    if isinstance(value, str):
        return value + text
    if isinstance(value, Mapping):
        return {key: one if key in keep else with_text(one, text, keep) for key, one in value.items()}
    return [with_text(one, text, keep) for one in value] if isinstance(value, (list, tuple)) else value
