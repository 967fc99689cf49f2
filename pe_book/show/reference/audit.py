"""The recorded audit as tables: weight and scores of pages, and what was looked for."""

from pe_book.evidence.records.audit import Audited
from pe_book.show.drawing.table import Column, Table

PARTS = ("together", "HTML", "CSS", "JavaScript", "fonts", "figures")
FULL_MARKS = 100  # of Lighthouse
LOOKED_FOR = {
    "another host": "requests to another host",
    "error": "files that are missing, errors and warnings on the console",
    "link": "links and anchors that lead nowhere, under `/`, `/en/latest/` and `file://`",
    "inline script": "scripts inside a page",
    "policy": "what the Content-Security-Policy refused",
    "axe": "rules of axe (WCAG 2.2 AA, best practices) that a page breaks, by width and scheme",
    "layout shift": "boxes that move while a page loads or is scrolled",
    "weight": "pages over the limits of weight",
    "Lighthouse": "scores of Lighthouse below what the book promises",
}


def weights(audited: Audited) -> Table:
    """What the first load of each scored page brings, in kB as sent; requests and elements."""
    rows = {page: audited.weights[page] for page in audited.chapters()}
    sent = (Column(f"{part}, kB", [row[part] / 1000 for row in rows.values()], "{:.0f}") for part in PARTS)
    return Table(
        Column("page", [page_link(page) for page in rows]),
        *sent,
        Column("requests", [row["requests"] for row in rows.values()]),
        Column("elements", [row["elements"] for row in rows.values()]),
    )


def scores(audited: Audited) -> Table:
    """How fast Lighthouse finds each page, here and in the stock theme."""
    columns = (
        Column(f"{device}, {name}", [row[theme][device]["performance"] for row in audited.scores.values()])
        for device in ("mobile", "desktop")
        for theme, name in (("book", "book"), ("stock", "stock theme"))
    )
    return Table(Column("page", [page_link(page) for page in audited.chapters()]), *columns)


def looked_for(audited: Audited) -> Table:
    """What the audit looks for, and how much of it there was."""
    return Table(
        Column("looked for", [LOOKED_FOR[kind] for kind in audited.counts]),
        Column("found", list(audited.counts.values())),
    )


def page_link(page: str) -> str:
    """A link to a page of the book, as MyST writes it.

    Examples
    --------
    >>> page_link("why/order-blindness")
    '{doc}`/why/order-blindness`'
    """
    return f"{{doc}}`/{page}`"
