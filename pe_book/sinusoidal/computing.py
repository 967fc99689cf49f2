r"""The table at the speed of memory, every entry correctly rounded.

n rows in blocks of B cost n/B + B evaluations of sine and cosine for each pair, and n products
(:mod:`pe_book.numerics.blocks`). One error bound holds for all positions, and what it cannot round is
settled in multiple precision.

Reference: :cite:t:`vaswani2017`, section 3.5; :cite:t:`ziv1991` for rounding with a certificate.
"""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pe_book.inputs.arrays import LARGEST_EXACT, overlaps_itself
from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    finite_positions,
    flag,
    known_ladder,
    known_layout,
    numpy_dtype,
    one_of,
    physical_memory,
    room_for,
    whole_number,
    whole_start,
)
from pe_book.inputs.wording import shown
from pe_book.numerics import corrected
from pe_book.numerics.blocks import ERROR_BOUND, Blocks, Chunk

__all__ = ["ERROR_BOUND", "rows", "table", "write"]
_DTYPES = ("float32", "float16", "float64")
_ROUNDINGS = (*_DTYPES, "bfloat16")
_NAMES = {np.dtype(name): name for name in _DTYPES}  # a dtype takes its time to say its name
_WIDEST = 2**16
_DENSE = 8  # so many rows of a table cost less than one that is computed for itself


