"""The forms of a page: what the build holds a revised chapter, a side page and a how-to page to.

A revised chapter has few sections, short lines and cells that say something; a how-to page has the order in
which somebody with a problem at work reads; a side page stands last in its part and is linked to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from kernel.record import record_of
from kernel.refusals import refuse
from lint.pieces import parents
from page.pages import is_chapter
from page.words import is_code, length_of, on_the_path

SECTIONS, MINUTES, COLUMNS = 7, 25, 60  # of a revised chapter, at most
UNCOUNTED = re.compile(r"Exercises|Sources|\bkeep\b")  # sections: "What to keep" closes a chapter
SCREEN = 120  # words that a phone shows at once
HOWTO = ["How to see that it worked", "Where it goes wrong", "Why"]
SENTENCE = re.compile(r"(?<=[.?:])\s+(?=\S)")


def sections(doctree: nodes.document) -> dict[str, nodes.section]:
    """The sections of a page by their titles, in their order."""
    top = next(iter(doctree.findall(nodes.section)), nodes.section())
    return {node[0].astext(): node for node in top.children if isinstance(node, nodes.section)}


def title_above(node: nodes.Node) -> str:
    """The title of the section of a page in which something stands."""
    above = [one for one in parents(node) if isinstance(one, nodes.section)]
    return above[-2][0].astext() if len(above) > 1 else ""


def note_links(app: Sphinx, doctree: nodes.document) -> None:
    found = doctree.findall(addnodes.pending_xref)
    record_of(app.env).links = [(title_above(node), node["reftarget"]) for node in found]


def check_form(app: Sphinx, doctree: nodes.document) -> None:
    form = record_of(app.env).front.get("form")
    if form == "revised":
        check_revised(app.env.docname, doctree)
    elif form == "howto":
        for what in faults_of_howto(doctree):
            refuse("PE132", app.env.docname, what=what)


# ---------------------------------------------------------------- a revised chapter


def check_revised(page: str, doctree: nodes.document) -> None:
    titles = [title for title in sections(doctree) if not UNCOUNTED.search(title)]
    if len(titles) > SECTIONS:
        refuse("PE129", page, number=len(titles), limit=SECTIONS, titles=", ".join(titles))
    for node in on_the_path(doctree, is_code):
        if node.get("nb_element") and not any(part.get("nb_element") == "cell_code_output" for part in node):
            refuse("PE130", node, cell=node["cell_index"])
    for block in doctree.findall(nodes.literal_block):
        put_out = "output" in block["classes"]
        for line in () if put_out else block.astext().splitlines():
            if len(line) > COLUMNS:
                refuse("PE131", block, length=len(line), limit=COLUMNS, line=line.strip())


def check_minutes(app: Sphinx, env: Any) -> None:
    for page in sorted(env.found_docs):
        taken = length_of(env, page).minutes
        if record_of(env, page).front.get("form") == "revised" and taken > MINUTES:
            refuse("PE128", page, minutes=taken, limit=MINUTES)


# ---------------------------------------------------------------- a how-to page


def faults_of_howto(doctree: nodes.document) -> Iterator[str]:
    """What a how-to page lacks, in the order in which it would be read."""
    top = next(iter(doctree.findall(nodes.section)))
    said = next((node for node in top.children[1:] if not passed_over(node)), None)
    if not isinstance(said, nodes.paragraph) or len(SENTENCE.split(said.astext())) > 1:
        yield "does not say the task in one sentence below its title"
    words = words_before_code(top)
    if words is None:
        yield f"has no visible cell before “{HOWTO[0]}”"
    elif words > SCREEN:
        yield f"has {words} words before its first cell, more than a screen of {SCREEN}"
    titles = [title for title in sections(doctree) if title != "Sources"]
    for title in HOWTO:
        if title not in titles:
            yield f"has no section “{title}”"
    if set(HOWTO) <= set(titles) and titles[-len(HOWTO) :] != HOWTO:
        yield "ends with sections in another order: " + ", ".join(titles)


def passed_over(node: nodes.Node) -> bool:
    """Whether a reader does not see a node at the head of a page."""
    return isinstance(node, (nodes.comment, nodes.target)) or not node.astext()


def words_before_code(top: nodes.section) -> int | None:
    """The words of the answer that stand before its first visible cell; None if it has no such cell."""
    words = 0
    for node in top.findall():
        if isinstance(node, nodes.section) and node.children and node[0].astext() == HOWTO[0]:
            return None
        if isinstance(node, nodes.Element) and node.get("nb_element") == "cell_code" and is_code(node):
            return words
        if isinstance(node, nodes.paragraph):
            words += len(node.astext().split())
    return None


# ---------------------------------------------------------------- when all pages have been read


def check_links(app: Sphinx, env: Any) -> None:
    """A how-to page links to a chapter that says why; a chapter links to a side page, which stands last."""
    if app.pe_left_out:
        return
    home = {label: page for page in env.found_docs for label in record_of(env, page).labels}
    form = {page: record_of(env, page).front.get("form") for page in env.found_docs}
    led_to = {
        home.get(target)
        for page in env.found_docs
        for _, target in record_of(env, page).links
        if is_chapter(page) and home.get(target) != page
    }
    for page in sorted(env.found_docs):
        pages = [home.get(target, "") for title, target in record_of(env, page).links if title == HOWTO[-1]]
        if form[page] == "howto" and not any(map(is_chapter, pages)):
            refuse("PE132", page, what=f"links to no chapter in “{HOWTO[-1]}”")
        if form[page] == "side" and page not in led_to:
            refuse("PE133", page, what="is linked to from no chapter")
    for listed in env.toctree_includes.values():
        kinds = [form.get(page) for page in listed]
        if "side" in kinds and any(kind != "side" for kind in kinds[kinds.index("side") :]):
            refuse("PE133", listed[kinds.index("side")], what="stands before a chapter of its part")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", note_links, priority=860)
    app.connect("doctree-read", check_form, priority=860)
    app.connect("env-check-consistency", check_minutes)
    app.connect("env-check-consistency", check_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
