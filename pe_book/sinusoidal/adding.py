"""What happens when a place is added to a word: four score terms, one tied matrix, and who is heard.

Rows are tokens and a weight matrix acts from the right, as in :mod:`pe_book.why.order_blindness`.

Reference: the sum is section 3.5 of :cite:t:`vaswani2017`, the factor on the words section 3.4.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.checking import (
    even_width,
    finite_result,
    flag,
    physical_memory,
    positive_number,
    real_number,
    room_for,
    table_of,
    whole_number,
)
from pe_book.scaling import scaled, unscaled
from pe_book.sinusoidal.pieces import pieces
from pe_book.why.rounding import closest_pair

_CUT = 1e-10  # directions below this part of the widest count as rounding
_MOST_PRODUCTS = 2**42  # minutes of multiplying


class ScoreTerms(NamedTuple):
    """The four tables that add up to the scores, each of shape (n, n), queries before keys.

    The first half of each name is the part of the query, the second the part of the key.
    """

    word_word: NDArray[np.float64]
    word_place: NDArray[np.float64]
    place_word: NDArray[np.float64]
    place_place: NDArray[np.float64]


def score_terms(words: ArrayLike, places: ArrayLike, w_q: ArrayLike, w_k: ArrayLike) -> ScoreTerms:
    r"""The scores of one attention head on words plus places, multiplied out.

    .. math::

        \frac{(x_i + p_i) M (x_j + p_j)^\top}{\sqrt{d_k}} = \frac{x_i M x_j^\top + x_i M p_j^\top
        + p_i M x_j^\top + p_i M p_j^\top}{\sqrt{d_k}}, \qquad M = W_Q W_K^\top

    Parameters
    ----------
    words, places
        Shape (n, d_model) each: row i is the word, or the code of the place, of token i.
    w_q, w_k
        Shape (d_model, head_dim) each.

    Returns
    -------
    ScoreTerms
        `word_word`, `word_place`, `place_word`, `place_place`; their sum goes into the softmax.

    Raises
    ------
    ValueError
        If the tables do not fit in memory, or a score in float64.

    Examples
    --------
    >>> terms = score_terms([[1, 0], [0, 1]], [[0, 1], [1, 0]], np.eye(2), np.sqrt(2) * np.eye(2))
    >>> [float(term[0, 1].round(12)) for term in terms]
    [0.0, 1.0, 1.0, 0.0]

    References
    ----------
    :cite:t:`dai2019`, section 3.3, where the terms are called (a) to (d).
    """
    x, p = table_of(words, "words"), table_of(places, "places")
    if x.shape != p.shape:
        raise ValueError(f"words and places must have the same shape, got {x.shape} and {p.shape}")
    q, k = _weights(w_q, "w_q", x.shape[1]), _weights(w_k, "w_k", x.shape[1])
    if q.shape != k.shape:
        raise ValueError(f"w_q and w_k must have the same shape, got {q.shape} and {k.shape}")
    room_for(5 * 8 * len(x) ** 2, "words and places", x.shape, most=physical_memory())
    largest = [np.abs(a).max() for a in (x, p, q, k)]
    (x, of_x), (p, of_p), (q, of_q), (k, of_k) = (scaled(a) for a in (x, p, q, k))
    root, tables = np.sqrt(q.shape[1]), []
    for query, of_query in ((x, of_x), (p, of_p)):
        for key, of_key in ((x, of_x), (p, of_p)):
            with np.errstate(over="ignore"):
                table = np.ldexp((query @ q) @ (key @ k).T / root, of_query + of_q + of_key + of_k)
            tables.append(finite_result(table, "words, places, w_q or w_k", "a score", given=largest))
    return ScoreTerms(*tables)


def tied(w: ArrayLike) -> NDArray[np.float64]:
    r"""The matrix that does to [x p], place appended, what `w` does to x + p.

    .. math:: (x + p)\,W = \begin{pmatrix} x & p \end{pmatrix} \begin{pmatrix} W \\ W \end{pmatrix}

    Parameters
    ----------
    w
        Shape (d_model, k).

    Returns
    -------
    NDArray[np.float64]
        Shape (2 d_model, k).

    Examples
    --------
    >>> np.array([1, 0, 0, 1]) @ tied([[1, 0], [2, 1]])
    array([3., 1.])

    See Also
    --------
    untied : the way back, which does not always exist.
    """
    matrix = table_of(w, "w")
    return np.concatenate([matrix, matrix])


def untied(words: ArrayLike, places: ArrayLike, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
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
    >>> untied([[1, 1]], [[0, 1]], [[2], [0]], [[0], [5]]).round(12)
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
    basis = np.concatenate([word_axes, place_axes])
    together = len(_span(basis, "words and places"))
    if together < len(basis):
        raise ValueError(
            "words and places must share no direction, or one matrix cannot treat them differently: got "
            f"spans of {len(word_axes)} and {len(place_axes)} dimensions, together only {together}"
        )
    both, exponent = scaled(np.stack([of_words, of_places]))
    images = np.concatenate([word_axes @ both[0], place_axes @ both[1]])
    return unscaled(np.linalg.pinv(basis, rcond=_CUT) @ images, exponent, "a or b", "an entry of W")


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
    cosines = np.clip(np.linalg.svd(x @ y.T, compute_uv=False), 0, 1)
    # arccos loses small angles to rounding: there the part of y outside the span of x is exact
    sines = np.clip(np.linalg.svd(y - (y @ x.T) @ x, compute_uv=False)[::-1], 0, 1)
    return np.asarray(np.where(cosines**2 < 0.5, np.arccos(cosines), np.arcsin(sines)))


class ProjectionCounts(NamedTuple):
    """Weights of the query, key and value projections of one layer, without biases."""

    added: int
    appended: int
    projected_back: int
    widened: int


def projection_counts(d_model: int, d_place: int | None = None) -> ProjectionCounts:
    r"""How many weights W_Q, W_K and W_V of one layer need, by how the place gets in.

    .. math:: 3d^2, \qquad 3(d + e)\,d, \qquad (d + e)\,d + 3d^2, \qquad 3(d + e)^2

    Parameters
    ----------
    d_model
        d, the width of the words, and of the layer's output unless it is widened.
    d_place
        e, the width of the code of a place where it is appended; d if not given.

    Returns
    -------
    ProjectionCounts
        `added`: x + p. `appended`: [x p] goes in, width d comes out. `projected_back`: a
        matrix first brings [x p] back to width d. `widened`: the layer works at width d + e, as all do then.

    Examples
    --------
    >>> projection_counts(512)
    ProjectionCounts(added=786432, appended=1572864, projected_back=1310720, widened=3145728)
    """
    d = whole_number(d_model, "d_model", least=1, most=2**53)
    both = d + (d if d_place is None else whole_number(d_place, "d_place", least=1, most=2**53))
    return ProjectionCounts(3 * d * d, 3 * both * d, both * d + 3 * d * d, 3 * both * both)


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
        outside = np.linalg.svd(p[1:] - p[0])[2][min(len(p) - 1, p.shape[1]) :].T
        apart = closest_pair(x @ outside).gap if outside.size else 0.0
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


class Loudness(NamedTuple):
    """Root-mean-square norms of a word and of a place before they are added, and their ratio."""

    word: float
    place: float
    ratio: float


def loudness(
    word_std: float, d_model: int, *, scale: bool = False, place_std: float | None = None
) -> Loudness:
    r"""How large a word is beside its place before the first step of training.

    .. math:: \sqrt{d}\,\sigma \quad (\text{scaled: } d\,\sigma) \qquad\text{beside}\qquad \sqrt{d/2}

    Parameters
    ----------
    word_std
        σ, the standard deviation of an entry of the word table at initialisation; its mean is 0.
    d_model
        Width d, at most 2**53; even for the sinusoidal encoding.
    scale
        Multiply the words by √d, as section 3.4 of the reference does.
    place_std
        The same for a learned table of places; the sinusoidal encoding if not given.

    Returns
    -------
    Loudness
        `word`, `place`, and `ratio`, the first divided by the second.

    Examples
    --------
    >>> loudness(1, 512, scale=True)
    Loudness(word=512.0, place=16.0, ratio=32.0)

    References
    ----------
    :cite:t:`vaswani2017`, sections 3.4 and 3.5.
    """
    sigma, scale = positive_number(word_std, "word_std"), flag(scale, "scale")
    width = whole_number(d_model, "d_model", least=1, most=2**53)
    if place_std is None:
        place = math.sqrt(even_width(width) / 2)
    else:
        place = math.sqrt(width) * positive_number(place_std, "place_std")
    # √(d · d), not √d · √d: exact where d is
    word = math.sqrt(width * width if scale else width) * sigma
    if math.isinf(place):
        raise ValueError(
            f"place_std must be smaller, got {place_std:g}: float64 cannot hold the norm of a place"
        )
    ratio = word / place
    if not 0 < ratio < math.inf:
        sizes = f"got {sigma:g} beside a place of norm {place:g}"
        raise ValueError(f"word_std and place_std must have norms and a ratio that float64 holds: {sizes}")
    return Loudness(word, place, ratio)


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


def heard(places: ArrayLike, word_std: float) -> float:
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
    >>> round(heard([[1, 0], [-1, 0]], 1), 12)
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


def word_heard(places: ArrayLike, word_std: float) -> float:
    r"""The share of the word's variance that the best linear reader gets out of word + place.

    .. math:: R^2 = \frac{1}{d} \sum_{m=1}^{d} \frac{\sigma^2}{\sigma^2 + \lambda_m}

    :func:`heard` with the roles exchanged: in directions in which the places do not vary the word is heard
    whole.

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
    >>> word_heard([[1, 0], [-1, 0]], 1)
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


