"""What the letters of the chapter on longer texts stand for."""

from numpy.random import Generator

from pe_book.evidence.letters import Letters, by_hand, index, real, whole, width
from pe_book.family.context_extension.interpolation import ntk_aware, turns
from pe_book.family.context_extension.ramps import yarn
from pe_book.sinusoidal.formula import frequencies


def letters(draw: Generator) -> Letters:
    """A larger base by a factor, as the package finds it in the slowest frequency."""
    d, base, s = width(draw), real(draw, 10.0, 1e5), real(draw, 1.1, 16.0)
    i = index(draw, d // 2 - 1, start=1)
    slowed = ntk_aware(frequencies(d, base=base), s)
    return {
        "d": d, "s": s, "i": i, "L": whole(draw, 10, 4096),
        "g": float(frequencies(d, base=base)[i] / slowed[i]),
        r"\text{base}": base, r"\text{base}'": float(slowed[-1]) ** (-d / (d - 2)),
    }  # fmt: skip


def by_parts(draw: Generator) -> Letters:
    """Frequencies by parts, between two numbers of turns; how much of each stays is read off the package."""
    found, slow, fast = letters(draw), real(draw, 0.5, 4.0), real(draw, 5.0, 40.0)
    omega, length, s = frequencies(found["d"]), whole(draw, 10, 400), found["s"]
    scaled = yarn(omega, s, length, beta_fast=fast, beta_slow=slow)
    return {
        "s": s, "i": index(draw, found["d"] // 2), r"\alpha": slow, r"\beta": fast, r"\omega": omega,
        "r": turns(omega, length), r"\omega'": scaled, r"\gamma": (scaled / omega - 1 / s) / (1 - 1 / s),
    }  # fmt: skip


def reach(draw: Generator) -> Letters:
    """The factor that is asked for."""
    return {"s": 8}


AT = {
    "eq:context:parts": by_parts, "ex:context:dials": by_hand, "ex:context:ladders": by_hand,
    "ex:context:digits": by_hand, "ex:context:reach": reach, "ex:context:parts": by_hand,
}  # fmt: skip
