r"""DeBERTa's scores: content with content, content with offset, and offset with content.

Each offset has a vector that meets queries as a key, and one that meets keys as a query. The offset is query
minus key here, and a table of 2k rows ends at k - 1. Later versions sort offsets into logarithmic buckets
before they look them up; the paper's do not.

Reference: :cite:t:`he2021`, section 3.1.
"""

from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.family.offsets import whole_offsets
from pe_book.family.relative.log_buckets import bucket_of, edges_of
from pe_book.family.relative.offsets import checked_vectors, gathered
from pe_book.inputs.checking import finite_result, matrices, one_of, whole_number
from pe_book.inputs.shapes import Scores

Convention = Literal["paper", "library"]
CONVENTIONS = ("paper", "library")
HALF = "half of the rows of position_keys or position_queries"


def deberta_offsets(
    queries: ArrayLike, keys: ArrayLike, *, span: int, max_position: int | None = None
) -> NDArray[np.int64]:
    r"""Which row of a table of 2k vectors belongs to a query and a key: δ(i, j), query minus key, plus k.

    Equation (3):

    .. math:: \delta(i, j) = \begin{cases} 0 & i - j \le -k \\ 2k - 1 & i - j \ge k \\ i - j + k &
        \text{otherwise} \end{cases}

    Parameters
    ----------
    queries, keys
        As for :func:`~pe_book.family.relative.clipped_offsets`.
    span
        k, at least 1: half of the rows.
    max_position
        With it offsets are sorted first, into `span` buckets a side:
        :func:`~pe_book.family.relative.log_buckets.deberta_log_bucket`.

    Returns
    -------
    NDArray[np.int64]
        Shape (..., n_q, n_k), from 0 to 2k - 1.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.deberta_offsets(range(4), range(4), span=2)
    array([[2, 1, 0, 0],
           [3, 2, 1, 0],
           [3, 3, 2, 1],
           [3, 3, 3, 2]])

    References
    ----------
    :cite:t:`he2021`, equation (3).
    """
    return _offsets(queries, keys, whole_number(span, "span", least=1, most=2**53), max_position, "span")


def deberta_bias(
    q: ArrayLike,
    k: ArrayLike,
    position_keys: ArrayLike | None,
    position_queries: ArrayLike | None,
    queries: ArrayLike,
    keys: ArrayLike,
    *,
    convention: Convention,
    max_position: int | None = None,
) -> Scores:
    r"""What offsets add to DeBERTa's scores, divided as they are: the last two terms of equation (4).

    .. math:: \frac{q_i \cdot K^r_{\delta(i, j)} + k_j \cdot Q^r_{\delta(j, i)}}{\sqrt{td}}

    with t the number of terms: 3, or 2 where a table is None.

    Parameters
    ----------
    q, k
        Shape (..., n_q, d) and (..., n_k, d); of several heads (..., h, n, d).
    position_keys
        :math:`K^r`, shape (2k, d) or (h, 2k, d): offsets as keys, which meet queries. None leaves the term
        out: content to position.
    position_queries
        :math:`Q^r`, of the same shape: offsets as queries, which meet keys. None leaves the term out:
        position to content.
    queries, keys
        As for :func:`~pe_book.family.relative.relative_scores`.
    convention
        Which row of :math:`Q^r` is taken: that of δ(j, i), as in the ``"paper"``, or that of δ(i, j), as in
        the code it was published with and in transformers (``"library"``), on which checkpoints depend. It
        has to be named, since no shape tells it.
    max_position
        As for :func:`deberta_offsets`; None, as in the paper, is without buckets.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, n_k).

    Raises
    ------
    ValueError
        If shapes do not fit, or fit by accident; if the number of rows is odd or differs.

    Examples
    --------
    >>> import pe_book as pe
    >>> table = [[1.0], [2.0]]  # k = 1
    >>> q, k = [[1.0], [0.0]], [[0.0], [0.0]]
    >>> pe.deberta_bias(q, k, table, None, [0, 1], [0, 1], convention="paper") * np.sqrt(2)
    array([[2., 1.],
           [0., 0.]])

    References
    ----------
    :cite:t:`he2021`, equations (3) and (4).

    See Also
    --------
    deberta_scores : with the first term.
    """
    rows, partners = _contents(q, k)
    convention = cast(Convention, one_of(convention, CONVENTIONS, "convention"))
    lead = rows.shape[:-2]
    given = {"position_keys": position_keys, "position_queries": position_queries}
    tables = {
        name: checked_vectors(table, name, lead, rows.shape[-1])
        for name, table in given.items()
        if table is not None
    }
    span = span_of([table.shape[-2] for table in tables.values()] or [2])
    how = (span, max_position if tables else None, HALF)
    index = _offsets(queries, keys, *how)
    counts = rows.shape[-2], partners.shape[-2]
    _require_counts(index.shape, counts)
    total = np.zeros((*lead, *counts))
    if "position_keys" in tables:
        total = total + gathered(rows, tables["position_keys"], index, "q")
    if "position_queries" in tables:
        if convention == "paper":  # δ(j, i), for a key j and a query i
            index = np.swapaxes(_offsets(keys, queries, *how), -1, -2)  # (..., n_q, n_k)
        across = np.swapaxes(index, -1, -2)
        by_keys = gathered(partners, tables["position_queries"], across, "k")  # (..., n_k, n_q)
        total = total + np.swapaxes(by_keys, -1, -2)  # (..., n_q, n_k)
    finite_result(total, "q or k", "a sum of products", given=rows)
    return np.asarray(total / np.sqrt((1 + len(tables)) * rows.shape[-1]), dtype=np.float64)


