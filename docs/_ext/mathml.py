"""Formulas as MathML, which browsers draw by themselves: no script, no font and no address is needed.

Sphinx's own renderers fetch MathJax from an outside address, or run LaTeX. Docutils, on which Sphinx stands,
converts LaTeX to MathML, so this needs no package of its own. What it cannot convert is a warning, and so
ends `make docs`.
"""

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def convert(node, as_block):
    """Return the MathML of a node; if it cannot be converted, its LaTeX, with a warning."""
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as fault:
        logger.warning("this formula cannot be drawn: %s", fault, location=node)
        return f"<code>{node.astext()}</code>"


def visit_inline(translator, node):
    """Render an inline formula."""
    translator.body.append(convert(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator, node):
    """Render a displayed formula."""
    translator.body.append(f'<div class="formula">{convert(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
