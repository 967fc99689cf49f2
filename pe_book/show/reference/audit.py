"""The recorded audit as tables: weight and scores of pages."""

from pe_book.evidence.records.audit import Audited
from pe_book.show.drawing.table import Column, Table

PARTS = ("together", "HTML", "CSS", "JavaScript", "fonts", "figures")
LINK = "{{doc}}`/{}`"  # to a page of the book
FULL_MARKS = 100  # of Lighthouse


def weights(audited: Audited) -> Table:
    """What the first load of each scored page brings, in kB as sent; requests and elements."""
    rows = {page: audited.weights[page] for page in audited.chapters()}
    sent = (Column(f"{part}, kB", [row[part] / 1000 for row in rows.values()], "{:.0f}") for part in PARTS)
    return Table(
        Column("page", list(rows), LINK),
        *sent,
        Column("requests", [row["requests"] for row in rows.values()]),
        Column("elements", [row["elements"] for row in rows.values()]),
    )


def scores(audited: Audited) -> Table:
    """How fast Lighthouse finds each page."""
    columns = (
        Column(device, [row[device]["performance"] for row in audited.scores.values()])
        for device in ("mobile", "desktop")
    )
    return Table(Column("page", list(audited.chapters()), LINK), *columns)
