"""Every error of an edge of the table, each rounded up: what the proof of its bound adds together."""

import inspect
import math
import textwrap

from pe_book.sinusoidal import phases
from pe_book.sinusoidal.phases import UNIT_ROUNDOFF

_FEW_TICKS = 2.0**52 + 2.0**36  # p times r_i, and the low bits of a distance
_TICK = 2 * math.pi / 2.0**64  # in radians


def lines() -> str:
    """The lines of `sine_cosine` from a phase to the sine and the cosine of what it leaves, as they stand.

    >>> print(lines().splitlines()[0])
    phase = positions.astype(np.uint64)[:, np.newaxis] * whole
    """
    source = textwrap.dedent(inspect.getsource(phases.sine_cosine).split('"""')[2]).strip()
    return source[: source.index("swap = ")].rstrip()


def last_powers() -> tuple[int, int]:
    """The powers of the angle at which the two Taylor sums end."""
    return 2 * len(phases._SINE) + 1, 2 * len(phases._COSINE) + 2


def small_part() -> float:
    """Radians at most, of what is not the leading 26 bits times the leading 26 bits."""
    return _FEW_TICKS * _TICK + 2.0**-26


def farthest() -> float:
    """The largest reduced angle, in radians."""
    return math.pi / 4 + small_part()


def bracket() -> float:
    """The largest h - sin h."""
    return farthest() - math.sin(farthest())


def second_bracket() -> float:
    """The largest cos h - 1 + h²/2."""
    return math.cos(farthest()) - 1 + farthest() ** 2 / 2


def truncation(*, cosine: bool = False, fewer: int = 0) -> float:
    """The first term that a Taylor sum omits, and more than all of them, with `fewer` terms than it has."""
    power = last_powers()[cosine] + 2 - 2 * fewer
    return math.pow(farthest(), power) / math.factorial(power) / UNIT_ROUNDOFF


def before_the_last_sum() -> float:
    """How much of Horner's result is there before the first coefficient is added, at most, as a share."""
    square = farthest() ** 2
    shares: list[float] = []
    for series in (phases._SINE, phases._COSINE):
        whole = sum(term * square**k for k, term in enumerate(series))
        shares.append(abs((whole - series[0]) / whole))
    return max(shares)


def ledger() -> list[tuple[str, float, float]]:
    """Every error of `sine_cosine`: what it is, and at most how many u of a sine and of a cosine."""
    slope = math.sin(farthest())  # an error of the angle counts fully in a sine, and so much in a cosine
    tick, radians = _TICK / UNIT_ROUNDOFF, 3 * small_part()
    h = farthest()
    part, first, second = (f"{rounded_up(x):.4f}" for x in (small_part(), bracket(), second_bracket()))
    parts = [
        ("$r_i$, $p\\,r_i$ and a sum rounded: one tick of the angle", tick, tick * slope),
        (f"the small part of the angle, {part}: rounded three times", radians, radians * slope),
        ("the terms that the Taylor sum omits", truncation(), truncation(cosine=True)),
        ("$1 - h^2/2$ for $\\cos h$, or $h$ for $\\sin h$, times $l$", h**4 / 24 / 2, h**3 / 6 / 2),
        ("$h^2$ rounded, in $1 - h^2/2$", 0.0, 0.25),
        (f"6 roundings of {first}, or 7 of {second}", 6 * bracket(), 7 * second_bracket()),
        ("the sums in the bracket: 1, or 2", bracket(), 2 * second_bracket()),
        ("the last sum", 0.5, 0.5),
        ("products of two errors, and underflow", 100 * UNIT_ROUNDOFF, 100 * UNIT_ROUNDOFF),
    ]
    return [(what, rounded_up(sine), rounded_up(cosine)) for what, sine, cosine in parts]


def rounded_up(value: float) -> float:
    """To four digits behind the point.

    >>> rounded_up(0.00001)
    0.0001
    """
    return math.ceil(value * 10**4) / 10**4


def edge_bounds() -> tuple[float, float]:
    """The sums of the ledger, for a sine and for a cosine, in u."""
    rows = ledger()
    return sum(row[1] for row in rows), sum(row[2] for row in rows)
