"""One row under every convention, and what of a table's conventions its printout gives away."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import LADDERS, LAYOUTS, Ladder, Layout, known_ladder, known_layout, real_array
from pe_book.sinusoidal.formula import encode

STARTS = (0, 1, 2)  # fairseq keeps the first two numbers for padding


class Reading(NamedTuple):
    """One set of conventions that reproduces a printout."""

    start: int  # the position of its first row
    cosine_first: bool
    layout: Layout
    ladder: Ladder


def swapped(rows: NDArray[np.float64], layout: Layout) -> NDArray[np.float64]:
    """A table with the two members of every pair in each other's place.

    >>> swapped(encode([0], 4), "interleaved")
    array([[1., 0., 1., 0.]])
    """
    width = rows.shape[-1]
    order = np.arange(width) ^ 1 if layout == "interleaved" else (np.arange(width) + width // 2) % width
    return rows[..., order]


def table_of(n: int, d_model: int, reading: Reading, *, base: float = 10000.0) -> NDArray[np.float64]:
    """The first n rows of a table made by one set of conventions.

    >>> table_of(1, 4, Reading(0, False, "halves", "paper"))
    array([[0., 0., 1., 1.]])
    """
    positions = np.arange(n, dtype=np.int64) + reading.start
    rows = encode(positions, d_model, base=base, layout=reading.layout, ladder=reading.ladder)
    return swapped(rows, reading.layout) if reading.cosine_first else rows


def every_reading() -> list[Reading]:
    """All the sets of conventions that :func:`readings` tries.

    >>> len(every_reading())
    24
    """
    layouts, ladders = map(known_layout, LAYOUTS), map(known_ladder, LADDERS)
    return [Reading(*choice) for choice in product(STARTS, (False, True), layouts, ladders)]


def readings(printout: ArrayLike, *, digits: int = 4, base: float = 10000.0) -> list[Reading]:
    r"""Every set of conventions that gives this printout, to the digits that were printed.

    The base has to be known: the tensor2tensor ladder of one base is the paper's ladder of another,
    :math:`\text{base}^{d_\text{model}/(d_\text{model}-2)}`, in every entry.

    Parameters
    ----------
    printout
        The first rows of a table, shape (n, d_model).
    digits
        Decimals of the printout.
    base
        Greater than 1; the paper uses 10000.

    Returns
    -------
    list of Reading
        Empty if none of them does; several if the rows cannot tell them apart.

    Raises
    ------
    ValueError, TypeError
        If `printout` is not a matrix of finite real numbers of even width, or `base` is not a finite number
        above 1.

    Examples
    --------
    >>> readings(encode(range(3), 6, layout="halves").round(4))
    [Reading(start=0, cosine_first=False, layout='halves', ladder='paper')]
    """
    rows = real_array(printout, "printout")
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"printout must be a matrix with at least one row, got shape {rows.shape}")
    close = 0.51 * 10.0**-digits  # half a unit of the last digit, and room for how halves were rounded
    return [
        reading
        for reading in every_reading()
        if np.abs(table_of(len(rows), rows.shape[1], reading, base=base) - rows).max() < close
    ]


def variants(position: int, d_model: int, *, base: float = 10000.0) -> Mapping[str, NDArray[np.float64]]:
    """The row of one position under this book's conventions, and under others."""
    paper = encode(position, d_model, base=base)
    return {
        "this book, the paper": paper,
        "halves": encode(position, d_model, base=base, layout="halves"),
        "tensor2tensor ladder": encode(position, d_model, base=base, ladder="tensor2tensor"),
        "both, as in tensor2tensor": encode(
            position, d_model, base=base, layout="halves", ladder="tensor2tensor"
        ),
        "cosine first": swapped(paper, "interleaved"),
        "halves, cosines first": swapped(encode(position, d_model, base=base, layout="halves"), "halves"),
        "positions from 1": encode(position + 1, d_model, base=base),
        "slip: exponent $i/d$": encode(position, d_model, base=base**0.5),
        "slip: exponent $4i/d$": encode(position, d_model, base=base**2),
    }
