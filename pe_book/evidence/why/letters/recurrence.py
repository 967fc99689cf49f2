"""What the letters of the page on recurrence and attention stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, whole, width
from pe_book.why.chain import recurrent_chain


def letters(draw: Generator) -> Letters:
    """A recurrent network."""
    n, d = whole(draw, 2, 6), width(draw)
    x, w_state, w_input = draw.normal(size=(n, d)), draw.normal(size=(d, d)), draw.normal(size=(d, d))
    return {
        "p": whole(draw, 1, n - 1), "h": recurrent_chain(x, w_state, w_input), "x": x, "W_h": w_state,
        "W_x": w_input,
    }  # fmt: skip