def _closest_across(x: NDArray[np.float64], p: NDArray[np.float64], i: int, j: int) -> ClosestSums:
    """The closest sums of two different words, the first at place i, the second at place j."""
    a, b = x + p[i], x + p[j]
    lengths = (a**2).sum(axis=1)[:, np.newaxis] + (b**2).sum(axis=1)
    squares = lengths - 2 * a @ b.T
    np.fill_diagonal(squares, np.inf)
    # the squares come out of a difference of large numbers: all that rounding may hide the least are compared
    rounding = 4 * (x.shape[1] + 4) * np.finfo(float).eps * lengths.max()
    candidates = np.argwhere(squares <= squares.min() + rounding)
    gaps = np.empty(len(candidates))
    for some in pieces(len(gaps), x.shape[1]):
        gaps[some] = np.linalg.norm(a[candidates[some, 0]] - b[candidates[some, 1]], axis=1)
    first, second = (int(n) for n in candidates[int(gaps.argmin())])
    return ClosestSums(float(gaps.min()), *sorted([(first, i), (second, j)]))


def _spreads(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """The standard deviations of the rows along their main directions, and the power of two taken out."""
    if len(rows) < 2:
        raise ValueError(f"places must have at least two rows to vary, got {len(rows)}")
    rows, of_rows = scaled(rows)
    apart, of_apart = scaled(rows - rows[0])  # equal rows leave zero, which their mean would miss by rounding
    sizes = np.linalg.svd(apart - apart.mean(axis=0), compute_uv=False)
    return np.asarray(sizes / np.sqrt(len(rows))), of_rows + of_apart


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


def _weights(values: ArrayLike, name: str, d_model: int) -> NDArray[np.float64]:
    matrix = table_of(values, name)
    if matrix.shape[0] != d_model:
        raise ValueError(f"{name} must have {d_model} rows, one for each dimension, got shape {matrix.shape}")
    return matrix
