"""The four doors for a position into a transformer, each in the smallest form that can be done by hand.

One head of width 2 without weight matrices: queries, keys and values are the rows themselves, and scores are
plain dot products. Position enters by adding a sinusoid to the rows, by turning one pair, by a slope on the
scores, by adding a sinusoid of the distance to the values, or not at all.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pe_book.inputs.checking import (
    finite_positions,
    finite_result,
    flag,
    real_array,
    real_number,
    room_for,
    whole_number,
)
from pe_book.inputs.shapes import Scores, Table
from pe_book.inputs.wording import shown
from pe_book.sinusoidal.formula import encode
from pe_book.why.order_blindness import attention_weights

DOORS = ("input", "query and key", "score", "values")
NOWHERE = "nowhere"  # no door is open
STEP = np.pi / 6  # radians a token: 30 degrees
SLOPE = 0.5


class Attended(NamedTuple):
    """What one head read, how much it took from where, and what it wrote."""

    rows: Table
    """The rows it read, the contents with the sinusoid added if the input door is open, shape (n, 2)."""
    weights: Scores
    """The attention table, shape (n, n); each row sums to 1."""
    output: Table
    """The weighted averages of the values, shape (n, 2)."""


def attend(
    contents: ArrayLike,
    *doors: str,
    positions: ArrayLike | None = None,
    step: float = STEP,
    slope: float = SLOPE,
    causal: bool = True,
) -> Attended:
    r"""One head that is told positions through the doors that stand open, and through no other.

    .. math:: x_p = c_p + [\text{input}]\,PE(p), \qquad
              s_{ij} = (R_{p_i} x_i)\cdot(R_{p_j} x_j) - [\text{score}]\; m\,\lvert p_i - p_j\rvert, \qquad
              y_i = \sum_j a_{ij}\, \bigl(x_j + [\text{values}]\,PE(\lvert p_i - p_j\rvert)\bigr)

    with :math:`a` the softmax of :math:`s` over j, PE the pair of :cite:t:`vaswani2017` (section 3.5) at
    `step` radians a token, R the turn of :cite:t:`su2021` (section 3.2.1) if the door at query and key is
    open and the identity otherwise, and m the slope of :cite:t:`press2022` (section 3). At the values PE
    stands where :cite:t:`shaw2018` (equation 3) have learned vectors. Scores are not divided by the root of
    the width, so that they can be checked on paper.

    Parameters
    ----------
    contents
        One row for each word, shape (n, 2).
    *doors
        Any of ``"input"``, ``"query and key"``, ``"score"``, ``"values"``; or ``"nowhere"`` alone, the same
        as none.
    positions
        Shape (n,), in tokens, real; 0 … n−1 if not given.
    step
        Angle of a token in radians, for the sinusoids and for the turn.
    slope
        What a token of distance takes off the score.
    causal
        Let each word see itself and those before it.

    Raises
    ------
    ValueError, TypeError
        If a door is unknown or named twice, ``"nowhere"`` is not alone, or a score overflows.

    Examples
    --------
    >>> attend([[1, 0]] * 3, "score").weights[2].round(3)
    array([0.186, 0.307, 0.506])
    >>> attend([[1, 0]] * 3, "input").output.round(3)[:, 0]
    array([1.   , 1.327, 1.628])
    >>> attend([[1, 0]] * 3, "values").output[2].round(3)
    array([1.455, 0.789])
    """
    opened, only_behind = _opened(doors), flag(causal, "causal")
    angle, penalty = real_number(step, "step"), real_number(slope, "slope")
    rows = real_array(contents, "contents")
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) == 0:
        raise ValueError(f"contents must have shape (n, 2) with n at least 1, got shape {rows.shape}")
    p = finite_positions(np.arange(len(rows)) if positions is None else positions)
    if p.shape != (len(rows),):
        raise ValueError(f"positions must have shape ({len(rows)},), one for each word, got shape {p.shape}")
    room_for(5 * 8 * len(rows) ** 2, "contents", rows.shape)
    with np.errstate(over="ignore"):  # refused by name
        finite_result(4 * np.square(rows), "contents", "a score", given=rows)
        angles = finite_positions(
            finite_result(angle * p, "step", "its product with positions", given=[step])
        )
        distance = np.abs(p[:, None] - p)  # (n, n)  queries before keys
        bias = None
        if "score" in opened:
            bias = -finite_result(penalty * distance, "slope", "its product with a distance")
    if "input" in opened:
        rows = rows + encode(angles, 2)
    q = k = turn(rows, angles) if "query and key" in opened else rows
    # attention divides by the root of the width
    weights = attention_weights(q * np.sqrt(2), k, bias=bias, causal=only_behind)
    output = weights @ rows  # (n, 2)
    if "values" in opened:
        far = angle * distance  # (n, n)
        output += np.stack([(weights * np.sin(far)).sum(1), (weights * np.cos(far)).sum(1)], axis=1)
    return Attended(rows, weights, output)


def turn(x: ArrayLike, angles: ArrayLike) -> Table:
    r"""One rotary pair: each row (a, b) turned by its own angle.

    .. math:: R\,(a, b) = (a\cos\varphi - b\sin\varphi,\; \allowbreak a\sin\varphi + b\cos\varphi)

    Parameters
    ----------
    x
        Shape (n, 2).
    angles
        Shape (n,), in radians.

    Returns
    -------
    NDArray[np.float64]
        Shape (n, 2).

    Examples
    --------
    >>> turn([[1, 0], [1, 0]], [0, np.pi / 2]).round(12)
    array([[1., 0.],
           [0., 1.]])

    References
    ----------
    :cite:t:`su2021`, section 3.2.1.
    """
    rows, phi = real_array(x, "x"), real_array(angles, "angles")
    if rows.ndim != 2 or rows.shape[1] != 2 or phi.shape != (len(rows),):
        raise ValueError(
            f"x must have shape (n, 2) and angles shape (n,), got shapes {rows.shape} and {phi.shape}"
        )
    a, b = rows.T  # (2, n)
    with np.errstate(over="ignore"):
        cos, sin = np.cos(phi), np.sin(phi)
        turned = np.column_stack([a * cos - b * sin, a * sin + b * cos])  # (n, 2)
    return finite_result(turned, "x", "a turned row", given=rows)


def stack(contents: ArrayLike, *doors: str, layers: int) -> Table:
    r"""Several such heads one above the other, each added to what it read.

    The sinusoid of the input is added once, below the first layer; what enters elsewhere acts in every layer.

    Parameters
    ----------
    contents
        One row for each word, shape (n, 2).
    *doors
        As for :func:`attend`.
    layers
        How many, from 1 to 1000: rows of length 1 double in each, and the next does not fit in float64.

    Returns
    -------
    NDArray[np.float64]
        Shape (n, 2): the rows above the last layer.

    Examples
    --------
    >>> stack([[1, 0]] * 3, "query and key", layers=2)
    array([[4., 0.],
           [4., 0.],
           [4., 0.]])
    """
    count = whole_number(layers, "layers", least=1, most=1000)
    every_layer = tuple(_opened(doors) - {"input"})
    first = attend(contents, *doors)
    rows = first.rows + first.output
    for _ in range(count - 1):
        rows = rows + attend(rows, *every_layer).output
    return rows


def _opened(doors: tuple[str, ...]) -> set[str]:
    named: tuple[object, ...] = doors
    known = (*DOORS, NOWHERE)
    unknown = [door for door in named if not isinstance(door, str) or door not in known]
    if unknown:
        raise ValueError(f"doors must be among {', '.join(map(repr, known))}, got {shown(unknown[0])}")
    if len(set(doors)) < len(doors) or (NOWHERE in doors and len(doors) > 1):
        raise ValueError(f"doors must each be named once, and 'nowhere' alone, got {doors}")
    return set(doors) - {NOWHERE}
