"""What the letters of the side page on effective rank stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters
from pe_book.evidence.sinusoidal.letters.distance import letters as of_distance
from pe_book.sinusoidal.distance.spread import common_component
from pe_book.sinusoidal.formula import encode


def letters(draw: Generator) -> Letters:
    """The share of the mean row."""
    found = of_distance(draw)
    return found | {"=": common_component(encode(range(found["n"]), found["d"])).share}
