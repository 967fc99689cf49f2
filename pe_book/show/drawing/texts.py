"""Texts of a figure: templates whose every number is a field that the data fills."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from pe_book.inputs.checking import Layout

__all__ = ["PAIRED", "filled", "in_print", "scientific"]

#: What figures and tables call the columns that turn together.
PAIRED: dict[Layout, str] = {"interleaved": "neighbours", "halves": "halves"}

# a digit counts unless it belongs to a name (float32) or to a multiple of π
TYPED = re.compile(r"(?<![\w])(?!\d*π)\d|(?<=[^\W\d_]-)\d")


def filled(template: str, values: Mapping[str, Any]) -> str:
    """A template with its fields filled in; a number that is typed instead of computed is refused.

    Parameters
    ----------
    template : str
        Such as ``"falls to {lowest:.2f} at {offset (tokens)}"``; a field is any name of `values`.
    values : mapping of str to number or text

    Examples
    --------
    >>> filled("float32 has {bits} bits, a turn 2π", {"bits": 24})
    'float32 has 24 bits, a turn 2π'
    >>> filled("it has 24 bits", {})
    Traceback (most recent call last):
    ...
    ValueError: the text 'it has 24 bits' types a number: give it a name among the settings or facts
    """
    for literal, field, _, _ in Formatter().parse(template):
        if TYPED.search(literal):
            raise ValueError(
                f"the text {template!r} types a number: give it a name among the settings or facts"
            )
        if field is not None and field not in values:
            raise ValueError(f"the text {template!r} asks for {field!r}; there are {', '.join(values)}")
    return template.format_map(values)


def in_print(text: str) -> str:
    """The text as it stands in a picture: with the sign for minus before a number.

    Examples
    --------
    >>> in_print("-0.5 on a row-wise scale")
    '−0.5 on a row-wise scale'
    """
    return re.sub(r"(?<![\w-])-(?=[\d.])", "−", text)


def scientific(number: float, digits: int = 1) -> str:
    r"""A number in scientific notation, as maths.

    Examples
    --------
    >>> print(scientific(0.000123))
    1.2 \cdot 10^{-4}
    """
    mantissa, exponent = f"{number:.{digits}e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
