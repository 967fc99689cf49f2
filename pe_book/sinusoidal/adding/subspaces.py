"""Where words and places lie: the angles between their spans, what separates them, their closest sums."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import physical_memory, positive_number, room_for, table_of
from pe_book.inputs.shapes import Weights
from pe_book.numerics.chunks import chunks
from pe_book.numerics.rounding import closest_pair
from pe_book.numerics.scaling import scaled, unscaled
from pe_book.sinusoidal.adding import _weights

_CUT = 1e-10  # directions below this part of the widest count as rounding
_MOST_PRODUCTS = 2**42  # minutes of multiplying


def separate_projections(words: ArrayLike, places: ArrayLike, a: ArrayLike, b: ArrayLike) -> Weights:
    r"""The one matrix W that acts as `a` on the words and as `b` on the places, so that sums lose nothing.

    .. math:: x W = x A, \quad p W = p B \qquad\text{hence}\qquad
        (x + p)\,W = \begin{pmatrix} x & p \end{pmatrix} \begin{pmatrix} A \\ B \end{pmatrix}

    It exists for every A and B exactly if the span of the words and the span of the places share no
    direction. On directions that neither of them has, W is zero. (To be right on the sums of the two tables
    alone, and not on their words and places one by one, a W needs a little less.)

    Parameters
    ----------
    words, places
        Shapes (v, d_model) and (n, d_model).
    a, b
        Shape (d_model, k) each.

    Returns
    -------
    NDArray[np.float64]
        Shape (d_model, k).

    Raises
    ------
    ValueError
        If the spans share a direction, or words or places are zero everywhere.

    Examples
    --------
    >>> separate_projections([[1, 1]], [[0, 1]], [[2], [0]], [[0], [5]]).round(12)
    array([[-3.],
           [ 5.]])

    See Also
    --------
    principal_angles : how far apart the two spans are.
    """
    x, p = _same_width(words, "words", places, "places")
    of_words, of_places = _weights(a, "a", x.shape[1]), _weights(b, "b", x.shape[1])
    if of_words.shape != of_places.shape:
        raise ValueError(f"a and b must have the same shape, got {of_words.shape} and {of_places.shape}")
    word_axes, place_axes = _span(x, "words"), _span(p, "places")
    basis = np.concatenate([word_axes, place_axes])  # (r, d_model)
    together = len(_span(basis, "words and places"))
    if together < len(basis):
        raise ValueError(
            "words and places must share no direction, or one matrix cannot treat them differently: got "
            f"spans of {len(word_axes)} and {len(place_axes)} dimensions, together only {together}"
        )
    both, exponent = scaled(np.stack([of_words, of_places]))  # (2, d_model, k), ()
    images = np.concatenate([word_axes @ both[0], place_axes @ both[1]])  # (r, k)
    return unscaled(
        np.linalg.pinv(basis, rcond=_CUT) @ images,  # (d_model, k)
        exponent,
        "a or b",
        "an entry of W",
    )


def principal_angles(u: ArrayLike, v: ArrayLike, *, cut: float = _CUT) -> NDArray[np.float64]:
    r"""The angles between the spans of two sets of rows, from the smallest.

    The first is the smallest angle between a vector of one span and a vector of the other; each further one
    is taken at right angles to those before. An angle of 0 is a direction that both spans have.

    Parameters
    ----------
    u, v
        Shapes (m, d) and (n, d): rows that span the two spaces.
    cut
        Directions in which the rows reach less than this part of what they do in their widest count as none.
        Above 0 and below 1; the default takes away rounding alone.

    Returns
    -------
    NDArray[np.float64]
        Shape (r,), rising, in radians, between 0 and π/2; r is the smaller dimension of the two spans.

    Raises
    ------
    ValueError
        If a span is zero.

    Examples
    --------
    >>> np.degrees(principal_angles([[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 1]])).round(6)
    array([ 0., 45.])
    """
    part = positive_number(cut, "cut")
    if part >= 1:
        raise ValueError(f"cut must be below 1, or no direction counts: got {part:g}; 1e-10 is the default")
    x, y = (
        _span(rows, name, part) for rows, name in zip(_same_width(u, "u", v, "v"), ("u", "v"), strict=True)
    )
    if len(x) < len(y):
        x, y = y, x
    cosines = np.clip(np.linalg.svd(x @ y.T, compute_uv=False), 0, 1)  # (r,)
    # arccos loses small angles to rounding: there the part of y outside the span of x is exact
    sines = np.clip(np.linalg.svd(y - (y @ x.T) @ x, compute_uv=False)[::-1], 0, 1)  # (r,)
    return np.asarray(np.where(cosines**2 < 0.5, np.arccos(cosines), np.arcsin(sines)))


class ClosestSums(NamedTuple):
    """The smallest distance between two sums, and which they are: pairs (index of word, index of place)."""

    gap: float
    first: tuple[int, int]
    second: tuple[int, int]


def closest_sums(words: ArrayLike, places: ArrayLike) -> ClosestSums:
    r"""The two sums word + place that are hardest to tell apart, among all words at all places.

    .. math:: \min \lVert (x + p) - (x' + p') \rVert \quad\text{over}\quad (x, p) \neq (x', p')

    A gap of 0 is a collision: :math:`x - x' = p' - p`. Two different words at different places are at least
    as far apart as their difference reaches out of the span of all differences of places; only where that
    does not decide are all of them compared.

    Parameters
    ----------
    words, places
        Shapes (v, d_model) and (n, d_model), together at least two sums.

    Returns
    -------
    ClosestSums
        `gap`, in the unit of the entries, and the pairs of indices `first` and `second`.

    Raises
    ------
    ValueError
        If there is only one sum, all sums have to be compared and are too many, or the gap does not fit in
        float64.

    Examples
    --------
    >>> closest_sums([[0.0], [5.0]], [[0.0], [1.0], [6.0]])
    ClosestSums(gap=0.0, first=(0, 2), second=(1, 1))
    """
    x, p = _same_width(words, "words", places, "places")
    if len(x) * len(p) < 2:
        raise ValueError("words and places must make at least two sums, got one word and one place")
    (x, of_x), (p, of_p) = scaled(x), scaled(p)
    exponent = max(of_x, of_p)
    x, p = np.ldexp(x, of_x - exponent), np.ldexp(p, of_p - exponent)
    found = []
    if len(p) > 1:
        i, j, gap = closest_pair(p)
        found.append(ClosestSums(gap, (0, i), (0, j)))
    if len(x) > 1:
        i, j, gap = closest_pair(x)
        found.append(ClosestSums(gap, (i, 0), (j, 0)))
    if len(x) > 1 and len(p) > 1:
        outside = np.linalg.svd(p[1:] - p[0])[2][min(len(p) - 1, p.shape[1]) :].T  # (d_model, r)
        apart = closest_pair(x @ outside).gap if outside.size else 0.0  # ()
        if apart * (1 - 1e-9) <= min(f.gap for f in found):
            room_for(5 * 8 * len(x) ** 2, "words", x.shape, most=physical_memory())
            products = len(p) * (len(p) - 1) // 2 * len(x) ** 2 * x.shape[1]
            if products > _MOST_PRODUCTS:
                shapes = f"shapes {x.shape} and {p.shape} would take {products} multiplications"
                raise ValueError(
                    f"words and places must be fewer: {shapes}, and {_MOST_PRODUCTS} are made at most"
                )
            found += [_closest_across(x, p, i, j) for j in range(len(p)) for i in range(j)]
    gap, first, second = min(found, key=lambda f: f.gap)
    gap = float(unscaled(np.asarray(gap), exponent, "words or places", "the gap"))
    return ClosestSums(gap, first, second)


def _closest_across(x: NDArray[np.float64], p: NDArray[np.float64], i: int, j: int) -> ClosestSums:
    """The closest sums of two different words, the first at place i, the second at place j."""
    a, b = x + p[i], x + p[j]
    lengths = (a**2).sum(axis=1)[:, np.newaxis] + (b**2).sum(axis=1)  # (v, v)
    squares = lengths - 2 * a @ b.T  # (v, v)
    np.fill_diagonal(squares, np.inf)
    # the squares come out of a difference of large numbers: all that rounding may hide the least are compared
    rounding = 4 * (x.shape[1] + 4) * np.finfo(float).eps * lengths.max()
    candidates = np.argwhere(squares <= squares.min() + rounding)
    gaps = np.empty(len(candidates))
    for some in chunks(len(gaps), x.shape[1]):
        gaps[some] = np.linalg.norm(a[candidates[some, 0]] - b[candidates[some, 1]], axis=1)
    first, second = (int(n) for n in candidates[int(gaps.argmin())])
    return ClosestSums(float(gaps.min()), *sorted([(first, i), (second, j)]))


def _span(rows: NDArray[np.float64], name: str, cut: float = _CUT) -> NDArray[np.float64]:
    """Orthonormal rows with the same span."""
    _, sizes, directions = np.linalg.svd(scaled(rows)[0], full_matrices=False)
    if sizes[0] == 0:
        raise ValueError(
            f"{name} must not be zero everywhere, got {len(rows)} rows of zeros: they span nothing"
        )
    return np.asarray(directions[sizes > cut * sizes[0]])


def _same_width(
    u: ArrayLike, name_u: str, v: ArrayLike, name_v: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = table_of(u, name_u), table_of(v, name_v)
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"{name_u} and {name_v} must have the same width, got {x.shape[1]} and {y.shape[1]}")
    return x, y
