"""The table of every error of an edge, with its sum."""

from pe_book.evidence.sinusoidal.ledger import edge_bound, ledger
from pe_book.show.table import Table


def ledger_table() -> Table:
    """The ledger with its sum."""
    rows = [(what, f"{u:.4f}") for what, u in ledger()]
    rows.append(("**together**", f"**{edge_bound():.4f}**"))
    return Table(("error, at most", "in $u$"), rows, align="lr")
