"""The table of every error of an edge, with its sums."""

from pe_book.evidence.sinusoidal.ledger import edge_bounds, ledger
from pe_book.show.table import Table


def ledger_table() -> Table:
    """The ledger with its sums."""
    rows = [(what, *(f"{u:.4f}" if u else "–" for u in both)) for what, *both in ledger()]
    rows.append(("**together**", *(f"**{total:.4f}**" for total in edge_bounds())))
    return Table(("error, at most", "sine", "cosine"), rows, align="lrr")
