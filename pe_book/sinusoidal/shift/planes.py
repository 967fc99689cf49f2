"""From any skew-symmetric matrix to its frequencies and the planes that they turn."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import real_array
from pe_book.numerics.scaling import scaled, unscaled


def rotation_planes(matrix: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""The frequencies of a skew-symmetric matrix, and perpendicular axes in which it is a list of rotations.

    .. math:: Q^\top A\, Q = \operatorname{diag}(A_1, \dots, A_m, 0, \dots, 0), \qquad
        A_i = \begin{pmatrix} 0 & \omega_i \\ -\omega_i & 0 \end{pmatrix}, \quad
        \omega_1 \ge \dots \ge \omega_m > 0

    Parameters
    ----------
    matrix
        Shape (d, d), skew-symmetric: :math:`A^\top = -A`. Any d, odd too.

    Returns
    -------
    frequencies : NDArray[np.float64]
        Shape (m,), falling, in the unit of `matrix` (radians per token for a generator). What is below 1e-13
        of the largest counts as 0.
    axes : NDArray[np.float64]
        Q, shape (d, d), orthogonal. Columns 2i and 2i+1 span the plane of the frequency i, sine axis first;
        the last d - 2m columns do not move.

    Raises
    ------
    ValueError
        If the matrix is not skew-symmetric to ``1e-12`` of its largest entry.

    Examples
    --------
    >>> from pe_book.sinusoidal.shift import generator
    >>> rotation_planes(generator(4))[0]
    array([1.  , 0.01])

    See Also
    --------
    pe_book.sinusoidal.shift.generator : the matrix of the sinusoidal encoding.
    """
    a = real_array(matrix, "matrix")
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.size == 0:
        raise ValueError(f"matrix must be square, got shape {a.shape}")
    a, of_a = scaled(a)
    if (off := np.abs(a + a.T).max()) > 1e-12 * (largest := np.abs(a).max()):
        part = f"got A + A.T of {off / largest:.2g} times the largest entry"
        raise ValueError(
            f"matrix must be skew-symmetric, its transpose its negative, {part}; use (A - A.T) / 2"
        )
    if not a.any():
        return np.zeros(0), np.eye(len(a))
    # iA is Hermitian; an eigenvector x + iy of it with eigenvalue ω > 0 gives Ax = ωy and Ay = -ωx:
    # the cosine axis is x, the sine axis is y, which is taken from Ax because slow planes are the least exact
    values, vectors = np.linalg.eigh(1j * a)
    moving = np.flatnonzero(values > 1e-13 * values[-1])[::-1]
    axes = np.zeros((len(a), 0))
    for i in moving:
        cosine = _perpendicular(vectors[:, i].real, axes)
        sine = _perpendicular(a @ cosine, np.column_stack([axes, cosine]))  # (d,)
        axes = np.column_stack([axes, sine, cosine])  # (d, c)
    still = np.linalg.svd(axes.T)[2][2 * len(moving) :].T  # (d, d - 2m)
    omega = unscaled(values[moving], of_a, "matrix", "its fastest frequency")
    return omega, np.column_stack([axes, still])  # (m,), (d, d)


def _perpendicular(vector: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The direction of `vector` without its part along `axes`; twice, since once leaves rounding."""
    for _ in range(2):
        vector = vector - axes @ (axes.T @ vector)  # (d,)
    return np.asarray(vector / np.linalg.norm(vector))
