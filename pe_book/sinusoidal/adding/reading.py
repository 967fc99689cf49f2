"""What the best linear reader gets out of a word and a place that were added."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import positive_number, real_number, table_of
from pe_book.numerics.scaling import scaled, unscaled


def principal_variances(places: ArrayLike) -> NDArray[np.float64]:
    r"""How much the rows vary along each of their own main directions: the eigenvalues of their covariance.

    Parameters
    ----------
    places
        Shape (n, d_model), n at least 2.

    Returns
    -------
    NDArray[np.float64]
        Shape (min(n, d_model),), falling, squared unit of the entries; n in the denominator.

    Examples
    --------
    >>> principal_variances([[0, 0], [2, 0]])
    array([1., 0.])
    """
    spreads, exponent = _spreads(table_of(places, "places"))
    return unscaled(spreads**2, 2 * exponent, "places", "their largest variance")


def recovered_place(places: ArrayLike, word_std: float) -> float:
    r"""The share of the places' variance that the best linear reader gets out of word + place.

    .. math:: R^2 = \sum_m \frac{\lambda_m}{\lambda_m + \sigma^2}\,\lambda_m \Big/ \sum_m \lambda_m

    Words are drawn independently of the places, with mean 0 and the variance σ² in every direction; λ are
    the :func:`principal_variances` of the places, each place being equally likely.

    Parameters
    ----------
    places
        Shape (n, d_model), n at least 2, not all rows equal.
    word_std
        σ, the standard deviation of an entry of a word as it is added: after any factor. 0 or more.

    Returns
    -------
    float
        Between 0 (nothing) and 1 (every row exactly).

    Raises
    ------
    ValueError
        If the places are all equal, or the share is too small for float64.

    Examples
    --------
    >>> round(recovered_place([[1, 0], [-1, 0]], 1), 12)
    0.5
    """
    sigma = real_number(word_std, "word_std")
    if sigma < 0:
        raise ValueError(f"word_std must be 0 or more, got {sigma:g}")
    spreads, exponent = _spreads(table_of(places, "places"))
    if not spreads.any():
        raise ValueError(
            "places must not all be equal, got rows without a difference: there is nothing to hear"
        )
    present = spreads[spreads > 0]
    with np.errstate(over="ignore", under="ignore"):  # a part of the sum may vanish, as long as not all do
        beside = np.ldexp(sigma, -exponent) / present
        share = float((present**2 / (1 + beside**2)).sum() / np.square(present).sum())
    if share == 0:
        raise ValueError(
            f"word_std must be smaller beside such places, got {sigma:g}: a share of 0 in float64"
        )
    return share


def recovered_word(places: ArrayLike, word_std: float) -> float:
    r"""The share of the word's variance that the best linear reader gets out of word + place.

    .. math:: R^2 = \frac{1}{d} \sum_{m=1}^{d} \frac{\sigma^2}{\sigma^2 + \lambda_m}

    :func:`recovered_place` with the roles exchanged: in directions in which the places do not vary the word
    is recovered whole.

    Parameters
    ----------
    places
        Shape (n, d_model), n at least 2.
    word_std
        σ, the standard deviation of an entry of a word as it is added: after any factor. Above 0.

    Returns
    -------
    float
        Above 0, and at most 1.

    Raises
    ------
    ValueError
        If the share is too small for float64.

    Examples
    --------
    >>> recovered_word([[1, 0], [-1, 0]], 1)
    0.75
    """
    sigma, rows = positive_number(word_std, "word_std"), table_of(places, "places")
    spreads, exponent = _spreads(rows)
    shares, varied = np.ones(rows.shape[1]), np.flatnonzero(spreads)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        beside = spreads[varied] / np.ldexp(sigma, -exponent)
        shares[varied] = 1 / (1 + beside**2)
    if not shares.any():
        raise ValueError(
            f"word_std must be larger beside such places, got {sigma:g}: a share of 0 in float64"
        )
    return float(shares.mean())


def _spreads(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """The standard deviations of the rows along their main directions, and the power of two taken out."""
    if len(rows) < 2:
        raise ValueError(f"places must have at least two rows to vary, got {len(rows)}")
    rows, of_rows = scaled(rows)
    apart, of_apart = scaled(rows - rows[0])  # equal rows leave zero, which their mean would miss by rounding
    sizes = np.linalg.svd(apart - apart.mean(axis=0), compute_uv=False)
    return np.asarray(sizes / np.sqrt(len(rows))), of_rows + of_apart
