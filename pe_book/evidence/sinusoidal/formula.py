"""What the chapter on the formula decides: rows under other conventions, after slips, and how to tell them.

Reference: :cite:t:`vaswani2017`, section 3.5; the second ladder and the second layout are those of the
authors' own code (:cite:t:`vaswani2018tensor2tensor`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.evidence.verdict import Verdict
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift import shift_matrix

Row = NDArray[np.float64]

NONE_BELOW = 1e-9  # what is left of a dot product after rounding is far smaller, a real change far larger
WITHIN = 1e-12
PRINTED = "as printed in the paper"


def looks_right(row: ArrayLike) -> Verdict:
    """Whether a row passes at a glance: no entry above 1, the sines fall, the cosines rise."""
    numbers = np.asarray(row, dtype=np.float64)
    largest = float(np.abs(numbers).max())
    sines, cosines = np.diff(numbers[0::2]), np.diff(numbers[1::2])
    return Verdict(
        largest <= 1 and bool(np.all(sines < 0)) and bool(np.all(cosines > 0)),
        {"largest": largest, "step of the sines": sines.max(), "step of the cosines": cosines.min()},
    )


def turns_negative_at(position: int, d_model: int) -> Verdict:
    """Whether the last cosine is negative for the first time at a position."""
    cosines = [float(encode(p, d_model)[-1]) for p in range(position + 1)]
    least, there = min(cosines[:-1]), cosines[-1]
    return Verdict(there < 0 <= least, {"there": there, "least before": least})


def shifts_depend_on(offset: int, d_model: int) -> Verdict:
    """Whether one matrix moves every row by an offset, and another offset, width or base has another."""
    matrix, at = shift_matrix(offset, d_model), np.array([0, 1, 50, 2**20])
    left = float(np.abs(encode(at, d_model) @ matrix.T - encode(at + offset, d_model)).max())
    others = {
        "offset": shift_matrix(offset + 1, d_model),
        "width": shift_matrix(offset, 2 * d_model)[:d_model, :d_model],
        "base": shift_matrix(offset, d_model, base=2e4),
    }
    apart = {name: float(np.abs(other - matrix).max()) for name, other in others.items()}
    return Verdict(left < NONE_BELOW and min(apart.values()) > 1e-3, {"left": left, **apart})


# --- other conventions, and slips ---------------------------------------------------------------


def other_conventions(position: int, d_model: int) -> dict[str, Row]:
    """The row of one position under the conventions of others, by what each does differently.

    >>> other_conventions(0, 4)["halves, cosines first"]
    array([1., 1., 0., 0.])
    """
    i = np.arange(d_model // 2)
    printed = position / 10000 ** (2 * i / d_model)
    released = position / 10000 ** (i / max(d_model // 2 - 1, 1))
    return {
        "halves": np.concatenate([np.sin(printed), np.cos(printed)]),
        "ladder of the released code": _pairs(released, released),
        "halves and that ladder": np.concatenate([np.sin(released), np.cos(released)]),
        "halves, cosines first": np.concatenate([np.cos(printed), np.sin(printed)]),
        "sine and cosine swapped": _pairs(printed, printed)[np.arange(d_model) ^ 1],
        "positions from $1$": encode(position + 1, d_model),
    }


def slips(position: int, d_model: int) -> dict[str, Row]:
    """The row of one position after the usual slips, by what was computed.

    >>> slips(1, 6)["exponent $i/d$"].round(3)
    array([0.841, 0.54 , 0.214, 0.977, 0.046, 0.999])
    """
    i = np.arange(d_model // 2)

    def divided_by(divisors: Row) -> Row:
        return _pairs(position / divisors, position / divisors)

    cosine_divisors = 10000 ** ((2 * i + 1) / d_model)
    return {
        "exponent $i/d$": divided_by(10000 ** (i / d_model)),
        "exponent $4i/d$": divided_by(10000 ** (4 * i / d_model)),
        "cosine with its own exponent, $(2i+1)/d$": _pairs(
            position / 10000 ** (2 * i / d_model), position / cosine_divisors
        ),
        "base $1000$": divided_by(1000 ** (2 * i / d_model)),
        "multiplied, not divided": divided_by(10000 ** (-2 * i / d_model)),
    }


def mistaken_rows(position: int, d_model: int) -> dict[str, Row]:
    """The row of one position as the paper prints it, under other conventions, and after the usual slips.

    The order is that of the page's table: the formula, :func:`other_conventions`, :func:`slips`.

    >>> len(mistaken_rows(1, 8))
    12
    """
    angles = position / 10000 ** (2 * np.arange(d_model // 2) / d_model)
    printed = {PRINTED: _pairs(angles, angles)}
    return printed | other_conventions(position, d_model) | slips(position, d_model)


def row_to_diagnose() -> Row:
    """The row of position 1 that the exercise "Name the mistake" prints: the one with the exponent 4i/d.

    >>> row_to_diagnose().round(4)
    array([0.8415, 0.5403, 0.0022, 1.    , 0.    , 1.    ])
    """
    return slips(1, 6)["exponent $4i/d$"]


def lines_differ(rows: Mapping[str, ArrayLike], *, digits: int = 4, shown: int | None = None) -> Verdict:
    """Whether no two rows print alike."""
    lines = {tuple(f"{x:.{digits}f}" for x in np.asarray(row)[:shown]) for row in rows.values()}
    return Verdict(len(lines) == len(rows), {"lines": len(rows), "distinct": len(lines)})


def on_circles(row: ArrayLike) -> Verdict:
    """Whether the squares of each pair of a row add up to one."""
    squares = np.square(np.asarray(row, dtype=np.float64)).reshape(-1, 2).sum(axis=-1)
    gap = float(np.abs(squares - 1).max())
    return Verdict(gap < WITHIN, {"gap": gap, "within": WITHIN})


def three_tests_single_out(
    name: str, zeroth: Mapping[str, ArrayLike], first: Mapping[str, ArrayLike]
) -> Verdict:
    """Whether one table passes the three quick tests of the page and every other one fails at least one.

    Row 0 is 0, 1, 0, 1, …; pairs of row 1 lie on circles; its column 2 is, as printed, sin(10000**(-2/d)).
    """
    passed = {}
    for table, numbers in first.items():
        row, start = np.asarray(numbers), np.asarray(zeroth[table])
        third = np.sin(10000 ** (-2 / row.size))
        passed[table] = (
            int(np.array_equal(start, np.arange(row.size) % 2))
            + int(on_circles(row).holds)
            + int(f"{row[2]:.4f}" == f"{third:.4f}")
        )
    return Verdict([table for table, count in passed.items() if count == 3] == [name], passed)


def changes_by_convention(seq_len: int, d_model: int) -> dict[str, tuple[float, float]]:
    """For each convention, the largest difference from the printed formula: in an entry, in a dot product.

    The entries are those of a table of so many rows, the products those of any two of its rows.

    >>> entry, product = changes_by_convention(50, 8)["positions start at $1$"]
    >>> round(entry, 4), product < NONE_BELOW
    (0.9575, True)
    """
    positions = np.arange(seq_len)
    printed = encode(positions, d_model)
    others = {
        "cosine first: $(\\cos, \\sin)$ pairs": printed[:, np.arange(d_model) ^ 1],
        "halves: all sines, then all cosines": encode(positions, d_model, layout="halves"),
        "positions start at $1$": encode(positions + 1, d_model),
        "the ladder of the released code": encode(positions, d_model, ladder="tensor2tensor"),
        "both, as the code was released": encode(positions, d_model, layout="halves", ladder="tensor2tensor"),
        "base $1000$": encode(positions, d_model, base=1000),
    }
    gram = printed @ printed.T
    return {
        name: (float(np.abs(other - printed).max()), float(np.abs(other @ other.T - gram).max()))
        for name, other in others.items()
    }


# --- layouts are interchangeable ----------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """One layer on the stream: it normalises, reads, bends, and adds what it writes.

    The normalisation has a `gain` and a `constant`, what is added a constant `added`, each of shape (d,); the
    map `read` has shape (d, inner), and `write` (inner, d).
    """

    gain: Row
    constant: Row
    read: Row
    write: Row
    added: Row

    def __call__(self, stream: Row) -> Row:
        """The stream, shape (n, d), after this layer."""
        centred = stream - stream.mean(axis=-1, keepdims=True)
        normed = centred / stream.std(axis=-1, keepdims=True) * self.gain + self.constant
        after: Row = stream + np.tanh(normed @ self.read) @ self.write + self.added
        return after

    def permuted(self, order: NDArray[np.intp]) -> Block:
        """The layer whose stream has its columns in another order."""
        gain, constant, added = (vector[order] for vector in (self.gain, self.constant, self.added))
        return Block(gain, constant, self.read[order], self.write[:, order], added)


def random_block(d_model: int, inner: int, *, seed: int) -> Block:
    """A layer with weights drawn from the standard normal distribution, which computes `inner` numbers.

    >>> random_block(4, 6, seed=0).read.shape
    (4, 6)
    """
    shapes = ((d_model,), (d_model,), (d_model, inner), (inner, d_model), (d_model,))
    rng = np.random.default_rng(seed)
    return Block(*(rng.normal(size=shape) for shape in shapes))


def computes_the_same_in(
    order: NDArray[np.intp], block: Block, moved: Block, stream: Row, moved_stream: Row
) -> Verdict:
    """Whether a layer on a stream with moved columns returns the old outputs, moved.

    `order` has the column of the stream that goes to each place.
    """
    gap = float(np.abs(block(stream)[:, order] - moved(moved_stream)).max())
    largest = max(float(np.abs(weight).max()) for weight in astuple(block))
    return Verdict(gap < WITHIN, {"gap": gap, "within": WITHIN, "largest weight": largest})


def _pairs(sine_angles: Row, cosine_angles: Row) -> Row:
    row: Row = np.stack([np.sin(sine_angles), np.cos(cosine_angles)], axis=-1).ravel()
    return row
