"""KERPLE: two learned numbers a head say how fast scores fall with the logarithm of the distance."""

import numpy as np
from numpy.typing import ArrayLike

from pe_book.family.offsets import offsets
from pe_book.inputs.checking import finite_result, per_head, room_for
from pe_book.inputs.shapes import Scores


def kerple_bias(r1: ArrayLike, r2: ArrayLike, queries: ArrayLike, keys: ArrayLike) -> Scores:
    r"""What the logarithmic variant of KERPLE adds to each score.

    .. math:: b^{(h)}_{ij} = -r_1 \log\bigl(1 + r_2\,\lvert p^Q_i - p^K_j \rvert\bigr)

    Parameters
    ----------
    r1, r2
        Shape (h,), above 0, learned: :math:`r_1` in points of score, :math:`r_2` in 1/tokens.
    queries, keys
        Positions in tokens, shape (..., n_q) and (..., n_k).

    Returns
    -------
    NDArray[np.float64]
        Shape (..., h, n_q, n_k), to be added to the scores after they are divided by √d.

    Raises
    ------
    ValueError
        If the two have another number of heads, a number is not above 0, or the bias does not fit in memory
        or float64.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.kerple_bias([1.0], [1.0], [3], range(3)).round(3)
    array([[[-1.386, -1.099, -0.693]]])

    References
    ----------
    :cite:t:`chi2022`, the logarithmic variant.
    """
    height, rate = per_head(r1, "r1", above_zero=True), per_head(r2, "r2", above_zero=True)
    if len(height) != len(rate):
        raise ValueError(f"r1 and r2 must have one number for each head, got {len(height)} and {len(rate)}")
    distance = np.abs(offsets(queries, keys))[..., None, :, :]  # (..., 1, n_q, n_k)
    room_for(3 * 8 * distance.size * len(rate), "r1, r2, queries and keys", (len(rate), *distance.shape))
    with np.errstate(over="ignore"):
        bias = -height[:, None, None] * np.log1p(rate[:, None, None] * distance)  # (..., h, n_q, n_k)
    return finite_result(bias, "r1 or r2", "their bias", given=height)
