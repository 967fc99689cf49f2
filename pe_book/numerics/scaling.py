"""Powers of two out of an array and back in, so that squares and products stay within float64 on the way.

A power of two changes the exponent of a float64 and none of its digits. What is computed from scaled arrays
has the digits that it would have without, and overflows or vanishes only if the result itself does.
"""

import numpy as np
from numpy.typing import NDArray


def scaled(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """`values` divided by the power of two that brings the largest entry into [1/2, 1), and its exponent.

    Zero stays zero, with exponent 0. Only entries more than 2**1000 times smaller than the largest can lose
    digits.

    >>> scaled(np.array([3.0, -5.0]))
    (array([ 0.375, -0.625]), 3)
    """
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent


def unscaled(values: NDArray[np.float64], exponent: int, name: str, what: str) -> NDArray[np.float64]:
    """`values` times 2**exponent, refused if that does not fit in float64 or leaves nothing but zeros.

    `name` is the argument that is at fault then, `what` the result.

    >>> unscaled(np.array([0.75, 0.5]), 3, "x", "its double")
    array([6., 4.])
    >>> unscaled(np.array([0.75, 0.5]), -2000, "x", "its square")
    Traceback (most recent call last):
        ...
    ValueError: x is too small: its square is nothing but zeros in float64, got 0.75 * 2**-2000; scale it up
    """
    with np.errstate(over="ignore", under="ignore"):
        result = np.ldexp(values, exponent)
    got = f"got {np.abs(values).max(initial=0.0):.3g} * 2**{exponent}"
    if not np.isfinite(result).all():
        raise ValueError(f"{name} is too large: {what} does not fit in float64, {got}; scale it down")
    if values.any() and not result.any():
        raise ValueError(f"{name} is too small: {what} is nothing but zeros in float64, {got}; scale it up")
    return result


def scaled_rows(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """As :func:`scaled`, each row by its own power of two; the exponents keep a last axis of length 1.

    >>> scaled_rows(np.array([[3e200, 0.0], [1e-300, 2e-300]]))[0].round(3)
    array([[0.98 , 0.   ],
           [0.335, 0.67 ]])
    """
    exponents = np.frexp(np.abs(values).max(axis=-1, keepdims=True, initial=0.0))[1]
    return np.ldexp(values, -exponents), exponents


def norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Euclidean length of each row, where squares would overflow or vanish too.

    >>> norms(np.array([[3.0, 4.0], [3e200, 4e200], [3e-200, 4e-200]]))
    array([5.e+000, 5.e+200, 5.e-200])
    """
    with np.errstate(over="ignore", under="ignore"):
        lengths = np.sqrt(np.square(rows).sum(axis=-1))
        odd = ~((lengths > 1e-140) & (lengths < 1e140))
        if odd.any():
            scaled, exponent = scaled_rows(rows[odd])
            lengths[odd] = np.ldexp(np.sqrt(np.square(scaled).sum(axis=-1)), exponent[..., 0])
    return np.asarray(lengths)
