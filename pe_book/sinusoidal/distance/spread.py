"""How many directions the rows of a table fill, and what is common to all of them.

Reference: :cite:t:`roy2007` for the effective rank.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import real_number, table_of
from pe_book.numerics.scaling import scaled, unscaled


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
    >>> from pe_book.sinusoidal.formula import encode
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
