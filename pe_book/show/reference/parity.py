"""The recorded parity as tables: how far other libraries are from the book, and what they get wrong."""

from pe_book.evidence.records.parity import Agreement, Parity
from pe_book.show.drawing.table import Column, Table
from pe_book.show.drawing.texts import in_print, scientific


def rows(parity: Parity) -> Table:
    """Turned queries, the largest difference first."""
    return agreements(parity.of("rows"), "its layout")


def frequencies(parity: Parity) -> Table:
    """Frequencies and factors of context extension, the largest difference first."""
    return agreements(parity.of("frequencies"), "it lists frequencies")


def biases(parity: Parity) -> Table:
    """Slopes, buckets, biases and masks, the largest difference first."""
    return agreements(parity.of("biases"), "how it has them")


def attention(parity: Parity) -> Table:
    """Outputs of whole layers of attention, the largest difference first."""
    return agreements(parity.of("attention"), "its layout, and what it divides")


def agreements(found: list[Agreement], layout: str) -> Table:
    """What is compared and how far apart it is; where two are alike, in the order of their names."""
    found = sorted(found, key=lambda one: (-one.difference, one.member))
    return Table(
        Column("compared", [one.member for one in found]),
        Column("largest difference", [one.difference for one in found], small),
        Column("bound", [one.bound for one in found], small),
        Column(layout, [one.layout for one in found]),
        Column("library", [f"{one.library} {one.version}" for one in found]),
    )


def defects(parity: Parity) -> Table:
    """Calls whose result is not what is right, as each library is today."""
    found = parity.defects
    return Table(
        Column("call", [f"`{one.call}`" if "(" in one.call else one.call for one in found]),
        Column("it gives", [one.gives for one in found], printed),
        Column("right", [one.right for one in found], printed),
        Column("asked for", [one.asked for one in found]),
        Column("library", [f"{one.library} {one.version}" for one in found]),
    )


def small(number: float) -> str:
    r"""A difference as maths that no line break parts.

    >>> print(small(4.4e-06), small(0.0))
    ${4.4 \cdot 10^{-6}}$ 0
    """
    return f"${{{scientific(number)}}}$" if number else "0"


def printed(answer: str) -> str:
    r"""A number or a word that a library gave, as it stands in a table.

    >>> print(printed("-0.03979"), printed("0.0001334"), printed("40 rows"))
    −0.03979 ${1.334 \cdot 10^{-4}}$ 40 rows
    """
    try:
        number = float(answer)
    except ValueError:
        return answer
    return f"${{{scientific(number, digits=3)}}}$" if 0 < abs(number) < 0.001 else in_print(answer)
