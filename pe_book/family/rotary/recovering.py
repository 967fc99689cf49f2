"""The frequencies and the factor of a program, from the rows of ones that it has turned."""

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import Layout, real_array
from pe_book.inputs.pairs import split
from pe_book.inputs.shapes import PerPair


def recovered(rows: ArrayLike, positions: ArrayLike, *, layout: Layout) -> tuple[PerPair, PerPair]:
    """The frequencies and the factors of a program, from what it makes of a row of ones.

    The angle of a pair at position 1 is its frequency, to as many digits as the row has. Farther positions
    give more of them: each says by how many whole turns it can be off, and the estimate before says by which.

    Parameters
    ----------
    rows : array_like
        Shape (n, d): rows of ones, turned. Of a head that turns in part, the columns of the slice.
    positions : array_like
        Shape (n,): 0, 1, and then as many more as are wanted, each at most a thousand times the one before.
    layout : str
        How the program pairs columns: ``"interleaved"`` or ``"halves"``.

    Returns
    -------
    frequencies : NDArray[np.float64]
        Shape (d/2,), radians per token; below 0 where the program turns clockwise.
    factors : NDArray[np.float64]
        Shape (d/2,): the length of each pair at position 1 over that of a pair of ones. 1 in a rotation.

    Examples
    --------
    >>> from pe_book.family.rotary import rotate
    >>> where = [0, 1, 100]
    >>> omega, factors = recovered(2 * rotate(np.ones((3, 4)), where), where, layout="interleaved")
    >>> omega.round(6), factors.round(6)
    (array([1.  , 0.01]), array([2., 2.]))
    """
    where, found = real_array(positions, "positions"), real_array(rows, "rows")
    if where.ndim != 1 or list(where[:2]) != [0, 1] or (np.diff(where) <= 0).any():
        raise ValueError(f"positions must begin with 0 and 1 and rise, got {positions!r}")
    if found.ndim != 2 or len(found) != len(where) or found.shape[1] % 2:
        raise ValueError(f"rows must have shape ({len(where)}, d), d even, got {found.shape}")
    a, b = split(found, layout)
    pairs = a + 1j * b
    omega: PerPair = np.angle(pairs[1] / pairs[0])
    for position, turned_pairs in zip(where[2:], pairs[2:], strict=True):
        left_over = np.angle(turned_pairs / pairs[0] * np.exp(-1j * omega * position))
        omega = omega + left_over / position
    factors: PerPair = np.abs(pairs[1]) / np.sqrt(2)
    return omega, factors