def deberta_scores(
    q: ArrayLike,
    k: ArrayLike,
    position_keys: ArrayLike | None,
    position_queries: ArrayLike | None,
    queries: ArrayLike,
    keys: ArrayLike,
    *,
    convention: Convention,
    max_position: int | None = None,
) -> Scores:
    r"""DeBERTa's scores before the softmax: the three terms of equation (4), or those that have a table.

    .. math:: \frac{q_i \cdot k_j + q_i \cdot K^r_{\delta(i, j)} + k_j \cdot Q^r_{\delta(j, i)}}{\sqrt{td}}

    with t the number of terms: 3, or as many as are left.

    Parameters
    ----------
    q, k, position_keys, position_queries, queries, keys, convention, max_position
        As for :func:`deberta_bias`.

    Returns
    -------
    NDArray[np.float64]
        Shape (..., n_q, n_k), divided already.

    Raises
    ------
    ValueError
        As :func:`deberta_bias`.

    Examples
    --------
    >>> import pe_book as pe
    >>> one, tables = [[1.0]], ([[5.0], [7.0]], [[10.0], [20.0]])
    >>> pe.deberta_scores(one, one, *tables, [0], [0], convention="paper") * np.sqrt(3)
    array([[28.]])

    References
    ----------
    :cite:t:`he2021`, equation (4).
    """
    rows, partners = _contents(q, k)
    terms = 1 + (position_keys is not None) + (position_queries is not None)
    added = deberta_bias(
        rows, partners, position_keys, position_queries, queries, keys, max_position=max_position,
        convention=convention,
    )  # fmt: skip
    with np.errstate(over="ignore", invalid="ignore"):
        content = rows @ np.swapaxes(partners, -1, -2)  # (..., n_q, n_k)
        finite_result(content, "q or k", "a product", given=rows)
        total = content / np.sqrt(terms * rows.shape[-1]) + added
    return finite_result(total, "q or k", "a score", given=rows)


def span_of(rows: list[int]) -> int:
    """The span k of tables with 2k rows: of one, or of two that have as many."""
    names = "position_keys and position_queries"
    if len(set(rows)) > 1 or rows[0] % 2:
        raise ValueError(f"{names} must have the same even number of rows, 2k, got {rows}")
    return rows[0] // 2


def _offsets(
    queries: ArrayLike, keys: ArrayLike, half: int, max_position: int | None, name: str
) -> NDArray[np.int64]:
    behind = -whole_offsets(queries, keys)
    if max_position is not None:
        behind = bucket_of(behind, edges_of(half, max_position, name))
    return np.clip(behind + half, 0, 2 * half - 1)


def _contents(q: ArrayLike, k: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Queries and keys with the same leading axes and the same width."""
    rows, partners = matrices(q, "q"), matrices(k, "k")
    _require_alike(rows.shape, partners.shape)
    return rows, partners


def _require_alike(q: tuple[int, ...], k: tuple[int, ...]) -> None:
    if q[:-2] != k[:-2] or q[-1] != k[-1]:
        raise ValueError(
            f"q and k must have the same leading axes and the same width, got shapes {q} and {k}"
        )


def _require_counts(index: tuple[int, ...], counts: tuple[int, int]) -> None:
    if index[-2:] != counts:
        raise ValueError(
            f"queries and keys must hold {counts[0]} and {counts[1]} positions, as many as q and k, got "
            f"{index[-2]} and {index[-1]}"
        )
