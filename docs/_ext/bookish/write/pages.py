"""Pages: the front matter every page must have, and builds of a part of the book (one page, or no torch)."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from bookish.run.foreign import proofs
from bookish.run.record import record_of
from bookish.run.refusals import refuse

log = logging.getLogger(__name__)

FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
# keys with what their text matches, and in words: jsonschema would say the pattern, and no cure
TEXTS = {
    "title": (".+", "a text"),
    "description": (".{40,180}", "40 to 180 letters"),  # what a search engine shows
    "question": (r".{9,79}\?", "a question of 10 to 80 letters"),  # one line of the contents
    "needs": ("numpy|torch", "one of numpy, torch"),
    "status": ("draft|complete", "one of draft, complete"),
    "picture": ("fig:[a-z0-9-]+:[a-z0-9-]+", "the label of a figure"),  # on the card of the page
    "exercises": ("answer", "answer"),  # by hand there are fields, in code a wrong try, to think about points
}
FORMS = {"chapter": ("old", "new", "revised", "side"), "howto": ("howto",)}  # by kind of page
REMOTE_FILE = re.compile(
    r"""(?:\b(?:src|srcset|poster)\s*=\s*["']?|<link\b[^>]*\bhref\s*=\s*["']?|\burl\(\s*["']?|@import\s+["'])"""
    r"""\s*((?:https?:)?//[^\s"')>]+)""",
    re.IGNORECASE,
)
OTHERS = {"form", "given", "searched", "file_format", "kernelspec", "myst", "orphan"}
NO_CHAPTERS = ("reference", "coursework", "howto")  # folders


def front_matter(text: str) -> dict[str, Any]:
    found = FRONT.match(text)
    return yaml.safe_load(found[1]) or {} if found else {}


def twice(text: str) -> Iterator[str]:
    """Keys that the front matter has twice in one place; of two values YAML keeps the last unasked."""
    found = FRONT.match(text)
    waiting = [yaml.compose(found[1], Loader=yaml.SafeLoader)] if found else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value]
            yield from sorted({str(key) for key in keys if keys.count(key) > 1})
            waiting += [value for _, value in node.value]


def is_chapter(docname: str) -> bool:
    """Whether a page is a chapter: it lies in the folder of a part and is not the page of the part."""
    folder, _, name = docname.rpartition("/")
    return bool(folder) and folder.partition("/")[0] not in NO_CHAPTERS and name != "index"


def forms_of(docname: str) -> tuple[str, ...]:
    folder, _, name = docname.rpartition("/")
    kind = "chapter" if is_chapter(docname) else folder if name != "index" else ""
    return FORMS.get(kind, ())


