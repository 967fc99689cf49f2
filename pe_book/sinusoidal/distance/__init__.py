r"""How alike two rows are, and which part of a score sees no more than that.

Everything follows from one function of the offset, the kernel :math:`\sum_i \cos k\omega_i`. Distances, the
roots of :math:`d - 2 \sum_i \cos k\omega_i`, are in :mod:`pe_book.sinusoidal.distance.offsets`.

Reference: the table is that of :cite:t:`vaswani2017`, section 3.5.
"""

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    finite_positions,
    known_ladder,
    known_layout,
    real_array,
)
from pe_book.inputs.pairs import split
from pe_book.inputs.shapes import Matrix, PerPosition
from pe_book.numerics.angles import sines_and_cosines
from pe_book.numerics.chunks import bounded_width, chunks
from pe_book.numerics.exact import WORKING_BITS, precisely
from pe_book.numerics.products import sines_and_cosines_of_products

_LARGEST_ANGLE = 1e300


def kernel(offsets: ArrayLike, frequencies: ArrayLike) -> PerPosition:
    r"""The dot product of two rows that lie `offsets` tokens apart, for any list of frequencies.

    .. math:: s(k) = \sum_i \cos k\omega_i

    Parameters
    ----------
    offsets
        k, in tokens: any shape; real and negative offsets are allowed, to ±2**53.
    frequencies
        :math:`\omega_i` in radians per token: shape (m,), one entry for each (sin, cos) pair, m at least 1.

    Returns
    -------
    NDArray[np.float64]
        The shape of `offsets`, without unit, every entry between -m and m, and within ``1e-15`` m of the
        exact sum for these offsets and frequencies, however large they are.

    Raises
    ------
    ValueError
        If an offset times a frequency is above ``1e300``.

    Examples
    --------
    The hand of a clock with twelve positions:

    >>> kernel([0, 2, 3, 6], [2 * np.pi / 12]).round(9) + 0.0
    array([ 1. ,  0.5,  0. , -1. ])

    See Also
    --------
    similarity : the same for the frequencies of the paper.
    """
    rates = real_array(frequencies, "frequencies")
    if rates.ndim != 1 or rates.size == 0:
        raise ValueError(f"frequencies must be one list of at least one number, got shape {rates.shape}")
    k = np.abs(finite_positions(offsets, "offsets"))
    fastest, farthest = np.abs(rates).max(), k.max(initial=0.0)
    if max(fastest, fastest * farthest) > _LARGEST_ANGLE:
        what = f"offsets times frequencies must be at most {_LARGEST_ANGLE:g}"
        raise ValueError(f"{what}, or they overflow: got offset {farthest:g}, frequency {fastest:g}")
    total = np.empty(k.size)
    for some in chunks(k.size, len(rates)):
        total[some] = sines_and_cosines_of_products(k.ravel()[some], rates)[1].sum(axis=-1)
    return total.reshape(k.shape)  # (...)  the shape of offsets


