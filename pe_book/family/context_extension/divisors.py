r"""LongRoPE: a factor for every pair, found by search, and a temperature that goes with them.

Reference: :cite:t:`ding2024`.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from pe_book.family.context_extension.interpolation import checked_factor, checked_frequencies, checked_length
from pe_book.inputs.checking import finite_result, real_array
from pe_book.inputs.shapes import PerPair


def longrope(frequencies: ArrayLike, factors: ArrayLike) -> PerPair:
    r"""LongRoPE: every frequency divided by a factor of its own, which a search has found.

    .. math:: \omega_i' = \omega_i / \lambda_i

    Parameters
    ----------
    frequencies
        Shape (n,), radians per token.
    factors
        Shape (n,), above 0: the short or the long ones of a configuration.

    Returns
    -------
    NDArray[np.float64]
        Shape (n,), radians per token.

    Examples
    --------
    >>> longrope([1, 0.01], [1, 4])
    array([1.    , 0.0025])

    References
    ----------
    :cite:t:`ding2024`.
    """
    omega, given = checked_frequencies(frequencies), real_array(factors, "factors")
    if given.shape != omega.shape:
        raise ValueError(
            f"factors must have one entry for each of {omega.size} pairs, got shape {given.shape}"
        )
    if (given <= 0).any():
        raise ValueError(f"factors must be above 0, got {given.min():g}")
    with np.errstate(over="ignore"):
        return finite_result(omega / given, "frequencies", "a frequency divided by its factor", given=omega)


def longrope_temperature(factor: float, original_len: float) -> float:
    r"""The factor on queries and on keys that goes with LongRoPE.

    .. math:: \sqrt{1 + \ln s / \ln L}

    Parameters
    ----------
    factor
        s, at least 1.
    original_len
        L, in tokens, at least 2.

    Examples
    --------
    >>> round(longrope_temperature(32, 4096), 6)
    1.190238

    References
    ----------
    :cite:t:`ding2024`.
    """
    length = checked_length(original_len, "original_len")
    if length < 2:
        raise ValueError(f"original_len must be at least 2 tokens, got {length:g}")
    return math.sqrt(1 + math.log(checked_factor(factor)) / math.log(length))
