"""Links, anchors and scripts of the built pages, read from their HTML; nothing is asked from the network.

A link has to work wherever the site lies: each is resolved as a browser does under every one of `BASES`,
has to stay inside, and has to end at a file, and at an anchor of it where it names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

BASES = ("https://book.invalid/", "https://book.invalid/en/latest/", "file:///somewhere/pe_book/")
ADDRESSES = {"href", "src", "xlink:href", "data", "action", "poster"}
OUTSIDE = {"http", "https", "mailto", "data"}
TOP = {"", "top"}  # every page has these two
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TAG = re.compile(r"""<[a-zA-Z](?:[^"'>]|"[^"]*"|'[^']*')*>""")
TELLING = re.compile(
    r"^<script|\s(?:id|name|href|src|srcset|xlink:href|data|action|poster|on\w+)\s*=", re.IGNORECASE
)
FALLBACK = re.compile(r"\.(woff|ttf)$")
IN_CSS = re.compile(r"""url\(\s*["']?([^"')]+)""")


class Document(HTMLParser):
    """The anchors and addresses of one page, and the scripts that it holds itself."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.anchors, self.addresses, self.inline = set[str](), dict[str, None](), list[str]()
        # most tags are those of formulas, which name no address; skipping them saves most of the time
        tags = TAG.findall(COMMENT.sub("", text))
        for tag in tags:
            if TELLING.search(tag):
                self.feed(tag + "</script>" * tag.lower().startswith("<script"))
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        for name, value in given.items():
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ADDRESSES and (tag, given.get("rel")) != ("link", "canonical"):
                self.addresses[value.strip()] = None
                if value.strip().lower().startswith("javascript:"):
                    self.inline.append(f'<{tag} {name}="{value}">')
            elif name == "srcset":
                self.addresses |= dict.fromkeys(part.split()[0] for part in value.split(",") if part.split())
            elif name.startswith("on"):
                self.inline.append(f'<{tag} {name}="{value}">')
        if tag == "script" and "src" not in given and "json" not in given.get("type", ""):
            self.inline.append("<script>")


def pages_of(site: Path) -> list[str]:
    """Every page of the site, as a path below it."""
    found = [page.relative_to(site) for page in sorted(site.rglob("*.html"))]
    return [page.as_posix() for page in found if "_static" not in page.parts]


def documents_of(site: Path) -> dict[str, Document]:
    return {page: Document((site / page).read_text(encoding="utf-8")) for page in pages_of(site)}


def complaints(site: Path, documents: dict[str, Document], bases: tuple[str, ...] = BASES) -> list[str]:
    """One line for each address that is wrong: the page, the address, what is wrong with it."""
    files = {file.relative_to(site).as_posix() for file in site.rglob("*") if file.is_file()}
    found: dict[str, None] = {}
    for page, address in addresses_of(site, documents):
        for base in bases:
            if wrong := complaint(base, page, address, files, documents):
                found[f"{page}: {address or '(empty)'} {wrong}"] = None
    return list(found)


def addresses_of(site: Path, documents: dict[str, Document]) -> Iterator[tuple[str, str]]:
    """The addresses of every page and of every stylesheet."""
    for page, document in documents.items():
        for address in document.addresses:
            yield page, address
    for file in sorted(site.rglob("*.css")):
        addresses = dict.fromkeys(IN_CSS.findall(file.read_text(encoding="utf-8")))
        for address in addresses:
            if FALLBACK.sub(".woff2", address) != address and FALLBACK.sub(".woff2", address) in addresses:
                continue  # for browsers that do not know WOFF2; none that runs the book is left
            yield file.relative_to(site).as_posix(), address.strip()


def complaint(base: str, page: str, address: str, files: set[str], documents: dict[str, Document]) -> str:
    """What is wrong with one address under one base; an empty string if nothing is."""
    parts = urlsplit(address)
    if parts.scheme:
        return outside(address)
    if parts.netloc or address.startswith("/"):
        if page == "404.html" and not parts.netloc:
            return ""  # opened at any depth, so its links name the place of the site; shell.not_found
        return "does not begin at its page"
    if not address:
        return "leads nowhere"
    target, anchor = urldefrag(urljoin(base + page, address))
    if not target.startswith(base):
        return f"leaves the site under {urlsplit(base).path}"
    name = unquote(urlsplit(target.removeprefix(base)).path)
    if name not in files:
        return (
            "is a folder, which opens only from a server" if name.endswith("/") or not name else "is missing"
        )
    if name in documents and anchor not in TOP and unquote(anchor) not in documents[name].anchors:
        return "names an anchor that its page lacks"
    return ""


def outside(address: str) -> str:
    """Of an address elsewhere only the form is judged."""
    parts = urlsplit(address)
    if parts.scheme not in OUTSIDE:
        return f"begins with {parts.scheme}:"
    if parts.scheme in ("http", "https") and ("." not in parts.netloc or re.search(r"\s", address)):
        return "is not an address"
    return ""
