"""Tables before training."""

from math import erf, exp, factorial, pi, sqrt

import numpy as np

from pe_book.inputs.checking import finite_result, real_number, room_for, whole_number
from pe_book.inputs.shapes import Table


def initial(max_len: int, d_model: int, *, std: float = 0.02, seed: int) -> Table:
    r"""A table before training: independent normal numbers, the same for the same `seed`.

    .. math:: P_{pc} \sim \mathcal{N}(0, \sigma^2)

    Parameters
    ----------
    max_len
        Number of rows: the positions 0 … max_len - 1, at least 1.
    d_model
        Width, at least 1. It may be odd: there are no pairs here.
    std
        σ, above 0. BERT draws with 0.02 and redraws what is more than two σ away; the code of GPT-2 has
        0.01.
    seed
        Of the generator, a whole number of at least 0.

    Returns
    -------
    NDArray[np.float64]
        Shape (max_len, d_model), without unit.

    Examples
    --------
    >>> initial(512, 768, seed=0).shape
    (512, 768)

    References
    ----------
    :cite:t:`devlin2019`; :cite:t:`radford2019`.
    """
    shape = whole_number(max_len, "max_len", least=1), whole_number(d_model, "d_model", least=1)
    sigma = real_number(std, "std")
    if sigma <= 0:
        raise ValueError(f"std must be above 0, got {sigma:g}; 0.02 is usual")
    generator = np.random.default_rng(whole_number(seed, "seed", least=0))
    room_for(8 * shape[0] * shape[1], "max_len and d_model", shape)
    with np.errstate(over="ignore"):
        return finite_result(sigma * generator.normal(size=shape), "std", "a row", given=[sigma])


def narrowed_std(std: float, cut: float = 2.0) -> float:
    r"""The standard deviation of a normal number that is drawn again until it lies within `cut` deviations.

    .. math:: \sigma\,\sqrt{1 - \frac{2c\,\varphi(c)}{2\Phi(c) - 1}}

    Parameters
    ----------
    std
        σ, above 0.
    cut
        c, above 0; the code of BERT has 2.

    Returns
    -------
    float
        In the unit of `std`.

    Examples
    --------
    >>> round(narrowed_std(1.0), 4)
    0.8796
    """
    sigma, c = real_number(std, "std"), real_number(cut, "cut")
    if not (sigma > 0 and c > 0):
        raise ValueError(f"std and cut must be above 0, got {sigma:g} and {c:g}")
    if c < 1:  # the difference below would cancel; these are the two integrals, term by term
        terms = [(-c * c / 2) ** k / factorial(k) for k in range(16)]
        squares, whole = (sum(t / (2 * k + odd) for k, t in enumerate(terms)) for odd in (3, 1))
        return sigma * (c * sqrt(squares / whole))
    density = exp(-(min(c, 50.0) ** 2) / 2) / sqrt(2 * pi)  # nothing is left of it long before 50
    return sigma * sqrt(1 - 2 * min(c, 50.0) * density / erf(c / sqrt(2)))
