"""Layer normalisation and its relatives: what is left in a row of a number that was added to it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import real_array, real_number, whole_number
from pe_book.inputs.wording import shown
from pe_book.numerics.scaling import scaled_rows


def layer_norm(x: ArrayLike) -> NDArray[np.float64]:
    r"""Each row with its mean removed and divided by its standard deviation, :math:`(x - \mu) / \sigma`.

    No learned scale or shift, no small constant under the root; σ is the root of the mean squared deviation.

    Parameters
    ----------
    x
        Shape (…, d).

    Returns
    -------
    NDArray[np.float64]
        The shape of `x`.

    Raises
    ------
    ValueError
        If a row has equal numbers.

    Examples
    --------
    >>> layer_norm([1, 2, 3, 4, 5]).round(3)
    array([-1.414, -0.707,  0.   ,  0.707,  1.414])

    References
    ----------
    :cite:t:`ba2016`, equation 3.
    """
    rows = _rows(x)
    if np.any(rows.max(axis=-1) == rows.min(axis=-1)):
        raise ValueError(
            f"x must not have a row of equal numbers: its standard deviation is 0, {_where(x, rows)}"
        )
    near = scaled_rows(rows)[0]
    centred = near - near.mean(axis=-1, keepdims=True)
    centred -= centred.mean(axis=-1, keepdims=True)  # what rounding left of it
    centred = scaled_rows(centred)[0]
    normed: NDArray[np.float64] = centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True))
    return normed


def rms_norm(x: ArrayLike) -> NDArray[np.float64]:
    r"""Each row divided by the root of its mean square; unlike :func:`layer_norm` it keeps the mean.

    No learned scale, no small constant under the root.

    Parameters
    ----------
    x
        Shape (…, d).

    Returns
    -------
    NDArray[np.float64]
        The shape of `x`.

    Raises
    ------
    ValueError
        If a row is zero.

    Examples
    --------
    >>> rms_norm([1, 7]).round(3)
    array([0.2, 1.4])

    References
    ----------
    :cite:t:`zhang2019`.
    """
    rows = _rows(x)
    if not np.any(rows, axis=-1).all():
        raise ValueError(f"x must not have a row of zeros: its mean square is 0, {_where(x, rows)}")
    near = scaled_rows(rows)[0]
    normed: NDArray[np.float64] = near / np.sqrt(np.mean(near**2, axis=-1, keepdims=True))
    return normed


def share_of_squares(number: float, d_model: int) -> float:
    r"""What one number has of the expected sum of squares, beside `d_model` numbers of variance 1.

    .. math:: \frac{c^2}{c^2 + d}

    Parameters
    ----------
    number
        The number c.
    d_model
        How many others, at least 1.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> share_of_squares(2, 12)
    0.25
    """
    c, d = real_number(number, "number"), whole_number(d_model, "d_model", least=1, most=2**53)
    if abs(c) > 1e150:  # its square leaves float64, and beside it d does not show
        return 1.0
    return c * c / (c * c + d)


def _rows(x: ArrayLike) -> NDArray[np.float64]:
    rows = real_array(x, "x")
    if rows.ndim == 0:
        raise ValueError("x must have at least one axis, got a single number")
    if rows.shape[-1] == 0:
        raise ValueError(f"x must have at least one number in a row, got shape {rows.shape}")
    return rows


def _where(x: ArrayLike, rows: NDArray[np.float64]) -> str:
    return f"got {shown(x)}" if rows.ndim == 1 else f"got one in shape {rows.shape}"
