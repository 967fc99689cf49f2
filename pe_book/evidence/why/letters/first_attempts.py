"""What the letters of the chapter on numbering words stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, index, real, whole
from pe_book.why.sines import harmonic_pairs


def letters(draw: Generator) -> Letters:
    """Counts and numbers of either sign."""
    return {
        "n": whole(draw, 2, 40), "a": whole(draw, 0, 40), "b": whole(draw, 41, 80), "p": real(draw),
        "k": real(draw), "q": real(draw), "j": real(draw),
    }  # fmt: skip


def harmonic(draw: Generator) -> Letters:
    """One pair of a dial that turns slower by a whole number."""
    p, i = real(draw), index(draw, 6)
    return {"p": p, "i": i, "=": harmonic_pairs(p, 6)[2 * i : 2 * i + 2]}


AT = {"eq:attempts:harmonic": harmonic}
