"""Tooltips of the glossary: its definitions as a script, which terms.js loads when one is first asked for."""

import json
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from bookish.run.foreign import html_of


def bare(definition: nodes.Element) -> nodes.Element:
    """A definition without links: its window is words alone, and leads nowhere by itself."""
    copy = definition.deepcopy()
    for node in copy.findall(nodes.Element):
        for key in ("expr", "exprs", "cells", "sources"):
            node.attributes.pop(key, None)
        node["ids"] = []
    for reference in list(copy.findall(nodes.reference)):
        reference.replace_self([child.deepcopy() for child in reference.children])
    return nodes.container("", *copy.children)


def collect(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.format != "html":
        return
    for glossary in doctree.findall(addnodes.glossary):
        for item in glossary.findall(nodes.definition_list_item):
            for term in item.findall(nodes.term):
                app.pe_terms[term["ids"][0]] = bare(item[-1])


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    shown = {anchor: html_of(app, definition).strip() for anchor, definition in sorted(app.pe_terms.items())}
    text = f"window.peTerms = {json.dumps(shown, ensure_ascii=False, indent=0)}\n"
    Path(app.outdir, "_static", "glossary.js").write_text(text, encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> None:
    app.pe_terms = {}
    app.connect("doctree-resolved", collect, priority=990)
    app.connect("build-finished", write, priority=900)