def similarity(
    offsets: ArrayLike, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> PerPosition:
    r"""The dot product of the encodings of any two positions that lie `offsets` tokens apart.

    .. math:: PE(p) \cdot PE(p + k) = \sum_i \cos k\omega_i

    with the frequencies of the ladder, :func:`~pe_book.sinusoidal.formula.frequencies`. The position p has
    cancelled, and k and -k give the same. At offset 0 it is d_model/2, the squared length of every row;
    divide by that for the cosine of the angle between the rows.

    Parameters
    ----------
    offsets
        k, in tokens: any shape; real and negative offsets are allowed, to ±2**53.
    d_model, base, ladder
        As for :func:`~pe_book.sinusoidal.formula.frequencies`.

    Returns
    -------
    NDArray[np.float64]
        The shape of `offsets`, without unit, every entry between -d_model/2 and d_model/2, and within
        ``1e-15`` d_model/2 of the exact value, however large the offset is.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.similarity([0, 1, 3, 6], 4, base=100).round(3)
    array([ 2.   ,  1.535, -0.035,  1.786])

    See Also
    --------
    kernel : the same for any list of frequencies.
    pe_book.sinusoidal.distance.offsets.offset_distance : the distance, the root of d_model - 2 times this.
    """
    k = np.abs(finite_positions(offsets, "offsets"))
    width, base, ladder = bounded_width(d_model), base_above_one(base), known_ladder(ladder)
    total = np.empty(k.size)
    for some in chunks(k.size, width // 2):
        total[some] = sines_and_cosines(k.ravel()[some], width, base, ladder)[1].sum(axis=-1)
    return total.reshape(k.shape)  # (...)  the shape of offsets


def wide_limit(offsets: ArrayLike, *, base: float = 10000.0) -> PerPosition:
    r"""What the cosine of the angle between two rows tends to as the width grows without end.

    .. math:: \ell(k) = \frac{1}{\ln B}\int_{k/B}^{k} \frac{\cos x}{x}\,dx
        \allowbreak = \frac{\mathrm{Ci}(k) - \mathrm{Ci}(k/B)}{\ln B}

    with the base B and the cosine integral Ci (:cite:t:`dlmf`).

    Parameters
    ----------
    offsets
        k, in tokens: any shape; real offsets of any sign. k and -k give the same, and offset 0 gives 1.
    base
        Greater than 1; the paper uses 10000.

    Returns
    -------
    NDArray[np.float64]
        The shape of `offsets`, without unit. A width d misses it by at most 2 abs(k)/d.

    Examples
    --------
    >>> wide_limit([0, 10, 100]).round(4)
    array([1.    , 0.6824, 0.4368])
    >>> (similarity([0, 10, 100], 2**14) / 2**13).round(4)
    array([1.    , 0.6823, 0.4368])

    See Also
    --------
    similarity : the same for a width.
    """
    k = np.abs(finite_positions(offsets, "offsets"))
    limit = np.ones_like(k)
    with precisely(WORKING_BITS) as context:  # two numbers cancel that are equal in 53 bits for a base near 1
        octaves = context.log(base_above_one(base))
        for at in np.argwhere(k > 0):
            far = context.mpf(float(k[tuple(at)]))
            limit[tuple(at)] = float((context.ci(far) - context.ci(far / base)) / octaves)
    return limit


def first_rise(values: ArrayLike) -> int | None:
    """The first index k with ``values[k + 1] > values[k]``, or None if the values never rise.

    Parameters
    ----------
    values
        Shape (n,), n at least 2: a kernel at the offsets 0, 1, …, n-1.

    Returns
    -------
    int | None
        k, the offset in tokens from which the next step rises. Equal neighbours are no rise.

    Examples
    --------
    >>> first_rise(similarity(range(100), 512))
    43
    """
    listed = real_array(values, "values")
    if listed.ndim != 1 or listed.size < 2:
        raise ValueError(f"values must be one list of at least 2 numbers, got shape {listed.shape}")
    rises = np.flatnonzero(listed[1:] > listed[:-1])
    return int(rises[0]) if rises.size else None


def relative_part(matrix: ArrayLike, *, layout: Layout = "interleaved") -> Matrix:
    r"""The part of a score matrix that sees the offset alone: its mean over all shifts of both positions.

    A score :math:`PE(q)^\top M\, PE(j)` depends on j - q alone exactly if M equals this, two numbers a pair:

    .. math:: \operatorname{diag}(a_i I + b_i J), \qquad
        a_i = \frac{m_{ss} + m_{cc}}{2}, \quad b_i = \frac{m_{sc} - m_{cs}}{2}, \quad
        J = \begin{pmatrix} 0 & 1 \\ -1 & 0 \end{pmatrix}

    where s and c are the indices of the sine and the cosine of pair i. It is the orthogonal projection of M,
    in the Frobenius product, and holds for any frequencies in (0, π) that are all different.

    Parameters
    ----------
    matrix
        M, shape (d, d), d even: acts on the key as a column vector, the query stands on the left.
    layout
        ``"interleaved"`` or ``"halves"``: how the rows of the table are ordered.

    Returns
    -------
    NDArray[np.float64]
        Shape (d, d). Scores with it are :math:`\sum_i a_i \cos k\omega_i - b_i \sin k\omega_i`, k = j - q.

    Examples
    --------
    >>> relative_part([[3, 7], [1, 5]])
    array([[ 4.,  3.],
           [-3.,  4.]])
    """
    m = real_array(matrix, "matrix")
    if m.ndim != 2 or m.shape[0] != m.shape[1]:
        raise ValueError(f"matrix must be square, got shape {m.shape}")
    width = even_width(m.shape[0], "the width of matrix")
    s, c = split(np.arange(width), known_layout(layout))
    kept = np.zeros_like(m)
    kept[s, s] = kept[c, c] = m[s, s] / 2 + m[c, c] / 2
    kept[s, c] = m[s, c] / 2 - m[c, s] / 2
    kept[c, s] = -kept[s, c]
    return kept
