r"""Factors on a query that grow with the logarithm of its position, as models have them beside a rotation.

A key that leads :math:`n - 1` others by a points gets the weight :math:`e^a / (e^a + n - 1)`, which a longer
text makes small. A factor of :math:`c \log n` on the scores makes it :math:`n^{ca} / (n^{ca} + n - 1)`. What
most models have is 1 up to a length, and grows from there. Their functions were read in transformers 5.24.0.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import finite_positions, one_of, positive_number

#: Those of Ministral 3 and Mistral 4, Llama 4, Inkling and Beam.
RULES = ("steps", "steps from 1", "beyond", "power")


def length_factor(
    positions: ArrayLike, *, rule: str, trained_len: float, strength: float = 0.1
) -> NDArray[np.float64]:
    r"""The factor on the query at a position p, for a strength b and a length n.

    .. math::

        1 + b \log(1 + \lfloor p/n \rfloor), \quad 1 + b \log(1 + \lfloor (p + 1)/n \rfloor), \quad
        1 + b \log \max((p + 1)/n, 1), \quad (1 + (p + 1)/n)^b

    Parameters
    ----------
    positions
        Any shape, at least 0, in tokens.
    rule
        ``"steps"`` (Ministral 3, Mistral 4), ``"steps from 1"`` (Llama 4), ``"beyond"`` (Inkling) or
        ``"power"`` (Beam), in the order of the formulas.
    trained_len
        The length n, in tokens: ``floor_scale``, ``original_max_position_embeddings`` or
        ``log_scaling_n_floor`` in a config.
    strength
        The b: ``attn_scale``, ``llama_4_scaling_beta`` or ``log_scaling_alpha``.

    Returns
    -------
    NDArray[np.float64]
        The shape of `positions`.

    Examples
    --------
    >>> length_factor([0, 8191, 131071], rule="steps from 1", trained_len=8192).round(4)
    array([1.    , 1.0693, 1.2833])
    """
    where, n = finite_positions(positions, "positions"), positive_number(trained_len, "trained_len")
    if (where < 0).any():
        raise ValueError(f"positions must be at least 0, got {where.min():g}")
    kind, b = one_of(rule, RULES, "rule"), positive_number(strength, "strength")
    word = where + (kind != "steps")  # counted from 1, but for Ministral 3
    if kind == "power":
        return np.asarray((1 + word / n) ** b)
    grown = np.maximum(word / n, 1) if kind == "beyond" else 1 + np.floor(word / n)
    return np.asarray(1 + b * np.log(grown))
