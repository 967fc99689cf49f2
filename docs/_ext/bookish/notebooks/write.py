"""Chapters and how-tos as notebooks, below `notebooks/` of the site, with the wheels that they install.

A page with exercises has two, one with their solutions and one for students. Whatever the site has as an
address comes from ``html_baseurl``; without one, links to pages of the book are plain words.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

import nbformat
from docutils import nodes
from nbformat import v4
from sphinx.application import Sphinx

from bookish.notebooks import first, wheel
from bookish.notebooks.pieces import NotebookText, Piece
from bookish.run.record import record_of
from bookish.run.refusals import refuse
from bookish.site.texts import base
from bookish.write.pages import forms_of

FOLDER = "notebooks"
STUDENTS = "-students"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {
    "name": "python", "file_extension": ".py", "mimetype": "text/x-python", "pygments_lexer": "ipython3",
}  # fmt: skip
RECORDS = "evidence/"  # its pages show records of the package: nothing there is to be run again


class Ids:
    """A cell keeps its id as long as it keeps its source, wherever it moves."""

    def __init__(self) -> None:
        self.used: dict[str, int] = {}

    def of(self, source: str) -> str:
        digest = hashlib.sha256(source.encode()).hexdigest()[:12]
        self.used[digest] = count = self.used.get(digest, 0) + 1
        return digest if count == 1 else f"{digest}-{count}"


def metadata_of(piece: Piece) -> dict[str, Any]:
    """What programs and `make notebooks` read of a cell of code."""
    if piece.exercise:
        return {"pe_book": {"exercise": piece.exercise}, "tags": ["exercise"]}
    return {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]} if piece.folded else {}


def as_notebook(pieces: list[Piece], said: dict[str, Any], *, executed: bool) -> str:
    """The text of an .ipynb; what cells have said is in it if it is to be read as it is."""
    ids, cells, count = Ids(), [], 0
    for piece in pieces:
        own = ids.of(piece.source)
        if not piece.is_code:
            cells.append(v4.new_markdown_cell(piece.source, id=own))
            continue
        count += 1
        cell = v4.new_code_cell(piece.source, id=own, metadata=metadata_of(piece))
        if executed:
            cell["execution_count"] = count
            cell["outputs"] = [nbformat.from_dict(output_of(output, count)) for output in piece.outputs]
        cells.append(cell)
    whole = v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": LANGUAGE, **said})
    whole["nbformat_minor"] = 5
    nbformat.validate(whole)
    return str(nbformat.writes(whole)).rstrip("\n") + "\n"


def output_of(output: dict[str, Any], count: int) -> dict[str, Any]:
    return {**output, "execution_count": count} if output["output_type"] == "execute_result" else output


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
    runs = record.execution is not None
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
    launched = first.launch_links(app.config.pe_source, files[-1].path.removeprefix(f"{FOLDER}/"))
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


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", write_notebooks)
    app.connect("build-finished", write_wheels)