def table(
    seq_len: int,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    start: int = 0,
    dtype: DTypeLike | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    r"""The sinusoidal encoding of consecutive positions, each entry rounded once from its exact value.

    Row r is the encoding of position start + r, as :func:`pe_book.sinusoidal.formula.encode` defines it.

    Parameters
    ----------
    seq_len
        Number of rows, 0 or more.
    d_model, base, layout, ladder
        As for :func:`pe_book.sinusoidal.formula.encode`, with widths to 65536.
    start
        The first position, in tokens: with a cache of keys, the number of tokens before this call. A whole
        number, -2**53 or more; the last position is at most 2**53.
    dtype
        What numpy calls a dtype. float32 or float16: every entry is the number of that format nearest to the
        exact value. float64: every entry is within ``ERROR_BOUND`` of it. If left out, that of `out`, or
        float32.
    out
        An array of shape (seq_len, d_model) to write to.

    Returns
    -------
    NDArray
        Shape (seq_len, d_model), without unit: `out`, or a new array.

    Raises
    ------
    ValueError, TypeError
        If a position leaves ±2**53, the table would take more memory than there is, `out` is read-only or has
        another shape, or two of its entries share memory.

    Examples
    --------
    >>> import pe_book as pe
    >>> pe.table(2, 6)
    array([[0.        , 1.        , 0.        , 1.        , 0.        , 1.        ],
           [0.84147096, 0.5403023 , 0.04639922, 0.998923  , 0.00215443, 0.9999977 ]], dtype=float32)
    >>> pe.table(1, 4, start=2**24, dtype="float16")
    array([[-0.78   ,  0.6265 , -0.993  ,  0.11646]], dtype=float16)

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5.

    Notes
    -----
    Why ``ERROR_BOUND`` is 5 u, with u = 2**-53, whatever the position. Both components of both factors of
    a product are within 5/8 u of the exact ones (:func:`pe_book.numerics.phases.wave`), so each factor is
    within √2 · 5/8 u as a complex number, and the product of two such factors of modulus 1 is within
    2 √2 · 5/8 u = 1.77 u before it is rounded. A component ac - bd rounds twice in its products, by at most
    u (\|ac\| + \|bd\|) ≤ u in all, because (a, b) and (c, d) have length 1, and once as a difference, by at
    most u; a fused multiplication only leaves a rounding out. Together 3.77 u; products of two errors, of the
    size u², fit in what is left.

    The few entries that this bound cannot round are found once for each block of rows
    (:mod:`pe_book.numerics.corrected`), settled in multiple precision, and kept
    (:func:`pe_book.numerics.cache.keep_at_most` says how much is kept).

    See Also
    --------
    rows : for positions that are not consecutive.
    write : fills rows that exist already, on several threads if you like.
    pe_book.sinusoidal.formula.encode : for fractional positions, in float64.
    """
    shape = (whole_number(seq_len, "seq_len", least=0), _width(d_model, "d_model"))
    accepted = _DTYPES if dtype is None else (numpy_dtype(dtype, _DTYPES, "dtype"),)
    if out is None:
        made = np.dtype(accepted[0])
        room_for(shape[0] * shape[1] * made.itemsize, "seq_len", seq_len, most=physical_memory())
        out = np.empty(shape, made)
    elif np.shape(out) != shape or str(getattr(out, "dtype", "")) not in accepted:
        wanted = " or ".join(accepted)
        raise ValueError(f"out must be {wanted} of shape {shape}, got {_described(out)}")
    return write(out, base=base, layout=layout, ladder=ladder, start=start)


def rows(
    positions: ArrayLike,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    dtype: DTypeLike = "float32",
    rounding: str | None = None,
) -> NDArray[Any]:
    """The sinusoidal encoding of any whole positions, each entry rounded once from its exact value.

    What :func:`table` is for consecutive positions. Positions that fill an eighth of their range or
    more cost what a table costs; scattered ones are computed each for itself, at several times the price.

    Parameters
    ----------
    positions
        In tokens: whole numbers from -2**53 to 2**53, any shape, in any order, as often as you like.
    d_model, base, layout, ladder, dtype
        As for :func:`table`.
    rounding
        As for :func:`write`: ``"bfloat16"`` gives numbers of bfloat16 in float32 or float64.

    Returns
    -------
    NDArray
        Shape positions.shape + (d_model,), without unit.

    Examples
    --------
    >>> found = rows([[7, 2**50], [7, -3]], 64)
    >>> bool((found[0, 0] == table(8, 64)[7]).all())
    True

    See Also
    --------
    pe_book.sinusoidal.formula.encode : for fractional positions, in float64.
    """
    dtype, d_model = numpy_dtype(dtype, _DTYPES, "dtype"), _width(d_model, "d_model")
    rounding = _rounding(rounding, dtype)
    blocks = Blocks.of(d_model, base_above_one(base), known_ladder(ladder))
    layout, real = known_layout(layout), finite_positions(positions)
    whole = real.astype(np.int64)
    if (whole != real).any():
        first = float(real[whole != real][0])
        raise ValueError(f"positions must be whole numbers, got {first}; pe_book.encode takes fractions")
    distinct, index = np.unique(whole, return_inverse=True)
    n_bytes = (whole.size + distinct.size) * d_model * np.dtype(dtype).itemsize
    shape = (*whole.shape, d_model)
    room_for(n_bytes, "the result of positions and d_model", shape, most=physical_memory())
    if distinct.size and int(distinct[-1]) - int(distinct[0]) < _DENSE * distinct.size:
        start = int(distinct[0])
        made = np.empty((int(distinct[-1]) - start + 1, d_model), dtype)
        write(made, base=base, layout=layout, ladder=ladder, start=start, rounding=rounding)
        found: NDArray[Any] = made[whole - start]
        return found
    made = np.empty((distinct.size, d_model), dtype)
    corrected.write_scattered(blocks, made, distinct, layout, rounding)
    return made[index.reshape(whole.shape)]  # (..., d_model)


def write(
    out: NDArray[Any],
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    start: int = 0,
    rounding: str | None = None,
    threads: int = 1,
    compiled: bool = False,
) -> NDArray[Any]:
    """The rows of :func:`table`, written to an array that exists.

    Parameters
    ----------
    out
        Shape (seq_len, d_model), float32, float16 or float64, in any order in memory.
    base, layout, ladder, start
        As for :func:`table`.
    rounding
        The format to round to, when it is not the one of `out`: ``"bfloat16"``, which numpy lacks, fills a
        float32 array with numbers of bfloat16.
    threads
        How many threads share the rows. The result does not depend on it.
    compiled
        Whether numba compiles the products into one loop (``pip install pe_book[fast]``). The float32 and
        float16 that come out are the same.

    Returns
    -------
    NDArray
        `out`.

    Raises
    ------
    ModuleNotFoundError
        If `compiled` is asked for and numba is not installed.

    Examples
    --------
    >>> write(np.empty((2, 4), "float32"), rounding="bfloat16")
    array([[0.        , 1.        , 0.        , 1.        ],
           [0.83984375, 0.5390625 , 0.01000977, 1.        ]], dtype=float32)
    """
    if not _is_plain(out):
        wanted = "a plain numpy array of float32, float16 or float64"
        raise TypeError(f"out must be {wanted}, got {_described(out)}")
    if out.ndim != 2 or out.dtype not in _NAMES:
        wanted = "float32, float16 or float64 of shape (seq_len, d_model)"
        raise ValueError(f"out must be {wanted}, got {_described(out)}")
    if not out.flags.writeable:
        raise ValueError("out must be writeable, got a read-only array; copy it first")
    if not out.flags.forc and overlaps_itself(out.shape, out.strides, out.itemsize):
        got = f"got strides {out.strides} for shape {out.shape}; copy it first"
        raise ValueError(f"out must have a place in memory for each entry, {got}")
    rounding = _rounding(rounding, _NAMES[out.dtype])
    seq_len, d_model = out.shape[0], _width(out.shape[1], "the number of columns of out")
    start, threads = whole_start(start), whole_number(threads, "threads", least=1)
    if compiled := flag(compiled, "compiled"):
        import_module("pe_book.numerics.compiled")  # before anything is written
    if start < -LARGEST_EXACT or start + seq_len - 1 > LARGEST_EXACT:
        raise ValueError(f"start: positions must lie within ±2**53, got {shown(start)} and {seq_len} rows")
    array = np.asarray(out)  # a subclass may index in its own way
    blocks = Blocks.of(d_model, base_above_one(base), known_ladder(ladder))
    layout = known_layout(layout)

    def fill(chunk: Chunk) -> None:
        corrected.fill(blocks, chunk.inside(array, start), chunk, layout, rounding, compiled=compiled)

    chunks = list(blocks.chunks(start, seq_len))
    if threads == 1 or len(chunks) == 1:
        for chunk in chunks:
            fill(chunk)
    else:
        with ThreadPoolExecutor(min(threads, len(chunks))) as pool:
            list(pool.map(fill, chunks))
    return out


def _width(d_model: int, name: str) -> int:
    width = even_width(d_model, name)
    if width > _WIDEST:
        raise ValueError(
            f"{name} must be at most {_WIDEST} for a table, got {shown(d_model)}; encode takes more"
        )
    return width


def _rounding(rounding: str | None, dtype: str) -> str:
    """The format to round to in an array of a dtype."""
    if rounding is None:
        return dtype
    one_of(rounding, _ROUNDINGS, "rounding")
    if rounding == "bfloat16" and dtype == "float16":
        raise ValueError("rounding: float16 cannot hold numbers of 'bfloat16'; make the array float32")
    if rounding not in (dtype, "bfloat16"):
        cure = f"for numbers of {rounding} make the array {rounding}, and leave rounding out"
        raise ValueError(f"rounding must be 'bfloat16' or the dtype, {dtype}: got {rounding!r}; {cure}")
    return rounding


def _is_plain(out: object) -> bool:
    return isinstance(out, np.ndarray) and not isinstance(out, np.ma.MaskedArray)


def _described(out: Any) -> str:
    return f"{out.dtype} of shape {out.shape}" if _is_plain(out) else f"a {type(out).__name__}"
