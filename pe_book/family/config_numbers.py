"""Numbers of a config, refused by the name of the key where they stand."""

import math
from typing import Any

from pe_book.checking import base_above_one
from pe_book.wording import shown


def part_of(head: int, share: float) -> int:
    """So many columns of a head: cut to a whole number, as the libraries do.

    >>> part_of(96, 0.25)
    24
    """
    return int(head * share)


def share_of_one(value: Any, name: str) -> float:
    """A number above 0 and at most 1 from a config, refused by the name of its key.

    >>> share_of_one(0.25, "rotary_pct")
    0.25
    """
    if positive(value, name) > 1:
        raise ValueError(f"{name} must be at most 1, got {shown(value)}")
    return float(value)


def even(value: Any, name: str) -> int:
    """An even width from a config, refused by the name of its key.

    >>> even(64, "rotary_dim")
    64
    """
    width = whole(value, name)
    if width % 2:
        raise ValueError(f"{name} must be even, got {width}")
    return width


def whole(value: Any, name: str) -> int:
    """A whole number above 0 from a config, refused by the name of its key.

    >>> whole(32.0, "num_hidden_layers")
    32
    """
    if positive(value, name) != math.floor(value):
        raise ValueError(f"{name} must be a whole number above 0, got {shown(value)}")
    return int(value)


def above_one(value: Any, name: str) -> float:
    """A base from a config, refused by the name of its key unless frequencies fall with it.

    >>> above_one(500000, "rope_theta")
    500000.0
    """
    return base_above_one(positive(value, name), name)


def flag(value: Any, name: str) -> bool:
    """A yes or a no from a config, refused by the name of its key.

    >>> flag(True, "truncate")
    True
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, got {shown(value)}")
    return value


def zero_or_positive(value: Any, name: str) -> float:
    """A number that is not negative from a config, refused by the name of its key.

    >>> zero_or_positive(0, "mscale")
    0.0
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        raise ValueError(f"{name} must be a number of at least 0 and below 2**53, got {shown(value)}")
    return float(value)


def positive(value: Any, name: str) -> float:
    """A number above 0 from a config, refused by the name of its key.

    >>> positive(500000, "rope_theta")
    500000.0
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 2**53:
        raise ValueError(f"{name} must be a number above 0 and below 2**53, got {shown(value)}")
    return float(value)
