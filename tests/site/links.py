"""Links, anchors and scripts of the built pages, read from their HTML; nothing is asked from the network.

A link has to work wherever the site lies: it begins at its page, stays inside, and ends at a file, and at an
anchor of it where it names one.
"""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

OUTSIDE = {"mailto", "data"}
TOP = {"", "top"}  # every page has these two
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TAG = re.compile(r"""<([a-zA-Z]+)((?:[^"'>]|"[^"]*"|'[^']*')*)>""")
ATTRIBUTE = re.compile(
    r"""\s(id|name|href|src|srcset|xlink:href|data|action|poster|on\w+)=(["'])(.*?)\2""", re.DOTALL
)
FALLBACK = re.compile(r"\.(woff|ttf)$")
IN_CSS = re.compile(r"""url\(\s*["']?([^"')]+)""")


class Document:
    """The anchors and addresses of one page, and the scripts that it holds itself."""

    def __init__(self, text: str) -> None:
        self.anchors, self.addresses, self.inline = set[str](), dict[str, None](), list[str]()
        for tag, rest in TAG.findall(COMMENT.sub("", text)):
            if tag == "script" and "src=" not in rest and "json" not in rest:
                self.inline.append("<script>")
            for name, _, value in ATTRIBUTE.findall(rest):
                value = unescape(value).strip()
                if name == "id" or (name == "name" and tag == "a"):
                    self.anchors.add(value)
                elif name == "srcset":
                    self.addresses |= {part.split()[0]: None for part in value.split(",")}
                elif name != "name" and not name.startswith("on") and 'rel="canonical"' not in rest:
                    self.addresses[value] = None
                if name.startswith("on") or value.lower().startswith("javascript:"):
                    self.inline.append(f'<{tag} {name}="{value}">')


def documents_of(site: Path) -> dict[str, Document]:
    """Every page of the site, by its path below it."""
    pages = {page.relative_to(site): page for page in sorted(site.rglob("*.html"))}
    return {
        path.as_posix(): Document(page.read_text(encoding="utf-8"))
        for path, page in pages.items()
        if "_static" not in path.parts
    }


def complaints(site: Path, documents: dict[str, Document]) -> list[str]:
    """One line for each address that is wrong: the page, the address, what is wrong with it."""
    files = {file.relative_to(site).as_posix() for file in site.rglob("*") if file.is_file()}
    return [
        f"{page}: {address or '(empty)'} {wrong}"
        for page, address in addresses_of(site, documents)
        if (wrong := complaint(page, address, files, documents))
    ]


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


def complaint(page: str, address: str, files: set[str], documents: dict[str, Document]) -> str:
    """What is wrong with one address; an empty string if nothing is. Elsewhere only its form is judged."""
    parts = urlsplit(address)
    if parts.scheme in ("http", "https"):
        return "is not an address" if "." not in parts.netloc or re.search(r"\s", address) else ""
    if parts.scheme:
        return "" if parts.scheme in OUTSIDE else f"begins with {parts.scheme}:"
    if parts.netloc or address.startswith("/"):
        if page == "404.html" and not parts.netloc:
            return ""  # opened at any depth, so its links name the place of the site; site/texts.py
        return "does not begin at its page"
    if not address:
        return "leads nowhere"
    name = normpath(join(dirname(page), unquote(parts.path))) if parts.path else page
    if name.startswith(".."):
        return "leaves the site"
    if parts.path.endswith("/") or name == ".":
        return "is a folder, which opens only from a server"
    if name not in files:
        return "is missing"
    if (
        name in documents
        and parts.fragment not in TOP
        and unquote(parts.fragment) not in documents[name].anchors
    ):
        return "names an anchor that its page lacks"
    return ""
