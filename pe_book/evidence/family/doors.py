"""Decides what the opening page of Part III says: attention tables built another way, and what models do."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.family.doors import SLOPE, STEP
from pe_book.family.doors.models import Model, models
from pe_book.inputs.checking import real_array
from pe_book.sinusoidal.formula import encode
from pe_book.why.order_blindness import attention_weights

Array = NDArray[np.float64]

NAMED_BY = {
    "sinusoid": ("sine",),
    "learned table": ("learned", "wpe", "[[512, 768]", "architecture as GPT-2"),
    "learned numbers of offsets": ("simply a scalar",),
    "learned vectors of offsets; late, a learned table, into queries and residual": ("relative distance",),
    "slopes": ("slopes",),
    "rotation": ("rotary",),
}
"""Words of which a quotation has to have one, if it is to say that a model has this method."""


def apart(contents: ArrayLike, positions: ArrayLike, *, step: float = STEP) -> Array:
    r"""The causal attention table where words and sinusoid have columns of their own, undivided by √width.

    .. math:: s_{ij} = c_i \cdot c_j + PE(p_i) \cdot PE(p_j)

    Parameters
    ----------
    contents
        One row for each word, shape (n, d).
    positions
        Shape (n,), in tokens.
    step
        Angle of a token in radians.

    Returns
    -------
    NDArray[np.float64]
        Shape (n, n); each row sums to 1.

    Examples
    --------
    >>> apart([[1, 0]] * 2, [0, 1]).round(3)
    array([[1.   , 0.   ],
           [0.467, 0.533]])
    """
    rows = np.hstack([real_array(contents, "contents"), encode(step * real_array(positions, "positions"), 2)])
    return attention_weights(rows * np.sqrt(rows.shape[1]), rows, causal=True)


def by_key(contents: ArrayLike, positions: ArrayLike, *, slope: float = SLOPE) -> Array:
    r"""The causal attention table where each score has the slope times the position of its *key* added.

    .. math:: s_{ij} = c_i \cdot c_j + m\,p_j

    Parameters
    ----------
    contents
        One row for each word, shape (n, d).
    positions
        Shape (n,), in tokens.
    slope
        m.

    Returns
    -------
    NDArray[np.float64]
        Shape (n, n); each row sums to 1.

    Examples
    --------
    >>> by_key([[1, 0]] * 3, [0, 1, 2])[2].round(3)
    array([0.186, 0.307, 0.506])
    """
    rows = real_array(contents, "contents")
    bias = np.tile(slope * real_array(positions, "positions"), (len(rows), 1))
    return attention_weights(rows * np.sqrt(rows.shape[1]), rows, bias=bias, causal=True)


def method_is_quoted(model: Model, named_by: Mapping[str, Sequence[str]] = NAMED_BY) -> Verdict:
    """Whether a quotation in the record of a model names the method that the record says it has."""
    words = named_by.get(model.method, ())
    hits = sum(any(word in item.quote for word in words) for item in model.evidence)
    return Verdict(hits > 0, {model.name: hits})


def only_the_first_adds_a_sinusoid(listed: Sequence[Model] = models()) -> Verdict:
    """Whether of some models the first adds a sinusoid and no other does, each by its own quotations."""
    adding = [model.name for model in listed if model.sinusoidal]
    unsaid = [model.name for model in listed if not method_is_quoted(model)]
    holds = adding == [listed[0].name] and not unsaid
    return Verdict(holds, {"adding": ", ".join(adding), "unsaid": ", ".join(unsaid)})


def all_have_a_table_but(name: str, listed: Sequence[Model]) -> Verdict:
    """Whether all of some models but one hold positions of tokens in a learned table, by their quotations."""
    without = [
        model.name for model in listed if "learned table" not in model.method or "input" not in model.doors
    ]
    unsaid = [model.name for model in listed if not method_is_quoted(model)]
    holds = without == [name] and not unsaid
    return Verdict(holds, {"without": ", ".join(without), "unsaid": ", ".join(unsaid)})


def none_learns_positions(listed: Sequence[Model]) -> Verdict:
    """Whether none of some models learns a number for a position or has the door at the input."""
    unsaid = [model.name for model in listed if not method_is_quoted(model)]
    none = all(not model.parameters and "input" not in model.doors for model in listed)
    learned = {model.name: model.parameters for model in listed}
    return Verdict(bool(listed) and none and not unsaid, {**learned, "unsaid": ", ".join(unsaid)})
