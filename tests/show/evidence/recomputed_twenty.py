"""The pictures of the twenty claims by another path: what definitions say of the same tables."""

import numpy as np

from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.shift.fitting import shift_residual
from pe_book.sinusoidal.waves import column_range

LENGTHS = [8, 16, 24, 32, 40, 48, 64, 96, 128]
WORDS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
RANDOM = np.random.default_rng(0).normal(size=(138, 32))
DRAWN, OURS = (
    np.array([100 * shift_residual(table[: n + 10], 10) for n in LENGTHS])
    for table in (RANDOM, encode(range(138), 32))
)
QUIET = np.array([(column_range(n, 128) < 0.1).sum() for n in WORDS])

RECOMPUTED = {
    "fig:twenty:rows": {
        "rows that are moved": LENGTHS,
        "missed of random rows (%)": DRAWN,
        "missed of sines and cosines (%)": OURS.round(4),
        "facts": {"first": DRAWN[:4].max(), "last": DRAWN[-1], "most": 128, "ours": OURS.round(4).max()},
    },
    "fig:twenty:quiet": {
        "words": WORDS,
        "quiet columns": QUIET,
        "facts": {"first": 10, "most": QUIET[0], "last": 5000, "least": QUIET[-1]},
    },
}
