"""Long work in chunks: how much of a table is worked out at once, and how much at most."""

from collections.abc import Iterator

from pe_book.inputs.checking import even_width
from pe_book.inputs.wording import room_for, shown

MOST_ENTRIES = 2**30  # sines and cosines that one call works out: half a minute
WIDEST = 2**20  # a width whose frequencies are found in multiple precision within seconds
_AT_ONCE = 2**16  # a chunk and what is made of it stay in a few megabytes


def chunks(n: int, width: int) -> Iterator[slice]:
    """The indices 0, …, n-1, in order, as slices that hold about 2**16 entries of `width` each.

    >>> list(chunks(10, 2**14))
    [slice(0, 4, None), slice(4, 8, None), slice(8, 10, None)]
    """
    rows = max(1, _AT_ONCE // width)
    for start in range(0, n, rows):
        yield slice(start, min(start + rows, n))


def bounded_width(d_model: object) -> int:
    """`d_model` as an int, refused unless it is even and its frequencies take seconds at most.

    >>> bounded_width(2**31)
    Traceback (most recent call last):
        ...
    ValueError: d_model must be at most 1048576, got 2147483648: its frequencies would take too long
    """
    width = even_width(d_model)
    if width > WIDEST:
        reason = "its frequencies would take too long"
        raise ValueError(f"d_model must be at most {WIDEST}, got {shown(width)}: {reason}")
    return width


def width_of_a_matrix(d_model: int) -> int:
    """As :func:`bounded_width`, and refused if a square matrix so wide takes more than may be used."""
    width = bounded_width(d_model)
    room_for(8 * width**2, "d_model", width)
    return width


def refuse_endless(n: int, width: int, name: str, value: object, d_model: object) -> None:
    """Refuse, before the first sine, a `value` for which `n` rows of `width` entries would be worked out.

    >>> refuse_endless(10**7, 256, "n", 10**7, 512)
    Traceback (most recent call last):
        ...
    ValueError: n must be smaller: 10000000 and d_model = 512 would take 2560000000 sines; 1073741824 may be
    """
    if n * width > MOST_ENTRIES:
        cost = f"would take {shown(n * width)} sines; {MOST_ENTRIES} may be"
        raise ValueError(f"{name} must be smaller: {shown(value)} and d_model = {shown(d_model)} {cost}")
