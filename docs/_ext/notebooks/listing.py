"""``{notebooks}``: every notebook of the book with its size. ``{install}``: how to get the package.

Sizes are known when all pages are written; until then marks stand for them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from notebooks import wheel
from notebooks.first import CPU
from notebooks.write import FOLDER, File, files_of
from shell.texts import base, in_order

MARK = re.compile(r"\{size:([^{}]+)\}")  # no @: the writer of HTML spells it otherwise


class notebook_list(nodes.General, nodes.Element):
    """Stands for the list until all pages have been read."""


class install_lines(nodes.General, nodes.Element):
    """Stands for the commands that install the package, until the name of the wheel is known."""


class Install(SphinxDirective):
    option_spec: ClassVar = {"brief": directives.flag}  # for the first screen: both commands in one block

    def run(self) -> list[nodes.Node]:
        return [install_lines(brief="brief" in self.options)]


class Notebooks(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [notebook_list()]


def download(app: Sphinx, page: str, words: str, path: str) -> list[nodes.Node]:
    up = "../" * page.count("/")
    link = nodes.reference("", words, refuri=up + path, internal=True)
    return [link, nodes.Text(f" ({{size:{path}}})")]


def item(app: Sphinx, here: str, page: str, files: list[File]) -> nodes.list_item:
    number = ".".join(map(str, app.env.toc_secnumbers.get(page, {}).get("", ())))
    title = f"{number} {app.env.titles[page].astext()}".strip()
    address = app.builder.get_relative_uri(here, page)
    line = nodes.paragraph(
        "", "", nodes.reference("", title, refuri=address, internal=True), nodes.Text(": ")
    )
    for place, file in enumerate(files):
        line += [nodes.Text(", ")] * bool(place) + download(app, here, file.words, file.path)
    return nodes.list_item("", line)


def fill_list(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(notebook_list)):
        made: list[nodes.Node] = []
        part = ""
        for page in in_order(app):
            if not (files := files_of(app.env, page)):
                continue
            if page.rpartition("/")[0] != part:
                part = page.rpartition("/")[0]
                home = f"{part}/index"
                title = app.env.titles[home if home in app.env.titles else page].astext()
                made += [nodes.rubric("", title), nodes.bullet_list()]
            made[-1] += item(app, docname, page, files)
        name = wheel.name_of(app.config.release)
        package = nodes.paragraph("", "", *download(app, docname, name, f"{FOLDER}/{name}"))
        node.replace_self([*made, nodes.rubric("", "The package that they install"), package] if made else [])


def commands(name: str, address: str) -> tuple[str, str]:
    """What a reader types, without and with PyTorch: with the address of the wheel, or where it is saved."""
    torch = f'"pe_book[torch] @ {address}{name}"' if address else f'"{name}[torch]"'
    return f"pip install {address}{name}", f"pip install {torch} --extra-index-url {CPU}"


def brief(app: Sphinx, docname: str, name: str, texts: tuple[str, str]) -> list[nodes.Node]:
    """Both commands in one block, below a line that fits a phone."""
    link = download(app, docname, "the package", f"{FOLDER}/{name}")
    said = (
        [nodes.Text("Install it:")]
        if base(app)
        else [nodes.Text("Save "), *link, nodes.Text("; in its folder:")]
    )
    block = nodes.literal_block("\n".join(texts), "\n".join(texts), language="shell")
    return [nodes.container("", nodes.paragraph("", "", *said), block, classes=["install"])]


def fill_install(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    name = wheel.name_of(app.config.release)
    for node in list(doctree.findall(install_lines)):
        texts = commands(name, f"{base(app)}{FOLDER}/" if base(app) else "")
        if node["brief"]:
            node.replace_self(brief(app, docname, name, texts))
            continue
        alone, torch = (nodes.literal_block(text, text, language="shell") for text in texts)
        save = ["Save ", ", and in its folder:"]
        link = download(app, docname, name, f"{FOLDER}/{name}")
        said = [] if base(app) else [nodes.paragraph("", "", nodes.Text(save[0]), *link, nodes.Text(save[1]))]
        more = nodes.paragraph("", "With PyTorch, for the modules, as wheels for CPUs:")
        node.replace_self([*said, alone, more, torch])


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


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(notebook_list)
    app.add_directive("notebooks", Notebooks)
    app.add_node(install_lines)
    app.add_directive("install", Install)
    app.connect("doctree-resolved", fill_list)
    app.connect("doctree-resolved", fill_install)
    app.connect("build-finished", fill_sizes, priority=920)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
