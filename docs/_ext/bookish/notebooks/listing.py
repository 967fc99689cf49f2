"""``{notebooks}``: every notebook of the book with its size. ``{install}``: how to get the package.

Sizes are known when all pages are written; until then marks stand for them.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.notebooks import wheel
from bookish.notebooks.first import CPU
from bookish.notebooks.write import FOLDER, File, files_of
from bookish.site.texts import base, by_part, in_order
from bookish.write.nodes import made_late, title_of

MARK = re.compile(r"\{size:([^{}]+)\}")  # no @: the writer of HTML spells it otherwise


def download(app: Sphinx, page: str, words: str, path: str) -> list[nodes.Node]:
    up = "../" * page.count("/")
    link = nodes.reference("", words, refuri=up + path, internal=True)
    return [link, nodes.Text(f" ({{size:{path}}})")]


def item(app: Sphinx, here: str, page: str, files: list[File]) -> nodes.list_item:
    address = app.builder.get_relative_uri(here, page)
    link = nodes.reference("", title_of(app.env, page), refuri=address, internal=True)
    line = nodes.paragraph("", "", link, nodes.Text(": "))
    for place, file in enumerate(files):
        line += [nodes.Text(", ")] * bool(place) + download(app, here, file.words, file.path)
    return nodes.list_item("", line)


def listed(app: Sphinx, docname: str, options: dict[str, Any]) -> list[nodes.Node]:
    made: list[nodes.Node] = []
    files = {page: found for page in in_order(app) if (found := files_of(app.env, page))}
    for title, pages in by_part(app, list(files)):
        items = (item(app, docname, page, files[page]) for page in pages)
        made += [nodes.rubric("", title), nodes.bullet_list("", *items)]
    wheels = [
        nodes.paragraph("", "", *download(app, docname, name, f"{FOLDER}/{name}"))
        for name in wheel.names_of(app.config.release)
    ]
    return [*made, nodes.rubric("", "The wheels that they install"), *wheels] if made else []


def commands(name: str, address: str) -> tuple[str, str]:
    """What a reader types, without and with PyTorch: with the address of the wheel, or where it is saved."""
    torch = f'"pe_book[torch] @ {address}{name}"' if address else f'"{name}[torch]"'
    return f"pip install {address}{name}", f"pip install {torch} --extra-index-url {CPU}"


def installing(app: Sphinx, docname: str, options: dict[str, Any]) -> list[nodes.Node]:
    """Both commands, below a link to the wheel where it has no address of its own."""
    (name, _), home = wheel.names_of(app.config.release), base(app)
    texts = commands(name, f"{home}{FOLDER}/" if home else "")
    saved = [
        nodes.Text("Save "),
        *download(app, docname, name, f"{FOLDER}/{name}"),
        nodes.Text(", and run this in its folder:"),
    ]
    above = [] if home else [nodes.paragraph("", "", *saved)]
    alone, torch = (nodes.literal_block(text, text, language="shell") for text in texts)
    more = nodes.paragraph("", "The modules need PyTorch. To install PyTorch too, as wheels for CPUs:")
    return [*above, alone, more, torch]


def fill_sizes(app: Sphinx, exception: Exception | None) -> None:
    """Put sizes where marks stand for them: in the page, in its text and in what the search knows of it."""
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)

    def size(mark: re.Match[str]) -> str:
        file = out / mark[1]
        return f"{max(1, round(file.stat().st_size / 1000))} kB" if file.is_file() else "not here"

    written = [out / f"{page}{end}" for page in app.env.found_docs for end in (".html", ".md")]
    for file in [*written, out / "_static" / "search-index.js"]:
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if MARK.search(text):
            file.write_text(MARK.sub(size, text), encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> None:
    made_late(app, "notebooks", listed)
    made_late(app, "install", installing)
    app.connect("build-finished", fill_sizes, priority=920)
