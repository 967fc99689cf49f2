"""Accessibility: names of rows and columns, known ARIA roles, plain folds."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# what writers of docutils and MyST-NB put on a page, and what it is for somebody who listens to it
SCOPES = {'<th class="head': '<th scope="col" class="head', '<th class="stub': '<th scope="row" class="stub'}
ENTRY = re.compile(r'(<div class="citation" id="[^"]*") role="doc-biblioentry">')
FOLD = re.compile(
    r'<summary aria-label="Toggle hidden content">\s*'
    r'<p class="collapsed admonition-title">(.*?)</p>\s*'
    r'<p class="expanded admonition-title">.*?</p>\s*</summary>',
    re.DOTALL,
)
PROOF = re.compile(r'(<div class="proof admonition" id="proof-\d+">\s*<p>)(Proof\.) ')


def name_rows_and_columns(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """The first column heads the rows where it names them; a header without words gets one for listeners."""
    for group in doctree.findall(nodes.tgroup):
        for head in group.findall(nodes.thead):
            for number, cell in enumerate(head[0]):
                say(cell, "column" if cell.astext().strip() or number else "row")
        if names_rows(group):
            next(iter(group.findall(nodes.colspec)))["stub"] = 1
            for body in group.findall(nodes.tbody):
                for row in body:
                    say(row[0], "row")


def say(cell: nodes.entry, word: str) -> None:
    """Put a word for listeners into a header that is empty, or a formula, which some do not count as text."""
    if words_of(cell).strip():
        return
    hidden = nodes.inline("", f"{word} ", classes=["visually-hidden"])
    if cell.children and isinstance(cell[0], nodes.paragraph):
        cell[0].insert(0, hidden)
    else:
        cell.insert(0, nodes.paragraph("", "", hidden))


def words_of(node: nodes.Node) -> str:
    """The text of a cell outside its formulas."""
    if isinstance(node, nodes.math | nodes.raw):
        return ""
    if isinstance(node, nodes.Text):
        return node.astext()
    return "".join(words_of(child) for child in node.children)


def names_rows(group: nodes.tgroup) -> bool:
    """Whether each cell of the first column is there and unlike the others."""
    rows = [row for body in group.findall(nodes.tbody) for row in body]
    first = [row[0].astext().strip() for row in rows]
    return len(first) > 1 and all(first) and len(set(first)) == len(first)


def heard(html: str) -> str:
    """The same page with roles and names that are valid and say something."""
    for written, meant in SCOPES.items():
        html = html.replace(written, meant)
    html = ENTRY.sub(r'\1 role="listitem">', html)
    html = FOLD.sub(r"<summary>\1</summary>", html)
    return PROOF.sub(r"\1<em>\2</em> ", html)


def mend_body(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = heard(context["body"])


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", name_rows_and_columns, priority=900)  # tables of the build report, too
    app.connect("html-page-context", mend_body)
