r"""The table at the speed of memory, every entry correctly rounded.

n rows in blocks of B cost n/B + B evaluations of sine and cosine for each pair, and n products
(:mod:`pe_book.sinusoidal.blocks`). One error bound holds for all positions, and what it cannot round is
settled in multiple precision.

Reference: :cite:t:`vaswani2017`, section 3.5; :cite:t:`ziv1991` for rounding with a certificate.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.checking import (
    Ladder,
    Layout,
    base_above_one,
    even_width,
    known_ladder,
    known_layout,
    one_of,
    whole_number,
)
from pe_book.sinusoidal import settled
from pe_book.sinusoidal.blocks import ERROR_BOUND, Blocks, Piece
from pe_book.sinusoidal.formula import permutation
from pe_book.sinusoidal.phases import exact_entry, exact_frequencies

__all__ = ["ERROR_BOUND", "exact", "table", "write"]

_DTYPES = ("float32", "float16", "float64")
_ROUNDINGS = (*_DTYPES, "bfloat16")
_FARTHEST = 2**53  # whole positions beyond it are not float64


def table(
    seq_len: int,
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    start: int = 0,
    dtype: str = "float32",
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    r"""The sinusoidal encoding of consecutive positions, each entry rounded once from its exact value.

    Row r is the encoding of position start + r, as :func:`pe_book.sinusoidal.formula.encode` defines it.

    Parameters
    ----------
    seq_len
        Number of rows, 0 or more.
    d_model, base, layout, ladder
        As for :func:`pe_book.sinusoidal.formula.encode`.
    start
        The first position, in tokens: with a cache of keys, the number of tokens before this call. A whole
        number, -2**53 or more; the last position is at most 2**53.
    dtype
        ``"float32"`` or ``"float16"``: every entry is the number of that format nearest to the exact value.
        ``"float64"``: every entry is within ``ERROR_BOUND`` of it.
    out
        An array of shape (seq_len, d_model) and this dtype to write to.

    Returns
    -------
    NDArray
        Shape (seq_len, d_model), without unit: `out`, or a new array.

    Raises
    ------
    ValueError, TypeError
        If `seq_len` or `start` is not a whole number, a position leaves ±2**53, `dtype` is not one of the
        three, `out` does not fit, or for the reasons of :func:`pe_book.sinusoidal.formula.encode`.

    Examples
    --------
    >>> table(2, 6)
    array([[0.        , 1.        , 0.        , 1.        , 0.        , 1.        ],
           [0.84147096, 0.5403023 , 0.04639922, 0.998923  , 0.00215443, 0.9999977 ]], dtype=float32)
    >>> table(1, 4, start=2**24, dtype="float16")
    array([[-0.78   ,  0.6265 , -0.993  ,  0.11646]], dtype=float16)

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5.

    Notes
    -----
    Why ``ERROR_BOUND`` is 6 u, with u = 2**-53, whatever the position. Both components of both factors of
    a product are within 1.25 u of the exact ones (:func:`pe_book.sinusoidal.phases.sine_cosine`), so each
    factor is within √2 · 1.25 u as a complex number, and the product of two such factors of modulus 1 is
    within 2 √2 · 1.25 u = 3.54 u before it is rounded. A component ac - bd rounds twice in its products, by
    at most u (\|ac\| + \|bd\|) ≤ u in all, because (a, b) and (c, d) have length 1, and once as a difference,
    by at most u; a fused multiplication only leaves a rounding out. Together 5.54 u; products of two errors,
    of the size u², fit in what is left.

    The few entries that this bound cannot round are found once for each block of rows
    (:mod:`pe_book.sinusoidal.certified`), settled in multiple precision, and kept.

    See Also
    --------
    write : fills rows that exist already, on several threads if you like.
    pe_book.sinusoidal.formula.encode : for fractional positions, in float64.
    """
    shape = (whole_number(seq_len, "seq_len", least=0), even_width(d_model))
    dtype = one_of(getattr(dtype, "name", dtype), _DTYPES, "dtype")
    if out is None:
        out = np.empty(shape, dtype)
    elif _described(out) != f"{dtype} of shape {shape}":
        raise ValueError(f"out must be {dtype} of shape {shape}, got {_described(out)}")
    return write(out, base=base, layout=layout, ladder=ladder, start=start)


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
    ValueError, TypeError
        As :func:`table`; if `out` cannot be written or cannot hold what `rounding` names.
    ModuleNotFoundError
        If `compiled` is asked for and numba is not installed.

    Examples
    --------
    >>> write(np.empty((2, 4), "float32"), rounding="bfloat16")
    array([[0.        , 1.        , 0.        , 1.        ],
           [0.83984375, 0.5390625 , 0.01000977, 1.        ]], dtype=float32)
    """
    if getattr(out, "ndim", 0) != 2 or _described(out).split(" ")[0] not in _DTYPES:
        raise ValueError(
            f"out must be float32, float16 or float64 of shape (seq_len, d_model), got {_described(out)}"
        )
    if not out.flags.writeable:
        raise ValueError("out must be writeable, got a read-only array; copy it first")
    rounding = out.dtype.name if rounding is None else one_of(rounding, _ROUNDINGS, "rounding")
    if rounding not in (out.dtype.name, "bfloat16") or (rounding == "bfloat16" and out.dtype == np.float16):
        raise ValueError(f"rounding must fit into out: got {rounding} and {out.dtype}; use float32 for both")
    seq_len, d_model = out.shape[0], even_width(out.shape[1], "the number of columns of out")
    start, threads = whole_number(start, "start"), whole_number(threads, "threads", least=1)
    if start < -_FARTHEST or start + seq_len - 1 > _FARTHEST:
        raise ValueError(f"start: positions must lie within ±2**53, got {start} and {seq_len} rows")
    blocks = Blocks.of(d_model, base_above_one(base), known_ladder(ladder))
    layout = known_layout(layout)

    def fill(piece: Piece) -> None:
        settled.fill(blocks, piece.inside(out, start), piece, layout, rounding, compiled=compiled)

    pieces = list(blocks.pieces(start, seq_len))
    if threads == 1 or len(pieces) == 1:
        for piece in pieces:
            fill(piece)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, pieces))
    return out


