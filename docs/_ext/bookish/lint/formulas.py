"""What a page displays as true is tried: theorems and their kin, examples, numbered equations.

What can read and evaluate a formula answers the event ``formulas-tried`` with page, label and formulas: of
each it says what became of it, and why.
"""

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.lint.pieces import PROVED
from bookish.run.record import parents, record_of
from bookish.run.refusals import refuse

MATHS = (nodes.math, nodes.math_block)


def states(node: nodes.Node) -> bool:
    """Whether a box displays what has to hold: a theorem or one of its kin, or an example, and no proof."""
    return type(node).__name__ in {*PROVED, "example_node"} - {"proof_node"}


def places(doctree: nodes.document) -> Iterator[tuple[str, list[Any]]]:
    """The label of each box or equation, and its formulas."""
    for node in doctree.findall(nodes.Element):
        if states(node):
            yield node["label"], [*node.findall(lambda one: isinstance(one, MATHS))]
        elif isinstance(node, nodes.math_block) and node.get("label") and not any(map(states, parents(node))):
            yield node["label"], [node]


def with_fields(node: nodes.Element) -> str:
    r"""A formula as displayed, each evaluated number in ``\val{}``, and whether it stands by itself."""
    typed = node.get("typed", node.astext()).strip()
    pattern = r"\{([^{}]*)\}".join(map(re.escape, typed.split(r"\val")))
    found = re.fullmatch(pattern, node.astext().strip())
    values = iter(found.groups() if found else ())
    text = re.sub(r"\\val(?![A-Za-z])", lambda _: rf"\val{{{next(values, '')}}}", typed)
    return rf"\displaystyle {text}" if isinstance(node, nodes.math_block) else text


def try_formulas(app: Sphinx, doctree: nodes.document) -> None:
    """Refuse what does not hold, and what cannot be read unless that is known."""
    record = record_of(app.env)
    draft = record.front.get("status") != "complete"
    for label, formulas in places(doctree):
        texts = [with_fields(node) for node in formulas]
        found = app.emit_firstresult("formulas-tried", app.env.docname, label, texts) or ()
        for node, text, (state, why) in zip(formulas, texts, found, strict=False):
            where = (app.env.docname, next((one.line for one in parents(node) if one.line), None))
            shown = " ".join(text.removeprefix(r"\displaystyle").split())
            part, _, name = app.env.docname.replace("-", "_").rpartition("/")
            said = {"label": label, "formula": shown, "why": why, "letters": f"{part}/letters/{name}.py"}
            if state == "wrong":
                refuse("PE602", where, **said)
            elif state == "new" and not draft:
                refuse("PE603", where, **said)
            if state:
                record.formulas.append([label, shown, state, why])


def setup(app: Sphinx) -> None:
    app.add_event("formulas-tried")
    app.connect("doctree-read", try_formulas)
