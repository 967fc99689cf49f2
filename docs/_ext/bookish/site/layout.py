"""The shell around every page: what layout.html of the theme shows of it, and which fonts it needs.

A font that arrives after the first layout moves what stands around it. The browser asks for a font when it
lays out the first sign of it, which on a long page is late. So theme.js asks for those of every page at once,
and reading.js for the others of its formulas as soon as the page is there.
"""

import re
from html import escape, unescape
from typing import Any

from sphinx.application import Sphinx

from bookish.run.package import PACKAGE
from bookish.run.record import record_of
from bookish.site import metadata, statements
from bookish.site.contents import contents, neighbours, on_this_page, part_of
from bookish.write.bundle import THEME, files_of

RULE = re.compile(
    r"(\.katex [^{}]+)\{(?=font-)(?:font-family:(KaTeX_\w+);?)?((?:font-(?:style|weight):\w+;?)*)\}"
)
FACE = re.compile(r'@font-face\{font-family:"?(\w+)"?;font-style:(\w+);font-weight:(\d+);src:url\(([^)]+)\)')
CLASSES = re.compile(r'class="([^"]+)"')
TEXT = ["fonts/source-serif-4-latin-400-normal.woff2", "fonts/source-serif-4-latin-600-normal.woff2"]
ALWAYS = ("400 1em KaTeX_Main", "italic 400 1em KaTeX_Math")


def faces(sheet: str) -> dict[str, str]:
    """The file of every font, by its name in CSS."""
    return {named(family, style, weight): file for family, style, weight, file in FACE.findall(sheet)}


def named(family: str, style: str, weight: str) -> str:
    """A font as CSS writes it: `italic 400 1em KaTeX_Math`."""
    return f"{'' if style == 'normal' else style + ' '}{weight} 1em {family}"


def askers(sheet: str) -> list[tuple[frozenset[str], str]]:
    """Sets of classes, and the font that an element with all of them asks for."""
    found = []
    for selectors, family, more in RULE.findall(sheet):
        style = "italic" if "font-style:italic" in more else "normal"
        font = named(family or "KaTeX_Main", style, "700" if "font-weight:700" in more else "400")
        for selector in selectors.split(","):
            last = [part for part in re.split(r"[ >]", selector) if "." in part][-1]
            found.append((frozenset(last.strip(".").split(".")), font))
    return found


_TEXT = (THEME / "static" / "katex" / "katex.min.css").read_text(encoding="utf-8")
FILES, ASKERS = faces(_TEXT), askers(_TEXT)


def fonts_of(body: str) -> dict[str, list[str]]:
    """Files that a page needs at once, and fonts that its formulas need further down."""
    if 'class="katex' not in body:
        return {"first": TEXT, "later": []}
    elements = {frozenset(words.split()) for words in CLASSES.findall(body)}
    wanted = {font for classes, font in ASKERS if any(classes <= words for words in elements)}
    return {
        "first": [*TEXT, *("katex/" + FILES[font] for font in ALWAYS)],
        "later": sorted(wanted & FILES.keys() - set(ALWAYS)),
    }


GENERATED = {  # pages without a file of their own: what a search engine shows of them
    "genindex": f"Every definition of the package {PACKAGE} and every term of the book, by letter.",
    statements.PAGE: statements.DESCRIPTION,
    "search": "Search the book: names, symbols, statements and words.",
}
VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')  # docutils writes one of its own
TAGS = re.compile(r"<[^>]+>")
TITLE = re.compile(r"</h1>\s*(?:<span id=[^>]*></span>)*")


def description(page: str, title: str) -> str:
    """Of a page that has no front matter."""
    if page.startswith(f"{PACKAGE}/"):
        return f"The source of the module {title}: what a page of the book calls has an address."
    return GENERATED.get(page, f"{title}: a page of the book on positional encoding.")


def below_title(body: str) -> tuple[str, str]:
    """A page in two, where its sections are listed: below the title."""
    title = TITLE.search(body)
    end = title.end() if title else 0
    return body[:end], body[end:]


def fill_shell(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    title = TAGS.sub("", context.get("title") or "") or GENERATED.get(pagename, pagename).partition(":")[0]
    tags = VIEWPORT.sub("", context.get("metatags", "")).strip()
    about = record_of(app.env, pagename).front.get("description") if doctree else ""
    about = about or description(pagename, title)
    tags += f'\n<meta name="description" content="{escape(about)}">'
    if app.config.pe_citation:
        told = {"name": unescape(title), "description": about}
        tags += "\n" + metadata.tags(app, pagename, told, context, doctree)
    groups = contents(app)
    sections = on_this_page(app, pagename) if pagename in app.env.tocs else ""
    before, after = below_title(context.get("body", ""))
    context["metatags"] = tags.strip()
    context["shell"] = {
        "home": pagename == app.config.root_doc,
        "contents": groups,
        "part": part_of(groups, pagename),
        "on_this_page": sections,
        "above_sections": before,
        "below_sections": after,
        "neighbours": neighbours(app, pagename, context),
        "source": app.config.pe_source,
        "citation": app.config.pe_citation and app.config.pe_citation | {"page": pagename},
        "files": files_of(context.get("body", "")),
        "fonts": fonts_of(context.get("body", "")),
    }


def setup(app: Sphinx) -> None:
    app.add_config_value("pe_source", "", "html", str)
    app.connect("html-page-context", fill_shell, priority=900)
