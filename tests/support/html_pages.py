"""Pages as a browser sees them, and text that tries to become an element or an attribute."""

import html.parser
from collections.abc import Mapping

ATTACKS = ("</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>')


class Page(html.parser.HTMLParser):
    """Elements, attributes and text, as a browser would see them."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.words, self.report, self.inside = [], [], "", None
        self.source = path.read_text("utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.inside = (tag, dict(attributes).get("id"))

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == ("script", "report"):
            self.report += data
        elif not self.inside or self.inside[0] not in ("script", "style"):
            self.words.append(data)

    def ids(self, tag):
        return [attributes["id"] for name, attributes in self.elements if name == tag and "id" in attributes]

    @property
    def structure(self):
        """Every element with the names of its attributes, which no text may change."""
        return [(tag, *attributes) for tag, attributes in self.elements]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def with_text(value, text, keep=()):
    """The value with `text` after every string in it, however deep; values of the keys in `keep` stay."""
    if isinstance(value, str):
        return value + text
    if isinstance(value, Mapping):
        return {key: one if key in keep else with_text(one, text, keep) for key, one in value.items()}
    return [with_text(one, text, keep) for one in value] if isinstance(value, (list, tuple)) else value
