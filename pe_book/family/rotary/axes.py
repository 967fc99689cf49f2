r"""Rotary encoding on several axes: images by row and column, video by time, row and column.

Every pair turns by one angle, so a place on several axes has to become one number for each pair: the sum of
its coordinates, each times a frequency of its own. A matrix of frequencies, axes by pairs, therefore says all
of it. Axial rotary has one axis for each pair, mixed rotary all axes for every pair.

Reference: :cite:t:`heo2024`; for text, image and video :cite:t:`wang2024qwen2vl`.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.family.rotary import _spread, head_width
from pe_book.inputs.checking import (
    Layout,
    even_width,
    finite_positions,
    finite_result,
    known_layout,
    one_of,
    physical_memory,
    real_array,
    room_for,
    whole_number,
    within_reach,
)
from pe_book.inputs.pairs import join, split
from pe_book.inputs.shapes import Rows
from pe_book.inputs.wording import shown
from pe_book.sinusoidal.formula import frequencies as ladder_of

#: (axes, d/2), radians per step along each axis.
AxisFrequencies: TypeAlias = NDArray[np.float64]

Arrangement = Literal["sectioned", "interleaved"]
_MOST = 2**20  # entries of a list

ARRANGEMENTS = ("sectioned", "interleaved")


def rotate_axes(
    x: ArrayLike, places: ArrayLike, frequencies: ArrayLike, *, layout: Layout = "interleaved"
) -> Rows:
    r"""Queries or keys, each pair turned by the sum of its coordinates, each times a frequency.

    .. math:: \theta_i = \sum_a m_a \, \omega_{a,i}

    Parameters
    ----------
    x
        Shape (..., d).
    places
        Shape (..., axes): the coordinates of each row, real, of any sign.
    frequencies
        Shape (axes, d/2), radians per step.
    layout
        Of the pairs of a row; see :func:`~pe_book.family.rotary.rotate`.

    Returns
    -------
    NDArray[np.float64]
        The shape of `x` (broadcast with that of `places` without its last axis).

    Examples
    --------
    >>> image = [[0, 0], [0, 1], [1, 0]]
    >>> rotate_axes([1, 0, 1, 0], image, [[np.pi / 2, 0], [0, np.pi]]).round(9) + 0.0
    array([[ 1.,  0.,  1.,  0.],
           [ 1.,  0., -1.,  0.],
           [ 0.,  1.,  1.,  0.]])

    References
    ----------
    :cite:t:`heo2024`, section 3.2.
    """
    rows, where = real_array(x, "x"), finite_positions(places, "places")
    omega = within_reach(real_array(frequencies, "frequencies"), "frequencies")
    width = even_width(rows.shape[-1] if rows.ndim else 0, "the length of x along its last axis")
    if omega.ndim != 2 or omega.shape[1] != width // 2:
        raise ValueError(f"frequencies must have shape (axes, {width // 2}), got {omega.shape}")
    if where.ndim == 0 or where.shape[-1] != len(omega):
        raise ValueError(f"places must have a last axis of {len(omega)} coordinates, got shape {where.shape}")
    angles = where @ omega  # (..., d/2)
    rows = _spread(rows, angles.shape[:-1], "places", where.shape)
    a, b = split(rows, known_layout(layout))  # (..., d/2)
    sin, cos = np.sin(angles), np.cos(angles)
    with np.errstate(over="ignore"):
        result = join(a * cos - b * sin, a * sin + b * cos, layout)
    return finite_result(result, "x", "a pair turned by its angle", given=rows)


def axial_frequencies(head_dim: int, axes: int, *, base: float = 100.0) -> AxisFrequencies:
    r"""The frequencies of axial rotary: the first pairs turn with the first axis, the next with the second.

    Each axis has the whole ladder of a head that is `axes` times narrower.

    Parameters
    ----------
    head_dim
        Width of the head: a multiple of 2·axes.
    axes
        How many there are, at least 1.
    base
        As for :func:`~pe_book.sinusoidal.formula.frequencies`. For images, which have fewer steps, 100 is
        usual.

    Returns
    -------
    NDArray[np.float64]
        Shape (axes, head_dim/2), radians per step; 0 where a pair does not turn with an axis.

    Examples
    --------
    >>> axial_frequencies(8, 2)
    array([[1. , 0.1, 0. , 0. ],
           [0. , 0. , 1. , 0.1]])

    References
    ----------
    :cite:t:`heo2024`, section 3.2.
    """
    axes = whole_number(axes, "axes", least=1)
    width = head_width(head_dim, "head_dim")
    if width % (2 * axes):
        raise ValueError(
            f"head_dim must be a multiple of {2 * axes}, so that each axis has pairs, got {width}"
        )
    room_for(2 * 8 * axes * width, "head_dim", width, most=physical_memory())
    return np.asarray(np.kron(np.eye(axes), ladder_of(width // axes, base=base)), dtype=np.float64)


def sectioned_frequencies(
    head_dim: int,
    sections: Sequence[int],
    *,
    base: float = 10000.0,
    arrangement: Arrangement = "sectioned",
) -> AxisFrequencies:
    r"""The frequencies of M-RoPE: one ladder over the whole head, whose rungs are dealt out to the axes.

    ``arrangement="sectioned"`` gives the first ``sections[0]`` rungs, the fastest, to the first axis, the
    next to the second and so on. ``"interleaved"`` deals them out in turn, so that every axis has fast and
    slow ones: rung i belongs to axis i modulo the number of axes as long as i is below that many times the
    section of the axis, and to the first axis after that.

    A row whose coordinates are all equal is turned as by :func:`~pe_book.family.rotary.rotate`: that is how
    text is placed.

    Parameters
    ----------
    head_dim
        Width of the head: even.
    sections
        Rungs of each axis; together head_dim/2.
    base
        As for :func:`~pe_book.sinusoidal.formula.frequencies`.
    arrangement
        ``"sectioned"`` (Qwen2-VL) or ``"interleaved"`` (Qwen3-VL).

    Returns
    -------
    NDArray[np.float64]
        Shape (axes, head_dim/2), radians per step.

    Examples
    --------
    >>> (sectioned_frequencies(12, [2, 2, 2]) > 0).astype(int)
    array([[1, 1, 0, 0, 0, 0],
           [0, 0, 1, 1, 0, 0],
           [0, 0, 0, 0, 1, 1]])
    >>> (sectioned_frequencies(12, [2, 2, 2], arrangement="interleaved") > 0).astype(int)
    array([[1, 0, 0, 1, 0, 0],
           [0, 1, 0, 0, 1, 0],
           [0, 0, 1, 0, 0, 1]])

    References
    ----------
    :cite:t:`wang2024qwen2vl`, section 2.1.
    """
    given = [whole_number(section, "sections", least=0) for section in _listed(sections, "sections")]
    omega = ladder_of(head_width(head_dim, "head_dim"), base=base)
    if sum(given) != omega.size:
        raise ValueError(f"sections must add up to the {omega.size} pairs of the head, got {given}")
    if cast(Arrangement, one_of(arrangement, ARRANGEMENTS, "arrangement")) == "sectioned":
        owner = np.repeat(np.arange(len(given)), given)
    else:
        rung = np.arange(omega.size)
        turn = rung % len(given)
        owner = np.where(rung < len(given) * np.take(given, turn), turn, 0)
    return np.where(np.arange(len(given))[:, np.newaxis] == owner, omega, 0.0)  # (axes, head_dim/2)


def text_and_image_places(parts: Sequence[int | tuple[int, int, int]]) -> NDArray[np.int64]:
    r"""The places (time, row, column) of tokens of text and of images or video, in the order of the sequence.

    Text of n tokens advances all three coordinates together. An image or a video of t·h·w tokens begins where
    the text stopped, numbers its frames, rows and columns from there, and the text after it goes on behind
    the largest of them. So it fills t·h·w slots of a cache and advances by max(t, h, w): a place is not a
    slot.

    Parameters
    ----------
    parts
        A number of text tokens, or (t, h, w) of an image (t = 1) or a video, one after the other.

    Returns
    -------
    NDArray[np.int64]
        Shape (tokens, 3).

    Examples
    --------
    >>> text_and_image_places([2, (1, 2, 2), 1])
    array([[0, 0, 0],
           [1, 1, 1],
           [2, 2, 2],
           [2, 2, 3],
           [2, 3, 2],
           [2, 3, 3],
           [4, 4, 4]])

    References
    ----------
    :cite:t:`wang2024qwen2vl`, section 2.1.
    """
    made, start = [np.empty((0, 3), dtype=np.int64)], 0
    for part in _listed(parts, "parts"):
        if isinstance(part, tuple):
            grid = tuple(whole_number(length, "parts", least=1) for length in part)
            if len(grid) != 3:
                raise ValueError(f"parts must be numbers or triples (t, h, w), got {part!r}")
        else:
            grid = (whole_number(part, "parts", least=0),)
        room_for(6 * 8 * math.prod(grid), "parts", part, most=physical_memory())
        corner = np.indices(grid).reshape(len(grid), -1).T  # (n, axes)
        made.append(start + np.broadcast_to(corner, (len(corner), 3)))  # (n, 3)
        start += max(grid)
    return np.concatenate(made)  # (n, 3)


def _listed(values: object, name: str) -> list[Any]:
    axes = getattr(values, "ndim", 1)
    if isinstance(values, str | bytes | set | dict) or not isinstance(values, Iterable) or axes == 0:
        raise TypeError(f"{name} must be a list, got {shown(values)}")
    found = list(islice(values, _MOST + 1))
    if len(found) > _MOST:
        raise ValueError(f"{name} must have at most {_MOST} entries, got {shown(values)}")
    return found
