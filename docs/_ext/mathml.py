"""Render formulas as MathML, which browsers draw by themselves.

MathJax would be a script and fonts, loaded from elsewhere unless a copy is kept here. A
command of LaTeX that the converter does not know, or braces that do not match, are a warning, and so an
error of `make docs`.
"""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def write_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(_mathml(node, "inline"))
    raise nodes.SkipNode


def write_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_mathml(node, "block")}</div>\n')
    raise nodes.SkipNode


def _mathml(node: nodes.Element, display: str) -> str:
    formula = node.astext()
    made: str = convert(formula, display=display)
    if "<mi>\\" in made or "<mo>\\" in made or formula.count("{") != formula.count("}"):
        logger.warning("formula %r: an unknown command, or braces that do not match", formula, location=node)
    return made


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
