"""Render formulas as MathML with the converter of Docutils.

MathJax would be a script and fonts of two megabytes, loaded from elsewhere unless a copy is kept here.
Current browsers draw MathML themselves. A command of LaTeX that the converter does not support is a warning,
and so an error of `make docs`.
"""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def write_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def write_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def _mathml(node: nodes.Element, as_block: bool) -> str:
    try:
        return str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as problem:
        logger.warning("formula %r: %s", node.astext(), problem, location=node)
        return ""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
