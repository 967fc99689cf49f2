"""Seven ways of saying where a word is, at one named setting, and what can be counted and tested about each.

The four that are added to the input give a row to every position. The three that act on scores give a row to
every offset, key minus query. The slope is published for keys behind the query; here it is the same ahead.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pe_book.inputs.checking import room_for, whole_number
from pe_book.inputs.pairs import split
from pe_book.inputs.wording import shown
from pe_book.numerics.rounding import collisions
from pe_book.sinusoidal.formula import encode
from pe_book.why.first_attempts import count, over_length

WIDTH = 512  # of the base model of 2017
HEADS = 8
HEAD_DIM = WIDTH // HEADS
LENGTH = 512  # the longest text in training
CLIP = 16  # offsets beyond it share a vector

Array = NDArray[np.float64]


class Approach(NamedTuple):
    """One way of saying where a word is."""

    name: str
    source: str
    """Bibliography key, or empty if nobody's."""
    relative: bool
    """Whether `code` has a row for each offset instead of each position."""
    learned: tuple[Array, ...]
    """What training sets; here filled with random numbers, one layer."""
    code: Callable[[int], Array]
    """From n to the rows for n tokens, (n, d) by position or (2n − 1, d) by offset, −(n − 1) to n − 1."""
    scores: Callable[[Array], Array]
    """Those rows to what n equal words score, shape (n, n), with no weight matrices of their own."""
    built: Callable[[int], Array]
    """n to the numbers the plain formula takes in for n tokens in one layer, those that heads share once."""


class Measured(NamedTuple):
    """What :func:`measure` found."""

    parameters: int
    beyond: str
    """``"goes on"``, ``"refuses"``, or ``"moves"`` if one more token changes the rows of those before it."""
    distinct: int
    """How many rows differ, of `total`."""
    total: int
    direction: bool
    """Whether equal words score differently ahead and behind."""
    numbers: tuple[int, ...]
    """Shape of the numbers that the plain formula takes in for 64 tokens, in one layer."""
    growth: float
    """By what they are multiplied for 128 tokens."""


def measure(approach: Approach, *, seq_len: int = LENGTH) -> Measured:
    """Count and test one approach; every answer comes from its arrays, none from its description.

    Parameters
    ----------
    approach
        One of :func:`approaches`.
    seq_len
        The longest text in training, in tokens, at least 2.

    Returns
    -------
    Measured
        The answers.

    Raises
    ------
    ValueError
        If `seq_len` is more than the approach has rows for, or a table of its scores would take more than 1
        GiB.

    Examples
    --------
    >>> measure(approaches()["learned table"]).parameters
    262144
    """
    n = whole_number(seq_len, "seq_len", least=2)
    if not isinstance(approach, Approach):
        raise TypeError(f"approach must be one of approaches(), got {shown(approach)}")
    room_for(8 * (3 * n * n + 4 * n * WIDTH), "seq_len", n)
    rows = approach.code(n)
    table = approach.scores(rows)
    few = approach.built(64)
    return Measured(
        parameters=sum(array.size for array in approach.learned),
        beyond=_beyond(approach, n),
        distinct=collisions(rows).distinct,
        total=len(rows),
        direction=not np.allclose(table, table.T, rtol=1e-9, atol=1e-9),
        numbers=few.shape,
        growth=approach.built(128).size / few.size,
    )


