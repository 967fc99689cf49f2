r"""Numbers, statements and blocks of ``>>>`` lines in the text are evaluated in the page's kernel.

``{{ expr:format }}`` stands in text, ``\val{expr:format}`` in maths, ``{holds}`words <expr>` `` for a
statement that a computation decides, ``{quoted}`27.3 <key, Table 2>` `` for a number that somebody else
measured. A block must print what it shows.
"""

import ast
import builtins
import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from bookish.run.foreign import MathDirective
from bookish.run.record import page_being_read, parents
from bookish.run.refusals import refuse

FIELD = re.compile(r"\\val\{((?:[^{}]|\{[^{}]*\})*)\}")
HOLDS = re.compile(r"^(?P<words>.*?)\s*<(?P<check>.+)>$", re.DOTALL)
SCIENTIFIC = re.compile(r"(−?)([\d.]+)e([+-]\d+)")
EXCUSE = re.compile(r"#\s*doctest:.*\+(SKIP|IGNORE_EXCEPTION_DETAIL)")
QUOTED = re.compile(r"^(?P<number>.*?)\s*<(?P<key>[\w:-]+)(?:,\s*(?P<place>.+))?>$", re.DOTALL)


def names_a_variable(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and not hasattr(builtins, node.id) for node in ast.walk(tree))


def is_expression(code: str) -> bool:
    """Whether later readers of the page can take it apart; what cannot be read is refused where it stands."""
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return False
    return True


def value_of(page: Any, method: str, field: str, where: Any, code: str, *, computed: bool = True) -> Any:
    """What the kernel answers for a field; None, with a refusal that names page, line, field and reason."""
    try:
        tree = ast.parse(code, mode="eval")
    except SyntaxError as error:
        return refuse("PE311", where, field=field, error=error.msg)
    if computed and not names_a_variable(tree):
        return refuse("PE312", where, field=field)
    if page is None:
        return refuse("PE313", where, field=field)
    answer = page.evaluate_in_kernel(method, field=field)
    if "error" in answer:
        return refuse("PE314", where, field=field, error=answer["error"])
    return answer.get("value")


def evaluate(page: Any, field: str, where: Any) -> str:
    """The text of one field, or '?' where it is refused."""
    found = value_of(page, "text", field, where, f"f'''{{{field}}}'''")
    text = "?" if found is None else str(found)
    return text.replace("-", "−") if re.fullmatch(r"-[\d.,]+(e[+-]\d+)?%?", text) else text


def evaluated_inline(page: Any, field: str, where: Any) -> nodes.inline:
    """An evaluated number in text."""
    text = evaluate(page, field, where)
    traced = {"expr": field} if is_expression(f"f'''{{{field}}}'''") else {}
    shown = [nodes.Text(text)] if (power := SCIENTIFIC.fullmatch(text)) is None else as_power(*power.groups())
    return nodes.inline(text, "", *shown, classes=["found"], made="found", **traced)


def as_power(sign: str, factor: str, exponent: str) -> list[nodes.Node]:
    """What Python prints as 5e-13, as people write it, on one line; a factor of one is left out."""
    ten = "10" if factor == "1" else f"{factor}\u202f·\u202f10"
    digits = str(int(exponent)).replace("-", "−")
    return [nodes.Text(sign + ten), nodes.superscript("", digits)]


def fill(page: Any, source: str, where: Any) -> str:
    """A formula with its fields evaluated."""
    return FIELD.sub(lambda field: "{" + evaluate(page, field[1], where).replace("−", "-") + "}", source)


def note_fields(node: nodes.Element, source: str) -> None:
    """Keep what was typed (for the lint) and what was evaluated (for the count)."""
    node["typed"] = FIELD.sub(r"\\val", source)
    node["fields"] = [field for field in FIELD.findall(source) if is_expression(f"f'''{{{field}}}'''")]


