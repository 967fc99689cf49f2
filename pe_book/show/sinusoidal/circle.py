"""The explorer of the chapter on the formula: a word moves the hand of a pair, which draws two waves."""

from typing import Any

import numpy as np

from pe_book.show.drawing.diagram import Dial
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line, Points
from pe_book.sinusoidal.formula import encode, frequencies, wavelengths

COLOURS = ("blue", "orange", "green")
SAMPLES = 4  # of a curve, for each word
BASES = (100, 1000, 10000, 500000)  # the slip of the chapter, a smaller one, the printed one, one of today
LAST = 60  # word that can be chosen


def hands(last: int = 6, d_model: int = 6, base: int = 10000) -> Figure:
    """For each pair the dial with the words 0, …, last, and the sines that the hands draw."""
    angle, word, position = "angle (radians)", "word", "position"
    rates = frequencies(d_model, base=base)
    fine = np.arange(SAMPLES * last + 1) / SAMPLES
    table = encode(fine, d_model, base=base)
    rows = [
        (i, p, int(p) if p.is_integer() else None, p * rate, table[at, 2 * i], table[at, 2 * i + 1])
        for i, rate in enumerate(rates)
        for at, p in enumerate(fine)
    ]
    whole = [{"pair": i, word: ...} for i in range(rates.size)]

    def given(f: Frame) -> dict[str, Any]:
        return {
            "width": f.settings["d_model"], "base": f.settings["base"], "bases": list(BASES), "word": 1,
            "last": LAST, "asked": f.settings["last"], "samples": SAMPLES,
        }  # fmt: skip

    return Figure(
        Frame.of_rows(
            ("pair", position, word, angle, "sine", "cosine"), rows, d_model=d_model, base=base, last=last,
            **{f"pair {i}": i for i in range(rates.size)},
        ),
        *(
            Panel(
                Dial(angle, whole[i], colour), title=f"pair {{pair {i}}}", bare=True, equal=True, width=100,
                height=125,
            )
            for i, colour in zip(range(rates.size), COLOURS, strict=True)
        ),
        Panel(
            *(
                Line(position, "sine", {"pair": i}, f"sine, pair {{pair {i}}}", colour)
                for i, colour in zip(range(rates.size), COLOURS, strict=True)
            ),
            *(Points(position, "sine", where, colour=c) for where, c in zip(whole, COLOURS, strict=True)),
            y="sine", xticks=range(last + 1), yticks=(-1, 0, 1), ylim=(-1.3, 1.4), height=190,
        ),
        facts=lambda f: {
            "degrees": ", ".join(f"{np.degrees(x):.1f}" for x in f.where({word: last})[angle]),
            "turns": ", ".join(f"{x:,.1f}" for x in wavelengths(f.settings["d_model"], base=base)),
        },
        explorer="pe-circle", given=given,
        alt="A dial for each pair of width {d_model} with a dot for each word up to {last}, and the sines "
        "that the hands draw. At word {last} the hands have turned {degrees} degrees; one turn takes {turns} "
        "words.",
    )  # fmt: skip
