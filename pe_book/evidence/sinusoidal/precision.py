"""What the chapter on precision measures and decides about the four places where a number is rounded."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import floor, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.numerics.rounding import FORMATS, Collisions, collisions, round_to, spacing
from pe_book.sinusoidal.computing import table
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.precision import error
from pe_book.sinusoidal.precision.recipes import STAGES, encode_rounded, recipe


class Left(NamedTuple):
    """What a rounding leaves of the positions 0, …, n-1."""

    found: Collisions  # the first two equal rows, and how many differ
    worst: float  # the largest error of an entry
    similar: NDArray[np.float64]  # of each row to the next: their dot product over its largest value, (n-1,)


@lru_cache(maxsize=16)
def what_is_left(n: int, d_model: int, stages: tuple[str, ...], dtype: str) -> Left:
    """What is left of the first n positions when these stages are rounded; measured once for each question.

    As :func:`pe_book.sinusoidal.precision.recipes.encode_rounded` does it.

    >>> what_is_left(300, 8, ("positions",), "bfloat16").found
    Collisions(first=(256, 257), distinct=279, total=300)
    """
    rows = encode_rounded(np.arange(n), d_model, rounded=stages, dtype=dtype)
    worst = float(np.abs(rows - table(n, d_model, dtype="float64")).max())
    similar = np.einsum("pc,pc->p", rows[1:], rows[:-1]) / (d_model / 2)
    return Left(_collisions(rows), worst, similar)


def worst_errors(positions: ArrayLike, d_model: int, dtype: str) -> dict[str, float]:
    """The largest error of an entry at some positions, by which of the four numbers is rounded.

    >>> {stage: round(worst, 4) for stage, worst in worst_errors([100, 200], 8, "bfloat16").items()}
    {'positions': 0.0, 'frequencies': 0.0179, 'angles': 0.0002, 'table': 0.0017}
    """
    true = encode(positions, d_model)
    rounded = {s: encode_rounded(positions, d_model, rounded=s, dtype=dtype) for s in STAGES}
    return {stage: float(np.abs(rows - true).max()) for stage, rows in rounded.items()}


def in_float64(positions: ArrayLike, frequencies: ArrayLike) -> NDArray[np.float64]:
    """The formula as it is printed, each operation rounded to float64, and the result to float32.

    Frequencies are in radians a token, and the rows are interleaved.

    >>> in_float64([1], [1.0])
    array([[0.84147096, 0.54030228]])
    """
    angles = np.multiply.outer(np.asarray(positions, float), np.asarray(frequencies, float))
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (n, d_model/2, 2)
    return round_to(pairs.reshape(len(angles), -1), "float32")


def judged(rows: NDArray[np.float64], start: int, dtype: str) -> tuple[float, float] | tuple[None, None]:
    """The share of misrounded entries and the largest error of rows from `start` on; None if not finite.

    >>> judged(in_float64(np.arange(8), [1.0]), 0, "float32")[0]
    0.0
    """
    if not np.isfinite(rows).all():
        return None, None
    found = error(rows, start=start, dtype=dtype)
    return found.misrounded / found.entries, found.largest


def ranges(n: int, around: Sequence[int]) -> dict[str, NDArray[np.float64]]:
    """The first n positions, and those around some powers of two, by their names in a table.

    >>> {name: (int(p[0]), int(p[-1])) for name, p in ranges(4096, (16,)).items()}
    {'0 to 4,095': (0, 4095), 'around $2^{16}$': (65504, 65567)}
    """
    near = {f"around $2^{{{k}}}$": np.arange(2.0**k - 32, 2.0**k + 32) for k in around}
    return {f"0 to {n - 1:,}": np.arange(float(n)), **near}


def judged_recipes(n: int, d_model: int, around: Sequence[int]) -> list[tuple[Any, ...]]:
    """Recipe, :func:`ranges` of positions, and what :func:`judged` says of the recipe's float32 table there.

    >>> judged_recipes(8, 4, ())[3][:3]
    ('float64, then cast', '0 to 7', 0.0)
    """
    ladders = {name: frequencies(d_model, ladder=name) for name in ("paper", "tensor2tensor")}
    recipes: dict[str, Callable[[ArrayLike], NDArray[np.float64]]] = {
        "float32, $e^{-2i\\ln(10000)/d}$": lambda p: recipe(p, d_model, frequencies_by="exp"),
        "float32, $1/10000^{2i/d}$": lambda p: recipe(p, d_model, frequencies_by="power"),
        "float32, nearest frequencies": lambda p: recipe(p, d_model, frequencies_by="nearest"),
        "float64, then cast": lambda p: in_float64(p, ladders["paper"]),
        "float64, then cast, other ladder": lambda p: in_float64(p, ladders["tensor2tensor"]),
    }
    return [
        (name, where, *judged(make(p), int(p[0]), "float32"))
        for where, p in ranges(n, around).items()
        for name, make in recipes.items()
    ]


def judged_stages(
    n: int, d_model: int, around: Sequence[int], dtypes: Sequence[str]
) -> list[tuple[Any, ...]]:
    """Stage, :func:`ranges`, and for each format what :func:`judged` says where that stage is rounded to it.

    The finished table is rounded, too, and judged in the same format.

    >>> judged_stages(300, 4, (), ("bfloat16",))[-1][:3]
    ('table', '0 to 299', 0.0)
    """
    rows = []
    for where, p in ranges(n, around).items():
        for stage in STAGES:
            made = {t: encode_rounded(p, d_model, rounded=(stage, "table"), dtype=t) for t in dtypes}
            found = [judged(made[dtype], int(p[0]), dtype) for dtype in dtypes]
            rows.append((stage, where, *(number for pair in found for number in pair)))
    return rows


def errors_by_pair(octave: int, d_model: int, dtype: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """With the angle rounded: the largest error of each pair in an octave of positions, and its bound.

    >>> [part.round(3).tolist() for part in errors_by_pair(9, 4, "bfloat16")]
    [[1.683, 0.03], [2.0, 0.031]]
    """
    p = np.arange(2**octave, 2 ** (octave + 1))
    moved = np.abs(encode_rounded(p, d_model, rounded="angles", dtype=dtype) - encode(p, d_model))
    bound = np.minimum(spacing(p[-1] * frequencies(d_model), dtype) / 2, 2)
    return moved.max(axis=0).reshape(-1, 2).max(axis=1), bound


def relative_bound_holds(dtype: str, start: float) -> Verdict:
    """Of 1000 numbers in the octave from `start` on none moves by more than two to the minus s of itself."""
    x = np.linspace(start, 2 * start, 1000)
    moved = float((np.abs(round_to(x, dtype) - x) / x).max())
    bound = 2.0 ** -FORMATS[dtype].significant_bits
    return Verdict(moved <= bound, {"moved by": moved, "bound": bound})


def powers_of_two_survive(dtype: str, *, last: int | None = None) -> Verdict:
    """Every power of two from 1 on is a number of the format, so that a position there is not moved.

    Up to the exponent `last`, or to the largest that the format has: past its end there is only infinity.
    """
    if last is None:
        last = floor(log2(FORMATS[dtype].largest))
    powers = np.ldexp(1.0, np.arange(last + 1))
    lost = np.flatnonzero(round_to(powers, dtype) != powers)
    return Verdict(lost.size == 0, {"last": last, "first lost": int(lost[0]) if lost.size else -1})


def _collisions(rows: NDArray[np.float64]) -> Collisions:
    few = rows[:, :64]  # where rows that agree in these agree in all, these decide, and are quicker to sort
    _, first, group = np.unique(few, axis=0, return_index=True, return_inverse=True)
    return collisions(few if np.array_equal(rows, rows[first[group.reshape(-1)]]) else rows)