def complaints(docname: str, front: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is wrong with a page's front matter: codes of refusals and their fields."""
    in_contents, forms = docname != "index" and not front.get("orphan"), forms_of(docname)
    needed = ["title", "description", "given", "needs", "status"]
    for key in [*needed, *["question"] * in_contents, *["form"] * bool(forms)]:
        if key not in front:
            yield "PE101", {"key": key}
    if "form" in front and not forms:
        yield "PE120", {"form": front["form"]}
    texts = {**TEXTS, "form": ("|".join(forms), f"one of {', '.join(forms)}")} if forms else TEXTS
    for key, value in front.items():
        if key in texts:
            pattern, expected = texts[key]
            if not isinstance(value, str) or not re.fullmatch(pattern, value):
                yield "PE103", {"key": key, "value": repr(value), "expected": expected}
        elif key not in OTHERS:
            yield "PE102", {"key": key}
    searched, given = front.get("searched", []), front.get("given", {})
    if not isinstance(searched, list) or not all(isinstance(one, str) and one.strip() for one in searched):
        yield "PE103", {"key": "searched", "value": repr(searched), "expected": "words that a reader types"}
    if not isinstance(given, dict):
        yield "PE103", {"key": "given", "value": repr(given), "expected": "numbers with their reasons"}
        return
    for number, reason in given.items():
        if not isinstance(number, int) or not isinstance(reason, str) or len(reason) < 4:
            yield "PE104", {"number": repr(number), "reason": repr(reason)}


def choose_pages(app: Sphinx, config: Config) -> None:
    """Which pages are built: all; or those that need no torch; or those of `pe_only`, without the others."""
    docs = Path(app.srcdir)
    pages = {
        path.relative_to(docs).with_suffix("").as_posix(): path
        for path in docs.rglob("*.md")
        if "_" not in {part[0] for part in path.relative_to(docs).parts}
    }
    out: set[str] = set()
    if only := config.pe_only.split():
        if unknown := [name for name in only if name not in pages]:
            raise SystemExit(f"there is no page {unknown[0]!r}; pages are {', '.join(sorted(pages))}")
        out = set(pages) - {*only}
        config.root_doc = only[0]
        config.suppress_warnings.append("toc.not_included")  # what would list the others is left out
    elif os.environ.get("PE_TORCH") == "no":
        out = {
            name
            for name, path in pages.items()
            if front_matter(path.read_text(encoding="utf-8")).get("needs") == "torch"
        }
    app.pe_left_out = out
    config.exclude_patterns += [f"{name}.md" for name in sorted(out)]
    if out and not config.pe_only:
        log.info("left out, since they need torch: %s", ", ".join(sorted(out)))


def read_front_matter(app: Sphinx, docname: str, source: list[str]) -> None:
    """Check the front matter; take pages that are left out off the tables of contents."""
    front = front_matter(source[0])
    for code, fields in complaints(docname, front):
        refuse(code, docname, **fields)
    for key in twice(source[0]):
        refuse("PE107", docname, key=key)
    record_of(app.env, docname).front = front
    if app.pe_left_out:
        folder = docname.rpartition("/")[0]

        def without_left_out(block: re.Match[str]) -> str:
            lines = [
                line
                for line in block[0].splitlines()
                if os.path.normpath(os.path.join(folder, line.strip().rpartition("<")[2].rstrip(">")))
                not in app.pe_left_out
            ]
            return "\n".join(lines)

        source[0] = re.sub(
            r"^(`{3,}|:{3,})\{toctree\}.*?^\1", without_left_out, source[0], flags=re.DOTALL | re.MULTILINE
        )


def unlink_left_out(app: Sphinx, doctree: nodes.document) -> None:
    """A reference to a page that is left out becomes plain text."""
    if not app.pe_left_out:
        return
    own = {
        label.split(":")[1]
        for label in [*doctree.nameids, *proofs(app.env)]
        if label.count(":") == 2 and app.config.pe_only
    }
    for reference in list(doctree.findall(addnodes.pending_xref)):
        target = reference["reftarget"]
        if app.config.pe_only:
            elsewhere = app.pe_lock.pages.get(target.lower(), app.env.docname) != app.env.docname
            gone = elsewhere or target.count(":") != 2 or target.split(":")[1] not in own
        elif reference["reftype"] == "doc":
            folder = "" if target.startswith("/") else app.env.docname.rpartition("/")[0]
            gone = os.path.normpath(os.path.join(folder, target.lstrip("/"))) in app.pe_left_out
        else:
            gone = app.pe_lock.pages.get(target.lower()) in app.pe_left_out
        if gone:
            reference.replace_self(
                nodes.inline("", reference.astext() or target, classes=["found"], made="found")
            )


def refuse_remote_files(app: Sphinx, doctree: nodes.document) -> None:
    """Nothing that a page shows may be loaded from elsewhere; links that a reader follows may."""
    for image in doctree.findall(nodes.image):
        if "//" in image["uri"]:
            refuse("PE110", image, url=image["uri"])
    for raw in doctree.findall(nodes.raw):
        for url in REMOTE_FILE.findall(raw.astext()):
            refuse("PE110", raw, url=url)


def setup(app: Sphinx) -> None:
    app.pe_left_out = set()
    app.add_config_value("pe_only", "", "env", str)
    app.connect("config-inited", choose_pages)
    app.connect("source-read", read_front_matter)
    app.connect("doctree-read", refuse_remote_files)
    app.connect("doctree-read", unlink_left_out, priority=900)
