r"""The table as a set of points: how alike two rows are, how many directions they fill, what lies between.

Everything follows from one function of the offset, the kernel :math:`\sum_i \cos k\omega_i`. Distances are in
:mod:`pe_book.sinusoidal.waves`, because their square is :math:`d - 2 \sum_i \cos k\omega_i`.

Reference: the table is that of :cite:t:`vaswani2017`, section 3.5; the effective rank that of
:cite:t:`roy2007`.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    finite_positions,
    known_ladder,
    known_layout,
    physical_memory,
    real_array,
    real_number,
    room_for,
    table_of,
    whole_number,
)
from pe_book.pairs import split
from pe_book.scaling import scaled, unscaled
from pe_book.sinusoidal.angles import sines_and_cosines
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.phases import WORKING_BITS, precisely
from pe_book.sinusoidal.pieces import bounded_width, pieces, refuse_endless
from pe_book.sinusoidal.products import sines_and_cosines_of_products
from pe_book.sinusoidal.waves import closest_offset

_LARGEST_ANGLE = 1e300


class Common(NamedTuple):
    """The mean row of a table, shape (d,), and the share of the table's energy that it carries, in [0, 1]."""

    row: NDArray[np.float64]
    share: float


class EffectiveRanks(NamedTuple):
    """Five answers to "how many directions do these rows fill?", each between 1 and the rank of the table."""

    energy: int
    threshold: int
    stable: float
    participation: float
    entropy: float


class Blend(NamedTuple):
    """What a straight blend makes of each pair: its length (1 is right) and its error of angle in radians."""

    length: NDArray[np.float64]
    turn: NDArray[np.float64]


def kernel(offsets: ArrayLike, frequencies: ArrayLike) -> NDArray[np.float64]:
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
    for some in pieces(k.size, len(rates)):
        total[some] = sines_and_cosines_of_products(k.ravel()[some], rates)[1].sum(axis=-1)
    return total.reshape(k.shape)


