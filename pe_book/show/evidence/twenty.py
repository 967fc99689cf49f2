"""The two pictures of the twenty claims: when a table proves something, and when columns wake."""

from collections.abc import Sequence

import numpy as np

from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift.fitting import shift_residual
from pe_book.sinusoidal.waves import quiet_columns

ROWS, DRAWN, OURS = "rows that are moved", "missed of random rows (%)", "missed of sines and cosines (%)"
WORDS, QUIET = "words", "quiet columns"


def when_it_is_special(d_model: int, k: int, lengths: Sequence[int], *, seed: int = 0) -> Figure:
    """What the best matrix for one offset misses, of a random table and of the encoding, by their length."""
    drawn = np.random.default_rng(seed).normal(size=(max(lengths) + k, d_model))
    ours = encode(np.arange(max(lengths) + k), d_model)
    missed = [[100 * shift_residual(table[: n + k], k) for n in lengths] for table in (drawn, ours)]
    return Figure(
        Frame({ROWS: list(lengths), DRAWN: missed[0], OURS: np.round(missed[1], 4)}, d_model=d_model, k=k),
        Panel(
            Guide(x="d_model", label="width {d_model}"),
            Line(ROWS, DRAWN, label="random rows", colour="orange", dots=True),
            Line(ROWS, OURS, label="sines and cosines", dots=True),
            y="missed (%)", height=240,
        ),
        facts=lambda f: {
            "first": f[DRAWN][f[ROWS] <= d_model].max(),
            "last": f[DRAWN][-1],
            "most": f[ROWS][-1],
            "ours": f[OURS].max(),
        },
        alt="What the best matrix for the offset {k} misses of tables of width {d_model}. Of random rows it "
            "misses {first:.0f} percent as long as there are no more rows than columns, and {last:.0f} "
            "percent of {most} rows; of sines and cosines {ours:.0f} percent throughout.",
    )  # fmt: skip


def when_columns_wake(d_model: int, lengths: Sequence[int]) -> Figure:
    """How many columns hardly move, in texts of some lengths."""
    quiet = [quiet_columns(n, d_model) for n in lengths]
    return Figure(
        Frame({WORDS: list(lengths), QUIET: quiet}, d_model=d_model),
        Panel(
            Line(WORDS, QUIET, dots=True, step=False),
            log="x", y="quiet columns", height=240,
        ),
        facts=lambda f: {
            "first": f[WORDS][0], "most": f[QUIET][0],
            "last": f[WORDS][-1], "least": f[QUIET][-1],
        },
        alt="Of {d_model} columns, how many are quiet: {most} among {first} words, falling to {least} among "
            "{last}.",
    )  # fmt: skip
