"""What relative vectors are looked up by: products gathered by the row of a table, and whether shapes fit."""

from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.family.offsets import axes_fit
from pe_book.inputs.checking import finite_result, matrices, real_array, room_for
from pe_book.inputs.shapes import Scores


def beside_rows(index: tuple[int, ...], lead: tuple[int, ...]) -> tuple[int, ...]:
    """The shape (..., n_q, n_k) of offsets with an axis for heads, where the rows have one that they lack.

    Offsets without leading axes are for all rows. Others have as many as the rows, or all but the last, which
    then is that of heads.

    >>> beside_rows((2, 5, 5), (2, 8))
    (2, 1, 5, 5)
    """
    batch, pairs = index[:-2], index[-2:]
    if len(batch) == len(lead) - 1:
        batch = (*batch, 1) if batch else ()
    if batch and not axes_fit(batch, lead):
        raise ValueError(
            "queries and keys must have no leading axes, or those of the rows of q with or without the axis "
            f"of heads, got leading axes {index[:-2]} beside {lead}"
        )
    return (*batch, *pairs)


def checked_vectors(
    values: ArrayLike, name: str, lead: tuple[int, ...], width: int | None = None
) -> NDArray[np.float64]:
    """`values` as a table (rows, d) or one for each head, (h, rows, d), that fits leading axes of rows."""
    table = matrices(values, name)
    require_table(table.shape, name, lead, width)
    return table


def require_table(shape: tuple[int, ...], name: str, lead: tuple[int, ...], width: int | None) -> None:
    """Refuse a table that has another width, or another number of heads than the rows."""
    if width is not None and shape[-1] != width:
        raise ValueError(f"{name} must have the width of the rows, {width}, got shape {shape}")
    if len(shape) > 2 and shape[:-2] != lead[-1:]:
        heads = f"({lead[-1]}, rows, d), one for each head" if lead else "no leading axes"
        raise ValueError(f"{name} must have shape (rows, d), or {heads}, got {shape}")


def odd_clip(rows: int, name: str = "vectors") -> int:
    """The clip K of a table with 2K+1 rows."""
    if rows % 2 == 0:
        raise ValueError(f"{name} must have 2K+1 rows, an odd number, got {rows}")
    return rows // 2


def gathered(
    rows: NDArray[np.float64], table: NDArray[np.float64], index: NDArray[np.int64], name: str
) -> Scores:
    """The dot product of each row with the row of a table that the index names for it and each partner.

    Multiplied first, gathered afterwards: n·rows products, and no row of the table is written twice. Shapes
    are (..., n, d), (rows, d) or (h, rows, d), and (..., n, m) of the index and of the result; `name` is that
    of the argument that is too large, if a product is.

    >>> gathered(np.array([[1.0, 2.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1, 0, 1]]), "q")
    array([[2., 1., 2.]])
    """
    shape = beside_rows(index.shape, rows.shape[:-2])
    lead = np.broadcast_shapes(shape[:-2], rows.shape[:-2])
    each = prod((*lead, rows.shape[-2])) * (table.shape[-2] + 3 * index.shape[-1])
    room_for(8 * each, name, rows.shape)
    with np.errstate(over="ignore", invalid="ignore"):  # refused below, by name
        products = rows @ np.swapaxes(table, -1, -2)  # (..., n, rows)
    finite_result(products, name, "a product with the table", given=rows)
    whole = np.broadcast_to(products, (*lead, *products.shape[-2:]))  # (..., n, rows)
    chosen = np.broadcast_to(index.reshape(shape), (*lead, *shape[-2:]))  # (..., n, m)
    return np.take_along_axis(whole, chosen, axis=-1)  # (..., n, m)


def fitting_bias(bias: ArrayLike, shape: tuple[int, ...]) -> Scores:
    """A bias as wide as the scores, refused if it does not broadcast to them."""
    added = real_array(bias, "bias", infinite=True)
    try:
        return np.broadcast_to(added, shape)  # (..., n_q, n_k)
    except ValueError:
        raise ValueError(f"bias must broadcast to the scores, shape {shape}, got {added.shape}") from None


def as_many(wanted: int, given: int, name: str, of: str, what: str = "positions") -> None:
    """Refuse another number of one thing than of the other."""
    if wanted != given:
        raise ValueError(f"{name} must hold {wanted} {what}, as many as {of}, got {given}")