def similarity(
    offsets: ArrayLike, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> NDArray[np.float64]:
    r"""The dot product of the encodings of any two positions that lie `offsets` tokens apart.

    .. math:: PE(p) \cdot PE(p + k) = \sum_i \cos k\omega_i

    with the frequencies of the ladder, :func:`~pe_book.sinusoidal.formula.frequencies`. The position p has
    cancelled, and k and -k give the same. At offset 0 it is d_model/2, the squared length of every row;
    divide by that for the cosine of the angle between the rows.

    Parameters
    ----------
    offsets
        k, in tokens: any shape; real and negative offsets are allowed, to ±2**53.
    d_model
        Width of the encoding: even, at least 2.
    base
        Greater than 1; the paper uses 10000.
    ladder
        ``"paper"`` or ``"tensor2tensor"``.

    Returns
    -------
    NDArray[np.float64]
        The shape of `offsets`, without unit, every entry between -d_model/2 and d_model/2, and within
        ``1e-15`` d_model/2 of the exact value, however large the offset is.

    Examples
    --------
    >>> similarity([0, 1, 3, 6], 4, base=100).round(3)
    array([ 2.   ,  1.535, -0.035,  1.786])

    See Also
    --------
    kernel : the same for any list of frequencies.
    pe_book.sinusoidal.waves.offset_distance : the distance, the root of d_model - 2 times this.
    """
    k = np.abs(finite_positions(offsets, "offsets"))
    width, base, ladder = bounded_width(d_model), base_above_one(base), known_ladder(ladder)
    total = np.empty(k.size)
    for some in pieces(k.size, width // 2):
        total[some] = sines_and_cosines(k.ravel()[some], width, base, ladder)[1].sum(axis=-1)
    return total.reshape(k.shape)


def wide_limit(offsets: ArrayLike, *, base: float = 10000.0) -> NDArray[np.float64]:
    r"""What the cosine of the angle between two rows tends to as the width grows without end.

    .. math:: \ell(k) = \frac{1}{\ln B}\int_{k/B}^{k} \frac{\cos x}{x}\,dx
        = \frac{\mathrm{Ci}(k) - \mathrm{Ci}(k/B)}{\ln B}

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


def margin(n: int, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper") -> float:
    """The smallest distance between any two of the rows 0, …, n-1, found by trying the n - 1 offsets.

    Parameters
    ----------
    n
        Number of rows, at least 2.
    d_model
        Width of the encoding: even, at least 2.
    base
        Greater than 1; the paper uses 10000.
    ladder
        ``"paper"`` or ``"tensor2tensor"``.

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
    pe_book.sinusoidal.waves.closest_offset : the offset at which it is reached.
    """
    n, width = whole_number(n, "n", least=2), bounded_width(d_model)
    refuse_endless(n - 1, width // 2, "n", n, width)
    return closest_offset(n - 1, width, base=base, ladder=ladder)[1]


def relative_part(matrix: ArrayLike, *, layout: Layout = "interleaved") -> NDArray[np.float64]:
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


def common_component(x: ArrayLike) -> Common:
    r"""The mean of the rows, and how much of the energy of the table is in it.

    .. math:: \bar x = \frac1n \sum_p x_p, \qquad
        \frac{n \lVert \bar x \rVert^2}{\sum_p \lVert x_p \rVert^2}

    What is common to all rows tells none of them apart: a linear layer turns it into one more constant.

    Parameters
    ----------
    x
        Shape (n, d): a table, one row a position.

    Returns
    -------
    Common
        The mean row and its share of the energy, the sum of all squared entries.

    Raises
    ------
    ValueError
        If `x` is zero everywhere.

    Examples
    --------
    >>> common_component([[2.0, 2.0], [2.0, -2.0]])
    Common(row=array([2., 0.]), share=0.5)
    """
    rows = _table(x)
    rows, exponent = scaled(rows)  # a share has no scale, and squares and sums stay in range
    mean = rows.mean(axis=0)
    share = float(len(rows) * (mean @ mean) / np.square(rows).sum())
    return Common(unscaled(mean, exponent, "x", "its mean row"), share)


def effective_ranks(x: ArrayLike, *, energy: float = 0.99, threshold: float = 1e-3) -> EffectiveRanks:
    r"""How many directions the rows of a table fill, by five definitions, from its singular values.

    With :math:`\sigma_1 \ge \sigma_2 \ge \dots` the singular values, :math:`E = \sum_j \sigma_j^2` the energy
    and the shares :math:`f_j = \sigma_j / \sum_l \sigma_l`:

    - energy: the fewest directions that hold the share `energy` of E;
    - threshold: the number of :math:`\sigma_j` above `threshold` times :math:`\sigma_1`;
    - stable: :math:`E / \sigma_1^2`;
    - participation: :math:`E^2 / \sum_j \sigma_j^4`;
    - entropy: :math:`\exp(-\sum_j f_j \ln f_j)`, the effective rank of :cite:t:`roy2007`.

    Parameters
    ----------
    x
        Shape (n, d): a table, one row a position. Subtract its mean row first to leave out what is common.
    energy
        Share of the energy: above 0, below 1.
    threshold
        Relative to the largest singular value: above 0, below 1. Below 1e-12 rounding is counted as well.

    Returns
    -------
    EffectiveRanks
        energy and threshold as int, stable, participation and entropy as float.

    Raises
    ------
    ValueError
        If `x` is zero everywhere.

    Examples
    --------
    >>> ranks = effective_ranks(encode(range(50), 128))
    >>> ranks.energy, ranks.threshold, f"{ranks.stable:.2f} {ranks.participation:.2f} {ranks.entropy:.2f}"
    (16, 20, '1.50 2.18 13.27')

    References
    ----------
    :cite:t:`roy2007`.
    """
    wanted, least = _share(energy, "energy"), _share(threshold, "threshold")
    rows = _table(x)
    sigma = np.linalg.svd(rows / np.abs(rows).max(), compute_uv=False)
    sigma = sigma / sigma[0]  # every definition is a ratio
    square = np.square(sigma)
    held = np.cumsum(square) / square.sum()
    shares = sigma[sigma > 0] / sigma.sum()
    return EffectiveRanks(
        energy=min(int(np.count_nonzero(held < wanted)) + 1, len(sigma)),
        threshold=int(np.count_nonzero(sigma > least)),
        stable=float(square.sum()),
        participation=float(square.sum() ** 2 / np.square(square).sum()),
        entropy=float(np.exp(-(shares * np.log(shares)).sum())),
    )


def blend(
    first: ArrayLike,
    second: ArrayLike,
    fraction: float,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
) -> NDArray[np.float64]:
    r"""The straight blend of the encodings of two positions. It is not the encoding of a position between.

    .. math:: (1 - \alpha)\, PE(p) + \alpha\, PE(q)

    For that, give :math:`(1 - \alpha) p + \alpha q` to :func:`~pe_book.sinusoidal.formula.encode`.

    Parameters
    ----------
    first, second
        p and q, positions in tokens: any shapes that broadcast; real and negative positions are allowed.
    fraction
        α, in [0, 1]: 0 gives the encoding of `first`, 1 that of `second`.
    d_model
        Width of the encoding: even, at least 2.
    base, layout, ladder
        As for :func:`~pe_book.sinusoidal.formula.encode`.

    Returns
    -------
    NDArray[np.float64]
        The broadcast shape of the positions, followed by d_model; without unit, shorter than an encoding.

    Examples
    --------
    >>> blend(1, 2, 0.5, 2).round(4), encode(1.5, 2).round(4)
    (array([0.8754, 0.0621]), array([0.9975, 0.0707]))

    See Also
    --------
    blend_pairs : what goes wrong, pair by pair.
    """
    alpha, width = _fraction(fraction), bounded_width(d_model)
    ends = finite_positions(first, "first"), finite_positions(second, "second")
    try:
        shape = np.broadcast_shapes(ends[0].shape, ends[1].shape)
    except ValueError:
        shapes = f"{ends[0].shape} and {ends[1].shape}"
        raise ValueError(f"first and second must have shapes that broadcast, got {shapes}") from None
    needed = 4 * 8 * math.prod(shape) * width  # the result, and what is added up in it
    room_for(needed, "the result of first and second", (*shape, width), most=physical_memory())
    p, q = (encode(x, width, base=base, layout=layout, ladder=ladder) for x in ends)
    return np.asarray((1 - alpha) * p + alpha * q, dtype=np.float64)


def blend_pairs(
    offset: float, fraction: float, d_model: int, *, base: float = 10000.0, ladder: Ladder = "paper"
) -> Blend:
    r"""What the straight blend of two positions `offset` tokens apart makes of each pair.

    A point of the chord of angle :math:`\theta_i = k\omega_i` instead of a point of the arc:

    .. math::

        u_i = \cos\tfrac{\theta_i}{2}, \quad
        v_i = (2\alpha - 1) \sin\tfrac{\theta_i}{2}, \qquad
        \text{length}_i = \sqrt{u_i^2 + v_i^2}, \quad
        \text{turn}_i = \operatorname{atan2}(v_i, u_i) - \left(\alpha - \tfrac12\right) \theta_i

    with :math:`u_i` along and :math:`v_i` across the hand of the position in the middle.

    Parameters
    ----------
    offset
        k, second position minus first, in tokens: one real number, of any sign, to ±2**53. Far out a turn is
        as exact as the float64 :math:`(\alpha - 1/2) k`.
    fraction
        α, in [0, 1].
    d_model
        Width of the encoding: even, at least 2.
    base, ladder
        As for :func:`~pe_book.sinusoidal.formula.encode`.

    Returns
    -------
    Blend
        Two arrays of shape (d_model/2,). The length is in [0, 1]; the turn is the angle of the blended pair
        minus that of the encoding at the fractional position, in (-π, π] radians. A pair of length 0 points
        nowhere: its turn means nothing.

    Examples
    --------
    >>> blend_pairs(1, 0.5, 4).length.round(4)
    array([0.8776, 1.    ])

    See Also
    --------
    blend : the rows themselves.
    """
    alpha = _fraction(fraction)
    k = finite_positions(real_number(offset, "offset"), "offset")
    ladder_of = bounded_width(d_model), base_above_one(base), known_ladder(ladder)
    across, along = sines_and_cosines(k / 2, *ladder_of)
    across = (2 * alpha - 1) * across
    sin, cos = sines_and_cosines((alpha - 0.5) * k, *ladder_of)  # where the encoding between stands
    turn = np.arctan2(across * cos - along * sin + 0.0, along * cos + across * sin)
    return Blend(np.hypot(along, across), turn)


def _table(x: ArrayLike) -> NDArray[np.float64]:
    rows = table_of(x, "x")
    if not rows.any():
        share = "a share of no energy has no meaning"
        raise ValueError(f"x must not be zero everywhere, got {len(rows)} rows of zeros: {share}")
    return rows


def _share(value: float, name: str) -> float:
    number = real_number(value, name)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be above 0 and below 1, got {number:g}")
    return number


def _fraction(value: float) -> float:
    alpha = real_number(value, "fraction")
    if not 0 <= alpha <= 1:
        where = "0 is the first position and 1 the second"
        raise ValueError(f"fraction must lie between 0 and 1 ({where}), got {alpha:g}")
    return alpha
