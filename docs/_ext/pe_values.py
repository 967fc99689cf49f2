r"""Numbers and statements in the text are evaluated in the page's kernel.

``{{ expr:format }}`` stands in text, ``\val{expr:format}`` in maths, ``{holds}`words <expr>` `` for a
statement that a computation decides, ``{quoted}`27.3 <key, Table 2>` `` for a number that somebody else
measured.
"""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import SphinxNbRenderer
from pe_kernel import ask
from pe_refusals import refuse
from sphinx.application import Sphinx
from sphinx.directives.patches import MathDirective

FIELD = re.compile(r"\\val\{((?:[^{}]|\{[^{}]*\})*)\}")
HOLDS = re.compile(r"^(?P<words>.*?)\s*<(?P<check>.+)>$", re.DOTALL)
QUOTED = re.compile(r"^(?P<number>.*?)\s*<(?P<key>[\w:-]+)(?:,\s*(?P<place>.+))?>$", re.DOTALL)
MATHS = (
    "render_math_inline",
    "render_math_single",
    "render_math_inline_double",
    "render_math_block",
    "render_math_block_label",
    "render_amsmath",
)


def names_a_variable(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and not hasattr(builtins, node.id) for node in ast.walk(tree))


def evaluate(renderer: SphinxNbRenderer, field: str, line: int | None) -> str:
    """The text of one field, or '?' with a warning that names page, field and reason."""
    where = (renderer.sphinx_env.docname, line)
    code = f"f'''{{{field}}}'''"
    try:
        tree = ast.parse(code, mode="eval")
    except SyntaxError as error:
        refuse("PE311", where, field=field, error=error.msg)
        return "?"
    if not names_a_variable(tree):
        refuse("PE312", where, field=field)
        return "?"
    if not hasattr(renderer, "nb_client") or "nb_client" not in renderer.md_options:
        refuse("PE313", where, field=field)
        return "?"
    printed, wrong = ask(renderer.nb_client, f"print({code}, end='')")
    if wrong:
        refuse("PE314", where, field=field, error=wrong)
        return "?"
    return printed.replace("-", "−") if re.fullmatch(r"-[\d.,]+(e[+-]\d+)?%?", printed) else printed


def line_of(token: Any) -> int | None:
    return token.map[0] + 1 if getattr(token, "map", None) else None


def render_substitution(self: SphinxNbRenderer, token: Any, inline: bool) -> None:
    field = token.content.strip()
    text = evaluate(self, field, line_of(token))
    node = nodes.inline(text, text, classes=["found"], made="found", expr=field)
    self.add_line_and_source_path(node, token)
    self.current_node.append(node if inline else nodes.paragraph("", "", node))


def fill(renderer: SphinxNbRenderer, source: str, line: int | None) -> str:
    return FIELD.sub(lambda found: "{" + evaluate(renderer, found[1], line).replace("−", "-") + "}", source)


def filled_maths(render: Any) -> Any:
    """Let one of MyST's methods for maths see the source with its fields filled in."""

    def render_filled(self: SphinxNbRenderer, token: Any) -> None:
        inner = getattr(token, "token", None) or token
        source = inner.content
        inner.content = fill(self, source, line_of(token))
        before = len(self.current_node.children)
        render(self, token)
        inner.content = source
        for node in self.current_node.children[before:]:
            for maths in node.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block))):
                mark(maths, source)

    return render_filled


def mark(node: nodes.Element, source: str) -> None:
    """Keep what was typed (for the lint) and what was evaluated (for the count)."""
    node["typed"] = FIELD.sub(r"\\val", source)
    node["fields"] = FIELD.findall(source)


class FilledMath(MathDirective):
    """The ``{math}`` directive, with its fields filled in."""

    def run(self) -> list[nodes.Node]:
        source = "\n".join(self.content)
        renderer = (
            self.state.document["nb_renderer"].renderer if "nb_renderer" in self.state.document else None
        )
        if renderer is not None:
            self.content = fill(renderer, source, self.lineno).split("\n")  # type: ignore[assignment]
        result = super().run()
        for node in result:
            if isinstance(node, nodes.math_block):
                mark(node, source)
        return result


def holds(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> Any:
    """``{holds}`words <expression>` ``: the words stand if the expression is true in the page's kernel."""
    parts = HOLDS.match(text)
    where = (inliner.document.settings.env.docname, lineno)
    node = nodes.inline(rawtext, "", classes=["held"], made="held")
    if parts is None:
        refuse("PE321", where, words=text)
        return [node], []
    words, check = parts["words"], " ".join(parts["check"].split())
    node["expr"] = check
    renderer = inliner.document["nb_renderer"].renderer
    try:
        if not names_a_variable(ast.parse(check, mode="eval")):
            refuse("PE322", where, words=words, check=check)
        printed, wrong = ask(
            renderer.nb_client, f"print((lambda _v: (type(_v).__name__, bool(_v)))({check}))"
        )
    except SyntaxError as error:
        printed, wrong = "", f"not an expression: {error.msg}"
    if wrong:
        refuse("PE323", where, words=words, check=check, error=wrong)
    elif printed.strip() not in ("('bool', True)", "('bool_', True)", "('Verdict', True)"):
        refuse("PE324", where, words=words, check=check, value=printed.strip())
    with renderer.current_node_context(node):
        renderer.nested_render_text(words, lineno, inline=True)
    return [node], []


def quoted(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, options: Any = None, content: Any = None
) -> Any:
    """``{quoted}`27.3 <key, Table 2>` ``: a number as its source prints it, with the source and the place."""
    parts = QUOTED.match(text)
    env = inliner.document.settings.env
    if parts is None:
        refuse("PE331", (env.docname, lineno), text=text)
        return [nodes.inline(text, text)], []
    node = nodes.inline(rawtext, parts["number"], classes=["quoted"], made="quoted")
    cite, messages = env.get_domain("cite").role("t")("cite:t", rawtext, parts["key"], lineno, inliner)
    place = f", {parts['place']})" if parts["place"] else ")"
    return [
        node,
        nodes.Text(" ("),
        *cite,
        nodes.inline(place, place, classes=["quoted"], made="quoted"),
    ], messages


def visit_inline(self: Any, node: nodes.inline) -> None:
    attributes = {"title": node["expr"]} if "expr" in node else {}
    self.body.append(self.starttag(node, "span", "", **attributes))


def depart_inline(self: Any, node: nodes.inline) -> None:
    self.body.append("</span>")


def setup(app: Sphinx) -> dict[str, Any]:
    SphinxNbRenderer.render_substitution = render_substitution
    for name in MATHS:
        setattr(SphinxNbRenderer, name, filled_maths(getattr(SphinxNbRenderer, name)))
    app.add_directive("math", FilledMath, override=True)
    app.add_role("holds", holds)
    app.add_role("quoted", quoted)
    app.add_node(nodes.inline, override=True, html=(visit_inline, depart_inline))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
