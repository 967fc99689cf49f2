"""The index of the search.

It is ``_static/search-index.js``, a script, since a page opened from a disk may load no other data;
``search.js`` loads it with ``search-find.js`` when the search is opened. ``entries.py`` says what can be
found on a page, ``messages.py`` what the package says when something is wrong.
What means the same on every page stands in ``search-aliases.toml``.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.run.foreign import make_no_index, proofs
from bookish.run.package import PACKAGE
from bookish.site.plain import plain
from bookish.site.search.entries import ALIASES, Entry, PageEntries
from bookish.site.search.entries import FILE as FILE
from bookish.site.search.messages import Message, Places, in_package
from bookish.site.statements import DESCRIPTION, PAGE, TITLE


def collect(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.format == "html" and "orphan" not in app.env.metadata[docname]:
        app.pe_entries[docname] = list(PageEntries(app.env, docname).of(doctree))


def index_of(app: Sphinx) -> str:
    """The script that search.js loads."""
    pages: list[list[str]] = []
    entries: list[list[Any]] = []
    numbers: dict[str, int] = {}  # of pages
    documented: dict[str, int] = {}  # of entries
    found, titles = app.pe_entries, {name: plain(title) for name, title in app.env.titles.items()}
    if proofs(app.env):  # their list is no page of the sources
        found = found | {PAGE: [Entry("Reference", "", "", TITLE, [], "", asked=DESCRIPTION)]}
        titles[PAGE] = TITLE
    for docname in sorted(found):
        address = app.builder.get_target_uri(docname)
        numbers[docname] = len(pages)
        for entry in found[docname]:
            row = [entry.kind, len(pages), *entry[1:]]
            while row[-1] == "":
                row.pop()
            if entry.anchor.startswith(f"{PACKAGE}."):
                documented[entry.anchor] = len(entries)
            entries.append(row)
        pages.append([address, titles[docname]])
    data = {
        "pages": pages,
        "entries": entries,
        "aliases": ALIASES["groups"],
        # every module is read for them, which one page is not worth
        "messages": [] if app.config.pe_only else [*messages(app.config.pe_api.treated, documented, numbers)],
    }
    return f"window.peSearchIndex = {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n"


def messages(
    treated: Mapping[str, str], documented: dict[str, int], numbers: dict[str, int]
) -> Iterator[list[Any]]:
    """What the package says, the page that treats it, and the function that says it."""
    places = Places(documented)
    for message in in_package():
        page = numbers.get(page_of(message, {**treated, **ALIASES["messages"]}), -1)
        full = places.of(message) if message.module not in ALIASES["everywhere"] else None
        if full or page >= 0:
            yield [message.text, page, documented[full] if full else -1]


def page_of(message: Message, treated: Mapping[str, str]) -> str:
    """The page for a module, or for the nearest room above it."""
    module = message.module
    while module and module not in treated:
        module = module.rpartition(".")[0]
    return treated.get(module, "")


def own_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    yield "search", {"title": "Search"}, "search.html"


def write(app: Sphinx, exception: Exception | None) -> None:
    if not exception and app.builder.format == "html":
        file = Path(app.outdir, "_static", "search-index.js")
        file.write_text(index_of(app), encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> None:
    app.pe_entries = {}
    app.connect("builder-inited", make_no_index)
    app.connect("doctree-resolved", collect, priority=990)
    app.connect("html-collect-pages", own_page)
    app.connect("build-finished", write, priority=900)
