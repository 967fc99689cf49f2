"""What the head of a page tells machines: cards, libraries of references, catalogues of teaching material.

Cards read OpenGraph (ogp.me), libraries the citation_* names of Highwire Press, catalogues schema.org's
LearningResource. Addresses, and with them pictures, need ``html_baseurl``; a year needs a release.
"""

import json
import re
from html import escape, unescape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookish.write.forms import CLASS
from bookish.write.nodes import number_of
from bookish.write.words import length_of

PICTURE = re.compile(r'href="(?:\.\./)*(_data/[^"]+\.png)".*?<dd class="alt">(.*?)</dd>', re.DOTALL)
SAID = {"Afterwards you can": "teaches", "You need": "competencyRequired"}  # by the first-screen box


def meta(kind: str, said: dict[str, Any]) -> str:
    """Tags of one kind; what is not known is left out, of a list each gets its own."""
    return "\n".join(
        f'<meta {kind}="{name}" content="{escape(one)}">'
        for name, value in said.items()
        for one in (value if isinstance(value, list) else [value])
        if one
    )


def promised(doctree: nodes.document | None) -> dict[str, str]:
    """What the first-screen box says of a chapter."""
    boxes = doctree.findall(lambda node: isinstance(node, nodes.container) and CLASS in node["classes"])
    items = next(boxes, nodes.container()).findall(nodes.definition_list_item)
    return {
        SAID[item[0].astext()]: " ".join(item[1].astext().split())
        for item in items
        if item[0].astext() in SAID
    }


def resource(app: Sphinx, page: str, told: dict[str, str], doctree: nodes.document) -> dict[str, Any]:
    """A page as schema.org has it."""
    record, licences = app.config.pe_citation, app.config.pe_licences
    book = {"@type": "Book", "name": record["title"], "url": app.config.html_baseurl}
    minutes = length_of(app.env, page).minutes if number_of(app.env, page) else 0
    home = page == app.config.root_doc
    said = {
        "@context": "https://schema.org",
        "@type": ["LearningResource", "Book"] if home else "LearningResource",
        **told,
        "inLanguage": app.config.language,
        "license": licences["address"],
        "version": record["version"],
        "datePublished": record["year"],
        "creativeWorkStatus": "" if record["year"] else "Not yet released",
        "timeRequired": f"PT{minutes}M" if minutes else "",
        **promised(doctree),
        "isPartOf": {} if home else {name: value for name, value in book.items() if value},
    }
    return {name: value for name, value in said.items() if value}


def tags(
    app: Sphinx, page: str, told: dict[str, str], context: dict[str, Any], doctree: nodes.document | None
) -> str:
    """All that is told of a page; of one that is made of no text, such as the search, a card alone."""
    record, base = app.config.pe_citation, app.config.html_baseurl.rstrip("/")
    url = f"{base}/{app.builder.get_target_uri(page)}" if base else ""
    pictured = PICTURE.search(context.get("body", "")) if base else None
    picture = f"{base}/{pictured[1]}" if pictured else ""
    card = {
        "og:title": told["name"],
        "og:type": "website" if page == app.config.root_doc else "article",
        "og:site_name": record["title"],
        "og:description": told["description"],
        "og:url": url,
        "og:image": picture,
        "og:image:alt": unescape(pictured[2]) if pictured else "",
    }
    found = [meta("property", card), meta("name", {"twitter:card": "summary_large_image"} if picture else {})]
    if doctree is not None and "orphan" not in app.env.metadata[page]:
        cited = {
            "citation_title": told["name"],
            "citation_author": record["authors"],
            "citation_inbook_title": record["title"] if page != app.config.root_doc else "",
            "citation_publication_date": record["year"],
            "citation_language": app.config.language,
            "citation_fulltext_html_url": url,
        }
        data = resource(app, page, told | {"url": url, "image": picture}, doctree)
        written = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")  # the end of a script ends it
        found += [meta("name", cited), f'<script type="application/ld+json">{written}</script>']
    return "\n".join(filter(None, found))
