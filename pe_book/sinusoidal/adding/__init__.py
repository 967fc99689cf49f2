"""What happens when a place is added to a word: four score terms, one tied matrix, and who is louder.

Rows are tokens and a weight matrix acts from the right, as in :mod:`pe_book.why.order_blindness`.

Reference: the sum is section 3.5 of :cite:t:`vaswani2017`, the factor on the words section 3.4.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import (
    even_width,
    finite_result,
    flag,
    physical_memory,
    positive_number,
    room_for,
    table_of,
    whole_number,
)
from pe_book.inputs.shapes import Scores, Weights
from pe_book.numerics.scaling import scaled


class ScoreTerms(NamedTuple):
    """The four tables that add up to the scores, each of shape (n, n), queries before keys.

    The first half of each name is the part of the query, the second the part of the key.
    """

    word_word: Scores
    word_place: Scores
    place_word: Scores
    place_place: Scores


def score_terms(words: ArrayLike, places: ArrayLike, w_q: ArrayLike, w_k: ArrayLike) -> ScoreTerms:
    r"""The scores of one attention head on words plus places, multiplied out.

    .. math::

        \frac{(x_i + p_i) M (x_j + p_j)^\top}{\sqrt{d_k}} \allowbreak
        = \frac{1}{\sqrt{d_k}} \bigl( x_i M x_j^\top + x_i M p_j^\top \allowbreak
        + p_i M x_j^\top + p_i M p_j^\top \bigr), \qquad M = W_Q W_K^\top

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
                table = np.ldexp((query @ q) @ (key @ k).T / root, of_query + of_q + of_key + of_k)  # (n, n)
            tables.append(finite_result(table, "words, places, w_q or w_k", "a score", given=largest))
    return ScoreTerms(*tables)


def tied(w: ArrayLike) -> Weights:
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
    pe_book.sinusoidal.adding.subspaces.separate_projections : the way back, which does not always exist.
    """
    matrix = table_of(w, "w")
    return np.concatenate([matrix, matrix])  # (2d_model, k)


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


def _weights(values: ArrayLike, name: str, d_model: int) -> NDArray[np.float64]:
    matrix = table_of(values, name)
    if matrix.shape[0] != d_model:
        raise ValueError(f"{name} must have {d_model} rows, one for each dimension, got shape {matrix.shape}")
    return matrix
