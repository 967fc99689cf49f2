"""Cells that run in the reader's browser: a copy of the built site in which pages load what runs them.

The site itself knows nothing of it. A page gets a script and a stylesheet, 20 kB; all else is fetched when a
reader presses Run. What a cell is, its code and what it printed, the script reads off the page.
"""

import re
import shutil
from pathlib import Path

from bookish.live import runtime

CELL = '<div class="cell docutils container">\n<div class="cell_input'  # one that is not folded
STUB = '<p class="stub-says">'
SAYS = re.compile(rf"({STUB}.*?)(?=</p>)", re.DOTALL)
NOT_HERE = " It needs torch, which does not run in a browser: the notebook of this page has it."
SCRIPT = re.compile(r'<script defer src="([^"]*)_static/pe\.js"></script>')
NEEDS_TORCH = re.compile(r"^needs: torch$", re.MULTILINE)
OWN = Path(__file__).resolve().parents[3] / "_themes" / "executable_book" / "live"
LOADED = ("live.css", "live.js")
JOINED = ("engine.js", "parts.js", "cells.js", "exercises.js")  # into live.js


def runs(html: str, text: str) -> bool:
    """Whether a page has something to run, and needs no torch for it."""
    return (CELL in html or STUB in html) and not NEEDS_TORCH.search(text)


def pages_of(site: Path, docs: Path) -> list[str]:
    """The pages of a site that have something to run."""
    sources = {file.relative_to(docs).with_suffix(".html").as_posix(): file for file in docs.rglob("*.md")}
    built = {name: file for name, file in sorted(sources.items()) if (site / name).is_file()}
    return [
        name
        for name, file in built.items()
        if runs((site / name).read_text("utf-8"), file.read_text("utf-8"))
    ]


def loading(html: str) -> str:
    """A page that loads what runs its cells."""
    kinds = {"css": '<link rel="stylesheet" href="{}">', "js": '<script defer src="{}"></script>'}

    def with_own(found: re.Match[str]) -> str:
        tags = [kinds[file.rpartition(".")[2]].format(f"{found[1]}_static/live/{file}") for file in LOADED]
        return "\n  ".join([found[0], *tags])

    return SCRIPT.sub(with_own, html, count=1)


def write(site: Path, docs: Path, target: Path, modules: Path, where: str) -> tuple[list[str], int]:
    """Write the copy of a site; which pages run, and the bytes that the first press fetches."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(site, target, copy_function=shutil.copyfile)
    folder = target / "_static" / "live"
    shutil.copytree(OWN, folder, ignore=shutil.ignore_patterns(*JOINED, "__pycache__"))
    joined = "\n".join((OWN / file).read_text("utf-8") for file in JOINED)
    (folder / "live.js").write_text(joined, encoding="utf-8")
    (package,) = (site / "notebooks").glob("pe_book-*.whl")
    fetched = runtime.ship(folder, modules, where, package)
    pages = pages_of(site, docs)
    for page in sorted(target.rglob("*.html")):
        html = page.read_text("utf-8")
        if page.relative_to(target).as_posix() in pages:
            page.write_text(loading(html), encoding="utf-8")
        elif STUB in html:
            page.write_text(SAYS.sub(rf"\1{NOT_HERE}", html), encoding="utf-8")
    return pages, fetched
