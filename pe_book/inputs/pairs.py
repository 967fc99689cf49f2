"""Where the sine and the cosine of each pair stand in a row, and the way from one layout to the other.

``"interleaved"`` lists the columns pair by pair, (s0, c0, s1, c1, …), ``"halves"`` all sines and then all
cosines, (s0, s1, …, c0, c1, …). :func:`split` works on tensors too, which have a :func:`join` of their own:
:func:`pe_book.nn.pairs.join`.
"""

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.inputs.checking import Layout, any_array, axis_of, even_width, known_layout, room_for
from pe_book.inputs.wording import shown

# of an array whose last two axes run over pairs and over (sine, cosine): where the second of the two stands
PART_AXIS = {"interleaved": -1, "halves": -2}

_COMPLEX = {"float32": np.complex64, "float64": np.complex128}


class _Rows(Protocol):
    """An array of numpy or a tensor of torch."""

    @property
    def shape(self) -> Any: ...

    def __getitem__(self, index: Any, /) -> Any: ...


R = TypeVar("R", bound=_Rows)
N = TypeVar("N", int, NDArray[np.intp])


def columns(d: int, layout: Layout) -> tuple[range, range]:
    """The columns of all sines and those of all cosines, in the order of their pairs, among `d` columns.

    >>> [list(part) for part in columns(6, "halves")]
    [[0, 1, 2], [3, 4, 5]]
    >>> [list(part) for part in columns(6, "interleaved")]
    [[0, 2, 4], [1, 3, 5]]
    """
    if layout == "halves":
        return range(d // 2), range(d // 2, d)
    return range(0, d, 2), range(1, d, 2)


def split(x: R, layout: Layout) -> tuple[R, R]:
    """The sines and the cosines of rows, as views of them: each has half the columns.

    Rows, of an array or a tensor, have shape (..., d), d even, and both views (..., d/2), entry i from pair
    i. :func:`join` is the way back.

    >>> sine, cosine = split(np.array([0, 10, 1, 11]), "interleaved")
    >>> sine, cosine
    (array([0, 1]), array([10, 11]))
    """
    sine, cosine = (slice(part.start, part.stop, part.step) for part in columns(x.shape[-1], layout))
    return x[..., sine], x[..., cosine]


def join(sine: NDArray[Any], cosine: NDArray[Any], layout: Layout) -> NDArray[Any]:
    """Rows from their sines and cosines, as a new array.

    Sines and cosines have shape (..., d/2) each, entry i of pair i, and rows (..., d); the layout is that of
    the columns wanted. :func:`split` is the way back.

    >>> join(np.array([0, 1]), np.array([10, 11]), "halves")
    array([ 0,  1, 10, 11])
    """
    pairs = np.stack([sine, cosine], axis=PART_AXIS[layout])  # (..., d/2, 2) or (..., 2, d/2)
    return pairs.reshape(*sine.shape[:-1], 2 * sine.shape[-1])  # (..., d)


def column(pair: N, part: N, d: int, layout: Layout) -> N:
    """The column of a part (0 the sine, 1 the cosine) of a pair: numbers, or arrays of them.

    >>> column(2, 1, 6, "interleaved"), column(2, 1, 6, "halves")
    (5, 5)
    >>> column(np.array([0, 1]), np.array([1, 0]), 6, "halves")
    array([3, 1])
    """
    sine, cosine = columns(d, layout)
    return sine.step * pair + (cosine.start - sine.start) * part


def copy_into(rows: NDArray[Any], values: NDArray[np.float64], layout: Layout) -> None:
    """Write `values`, interleaved, to `rows` of a layout, each entry converted to the dtype there.

    >>> copy_into(rows := np.empty(4), np.array([0.0, 10.0, 1.0, 11.0]), "halves")
    >>> rows
    array([ 0.,  1., 10., 11.])
    """
    if layout == "interleaved":
        rows[...] = values
    else:
        for part, wanted in zip(split(rows, layout), split(values, "interleaved"), strict=True):
            part[...] = wanted


def as_complex(rows: NDArray[Any], layout: Layout) -> NDArray[Any] | None:
    """The memory of `rows` read as complex numbers sine + i cosine, or None where it cannot be read so.

    >>> as_complex(np.array([[0.0, 10.0, 1.0, 11.0]]), "interleaved")
    array([[0.+10.j, 1.+11.j]])
    >>> as_complex(np.array([[0.0, 10.0, 1.0, 11.0]]), "halves")
    """
    number = _COMPLEX.get(rows.dtype.name)
    if number is None or layout != "interleaved" or not rows.flags.c_contiguous:
        return None
    return rows.view(number)


def permutation(d: int, *, source: Layout, to: Layout) -> NDArray[np.intp]:
    r"""The columns of the `source` layout in the order in which the `to` layout lists them.

    ``x[..., permutation(d, source=..., to=...)]`` is `x` in the `to` layout: entry j of the result names the
    column of the source that goes to column j.

    Parameters
    ----------
    d
        Number of columns: even, at least 2.
    source, to
        ``"interleaved"`` or ``"halves"``.

    Returns
    -------
    NDArray[np.intp]
        Shape (d,): a permutation of 0, …, d-1.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.permutation(6, source="interleaved", to="halves")
    array([0, 2, 4, 1, 3, 5])
    >>> pe.permutation(6, source="halves", to="interleaved")
    array([0, 3, 1, 4, 2, 5])

    See Also
    --------
    relayout : applies it along an axis.
    """
    width, source, to = even_width(d, "d"), known_layout(source, "source"), known_layout(to, "to")
    room_for(2 * 8 * width, "d", d)
    return join(*split(np.arange(width), source), to)


def relayout(x: ArrayLike, *, source: Layout, to: Layout, axis: int = -1) -> NDArray[Any]:
    r"""The array with the columns of one axis moved from the `source` layout to the `to` layout.

    Nothing is computed: entries keep their value and their dtype. With several heads, give it an array whose
    `axis` runs over one head, because each head has its own pairs.

    Parameters
    ----------
    x
        Any array whose `axis` has even length: a table, a batch of queries, the rows of a weight matrix.
    source, to
        ``"interleaved"`` or ``"halves"``.
    axis
        The axis that runs over the dimensions.

    Returns
    -------
    NDArray[Any]
        A new array with the shape and the dtype of `x`; masked if `x` is, with the mask moved too.

    Raises
    ------
    ValueError, TypeError
        If `x` lacks the axis, the axis has odd length, or `x` is ragged, a list of masked arrays, or a tensor
        that numpy cannot read.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.relayout(["s0", "c0", "s1", "c1"], source="interleaved", to="halves").tolist()
    ['s0', 's1', 'c0', 'c1']

    See Also
    --------
    permutation : the index it uses.
    """
    array = any_array(x, "x")
    if array.ndim == 0:
        raise ValueError(f"x must be an array with an axis of even length, got {shown(x)}")
    axis = axis_of(array, axis)
    order = permutation(
        even_width(array.shape[axis], f"the length of x along axis {axis}"), source=source, to=to
    )
    return np.take(array, order, axis=axis)
