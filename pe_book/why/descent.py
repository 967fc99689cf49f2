"""Gradient descent on a linear model: its curvature, its largest step, its loss."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import real_array, real_number, room_for, whole_number
from pe_book.numerics.scaling import scaled, unscaled


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
    return np.column_stack([columns, np.ones(len(columns))])  # (n, d + 1)


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
        largest = np.abs(real_array(features, "features")).max()
        raise ValueError(
            f"features must have squares within float64, got numbers up to {largest:g}: scale them"
        )
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
            error = x @ weights - y  # (n,)
            losses[i] = error @ error / (2 * len(x))  # ()
            weights -= rate * (x.T @ error) / len(x)  # (d,)
        if not np.isfinite(losses[i]):
            grows = f"the loss overflows before update {i + 1}"
            raise ValueError(f"step, features and targets must be smaller, {grows}: got step {rate:g}")
    return losses


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