class FilledMath(MathDirective):
    """The ``{math}`` directive, with its fields filled in."""

    def run(self) -> list[nodes.Node]:
        source = "\n".join(self.content)
        page = page_being_read(self.env)
        if page is not None:
            where = (self.env.docname, self.lineno)
            self.content = fill(page, source, where).split("\n")
        result = super().run()
        for node in result:
            if isinstance(node, nodes.math_block):
                note_fields(node, source)
        return result


class Holds(SphinxRole):
    """``{holds}`words <expression>` ``: the words stand if the expression is true in the page's kernel."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        parts = HOLDS.match(self.text)
        where = (self.env.docname, self.lineno)
        node = nodes.inline(self.rawtext, "", classes=["held"], made="held")
        if parts is None:
            refuse("PE321", where, words=self.text)
            return [node], []
        words, check = parts["words"], " ".join(parts["check"].split())
        if is_expression(check):
            node["expr"] = check
        page = page_being_read(self.env)
        if page is None:
            refuse("PE313", where, field=check)
            return [node], []
        try:
            tree = ast.parse(check, mode="eval")
        except SyntaxError as error:
            refuse("PE323", where, words=words, check=check, error=f"not an expression: {error.msg}")
        else:
            if not names_a_variable(tree):
                refuse("PE322", where, words=words, check=check)
            answer = page.evaluate_in_kernel("holds", check=check)
            if "error" in answer:
                refuse("PE323", where, words=words, check=check, error=answer["error"])
            elif "value" in answer and not answer["value"]["true"]:
                refuse("PE324", where, words=words, check=check, value=answer["value"]["shown"])
            node["evidence"] = answer.get("value", {}).get("evidence", {})
        parsed, messages = self.inliner.parse(words, self.lineno, self.inliner, node)
        node += parsed
        return [node], messages


class Quoted(SphinxRole):
    """``{quoted}`27.3 <key, Table 2>` ``: a number as its source prints it, with the source and the place."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        parts = QUOTED.match(self.text)
        if parts is None:
            refuse("PE331", (self.env.docname, self.lineno), text=self.text)
            return [nodes.inline(self.text, self.text)], []
        node = nodes.inline(self.rawtext, parts["number"], classes=["quoted"], made="quoted")
        node["quoted"] = (parts["key"], parts["place"] or "the thread")
        role = self.env.get_domain("cite").role("t")
        cite, messages = role("cite:t", self.rawtext, parts["key"], self.lineno, self.inliner)
        place = f", {parts['place']})" if parts["place"] else ")"
        behind = nodes.inline(place, place, classes=["quoted"], made="quoted")
        return [node, nodes.Text(" ("), *cite, behind], messages


# ---------------------------------------------------------------- blocks of >>> lines


def run_doctest(page: Any, block: str, where: Any) -> None:
    """Run a block, and refuse one that fails or would not be run in full."""
    if excuse := EXCUSE.search(block):
        return refuse("PE213", where, why=f"it says +{excuse[1]}")
    answer = page.evaluate_in_kernel("doctest", block=block, page=where[0])
    if output := answer.get("error") or answer.get("value"):
        refuse("PE212", where, output=output)


def refuse_unread(app: Sphinx, doctree: nodes.document) -> None:
    """Blocks that look like doctests and that nothing has run; docstrings are run by pytest."""
    unread = "its first line does not begin with >>>, or MyST does not read it"
    for block in doctree.findall(lambda node: isinstance(node, (nodes.literal_block, nodes.doctest_block))):
        documented = any(isinstance(one, addnodes.desc) for one in parents(block))
        if not documented and not block.get("made") and re.search(r"^\s*>>>", block.astext(), re.MULTILINE):
            refuse("PE213", block, why=unread if page_being_read(app.env) else "the page has no kernel")


def setup(app: Sphinx) -> None:
    app.add_directive("math", FilledMath, override=True)
    app.add_role("holds", Holds())
    app.add_role("quoted", Quoted())
    app.connect("doctree-read", refuse_unread)