def _described(out: object) -> str:
    return f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else f"a {type(out).__name__}"


def exact(
    positions: Iterable[int | float | Fraction],
    d_model: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    ladder: Ladder = "paper",
    digits: int = 40,
) -> list[list[Any]]:
    r"""The sinusoidal encoding in multiple precision: slow, and what everything else is measured against.

    Parameters
    ----------
    positions
        In tokens: whole numbers, fractions or floats, each taken at its exact value; to 2**53 in magnitude.
    d_model, base, layout, ladder
        As for :func:`pe_book.sinusoidal.formula.encode`.
    digits
        How many decimal digits of each entry are right, counted from the decimal point.

    Returns
    -------
    list of lists of mpmath.mpf
        One row of d_model numbers for each position.

    Raises
    ------
    ValueError, TypeError
        As :func:`pe_book.sinusoidal.formula.encode`.

    Examples
    --------
    >>> import mpmath
    >>> mpmath.nstr(exact([1], 2)[0][0], 30)
    '0.84147098480789650665250232163'
    """
    bits = 64 + int(whole_number(digits, "digits", least=1) * 3.33)
    omegas = exact_frequencies(even_width(d_model), base=base, ladder=ladder, bits=bits)
    order = permutation(d_model, source="interleaved", to=layout)
    rows = []
    for position in positions:
        place = Fraction(position)
        pairs = [
            exact_entry(place, omega, cosine=cosine, bits=bits)
            for omega in omegas
            for cosine in (False, True)
        ]
        rows.append([pairs[column] for column in order])
    return rows
