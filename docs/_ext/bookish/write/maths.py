r"""Maths is typeset while the site is built: KaTeX runs here, in a small JavaScript interpreter.

A reader's browser only shows the result. A formula that KaTeX does not understand is a warning at its line.
So is what looks like a field that nobody filled in.

A displayed formula that is wider than its column breaks where its author allows it: at ``\allowbreak`` and
at each space ``\quad`` or ``\qquad`` between statements, outside braces and environments, and nowhere else.
Punctuation beside a formula in the text stays on its line, and so does what stands in short round brackets.
"""

import re
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dukpy
from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.foreign import get_node_equation_number
from bookish.run.provenance import link_tags
from bookish.run.record import parents
from bookish.run.refusals import refuse

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

TOKEN = re.compile(r"\\[A-Za-z]+\s*|\\.|[{}]|[^\\{}]+", re.DOTALL)
OPENS = (r"\begin", r"\left", "{")
CLOSES = (r"\end", r"\right", "}")
BASE = '<span class="base">'
SPACE = r'<span class="mspace" style="margin-right:{}em;"></span>'
AUTHORS_BREAK = re.compile(
    rf"(?:{SPACE.format('([12])')})?" r'<span class="mspace allowbreak"></span>'
    rf"((?:{SPACE.format('[0-9.]+')})*)</span>{BASE}"
)  # fmt: skip
GAP = {"1": "one", "2": "two"}  # widths of \quad and \qquad in em

BRACKETS = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
SIZED = re.compile(r"\\(?:left|right|middle|[bB]igg?[lrm]?)\s*$")  # before a bracket of a given size
NOT_PLAIN = re.compile(r"\\\\|&|\\(?:begin|end|left|right|over|middle|[bB]igg?[lrm]?|[{}])")
SIGN = re.compile(r"\\[A-Za-z]+|[^\s{}\\_^]")
AT_MOST = 14  # signs in brackets that stay on one line: a third of a phone

BEFORE = re.compile(r"[(\[“‘]+$")
AFTER = re.compile(r"[^\s\w(\[“‘—–]+|\w{1,3}(?!\w)")


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


def with_breaks(tex: str) -> str:
    """The same formula, which may break behind each space between its statements."""
    depth, pieces = 0, []
    for token in TOKEN.findall(tex):
        command = token.rstrip()
        depth += (command in OPENS) - (command in CLOSES)
        pieces.append(token)
        if depth == 0 and command in (r"\quad", r"\qquad"):
            pieces.append(r"\allowbreak ")
    return "".join(pieces)


def unbroken(tex: str) -> str:
    """The same formula, which does not break within short round brackets that stand in no braces."""

    def held(found: re.Match[str]) -> str:
        before, within = tex[: found.start()], found[0][1:-1]
        if before.count("{") != before.count("}"):
            return found[0]
        short = within.strip() and len(SIGN.findall(within)) <= AT_MOST
        closed = within.count("{") == within.count("}") and not SIZED.search(before)
        whole = short and closed and not NOT_PLAIN.search(within)
        return f"({{{within}}})" if whole else f"({unbroken(within)})"

    return BRACKETS.sub(held, tex)


def break_html(found: re.Match[str]) -> str:
    """A space that goes when the line breaks there, or a place where it may."""
    if gap := GAP.get(found[1] or ""):
        return f'</span><span class="gap {gap}"> </span>{BASE}'
    return f"{found[2]}</span><wbr>{BASE}"


@cache
def typeset(tex: str, display: bool = False) -> str:
    """The formula as HTML, with MathML for those who listen to it."""
    given = with_breaks(tex) if display else unbroken(tex)
    made = interpreter().evaljs(RENDER, tex=given, display=display)
    if "error" in made:
        raise FormulaError(made["error"].removeprefix("KaTeX parse error: "))
    html = str(made["html"])
    if "#cc0000" in html and "#cc0000" not in tex:
        raise FormulaError("a command that KaTeX shows in red instead of obeying it, such as \\href")
    if display:
        html = AUTHORS_BREAK.sub(break_html, html)
    return html.replace(f">{escape(given)}</annotation>", f">{escape(tex)}</annotation>")


def typeset_checked(tex: str, typed: str, display: bool) -> str:
    if found := UNFILLED.search(typed):
        raise FormulaError(f"{found[0]} was not evaluated; in maths a field is \\val{{expression:format}}")
    if found := COUNTING.search(typed):
        raise FormulaError(f"{found[0]} numbers itself; use aligned or gathered in $$ … $$ (eq:chapter:name)")
    if r"\\" in tex and not re.search(r"\\begin\{|\\substack\b", tex):
        raise FormulaError(r"a line break \\ outside an environment is lost; use aligned or gathered")
    return typeset(tex, display)


def formula_html(translator: Any, node: nodes.Element, display: bool) -> str:
    tex = node.astext().strip()
    try:
        return typeset_checked(tex, node.get("typed", tex), display)
    except FormulaError as error:
        line = next((one.line for one in parents(node) if one.line is not None), None)
        refuse("PE601", (translator.builder.current_docname, line), tex=" ".join(tex.split()), error=error)
        return f"<code>{translator.encode(tex)}</code>"


def cut_text(node: nodes.Node, step: int, touching: re.Pattern[str]) -> str:
    """Take from the text right before (-1) or after (1) a formula what has to stay on its line."""
    while True:
        place = node.parent.index(node) + step
        if 0 <= place < len(node.parent):
            break
        if not isinstance(node.parent, nodes.Inline):
            return ""
        node = node.parent
    text = node.parent[place]
    if not isinstance(text, nodes.Text):
        return ""
    found = touching.search(text) if step < 0 else touching.match(text)
    if found is None:
        return ""
    node.parent[place] = nodes.Text(text[: found.start()] if step < 0 else text[found.end() :])
    return found[0]


def tie(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A line may break beside a formula, word joiner or not: what touches it goes into one box with it."""
    if app.builder.format != "html":
        return
    for node in list(doctree.findall(nodes.math)):
        before, after = cut_text(node, -1, BEFORE), cut_text(node, 1, AFTER)
        if before or after:
            tied = nodes.inline("", before, classes=["tied"])
            node.replace_self(tied)
            tied += [node, nodes.Text(after)]


def visit_inline(self: Any, node: nodes.math) -> None:
    html = formula_html(self, node, False)
    if "tied" in node.parent.get("classes", ()):
        html = html.replace(f"</span>{BASE}", f"</span><wbr>{BASE}")  # within, it breaks as before
    opened, closed = link_tags(self, node)  # a formula with evaluated numbers links as a whole
    self.body.append(f'{opened}<span class="math notranslate">{html}</span>{closed}')
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


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", tie)
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_block, None))
