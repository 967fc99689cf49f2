r"""Context extension, the plain methods: all frequencies divided alike, or by a power of their index.

A model trained on L tokens is to read s·L of them. A pair that has gone round during training has met every
angle; a pair that has not meets new angles behind the trained length (:func:`turns` says which). Position
interpolation shrinks all angles, NTK-aware scaling those of slow pairs more than those of fast ones.

References: :cite:t:`chen2023`; :cite:t:`peng2023`.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import positive_number, real_array, real_number, within_reach
from pe_book.inputs.shapes import PerPair


def turns(frequencies: ArrayLike, length: float) -> PerPair:
    r"""How often each pair has gone round after `length` tokens.

    .. math:: r_i = \frac{L\,\omega_i}{2\pi} = \frac{L}{\lambda_i}

    Parameters
    ----------
    frequencies
        Shape (n,), radians per token.
    length
        In tokens, above 0.

    Returns
    -------
    NDArray[np.float64]
        Shape (n,), in turns: whole turns where it is 1 or more.

    Examples
    --------
    >>> turns([1, 0.1, 0.01, 0.001], 100).round(4).tolist()
    [15.9155, 1.5915, 0.1592, 0.0159]

    References
    ----------
    :cite:t:`peng2023`, equation 17.
    """
    return checked_frequencies(frequencies) * (checked_length(length, "length") / (2 * math.pi))


def interpolated(frequencies: ArrayLike, factor: float) -> PerPair:
    r"""Position interpolation: every frequency divided by the factor.

    .. math:: \omega_i' = \omega_i / s

    Parameters
    ----------
    frequencies
        Shape (n,), radians per token.
    factor
        s, the asked length over the trained one: at least 1.

    Returns
    -------
    NDArray[np.float64]
        Shape (n,), radians per token.

    Examples
    --------
    >>> interpolated([1, 0.01], 4)
    array([0.25  , 0.0025])

    References
    ----------
    :cite:t:`chen2023`, section 2.3.
    """
    return checked_frequencies(frequencies) / checked_factor(factor)


def ntk_aware(frequencies: ArrayLike, factor: float) -> PerPair:
    r"""NTK-aware scaling: a larger base, so that the first frequency stays and the last is divided by s.

    .. math::

        \text{base}' = \text{base} \cdot s^{d/(d-2)}, \qquad
        \omega_i' = \omega_i \, s^{-2i/(d-2)}

    Parameters
    ----------
    frequencies
        Shape (n,), n = d/2 at least 2: radians per token.
    factor
        s, at least 1.

    Returns
    -------
    NDArray[np.float64]
        Shape (n,), radians per token.

    Examples
    --------
    >>> ntk_aware([1, 0.1, 0.01, 0.001], 4).round(6).tolist()
    [1.0, 0.062996, 0.003969, 0.00025]

    References
    ----------
    :cite:t:`peng2023`, equations 14 to 16.
    """
    omega = checked_frequencies(frequencies)
    if omega.size < 2:
        raise ValueError(f"frequencies must be at least 2, a first and a last, got {omega.size}")
    return omega * checked_factor(factor) ** (-np.arange(omega.size) / (omega.size - 1))


def dynamic_factor(length: float, original_len: float, factor: float) -> float:
    r"""The factor that dynamic NTK scaling takes for a sequence of `length` tokens.

    .. math:: s(T) = \begin{cases} 1 & T \le L \\ s\,T/L - (s - 1) & T > L \end{cases}

    It changes with every token beyond L, so a key that was rotated and kept is turned by frequencies that
    later queries no longer have. This is the form of libraries; that of the
    source, T/L, is the one with s = 1.

    Parameters
    ----------
    length
        T, in tokens.
    original_len
        L, the trained length, in tokens.
    factor
        s, at least 1.

    Examples
    --------
    >>> dynamic_factor(4096, 4096, 2), dynamic_factor(8192, 4096, 2)
    (1.0, 3.0)

    References
    ----------
    :cite:t:`peng2023`, section 3.3.
    """
    ratio = checked_length(length, "length") / checked_length(original_len, "original_len")
    s = checked_factor(factor)
    return max(1.0, s * ratio - (s - 1))


def checked_frequencies(values: ArrayLike) -> PerPair:
    """Frequencies as they are given to every method here: a list of numbers, none below 0."""
    omega = real_array(values, "frequencies")
    if omega.ndim != 1 or not omega.size:
        raise ValueError(f"frequencies must be a list of numbers, one for each pair, got shape {omega.shape}")
    if (omega < 0).any():
        raise ValueError(f"frequencies must be 0 or more, got {omega.min():g}")
    return within_reach(omega, "frequencies")


def checked_factor(value: float) -> float:
    """The factor s as every method takes it."""
    factor = positive_number(value, "factor")
    if factor < 1:
        raise ValueError(f"factor must be at least 1, since contexts are extended, got {factor:g}")
    return float(within_reach(factor, "factor"))


def checked_length(value: float, name: str) -> float:
    """A length in tokens as every method takes it."""
    length = real_number(value, name)
    if length < 1:
        raise ValueError(f"{name} must be at least 1 token, got {length:g}")
    return float(within_reach(length, name))
