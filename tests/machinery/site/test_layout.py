"""The frame of every page, as far as it depends on what pyproject.toml says."""

import html
import json
import re

import pytest

from pe_book.evidence import project
from tests.machinery.lint.planted_pages import BANK, DRAWING

PAGE = "# Page\n\n```{toctree}\npart/chapter\n```\n"
CHAPTER = """# Chapter {n}

:::{{first-screen}}
:needs: a matrix

draw a "line" <here>
:::

"""
BOOK = "https://example.org/book/"
ADDRESSES = f"""[project.urls]
Source = "https://example.org/code"
Issues = "https://example.org/code/issues"
Homepage = "{BOOK}"

"""
# what ogp.me, Google Scholar's guidelines with Zotero's reading of them, and schema.org/LearningResource list
CARD = {"title", "type", "image", "url", "image:alt", "description", "site_name"}
CITED = {"title", "author", "inbook_title", "publication_date", "language", "fulltext_html_url"}
RESOURCE = {
    "@context", "@type", "name", "description", "url", "image", "inLanguage", "license", "version", "datePublished",
    "creativeWorkStatus", "timeRequired", "isPartOf", "teaches", "competencyRequired", "educationalLevel",
}  # fmt: skip


def told(text):
    """What the head of a page tells: the card, the reference, the resource."""
    head = text.partition("</head>")[0]
    tags = [
        (name, html.unescape(value))
        for name, value in re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', head)
    ]
    card = {name[3:]: value for name, value in tags if name.startswith("og:")}
    cited = {name[9:]: value for name, value in tags if name.startswith("citation_")}
    assert set(card) <= CARD
    assert set(cited) <= CITED
    [data] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', head)
    resource = json.loads(data)
    assert set(resource) <= RESOURCE
    assert all([*card.values(), *cited.values(), *resource.values()]), "nothing is told empty"
    return card, cited, resource


@pytest.fixture
def built(book):
    """A chapter with a figure, built without addresses and with them."""
    book.page("index", "(sec:index:top)=\n" + PAGE)
    drawn = "(sec:small:top)=\n" + CHAPTER.format(n="<1> & 2") + DRAWING.partition("\n\n")[2] + BANK
    book.page("part/chapter", drawn, title="Chapter", front="form: new\n", given="{6: width of a row}")

    def build(addresses):
        book.change("pyproject.toml", "[project.optional", addresses + "[project.optional")
        done = book.build(builder="html", strict=False)
        assert done.code == 0, done.output
        return {
            name: (book.root / "out" / f"{name}.html").read_text(encoding="utf-8")
            for name in ("index", "part/chapter")
        }

    return build


def test_what_the_frame_says_with_addresses_and_without(built):
    alone = built("")["part/chapter"]
    assert ">Source</a>" not in alone
    assert '<button type="button" class="report"' in alone
    assert 'rel="canonical"' not in alone
    card, cited, resource = told(alone)
    assert not {"url", "image", "image:alt"} & set(card)
    assert card["title"] == cited["title"] == resource["name"] == "Chapter <1> & 2"
    assert not {"publication_date", "fulltext_html_url"} & set(cited)
    assert not {"url", "image", "datePublished"} & set(resource)
    assert resource["creativeWorkStatus"] == "Not yet released"
    assert resource["@type"] == "LearningResource"
    assert resource["teaches"] == "draw a “line” <here>"
    assert resource["competencyRequired"] == "a matrix"
    assert resource["isPartOf"] == {"@type": "Book", "name": project.citation()["title"]}

    pages = built(ADDRESSES)
    hosted = pages["part/chapter"]
    assert '<a href="https://example.org/code">Source</a>' in hosted
    assert 'href="https://example.org/code/issues/new?title=Error%3A%20part/chapter"' in hosted
    assert f'<link rel="canonical" href="{BOOK}part/chapter.html">' in hosted
    card, cited, resource = told(hosted)
    assert card["url"] == cited["fulltext_html_url"] == resource["url"] == f"{BOOK}part/chapter.html"
    assert card["image"] == resource["image"] == f"{BOOK}_data/fig-small-bank.png"
    assert card["image:alt"]
    assert resource["isPartOf"]["url"] == BOOK
    card, cited, resource = told(pages["index"])
    assert (card["type"], resource["@type"]) == ("website", ["LearningResource", "Book"])
    assert not {"inbook_title", "isPartOf"} & {*cited, *resource}
