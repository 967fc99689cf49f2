"""What the page on conventions decides: dot products of two conventions, and what each rounding leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pe_book.evidence.verdict import Verdict
from pe_book.numerics.rounding import round_to
from pe_book.sinusoidal.formula import encode, frequencies
from pe_book.sinusoidal.precision.recipes import STAGES, encode_rounded


def scores_apart(one: ArrayLike, other: ArrayLike) -> float:
    """The largest difference between the dot products of rows in two tables.

    Each table has shape (n, d): the same positions under two conventions.

    >>> scores_apart([[1, 0], [0, 1]], [[0, 1], [1, 0]])
    0.0
    """
    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    return float(np.abs(x @ x.T - y @ y.T).max())


def angle_error(position: float, d_model: int, dtype: str) -> float:
    """The largest error of an angle when the exact frequency and then the product are rounded to a format.

    It is in radians, the position in tokens, the width even and at least 2, the format ``"bfloat16"``,
    ``"float16"`` or ``"float32"``.

    >>> angle_error(4, 2, "bfloat16"), angle_error(257, 2, "bfloat16")
    (0.0, 1.0)
    """
    omega = frequencies(d_model)
    rounded = round_to(position * round_to(omega, dtype), dtype)
    return float(np.abs(rounded - position * omega).max())


class Mark(NamedTuple):
    """What one rounding leaves in a table, to be seen by comparing it with the exact one."""

    exact_rows: int  # rows from the top without any error
    early: float  # the largest error of an entry in the first hundredth of the rows
    late: float  # the largest error of an entry anywhere
    first_repeat: int | None  # the first row that equals the next
    repeats: int  # rows that equal the next
    fastest_off: int | None  # the first row whose first two columns are off


def marks(dtype: str, *, d_model: int = 64, n: int = 5000) -> dict[str, Mark]:
    """What is seen in a table of n rows when one stage of its computation is rounded and the rest is exact.

    The stages are ``"positions"``, ``"frequencies"``, ``"angles"`` and ``"table"``, the formats those of
    :func:`angle_error`.

    >>> marks("bfloat16", n=300)["positions"].first_repeat
    256
    """
    exact = encode(range(n), d_model)
    return {
        stage: mark(encode_rounded(range(n), d_model, rounded=stage, dtype=dtype), exact) for stage in STAGES
    }


def mark(table: ArrayLike, exact: ArrayLike) -> Mark:
    """What is seen in a table of shape (n, d) beside the exact one of the same positions.

    >>> mark([[0.0], [1.0], [1.0]], [[0.0], [1.0], [2.0]])
    Mark(exact_rows=2, early=0.0, late=1.0, first_repeat=1, repeats=1, fastest_off=2)
    """
    rows, right = np.asarray(table, dtype=np.float64), np.asarray(exact, dtype=np.float64)
    gaps = np.abs(rows - right).max(axis=1)
    off = np.flatnonzero(gaps)
    fastest = np.flatnonzero(rows[:, :2] != right[:, :2])
    repeats = np.flatnonzero(np.all(rows[1:] == rows[:-1], axis=1))
    return Mark(
        exact_rows=int(off[0]) if off.size else len(rows),
        early=float(gaps[: max(len(rows) // 100, 1)].max()),
        late=float(gaps.max()),
        first_repeat=int(repeats[0]) if repeats.size else None,
        repeats=int(repeats.size),
        fastest_off=int(fastest[0]) // rows[:, :2].shape[1] if fastest.size else None,
    )


def marks_tell(found: Mapping[str, Mark], *, growth: float = 10.0) -> Verdict:
    """Whether the page's rule tells where a table was rounded: each of the four stages by itself.

    Stored: an error as large at the top; positions: rows repeat after rows without error; frequencies: it
    grows from the second row on, but not in the fastest pair; angles: in that one, too.
    """
    grown = {stage: seen.late / seen.early if seen.early else np.inf for stage, seen in found.items()}
    positions, stored = found["positions"], found["table"]
    between = [found["frequencies"], found["angles"]]
    return Verdict(
        bool(
            grown["table"] < 2
            and stored.repeats == 0
            and positions.first_repeat is not None
            and positions.exact_rows == positions.first_repeat + 1
            and positions.early == 0
            and all(seen.exact_rows == 1 for seen in between)
            and all(grown[stage] > growth for stage in ("frequencies", "angles"))
            and found["frequencies"].fastest_off is None
            and found["angles"].fastest_off == positions.exact_rows
        ),
        {**{f"growth, {stage}": times for stage, times in grown.items()}, "exact rows": positions.exact_rows},
    )
