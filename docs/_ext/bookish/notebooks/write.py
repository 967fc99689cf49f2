"""Chapters and how-tos as notebooks, below `notebooks/` of the site, with the wheels that they install.

A page with exercises has two, one with their solutions and one for students. Whatever the site has as an
address comes from ``html_baseurl``; without one, links to pages of the book are plain words.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from docutils import nodes
from sphinx.application import Sphinx

from bookish.notebooks import first, wheel
from bookish.notebooks.launch import launch_links
from bookish.notebooks.notebook import as_notebook
from bookish.notebooks.pieces import NotebookText, Piece
from bookish.run.record import record_of
from bookish.run.refusals import refuse
from bookish.site.texts import base
from bookish.write.pages import forms_of

FOLDER = "notebooks"
STUDENTS = "-students"
RECORDS = "evidence/"  # its pages show records of the package: nothing there is to be run again


class File(NamedTuple):
    """One notebook of a page: what a link to it says, and where it lies below the site."""

    words: str
    path: str
    students: bool


def has_notebook(env: Any, page: str) -> bool:
    """Whether a page is a chapter or a how-to, and runs code."""
    if page.startswith(RECORDS):
        return False
    record = record_of(env, page)
    runs = bool(record.execution and record.execution["kernel"])
    return runs and record.front.get("form") in forms_of(page)


def files_of(env: Any, page: str) -> list[File]:
    if not has_notebook(env, page):
        return []
    whole = f"{FOLDER}/{page}.ipynb"
    if not record_of(env, page).exercises:
        return [File("notebook", whole, students=False)]
    for_students = File("for students", f"{FOLDER}/{page}{STUDENTS}.ipynb", students=True)
    return [File("with solutions", whole, students=False), for_students]


def linker(app: Sphinx, page: str) -> Callable[[str], str]:
    """What turns the address that a page has for another into one that holds everywhere, or into nothing."""
    here = app.builder.get_target_uri(page)

    def link(target: str) -> str:
        if "://" in target or target.startswith("mailto:"):
            return target
        return urljoin(urljoin(base(app), here), target) if base(app) else ""

    return link


def cells_of(app: Sphinx, page: str, doctree: nodes.document, students: bool) -> list[Piece]:
    """The pieces of a page, with what a notebook says first below its title."""
    config, front = app.config, record_of(app.env, page).front
    pieces = NotebookText(app.env, page, linker(app, page), students).pieces(doctree)
    title, _, rest = pieces[0].source.partition("\n")
    address = urljoin(base(app), app.builder.get_target_uri(page)) if base(app) else ""
    head = first.head(config.project, config.release, config.pe_licences, address, students)
    install = first.install(wheel.names_of(config.release), base(app), front.get("needs") == "torch")
    opened = [Piece(f"{title}\n\n{head}"), Piece(install, is_code=True)]
    return [*opened, *([Piece(rest.strip())] if rest.strip() else []), *pieces[1:]]


def write_notebooks(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if not isinstance(doctree, nodes.document) or not (files := files_of(app.env, pagename)):
        return
    about = {
        "title": record_of(app.env, pagename).front["title"],
        "pe_book": {"page": pagename, "version": app.config.release},
        "license": dict(app.config.pe_licences),
    }
    for file in files:
        text = as_notebook(cells_of(app, pagename, doctree, file.students), about, executed=not file.students)
        target = Path(app.outdir, file.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    up = "../" * pagename.count("/")
    launched = launch_links(app.config.pe_source, files[-1].path.removeprefix(f"{FOLDER}/"))
    context["notebook"] = {
        "files": [{"words": file.words, "link": up + file.path} for file in files],
        "launch": [{"words": words, "link": link} for words, link in launched],
    }


def write_wheels(app: Sphinx, exception: Exception | None) -> None:
    """The wheels, and what Binder installs; a page that is built alone has neither."""
    if exception or app.builder.format != "html" or app.config.pe_only:
        return
    if not any(has_notebook(app.env, page) for page in app.env.found_docs):
        return
    package, study = names = wheel.names_of(app.config.release)
    folder = Path(app.outdir, FOLDER)
    try:
        wheel.build_wheels(folder, names, Path(app.doctreedir, "wheel"))
    except RuntimeError as error:
        refuse("PE914", None, error=error)
    listed = f"# what Binder installs\n--extra-index-url {first.CPU}\n./{package}[torch]\n./{study}\n"
    (folder / "requirements.txt").write_text(listed, encoding="utf-8", newline="\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", write_notebooks)
    app.connect("build-finished", write_wheels)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
