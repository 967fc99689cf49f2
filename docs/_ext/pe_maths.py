"""Maths is typeset while the site is built: KaTeX runs here, in a small JavaScript interpreter.

A reader's browser only shows the result. A formula that KaTeX does not understand is a warning at its line.
So is what looks like a field that nobody filled in.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dukpy
from docutils import nodes
from pe_provenance import link_tags
from pe_refusals import refuse
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number

RENDER = """
(function (tex, display) {
    try {
        return {html: katex.renderToString(tex, {
            displayMode: display, output: "htmlAndMathml", throwOnError: true, strict: "error", trust: false
        })};
    } catch (error) {
        return {error: String(error.message || error)};
    }
})(dukpy.tex, dukpy.display)
"""
UNFILLED = re.compile(r"\{\{[^{}\\]*[A-Za-z][^{}\\]*\}\}|\{(?:eval|holds|quoted|glue)[\w:]*\}`?")
# environments that number themselves, beside the numbering of the book
COUNTING = re.compile(r"\\begin\{(align|alignat|equation|gather|multline|eqnarray)\}|\\tag\b")

JOINER = "&#8288;"


class FormulaError(ValueError):
    """A formula that cannot be typeset."""


@cache
def interpreter() -> dukpy.JSInterpreter:
    spec = find_spec("sphinxcontrib.katex")
    assert spec is not None
    assert spec.origin is not None
    engine = dukpy.JSInterpreter()
    engine.evaljs(Path(spec.origin).with_name("katex.min.js").read_text(encoding="utf-8") + "\n;null")
    return engine


@cache
def typeset(tex: str, display: bool = False) -> str:
    """The formula as HTML, with MathML for those who listen to it."""
    made = interpreter().evaljs(RENDER, tex=tex, display=display)
    if "error" in made:
        raise FormulaError(made["error"].removeprefix("KaTeX parse error: "))
    if "#cc0000" in made["html"] and "#cc0000" not in tex:
        raise FormulaError("a command that KaTeX shows in red instead of obeying it, such as \\href")
    return str(made["html"])


def typeset_checked(tex: str, typed: str, display: bool) -> str:
    if found := UNFILLED.search(typed):
        raise FormulaError(f"{found[0]} was not evaluated; in maths a field is \\val{{expression:format}}")
    if found := COUNTING.search(typed):
        raise FormulaError(f"{found[0]} numbers itself; use aligned or gathered in $$ … $$ (eq:chapter:name)")
    if r"\\" in tex and not re.search(r"\\begin\{|\\substack\b", tex):
        raise FormulaError(r"a line break \\ outside an environment is lost; use aligned or gathered")
    return typeset(tex, display)


def location_of(node: nodes.Node | None, docname: str) -> tuple[str, int | None]:
    while node is not None and getattr(node, "line", None) is None:
        node = node.parent
    return docname, getattr(node, "line", None)


def formula_html(translator: Any, node: nodes.Element, display: bool) -> str:
    tex = node.astext().strip()
    try:
        return typeset_checked(tex, node.get("typed", tex), display)
    except FormulaError as error:
        where = location_of(node, translator.builder.current_docname)
        refuse("PE601", where, tex=" ".join(tex.split()), error=error)
        return f"<code>{translator.encode(tex)}</code>"


def neighbour(node: nodes.Node, step: int) -> str:
    """The text right before (-1) or after (1) a formula."""
    index = node.parent.index(node) + step
    if not 0 <= index < len(node.parent):
        return ""
    other = node.parent[index]
    return str(other) if isinstance(other, nodes.Text) else ""


def visit_inline(self: Any, node: nodes.math) -> None:
    # a line may break beside a formula: a word joiner keeps brackets and full stops where they belong
    before = JOINER if re.search(r"[(\[“‘]$", neighbour(node, -1)) else ""
    after = JOINER if re.match(r"[.,;:!?)\]”’%-]", neighbour(node, 1)) else ""
    opened, closed = link_tags(self, node)  # a formula with evaluated numbers links as a whole
    shown = f'<span class="math notranslate">{formula_html(self, node, False)}</span>'
    self.body.append(f"{before}{opened}{shown}{closed}{after}")
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math notranslate"))
    if node.get("number"):
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    opened, closed = link_tags(self, node)
    self.body.append(f"{opened}{formula_html(self, node, True)}{closed}</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
