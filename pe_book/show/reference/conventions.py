"""One small vector under every convention, added or turned."""

import numpy as np
from numpy.typing import ArrayLike

from pe_book.evidence.reference.readings import variants
from pe_book.evidence.reference.rotations import turned
from pe_book.show.table import Column, Table


def listed(numbers: ArrayLike, spec: str) -> str:
    """Numbers as a sentence lists them.

    Examples
    --------
    >>> listed([0, -1], "d"), listed([0.8415, 0.5403], ".2f")
    ('0, −1', '0.84, 0.54')
    """
    return ", ".join(f"{number:{spec}}".replace("-", "−") for number in np.asarray(numbers))


def one_row(position: int, d_model: int) -> Table:
    """The row of one position under every convention, a line each."""
    rows = variants(position, d_model)
    entries = (Column(str(c), [row[c] for row in rows.values()], "{:.4f}") for c in range(d_model))
    return Table(Column("convention", list(rows)), *entries)


def one_turn(position: int, d: int, rotary_dim: int) -> Table:
    """The row 1, 2, …, d turned at one position under every rotary convention, a line each."""
    rows = turned(np.arange(1, d + 1), position, rotary_dim=rotary_dim)
    entries = (Column(str(c), [row[c] for row in rows.values()], "{:.2f}") for c in range(d))
    return Table(Column("convention", list(rows)), *entries)
