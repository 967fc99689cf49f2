"""One small row turned under every rotary convention, and how a turned row tells which one it was."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from pe_book.checking import real_array
from pe_book.family.rotary import proportional_frequencies, rotate
from pe_book.shapes import Rows
from pe_book.sinusoidal.formula import frequencies
from pe_book.verdict import Verdict


def turned(x: ArrayLike, position: float, *, rotary_dim: int) -> Mapping[str, Rows]:
    """A row turned by its position under this book's conventions, and under others.

    Parameters
    ----------
    x : array_like
        Shape (d,), d even.
    position : float
        In tokens.
    rotary_dim : int
        Width of the slice, where one is turned: even, less than d.

    Returns
    -------
    Mapping
        From the name of a convention to the row, of shape (d,).

    Examples
    --------
    >>> turned([1, 0, 0, 0], 1, rotary_dim=2)["halves"].round(4)
    array([0.5403, 0.    , 0.8415, 0.    ])
    """
    row, d = real_array(x, "x"), len(real_array(x, "x"))
    of_the_head = frequencies(d)[: rotary_dim // 2]
    kept = proportional_frequencies(d, rotary_dim)
    return {
        "this book, the paper": rotate(row, position),
        "halves": rotate(row, position, layout="halves"),
        "clockwise": rotate(row, -position),
        "first columns": rotate(row, position, rotary_dim=rotary_dim),
        "first columns, halves": rotate(row, position, rotary_dim=rotary_dim, layout="halves"),
        "last columns": rotate(row, position, rotary_dim=rotary_dim, side="last"),
        "first columns, exponent of the head": rotate(
            row, position, rotary_dim=rotary_dim, frequencies=of_the_head
        ),
        "p-RoPE, halves": rotate(row, position, layout="halves", frequencies=kept),
    }


def partner(turned_unit: ArrayLike) -> int:
    """The column that belongs to column 0, from a row that had a single 1 in it and was turned.

    >>> partner([0.5403, 0, 0.8415, 0])
    2
    """
    row = np.abs(real_array(turned_unit, "turned_unit"))
    return int(row[1:].argmax()) + 1


def scores_mirrored(x: ArrayLike, y: ArrayLike, m: float, n: float) -> Verdict:
    """Turned the other way, a query and a key have the score that they have at exchanged positions.

    >>> bool(scores_mirrored([1, 2], [3, 4], 5, 2))
    True
    """
    q, k = real_array(x, "x"), real_array(y, "y")
    other_way = float(rotate(q, -m) @ rotate(k, -n))
    exchanged = float(rotate(q, n) @ rotate(k, m))
    here = float(rotate(q, m) @ rotate(k, n))
    return Verdict(
        bool(np.isclose(other_way, exchanged) and not np.isclose(other_way, here)),
        {"other way": other_way, "exchanged": exchanged, "this way": here},
    )