def approaches(seed: int = 2017) -> dict[str, Approach]:
    r"""The approaches by name: four that are added, then three relative ones.

    With offset :math:`k` = key minus query, :math:`K` the clip, :math:`q` a query and :math:`R` the block
    rotation, n equal words score

    .. math:: P(i)\cdot P(j), \qquad q\cdot a_{\mathrm{clip}(k, -K, K)}, \qquad -m\,\lvert k\rvert, \qquad
              (R_i q)\cdot(R_j q)

    for the added codes P, for clipped vectors (:cite:t:`shaw2018`, section 3.2), for a slope
    (:cite:t:`press2022`, section 3) and for a rotation (:cite:t:`su2021`, section 3.2.2).

    Parameters
    ----------
    seed
        Of the random numbers that stand for what training would find.

    Returns
    -------
    dict of str to Approach
        In this order: count, count over length, learned table, sinusoid, clipped vectors, slope, rotation.

    Examples
    --------
    >>> list(approaches())[-3:]
    ['clipped vectors', 'slope', 'rotation']
    """
    generator = np.random.default_rng(whole_number(seed, "seed", least=0))
    table = generator.normal(0, 0.02, (LENGTH, WIDTH))
    clipped = generator.normal(0, 0.02, (2, 2 * CLIP + 1, HEAD_DIM))  # for keys, and for values
    query = generator.normal(size=HEAD_DIM)
    slopes = 2.0 ** -np.arange(1, HEADS + 1)

    def vectors(offsets: NDArray[np.int64]) -> Array:
        return np.asarray(clipped[0][np.clip(offsets, -CLIP, CLIP) + CLIP])

    def penalties(offsets: NDArray[np.int64]) -> Array:
        return np.asarray(-np.abs(offsets)[..., None] * slopes, dtype=np.float64)  # (..., h)

    first, second = split(query, "interleaved")
    squares_of_pairs = first**2 + second**2

    def turned(rows: Array) -> Array:
        _, cosines = split(rows, "interleaved")
        return cosines @ squares_of_pairs  # (2n - 1,)  (R_i q)·(R_j q) = sum of |q_pair|^2 cos(k omega)

    added = {
        "count": ("", (), lambda n: count(n)[:, None]),  # (n, 1)
        "count over length": ("", (), lambda n: over_length(n)[:, None]),  # (n, 1)
        "learned table": ("gehring2017", (table,), lambda n: _looked_up(table, n)),
        "sinusoid": ("vaswani2017", (), lambda n: encode(np.arange(n), WIDTH)),
    }
    found: dict[str, Approach] = {}
    for name, (source, learned, code) in added.items():
        found[name] = Approach(name, source, False, learned, code, lambda rows: rows @ rows.T, code)  # (n, n)
    by_offset: dict[str, tuple[str, tuple[Array, ...], Callable[[int], Array], Callable[[Array], Array]]] = {
        "clipped vectors": (
            "shaw2018", (clipped,), lambda n: vectors(_offsets(n)), lambda rows: rows @ query,  # (2n - 1,)
        ),
        "slope": ("press2022", (), lambda n: penalties(_offsets(n)), lambda rows: rows[:, 0]),
        "rotation": ("su2021", (), lambda n: encode(_offsets(n), HEAD_DIM), turned),
    }  # fmt: skip
    squares: dict[str, Callable[[int], Array]] = {
        "clipped vectors": lambda n: clipped[:, np.clip(_square(n), -CLIP, CLIP) + CLIP],
        "slope": lambda n: penalties(_square(n)),
        "rotation": lambda n: encode(np.arange(n), HEAD_DIM),
    }
    for name, (source, learned, code, score) in by_offset.items():
        found[name] = Approach(name, source, True, learned, code, _by_offset(score), squares[name])
    return found


def _offsets(n: int) -> NDArray[np.int64]:
    return np.arange(-(n - 1), n)


def _square(n: int) -> NDArray[np.int64]:
    """Key minus query, for every query and key."""
    return np.arange(n) - np.arange(n)[:, None]  # (n, n)


def _by_offset(score: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def table(rows: Array) -> Array:
        n = (len(rows) + 1) // 2
        return np.asarray(score(rows)[_square(n) + n - 1])

    return table


def _looked_up(table: Array, n: int) -> Array:
    if n > len(table):
        raise ValueError(f"seq_len must be at most {len(table)}, the rows of the table, got {n}")
    return table[:n]


def _beyond(approach: Approach, n: int) -> str:
    before = approach.code(n)
    try:
        after = approach.code(n + 1)
    except ValueError:
        return "refuses"
    kept = after[1:-1] if approach.relative else after[:-1]
    return "goes on" if np.array_equal(kept, before) else "moves"
