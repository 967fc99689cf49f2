"""Every error of an edge of the table, each rounded up: what the proof of its bound adds together."""

import inspect
import math
import textwrap

import numpy as np

from pe_book.numerics import phases
from pe_book.numerics.phases import UNIT_ROUNDOFF

_TICK = 2 * math.pi / 2.0**64  # in radians


def lines() -> str:
    """The lines that turn a phase into a sine and a cosine, as they stand.

    >>> print(lines().splitlines()[0])
    step = (phase + 2**55) >> 56
    """
    source = inspect.getsource(phases._wave).split("\n", 1)[1]
    return textwrap.dedent(source).strip()


def last_powers() -> tuple[int, int]:
    """The powers of the angle at which the two series end."""
    return 2 * len(phases._SINE) + 1, 2 * len(phases._COSINE)


def farthest() -> float:
    """The largest angle that is left to the series, in radians: half a step of a turn."""
    return math.pi / phases.STEPS


def left_over() -> float:
    """What a float64 leaves over of the sines and cosines that are looked up, at most, in u."""
    _, rest = phases.steps_of_a_turn()
    return float(np.abs(rest.view(np.float64)).max()) / UNIT_ROUNDOFF


def truncation(*, cosine: bool = False, fewer: int = 0) -> float:
    """The first term that a series omits, and more than all of them, with `fewer` terms than it has, in u."""
    power = last_powers()[cosine] + 2 - 2 * fewer
    return math.pow(farthest(), power) / math.factorial(power) / UNIT_ROUNDOFF


def ledger() -> list[tuple[str, float]]:
    """Every error of an edge: what it is, and how many u of a sine or a cosine it is at most.

    Both components of an edge are made alike, by the same lines, so that one column serves both.
    """
    h, tick = farthest(), _TICK / UNIT_ROUNDOFF
    beyond_h, below_one = h**3 / 6, h**2 / 2  # sin h - h, and 1 - cos h
    turn = math.hypot(h, below_one)  # the modulus of cos h - 1 - i sin h, and a trifle more
    parts = [
        ("$r_i$, $p\\,r_i$ and its rounding to a tick: one tick of the angle", tick),
        ("the distance in ticks, as a float64: at most two", 2 * tick),
        ("the size of a tick, and the product with it", 2 * h),
        ("$\\sin h$: six roundings of $h^3/6$, and the sum", 6 * beyond_h + h),
        ("$\\cos h - 1$: four roundings of $h^2/2$", 4 * below_one),
        ("the terms that the series omit", truncation() + truncation(cosine=True)),
        ("the product with $T$: two products and their sum", 2 * turn),
        ("$T$ in it without what its float64 leaves over", left_over() * (h + below_one)),
        ("what $T$ leaves over, added", turn + UNIT_ROUNDOFF),
        ("$T$, added: the last sum", 0.5),
        ("products of two errors, and underflow", 100 * UNIT_ROUNDOFF),
    ]
    return [(what, rounded_up(size)) for what, size in parts]


def rounded_up(value: float) -> float:
    """To four digits behind the point.

    >>> rounded_up(0.00001)
    0.0001
    """
    return math.ceil(value * 10**4) / 10**4


def edge_bound() -> float:
    """The sum of the ledger, in u."""
    return sum(size for _, size in ledger())
