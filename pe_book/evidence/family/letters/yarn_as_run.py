"""What the letters of the page on YaRN as it is run stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, real
from pe_book.family.context_extension.ramps import temperature


def letters(draw: Generator) -> Letters:
    """The factor on queries and keys."""
    s = real(draw, 1.0, 64.0)
    return {"s": s, "t": temperature(s) ** -2}
