"""The table of the page on precision bugs: who met which rounding, and what mended it."""

from pe_book.evidence.reference.precision_bugs import REPORTS, links
from pe_book.show.drawing.table import Table
from pe_book.show.sinusoidal.precision import NAMES


def reports_table() -> Table:
    """Reports in public libraries, by what they rounded, and the pull request that mended it."""
    rows = []
    for stage, what, report, mended in REPORTS:
        link, mended_by = links(report, mended)
        rows.append((link, NAMES.get(stage, "all of it"), what, mended_by))
    return Table.of_rows(("report", "rounded", "what happened", "mended by"), rows)
