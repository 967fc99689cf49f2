"""What the letters of the chapter on precision stand for."""

import math

from numpy.random import Generator

from pe_book.evidence.letters import Letters, by_hand, index, real, whole, width
from pe_book.numerics.rounding import round_to, spacing
from pe_book.sinusoidal.formula import frequencies

BITS = {"float16": 11, "bfloat16": 8, "float32": 24}


def letters(draw: Generator) -> Letters:
    """A number of either sign, and a format."""
    dtype, x = str(draw.choice([*BITS])), real(draw)
    return {
        "s": BITS[dtype], "x": x, "e": math.floor(math.log2(abs(x))),
        r"\text{ulp}": lambda x: float(spacing(x, dtype)),
        r"\text{round}": lambda x: float(round_to(x, dtype)),
    }  # fmt: skip


def position(draw: Generator) -> Letters:
    """A whole position, large enough to be rounded."""
    d, found = width(draw), letters(draw)
    e = found["s"] + whole(draw, 0, 4)
    p = whole(draw, 2**e, 2 ** (e + 1) - 1)
    return found | {"d": d, "e": e, "p": p, "i": index(draw, d // 2), r"\omega": frequencies(d)}


AT = {"ex:precision:hand": by_hand, "thm:precision:four": position}
