"""Nodes of Docutils for text that comes from the code: nothing in it is read as markup, but `names`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

_CODE = re.compile(r"(``.+?``|`[^`]+`)")
Cell = str | Sequence[nodes.Node]


def inline(text: str) -> list[nodes.Node]:
    """Return text in which `names` and ``names`` are code."""
    parts = _CODE.split(text)
    plain = (nodes.Text(part) for part in parts[::2])
    code = (nodes.literal("", part.strip("`")) for part in parts[1::2])
    mixed = [node for pair in zip(plain, [*code, nodes.Text("")]) for node in pair]
    return [node for node in mixed if node.astext()]


def code(text: str) -> list[nodes.Node]:
    return [nodes.literal("", text)] if text else []


def paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", *inline(text))


def docstring(text: str) -> list[nodes.Node]:
    """Return the paragraphs of a docstring; indented ones keep their form."""
    found: list[nodes.Node] = []
    for piece in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        indented = all(line.startswith("    ") for line in piece.splitlines() if line.strip())
        if indented and found and isinstance(found[-1], nodes.literal_block):
            found[-1] = _literal_block(f"{found[-1].astext()}\n\n{inspect.cleandoc(piece)}")
        elif indented:
            found.append(_literal_block(inspect.cleandoc(piece)))
        else:
            found.append(paragraph(" ".join(piece.split())))
    return found


def _literal_block(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="text")


def facts(pairs: Iterable[tuple[str, Cell]]) -> nodes.field_list:
    """Return a list of names and what is known of each; empty texts are left out."""
    fields = nodes.field_list()
    for name, value in pairs:
        if value:
            body = nodes.field_body("", nodes.paragraph("", "", *_cell(value)))
            fields += nodes.field("", nodes.field_name("", name), body)
    return fields


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> nodes.table:
    group = nodes.tgroup("", cols=len(heads))
    group += [nodes.colspec(colwidth=1) for _ in heads]
    group += nodes.thead("", _row(heads))
    group += nodes.tbody("", *(_row(row) for row in rows))
    return nodes.table("", group, classes=["colwidths-auto"])


def _row(cells: Sequence[Cell]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *_cell(cell))) for cell in cells))


def _cell(value: Cell) -> list[nodes.Node]:
    return inline(value) if isinstance(value, str) else list(value)


class CodeDirective(SphinxDirective):
    """A directive whose content comes from the code, and is made again in every build."""

    def section(self, title: str | Sequence[nodes.Node], label: str, *content: nodes.Node) -> nodes.section:
        """Return a section that pages link to by its label."""
        heading = [nodes.Text(title)] if isinstance(title, str) else title
        made = nodes.section("", nodes.title("", "", *heading), *content, names=[label])
        self.state.document.note_explicit_target(made)
        return made

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()
        return self.content_nodes()

    def content_nodes(self) -> list[nodes.Node]:
        raise NotImplementedError

    def link(self, label: str, text: str) -> list[nodes.Node]:
        """Return a link to a section by its label; an unknown one is a warning."""
        from sphinx.addnodes import pending_xref

        reference = pending_xref(
            "", nodes.literal("", text), refdomain="std", reftype="ref", reftarget=label, refexplicit=True,
            refwarn=True, refdoc=self.env.docname,
        )  # fmt: skip
        return [reference]
