"""What a count can do and what it costs: its shift, its score, its weight in a layer norm, its training."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.checking import (
    finite_positions,
    real_array,
    real_number,
    room_for,
    whole_number,
)
from pe_book.scaling import scaled, scaled_rows, unscaled
from pe_book.wording import shown


def shear(k: float) -> NDArray[np.float64]:
    r"""The matrix that moves a count, kept beside a constant 1, by `k` places.

    .. math:: \begin{pmatrix} 1 & k \\ 0 & 1 \end{pmatrix} \begin{pmatrix} p \\ 1 \end{pmatrix} =
              \begin{pmatrix} p + k \\ 1 \end{pmatrix}

    Parameters
    ----------
    k
        Offset in tokens, any sign.

    Returns
    -------
    NDArray[np.float64]
        Shape (2, 2); acts on the column vector (count, 1).

    Examples
    --------
    >>> shear(3) @ [2, 1]
    array([5., 1.])
    """
    return np.array([[1.0, real_number(k, "k")], [0.0, 1.0]])


def counting_query(positions: ArrayLike) -> NDArray[np.float64]:
    """The query (1, −q) that makes a score out of counts; its dot product with a key is key minus query.

    Parameters
    ----------
    positions
        Positions q of the queries, in tokens, any shape, real.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions`, and one more axis of 2.

    Examples
    --------
    >>> counting_query(7) @ counting_key(10)
    np.float64(3.0)
    """
    q = finite_positions(positions)
    return np.stack([np.ones_like(q), -q], axis=-1)


def counting_key(positions: ArrayLike) -> NDArray[np.float64]:
    """The key (j, 1) that goes with :func:`counting_query`.

    Parameters
    ----------
    positions
        Positions j of the keys, in tokens, any shape, real.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions`, and one more axis of 2.

    Examples
    --------
    >>> counting_key([10, 11])
    array([[10.,  1.],
           [11.,  1.]])
    """
    j = finite_positions(positions)
    return np.stack([j, np.ones_like(j)], axis=-1)


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
    rows = real_array(x, "x")
    if rows.ndim == 0:
        raise ValueError("x must have at least one axis, got a single number")
    _filled(rows)
    if np.any(rows.max(axis=-1) == rows.min(axis=-1)):
        raise ValueError(
            f"x must not have a row of equal numbers: its standard deviation is 0, {_in(x, rows)}"
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
    rows = real_array(x, "x")
    if rows.ndim == 0:
        raise ValueError("x must have at least one axis, got a single number")
    _filled(rows)
    if not np.any(rows, axis=-1).all():
        raise ValueError(f"x must not have a row of zeros: its mean square is 0, {_in(x, rows)}")
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


def with_constant(code: ArrayLike) -> NDArray[np.float64]:
    """A code as the features of a linear model: its columns, and a column of ones for the intercept.

    Parameters
    ----------
    code
        Shape (n,) or (n, d).

    Returns
    -------
    NDArray[np.float64]
        Shape (n, 2) or (n, d + 1).

    Examples
    --------
    >>> with_constant([3, 4])
    array([[3., 1.],
           [4., 1.]])
    """
    columns = real_array(code, "code")
    if columns.ndim not in (1, 2) or len(columns) == 0:
        raise ValueError(f"code must have shape (n,) or (n, d) with n at least 1, got shape {columns.shape}")
    return np.column_stack([columns, np.ones(len(columns))])


def curvature(features: ArrayLike) -> NDArray[np.float64]:
    r"""The principal curvatures of half the mean squared error of a linear model, smallest first.

    They are the eigenvalues of the Hessian :math:`X^\top X / n` of the loss
    :math:`\tfrac{1}{2n} \lVert Xw - y \rVert^2`.

    Parameters
    ----------
    features
        The matrix X, shape (n, d), one row for each example.

    Returns
    -------
    NDArray[np.float64]
        Shape (d,), ascending, none negative.

    Raises
    ------
    ValueError
        If the squares of the numbers leave float64.

    Examples
    --------
    >>> curvature([[1, 0], [0, 2]])
    array([0.5, 2. ])
    """
    values, exponent = _curvature(features)
    return unscaled(values, 2 * exponent, "features", "the largest curvature")


def condition_number(features: ArrayLike) -> float:
    """The largest curvature divided by the smallest; the steps that gradient descent needs grow with it.

    With the best fixed step, 2 divided by the sum of the two, the weights' error along the flattest direction
    shrinks by the factor (κ − 1)/(κ + 1) each time.

    Parameters
    ----------
    features
        Shape (n, d), of rank d.

    Returns
    -------
    float
        κ, at least 1.

    Raises
    ------
    ValueError
        If the columns of `features` are linearly dependent.

    Examples
    --------
    >>> round(condition_number(with_constant([1, 2, 3, 4])), 2)
    55.78

    References
    ----------
    :cite:t:`lecun1998`.
    """
    values, _ = _curvature(features)  # a ratio has no scale
    if values[0] <= values[-1] * (len(values) * np.finfo(float).eps) ** 2:
        columns = f"got {len(values)} that are not; some direction has no curvature"
        raise ValueError(f"features must have linearly independent columns, {columns}")
    return float(values[-1] / values[0])


def largest_step(features: ArrayLike) -> float:
    """The learning rate at which gradient descent stops converging: 2 divided by the largest curvature.

    Parameters
    ----------
    features
        Shape (n, d), not all zero.

    Returns
    -------
    float
        In weight per unit of gradient.

    Examples
    --------
    >>> round(largest_step(with_constant([1, 2, 3, 4])), 4)
    0.2395

    References
    ----------
    :cite:t:`lecun1998`.
    """
    values, exponent = _curvature(features)
    if values[-1] == 0:
        raise ValueError("features must not all be 0: every step would be stable")
    with np.errstate(over="ignore", under="ignore"):
        step = float(np.ldexp(2 / values[-1], -2 * exponent))
    if not 0 < step < np.inf:
        raise ValueError(f"features must have squares within float64, got {_up_to(features)}: scale them")
    return step


def descend(features: ArrayLike, targets: ArrayLike, *, step: float, n_steps: int) -> NDArray[np.float64]:
    r"""The loss of a linear model while plain gradient descent fits it, from weights of 0.

    .. math:: w \leftarrow w - \text{step} \cdot X^\top (Xw - y) / n

    Parameters
    ----------
    features
        The matrix X, shape (n, d).
    targets
        The vector y, shape (n,).
    step
        Learning rate, positive.
    n_steps
        Number of updates.

    Returns
    -------
    NDArray[np.float64]
        Shape (n_steps + 1,): the loss, :math:`\tfrac{1}{2n} \lVert Xw - y \rVert^2`, before the first
        update and after each.

    Raises
    ------
    ValueError
        If `step` is so large that the loss overflows.

    Examples
    --------
    >>> descend([[1], [1]], [2, 4], step=1, n_steps=1)
    array([5. , 0.5])
    """
    x, y = real_array(features, "features"), real_array(targets, "targets")
    if x.ndim != 2 or x.size == 0 or y.shape != (len(x),):
        raise ValueError(f"features must be (n, d) and targets (n,), got shapes {x.shape} and {y.shape}")
    rate, count = real_number(step, "step"), whole_number(n_steps, "n_steps", least=0)
    if rate <= 0:
        raise ValueError(f"step must be positive, got {rate:g}")
    room_for(8 * (count + 1), "n_steps", count)
    weights = np.zeros(x.shape[1])
    losses = np.empty(count + 1)
    for i in range(len(losses)):
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name
            error = x @ weights - y
            losses[i] = error @ error / (2 * len(x))
            weights -= rate * (x.T @ error) / len(x)
        if not np.isfinite(losses[i]):
            grows = f"the loss overflows before update {i + 1}"
            raise ValueError(f"step, features and targets must be smaller, {grows}: got step {rate:g}")
    return losses


def _filled(rows: NDArray[np.float64]) -> None:
    if rows.shape[-1] == 0:
        raise ValueError(f"x must have at least one number in a row, got shape {rows.shape}")


def _in(x: ArrayLike, rows: NDArray[np.float64]) -> str:
    return f"got {shown(x)}" if rows.ndim == 1 else f"got one in shape {rows.shape}"


def _up_to(features: ArrayLike) -> str:
    return f"numbers up to {np.abs(real_array(features, 'features')).max():g}"


def _curvature(features: ArrayLike) -> tuple[NDArray[np.float64], int]:
    """The curvatures of features near 1, and the power of two that was taken out of them."""
    x = real_array(features, "features")
    if x.ndim != 2 or x.size == 0:
        raise ValueError(f"features must have shape (n, d), got shape {x.shape}")
    near, exponent = scaled(x)
    # Squared singular values are accurate where the eigenvalues of the product have lost half their digits.
    singular = np.zeros(x.shape[1])
    found = np.linalg.svd(near, compute_uv=False)
    singular[: len(found)] = found
    return singular[::-1] ** 2 / len(x), exponent
