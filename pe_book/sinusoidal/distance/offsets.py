"""How far apart the rows of two positions lie, as a function of their offset alone."""

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import Ladder, base_above_one, finite_positions, known_ladder, whole_number
from pe_book.inputs.shapes import PerPosition
from pe_book.numerics.angles import sines_and_cosines
from pe_book.numerics.chunks import bounded_width, chunks, refuse_endless


def margin(n: int, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> float:
    """The smallest distance between any two of the rows 0, …, n-1, found by trying the n - 1 offsets.

    Parameters
    ----------
    n
        Number of rows, at least 2.
    d_model, base, ladder
        As for :func:`~pe_book.sinusoidal.waves.column_range`.

    Returns
    -------
    float
        Without unit, above 0: a distance depends on the offset alone, so no pair of rows is left out.

    Raises
    ------
    ValueError
        If the offsets take more than ``2**30`` sines.

    Examples
    --------
    >>> f"{margin(100, 2):.4f} {margin(100, 128):.4f}"
    '0.0177 1.9526'

    See Also
    --------
    pe_book.sinusoidal.distance.offsets.closest_offset : the offset at which it is reached.
    """
    n, width = whole_number(n, "n", least=2), bounded_width(d_model)
    refuse_endless(n - 1, width // 2, "n", n, width)
    return closest_offset(n - 1, width, base=base, ladder=ladder)[1]


def offset_distance(
    offsets: ArrayLike, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> PerPosition:
    r"""The Euclidean distance between the encodings of any two positions that lie `offsets` tokens apart.

    .. math::

        \lVert PE(p+k) - PE(p) \rVert^2 \allowbreak = 2 \sum_i (1 - \cos k\omega_i)
        \allowbreak = 4 \sum_i \sin^2(k\omega_i/2)

    The position p has cancelled. The right-hand form is the one computed: 1 - cos loses half the digits of a
    small angle.

    Parameters
    ----------
    offsets
        In tokens: any shape; real and negative offsets are allowed, to ±2**53.
    d_model, base, ladder
        As for :func:`~pe_book.sinusoidal.waves.column_range`.

    Returns
    -------
    NDArray[np.float64]
        The shape of `offsets`, without unit, every entry between 0 and :math:`\sqrt{2 d_\text{model}}`, and
        within ``1e-15`` times that of the exact distance, however large the offset is.

    Examples
    --------
    >>> offset_distance([0, 1, 6], 8).round(4)
    array([0.    , 0.9641, 0.6577])

    See Also
    --------
    closest_offset : the offset at which this is smallest.
    """
    k = np.abs(finite_positions(offsets, "offsets"))
    width, base, ladder = bounded_width(d_model), base_above_one(base), known_ladder(ladder)
    halves, squares = k.ravel() / 2, np.empty(k.size)
    for some in chunks(k.size, width // 2):
        sines, _ = sines_and_cosines(halves[some], width, base, ladder)
        squares[some] = np.square(sines).sum(axis=-1)  # (n,)  summed over the pairs
    return (2 * np.sqrt(squares)).reshape(k.shape)  # (...)  the shape of offsets


def closest_offset(
    n: int, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> tuple[int, float]:
    r"""The offset among 1, …, n whose two positions lie closest together, and their distance.

    Parameters
    ----------
    n
        Largest offset looked at, in tokens, at least 1: positions 0, …, n have no other offsets.
    d_model, base, ladder
        As for :func:`~pe_book.sinusoidal.waves.column_range`.

    Returns
    -------
    tuple[int, float]
        The offset in tokens (the smallest one, if several are equally close) and the distance, without unit.
        Every offset is tried; nothing is estimated.

    Raises
    ------
    ValueError
        If the offsets take more than ``2**30`` sines.

    Examples
    --------
    >>> offset, distance = closest_offset(1000, 2)
    >>> offset, f"{distance:.8f}"
    (710, '0.00006029')

    See Also
    --------
    offset_distance : the distance at given offsets.
    """
    n, width = whole_number(n, "n", least=1), bounded_width(d_model)
    refuse_endless(n, width // 2, "n", n, width)
    best, distance = 0, np.inf
    for some in chunks(n, width // 2):
        offsets = np.arange(some.start + 1, some.stop + 1)
        distances = offset_distance(offsets, d_model, base=base, ladder=ladder)
        nearest = int(distances.argmin())
        if distances[nearest] < distance:
            best, distance = int(offsets[nearest]), float(distances[nearest])
    return best, distance
