"""What the letters of the chapter on the four doors stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, Vocabulary


def letters(draw: Generator) -> Letters:
    """The page gives every number itself."""
    return {}


AT: dict[str, Vocabulary] = {}
UNREAD: dict[str, int] = {}
