"""What has moved: an old address leads to the thing where it stands now, and one page lists it all.

On the page that it left each thing leaves a line with its old anchor and a link; a page that is gone leaves
its lines alone. docs/_static/moved.js follows the link; without script a reader does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from kernel.record import record_of
from lint.labels import place_of
from lint.lock import MAKING, Place, anchor

NAMES = {
    "sec": "Section", "thm": "Theorem", "lem": "Lemma", "cor": "Corollary", "def": "Definition",
    "ex": "Example", "rem": "Remark", "exr": "Exercise", "sol": "Solution", "dep": "In depth",
    "fig": "Figure", "tab": "Table", "eq": "Equation", "cla": "Claim",
}  # fmt: skip


@dataclass(frozen=True)
class Move:
    """Something that stood at an old place until an edition, and what is found now."""

    label: str
    until: int  # an edition; 0 where the label alone was given up
    old: Place
    now: str  # a label
    new: Place


class what_moved(nodes.General, nodes.Element):
    """Stands for the list until all pages have been read."""


class WhatMoved(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [what_moved()]


def moves(app: Sphinx) -> Iterator[Move]:
    """Everything that stood elsewhere, in the order of the lock."""
    pages = {label: page for page in app.env.found_docs for label in record_of(app.env, page).labels}
    for label, until, old in app.pe_lock.former():
        now = app.pe_lock.now(label)
        if page := pages.get(now):
            first = record_of(app.env, page).labels[0] == now
            yield Move(label, until, old, now, place_of(app.env, page, now, first, not app.pe_left_out))


def named(app: Sphinx, label: str, place: Place) -> str:
    """A thing by its kind and number; where it has none by its title, or its label if that is gone."""
    kind = NAMES[label.partition(":")[0]]
    titled = app.env.domains.standard_domain.labels.get(app.pe_lock.now(label))
    if label.startswith("sol:"):  # its title is half a sentence, which the exercise ends
        return f"{kind} of an exercise"
    return f"{kind} {place.number or (titled and f'“{titled[2]}”') or label}"


def leaving(app: Sphinx) -> dict[str, list[Move]]:
    """For each page, or address of one that is gone, what stood there and is now found on another."""
    found: dict[str, dict[str, Move]] = {}
    for move in moves(app):
        if move.old.page != move.new.page:
            found.setdefault(move.old.page, {})[move.label] = move
    return {page: list(left.values()) for page, left in found.items()}


def leave_lines(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """At the end of a page a line for each thing that has left it, under its old anchor."""
    left = leaving(app).get(docname, [])
    if not left:
        return
    lines = nodes.bullet_list()
    for move in left:
        words = f"{named(app, move.label, move.old)}, now on “{app.env.titles[move.new.page].astext()}”"
        link = nodes.reference("", words, refuri=address(app, docname, move), internal=True)
        lines += nodes.list_item("", nodes.paragraph("", "", link), ids=[anchor(move.label)])
    said = nodes.paragraph("", "What stood on this page in an earlier edition, by its number there:")
    doctree += nodes.container("", said, lines, classes=["moved"])


def address(app: Sphinx, docname: str, move: Move) -> str:
    return f"{app.builder.get_relative_uri(docname, move.new.page)}#{anchor(move.now)}"


def leave_pages(app: Sphinx, exception: Exception | None) -> None:
    """At the address of a page that is gone one that leads on to each thing, else to its title."""
    if exception or app.builder.format != "html":
        return
    for page, left in leaving(app).items():
        if page in app.env.found_docs or page in app.pe_left_out:
            continue
        title = next((move for move in left if move.label.endswith(":top")), left[0])
        words = {
            "whole": app.builder.get_relative_uri(page, title.new.page),
            "lines": [
                (anchor(one.label), address(app, page, one), named(app, one.label, one.old)) for one in left
            ],
            "content_root": "../" * page.count("/") or "./",
        }
        file = Path(app.outdir, app.builder.get_target_uri(page))
        file.parent.mkdir(parents=True, exist_ok=True)
        text = app.builder.templates.render("redirect.html", words)  # type: ignore[attr-defined]
        file.write_text(text, encoding="utf-8", newline="\n")


def fill_list(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """A table of everything that stood elsewhere: what, where and until when, and where it stands."""
    for node in list(doctree.findall(what_moved)):
        found = list(moves(app))
        words = f"This is edition {app.pe_lock.edition}{MAKING if app.pe_lock.making else ''}."
        said = nodes.paragraph("", words if found else f"{words} Nothing has moved.")
        node.replace_self([said, *([table(app, docname, found)] if found else [])])


def table(app: Sphinx, docname: str, found: list[Move]) -> nodes.table:
    group = nodes.tgroup("", *[nodes.colspec(colwidth=1) for _ in range(3)], cols=3)
    heads = ["stands now", "stood", "until edition"]
    group += nodes.thead("", row(*(nodes.Text(head) for head in heads)))
    body = nodes.tbody()
    for move in found:
        words = f"{named(app, move.now, move.new)}, {app.env.titles[move.new.page].astext()}"
        link = nodes.reference("", words, refuri=address(app, docname, move), internal=True)
        # the comma lets a phone break the address there
        where = f"{app.builder.get_target_uri(move.old.page)}, #{anchor(move.label)}"
        old = f"{named(app, move.label, move.old)}, {where}"
        body += row(link, nodes.Text(old), nodes.Text(str(move.until or "renamed")))
    group += body
    return nodes.table("", group, classes=["found"], made="found")


def row(*cells: nodes.Node) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(what_moved)
    app.add_directive("what-moved", WhatMoved)
    app.connect("doctree-resolved", fill_list)
    app.connect("doctree-resolved", leave_lines, priority=990)  # behind everything else on the page
    app.connect("build-finished", leave_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
